package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Any tree is read as it was written.
func TestString(t *testing.T) {
	for _, text := range []string{"matern32", "white", "rbf*periodic+matern12", "periodic(7)", "rbf+(matern12+rbf(2))", "rbf*(matern12*rbf)",
		"0.5*(rbf+matern52)+0.5*rbf*matern12(2)", "rbf(1,2,0.5)", "oscillator(3)*quadratic"} {
		if k := parsed(t, text); k.String() != text {
			t.Errorf("%s: written as %s", text, k)
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		k := drawn(rng, 0)
		again, err := kernel.Parse(k.String())
		if diff := cmp.Diff(k, again); diff != "" || err != nil {
			t.Errorf("%s: error %v (-written +read):\n%s", k, err, diff)
		}
	}
	// No text is read as another kernel than the one that was written.
	scaled := kernel.Kernel{Kind: kernel.Periodic, LengthScale: []float64{2}}
	if k, err := kernel.Parse(scaled.String()); err == nil {
		t.Errorf("%s, without a period, is read as %v", scaled, k)
	}
}

func drawn(rng *rand.Rand, depth int) kernel.Kernel {
	kinds := append(slices.Clone(simple), kernel.Periodic, kernel.Sum, kernel.Product)
	k := kernel.Kernel{Kind: kinds[rng.IntN(len(kinds))]}
	if depth == 3 {
		k.Kind = kernel.RBF
	}
	switch k.Kind {
	case kernel.Sum, kernel.Product:
		var total float64
		for range 2 + rng.IntN(2) {
			k.Terms = append(k.Terms, drawn(rng, depth+1))
			if k.Kind == kernel.Sum {
				k.Weights = append(k.Weights, rng.Float64())
				total += k.Weights[len(k.Weights)-1]
			}
		}
		for i := range k.Weights {
			k.Weights[i] /= total
		}
	case kernel.White:
	case kernel.Periodic:
		k.Period, k.LengthScale = math.Exp(20*rng.NormFloat64()), []float64{math.Exp(20 * rng.NormFloat64())}
	default:
		for range rng.IntN(4) {
			k.LengthScale = append(k.LengthScale, math.Exp(20*rng.NormFloat64()))
		}
	}
	return k
}

func TestParse(t *testing.T) {
	rbf := func(scale ...float64) kernel.Kernel { return kernel.Kernel{Kind: kernel.RBF, LengthScale: scale} }
	for text, want := range map[string]kernel.Kernel{
		"rbf":                {Kind: kernel.RBF},
		"rbf(12.0)":          rbf(12),
		"rbf(1e1)":           rbf(10),
		"rbf(.5,2E+1,3e-1)":  rbf(0.5, 20, 0.3),
		"(rbf(2))":           rbf(2),
		"periodic(12.0)":     {Kind: kernel.Periodic, Period: 12},
		"periodic(1e1,0.5)":  {Kind: kernel.Periodic, Period: 10, LengthScale: []float64{0.5}},
		"rbf(1)*white":       {Kind: kernel.Product, Terms: []kernel.Kernel{rbf(1), {Kind: kernel.White}}},
		"rbf(1)+rbf(2)":      {Kind: kernel.Sum, Terms: []kernel.Kernel{rbf(1), rbf(2)}},
		"1e-1*rbf+.9*rbf(2)": {Kind: kernel.Sum, Terms: []kernel.Kernel{rbf(), rbf(2)}, Weights: []float64{0.1, 0.9}},
	} {
		if diff := cmp.Diff(want, parsed(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// hostile is what a model file may hold in place of a kernel.
var hostile = strings.Repeat("\x00\xffcosine", 1e5)

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  `and periodic at the end`,
		"cosine":                            `and periodic at "cosine"`,
		"sum":                               `expected one of [matern12 matern32 matern52 rbf white`,
		"rbfs":                              `at "rbfs"`,
		"rbf+":                              "at the end",
		"rbf matern12":                      `expected + or * at " matern12"`,
		"rbf(0)":                            `expected a positive number at "0)"`,
		"rbf(-1)":                           `expected a positive number at "-1)"`,
		"rbf(1,-2)":                         `expected a positive number at "-2)"`,
		"rbf(1,)":                           `expected a positive number at ")"`,
		"rbf()":                             `expected a positive number at ")"`,
		"rbf(1e999)":                        "expected a positive number",
		"rbf(NaN)":                          "expected a positive number",
		"rbf(Inf)":                          "expected a positive number",
		"rbf(1_0)":                          `expected ) at "_0)"`,
		"rbf(1;2)":                          `expected ) at ";2)"`,
		"white(1)":                          `expected + or * at "(1)"`,
		"periodic(-12)":                     `expected a positive number at "-12)"`,
		"periodic(1,2,3)":                   `expected ) at ",3)"`,
		"(rbf":                              "expected ) at the end",
		"0.5*rbf":                           "weights for all terms of a sum in a kernel, or for none",
		"0.5*rbf+matern12":                  "weights for all terms",
		"0.5*rbf+0.6*matern12":              "weights add up to 1.1, expected 1",
		"0.5rbf+0.5*matern12":               `expected * at "rbf`,
		strings.Repeat("(", 40) + "rbf":     "expected at most 16",
		"rbf" + strings.Repeat("*rbf", 100): "more than 64 terms",
		hostile:                             `periodic at "\x00\xffcosine`,
		"rbf" + hostile:                     `expected + or * at "\x00`,
		"rbf(" + hostile:                    `expected a positive number at "\x00`,
		strings.Repeat("a", 1e6):            `aaa…"`,
		"rbf(" + strings.Repeat("9", 1e6):   "expected a positive number",
	} {
		if k, err := kernel.Parse(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.80q: %v, error %.600v, expected %q", text, k, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"matern32", "rbf(3.5,2)*periodic(12,0.8)", "0.7*rbf(2)+0.3*matern12*(rbf+white)", "((rbf))", "1e1*rbf", "rbf(", hostile[:100]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := kernel.Parse(text)
		if err != nil {
			if len(err.Error()) > 500 || k.Kind != "" {
				t.Errorf("kernel %v, error of %d bytes", k, len(err.Error()))
			}
			return
		}
		again, err := kernel.Parse(k.String())
		if diff := cmp.Diff(k, again); diff != "" || err != nil {
			t.Errorf("%q: error %v (-read +read again):\n%s", text, err, diff)
		}
		complete := k.Complete(2, 3)
		if scale, period := complete.Missing(); scale || period {
			t.Errorf("%q: %v is not complete", text, complete)
		}
	})
}
