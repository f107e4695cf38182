package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Kernels and what ParseTimeKernel makes of them, by their formulas.
func TestTimeKernelValues(t *testing.T) {
	rbf := func(d, l float64) float64 { return math.Exp(-d * d / (2 * l * l)) }
	matern12 := func(d, l float64) float64 { return math.Exp(-math.Abs(d) / l) }
	matern32 := func(d, l float64) float64 {
		r := math.Sqrt(3) * math.Abs(d) / l
		return (1 + r) * math.Exp(-r)
	}
	matern52 := func(d, l float64) float64 {
		r := math.Sqrt(5) * math.Abs(d) / l
		return (1 + r + r*r/3) * math.Exp(-r)
	}
	periodic := func(d, p, l float64) float64 {
		return math.Exp(-2 * math.Pow(math.Sin(math.Pi*d/p), 2) / (l * l))
	}
	for text, want := range map[string]func(d float64) float64{
		"rbf(2)":                       func(d float64) float64 { return rbf(d, 2) },
		"matern12(0.5)":                func(d float64) float64 { return matern12(d, 0.5) },
		"matern32(1e1)":                func(d float64) float64 { return matern32(d, 10) },
		"matern52(3)":                  func(d float64) float64 { return matern52(d, 3) },
		"periodic(12,0.8)":             func(d float64) float64 { return periodic(d, 12, 0.8) },
		"rbf(2)*periodic(3,1)":         func(d float64) float64 { return rbf(d, 2) * periodic(d, 3, 1) },
		"0.25*rbf(2)+0.75*matern32(1)": func(d float64) float64 { return 0.25*rbf(d, 2) + 0.75*matern32(d, 1) },
		"matern12(2)*(0.5*rbf(1)+0.5*matern52(4))*rbf(9)": func(d float64) float64 {
			return matern12(d, 2) * (0.5*rbf(d, 1) + 0.5*matern52(d, 4)) * rbf(d, 9)
		},
	} {
		k, err := ParseTimeKernel(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		s, u := []float64{0, -3.5, 1e6}, []float64{0, 0.1, 2, -7.25, 1e200}
		got := mat.New(len(s), len(u))
		k.matrix(got, s, u)
		for i, a := range s {
			for j, b := range u {
				// The angle of the periodic kernel is wrong by up to ε·Δ/p.
				if w := want(a - b); !(math.Abs(got.At(i, j)-w) <= 1e-14+1e-15*math.Abs(a-b) || math.Abs(b) > 1e9) || !(got.At(i, j) >= 0 && got.At(i, j) <= 1) {
					t.Errorf("%s: k(%v) = %v, want %v", text, a-b, got.At(i, j), w)
				}
			}
		}
		again, err := ParseTimeKernel(k.String())
		if err != nil || !reflect.DeepEqual(again, k) {
			t.Errorf("%s: written as %s, read as %+v, error %v", text, k, again, err)
		}
	}
}

// Any tree is read as it was written.
func TestTimeKernelString(t *testing.T) {
	for _, text := range []string{"matern32", "rbf*periodic+matern12", "periodic(7)", "rbf+(matern12+rbf(2))", "rbf*(matern12*rbf)", "0.5*(rbf+matern52)+0.5*rbf*matern12(2)"} {
		k, err := ParseTimeKernel(text)
		if err != nil || k.String() != text {
			t.Errorf("%s: written as %s, error %v", text, k, err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var draw func(depth int) TimeKernel
	draw = func(depth int) TimeKernel {
		kind := []KernelKind{Matern12, Matern32, Matern52, RBF, Periodic, Sum, Product}[rng.IntN(7)]
		if depth == 3 {
			kind = RBF
		}
		k := TimeKernel{Kind: kind}
		switch kind {
		case Sum, Product:
			for range 2 + rng.IntN(2) {
				k.Terms = append(k.Terms, draw(depth+1))
			}
			if kind == Sum {
				var total float64
				for range k.Terms {
					k.Weights = append(k.Weights, rng.Float64())
				}
				for _, w := range k.Weights {
					total += w
				}
				for i := range k.Weights {
					k.Weights[i] /= total
				}
			}
			return k
		case Periodic:
			k.Period = math.Exp(20 * rng.NormFloat64())
		}
		k.LengthScale = math.Exp(20 * rng.NormFloat64())
		return k
	}
	for range 200 {
		k := draw(0)
		again, err := ParseTimeKernel(k.String())
		if err != nil || !reflect.DeepEqual(again, k) {
			t.Errorf("%s: read as %s, error %v", k, again, err)
		}
	}
}

func TestTimeKernelErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  `expected one of [matern12 matern32 matern52 rbf] and periodic at the end`,
		"cosine":                            `and periodic at "cosine"`,
		"rbf+":                              "at the end",
		"rbf matern12":                      `expected + or * at " matern12"`,
		"rbf(0)":                            `expected a positive number at "0)"`,
		"rbf(-1)":                           `expected a positive number at "-1)"`,
		"rbf(1e999)":                        "expected a positive number",
		"rbf(NaN)":                          "expected a positive number",
		"rbf(1,2)":                          `expected ) at ",2)"`,
		"periodic(1,2,3)":                   `expected ) at ",3)"`,
		"(rbf":                              "expected ) at the end",
		"0.5*rbf":                           "weights for all terms of a sum in a time kernel, or for none",
		"0.5*rbf+matern12":                  "weights for all terms",
		"0.5*rbf+0.6*matern12":              "weights add up to 1.1, expected 1",
		"0.5rbf+0.5*matern12":               `expected * at "rbf`,
		strings.Repeat("(", 40) + "rbf":     "expected at most 16",
		"rbf" + strings.Repeat("*rbf", 100): "more than 64 terms",
	} {
		if k, err := ParseTimeKernel(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v, expected %q", text, k, err, want)
		}
	}
	for want, k := range map[string]TimeKernel{
		"length scale 0 of rbf":         {Kind: RBF},
		"length scale +Inf of matern12": {Kind: Matern12, LengthScale: math.Inf(1)},
		"period 0":                      {Kind: Periodic, LengthScale: 1},
		`unknown time kernel "white"`:   {Kind: White, LengthScale: 1},
		"1 terms of sum":                {Kind: Sum, Terms: []TimeKernel{{Kind: RBF, LengthScale: 1}}, Weights: one(1)},
		"2 terms of rbf":                {Kind: RBF, LengthScale: 1, Terms: make([]TimeKernel, 2)},
		"0 weights for 2 terms":         {Kind: Sum, Terms: []TimeKernel{{Kind: RBF, LengthScale: 1}, {Kind: RBF, LengthScale: 1}}},
		"weights add up to 2":           {Kind: Sum, Terms: []TimeKernel{{Kind: RBF, LengthScale: 1}, {Kind: RBF, LengthScale: 1}}, Weights: ones(2)},
		"weight -1":                     {Kind: Sum, Terms: []TimeKernel{{Kind: RBF, LengthScale: 1}, {Kind: RBF, LengthScale: 1}}, Weights: []float64{2, -1}},
	} {
		if err := k.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, expected %q", k, err, want)
		}
	}
}

// Weights are optimised as ratios, and add up to 1 whatever comes back.
func TestTimeKernelWeights(t *testing.T) {
	k := TimeKernel{Kind: Sum, Terms: make([]TimeKernel, 3), Weights: []float64{0.5, 0.2, 0.3}}
	k.visitWeights(&k, func(value, _ []float64, positive bool) {
		near(t, "ratios", value, []float64{5. / 3, 2. / 3}, 1e-15)
		if !positive {
			t.Error("ratios may be negative")
		}
	})
	sameBits(t, "weights", k.Weights, []float64{0.5, 0.2, 0.3})
	for _, ratio := range []float64{1e-300, 1, 1e300} {
		k.visitWeights(&k, func(value, _ []float64, _ bool) { value[0], value[1] = ratio, 2 })
		if err := validWeights(k.Weights); err != nil || !(math.Abs(k.Weights[1]/k.Weights[2]-2) <= 1e-14) && ratio < 1e299 {
			t.Errorf("ratio %v: weights %v, error %v", ratio, k.Weights, err)
		}
	}
}

// Where training starts, length scales and periods are about those of the data.
func TestStartTimeKernel(t *testing.T) {
	const n = 120
	times := make([]float64, n)
	for i := range times {
		times[i] = 0.5 * float64(i)
	}
	for text, want := range map[string]func(k TimeKernel) bool{
		"rbf":          func(k TimeKernel) bool { return k.LengthScale >= 2 && k.LengthScale <= 8 },
		"periodic":     func(k TimeKernel) bool { return k.Period > 19 && k.Period < 21 && k.LengthScale == 1 },
		"rbf(7)":       func(k TimeKernel) bool { return k.LengthScale == 7 },
		"rbf+matern12": func(k TimeKernel) bool { return k.Weights[0] == 0.5 && k.Terms[1].LengthScale > 0 },
	} {
		k, err := ParseTimeKernel(text)
		if err != nil {
			t.Fatal(err)
		}
		scores := mat.New(n, 1)
		for i, at := range times {
			scores.Data[i] = math.Sqrt2 * math.Sin(2*math.Pi*at/20+0.3)
		}
		d := Dynamics{Times: times}
		got, err := startTimeKernel(k, d.series(), scores)
		if err != nil || !want(got) || got.validate() != nil {
			t.Errorf("%s: %v, error %v", text, got, err)
		}
	}
	for _, d := range []Dynamics{{Times: one(3)}, {Times: []float64{2, 2, 2}}, {Times: []float64{1, 2}, Sequences: []int{1, 2}}} {
		got, err := startTimeKernel(TimeKernel{Kind: Product, Terms: []TimeKernel{{Kind: Periodic}, {Kind: RBF}}}, d.series(), mat.New(len(d.Times), 1))
		if err != nil || got.validate() != nil {
			t.Errorf("%+v: %v, error %v", d, got, err)
		}
	}
}

func ExampleParseTimeKernel() {
	k, err := ParseTimeKernel("0.8*rbf(30)*periodic(12,1)+0.2*matern12(2)")
	fmt.Println(k, err)
	_, err = ParseTimeKernel("rbf*cosine")
	fmt.Println(err)
	// Output:
	// 0.8*rbf(30)*periodic(12,1)+0.2*matern12(2) <nil>
	// expected one of [matern12 matern32 matern52 rbf] and periodic at "cosine", in a time kernel such as matern32 or 0.7*rbf(2)+0.3*rbf*periodic(12,1)
}
