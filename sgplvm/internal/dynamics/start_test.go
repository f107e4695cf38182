package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// scoresOf are two waves of a period of 12 with a little noise at the times 0, 1, ….
func scoresOf(n int) (times []float64, scores mat.Matrix) {
	rng := rand.New(rand.NewPCG(1, 5))
	scores = mat.New(n, 2)
	for i := range n {
		times = append(times, float64(i))
		angle := 2 * math.Pi * float64(i) / 12
		scores.Set(i, 0, math.Sqrt2*math.Sin(angle)+0.1*rng.NormFloat64())
		scores.Set(i, 1, math.Sqrt2*math.Cos(angle)+0.1*rng.NormFloat64())
	}
	return times, scores
}

// Training starts with means near the scores of principal components, all variances about a
// fifth of the prior's, in both forms of K and for sequences by themselves.
func TestStart(t *testing.T) {
	const n = 48
	times, scores := scoresOf(n)
	labels := make([]int, n)
	for i := range labels {
		labels[i] = 7 * (i / 30)
	}
	withEachForm(func(bool) {
		for _, sequences := range [][]int{nil, labels} {
			p, err := Start(Prior{Times: times, Sequences: sequences}, scores, []float64{0.6, 0.4})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Validate(n, 2); err != nil {
				t.Error(err)
			}
			if k := p.Prior.Kernel; k.Kind != kernel.Matern32 || !(k.LengthScale[0] >= 2) {
				t.Errorf("kernel %v", k)
			}
			mu, s, _ := marginalsOf(t, p)
			for i, v := range s.Data {
				if !(v > 0.15 && v < 0.25) {
					t.Errorf("variance %v", v)
				}
				if !(math.Abs(mu.Data[i]-scores.Data[i]) < 0.4) {
					t.Errorf("mean %v, score %v", mu.Data[i], scores.Data[i])
				}
			}
		}
	})
}

// What a kernel has is kept, what it lacks is found.
func TestStartKernel(t *testing.T) {
	times, scores := scoresOf(49) // a span of 48: periods are 48, 24, 16, 12, …
	for text, want := range map[string]string{
		"periodic":                   "periodic(12,1)",
		"rbf(100)*periodic":          "rbf(100)*periodic(12,1)",
		"matern12(3)":                "matern12(3)",
		"periodic(11)+matern52(7)":   "0.5*periodic(11,1)+0.5*matern52(7)",
		"0.9*rbf(4)+0.1*matern12(2)": "0.9*rbf(4)+0.1*matern12(2)",
	} {
		given := parsed(t, text)
		got, err := StartKernel(Prior{Times: times, Kernel: given}, scores)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
		if d := cmp.Diff(parsed(t, text), given); d != "" {
			t.Errorf("%s: the kernel given has changed (-want +got):\n%s", text, d)
		}
	}
	// No two times differ, and nothing was seen of scores.
	k, err := StartKernel(Prior{Times: make([]float64, 3)}, mat.New(3, 0))
	if err != nil || k.ValidateTime() != nil {
		t.Errorf("kernel %v, error %v", k, err)
	}
}

func TestStartErrors(t *testing.T) {
	times, scores := scoresOf(12)
	for want, prior := range map[string]Prior{
		"no times, expected one for each example":     {Sequences: make([]int, 12)},
		"11 times, expected 12, one for each example": {Times: times[:11]},
		"3 labels of sequences, expected 12":          {Times: times, Sequences: make([]int, 3)},
		"time 1 is NaN":                               {Times: append([]float64{0, math.NaN()}, times[:10]...)},
		"white":                                       {Times: times, Kernel: kernel.Kernel{Kind: kernel.White}},
		"length scale -1 of":                          {Times: times, Kernel: kernel.Kernel{Kind: kernel.RBF, LengthScale: one(-1)}},
		"1 term":                                      {Times: times, Kernel: kernel.Kernel{Kind: kernel.Product, Terms: []kernel.Kernel{{Kind: kernel.RBF}}}},
	} {
		if _, err := Start(prior, scores, one(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}
