package dynamics

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

func posteriorOf(t testing.TB, p *Params) *Posterior {
	t.Helper()
	q, err := NewPosterior(p)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// At any times, those of examples among them, q is the Gaussian process with mean k_*ᵀ·μ̄ and
// variance 1 − k_*ᵀ·(K + Λ⁻¹)⁻¹·k_*; far from all examples it is the prior.
func TestPosteriorByDefinition(t *testing.T) {
	withEachForm(func(states bool) {
		for i, text := range allKernels {
			p := few(t, text, false, uint64(i))
			mu, s, _ := marginalsOf(t, p)
			posterior := posteriorOf(t, p)
			for _, sequence := range p.Prior.sequences() {
				n, k := len(sequence.Times), covarianceOf(p, sequence)
				at := append([]float64{sequence.Times[0] - 1.3, sequence.Times[n-1] + 0.7, sequence.Times[n-1] + 1e5}, sequence.Times...)
				mean, variance, err := posterior.Marginals(sequence.Label, at)
				if err != nil {
					t.Fatal(err)
				}
				cross := mat.New(len(at), n)
				p.Prior.Kernel.TimeMatrix(cross, at, sequence.Times)
				for q := range p.MuBar.Cols {
					noisy, muBar := k.Clone(), columnOf(sequence, p.MuBar, q)
					for i, l := range columnOf(sequence, p.Lambda, q) {
						noisy.Set(i, i, noisy.At(i, i)+1/l)
					}
					a, _ := inverse(noisy)
					for i := range at {
						var wantMean float64
						wantVariance := 1.
						for j := range n {
							wantMean += cross.At(i, j) * muBar[j]
							for o := range n {
								wantVariance -= cross.At(i, j) * a.At(j, o) * cross.At(i, o)
							}
						}
						compare.Near(t, fmt.Sprintf("%s, states %v: at %v", text, states, at[i]), []float64{mean.At(i, q), variance.At(i, q)}, []float64{wantMean, wantVariance}, 1e-9)
					}
				}
				for i, e := range sequence.Examples {
					compare.Near(t, text+": mean at an example", mean.Row(3+i), mu.Row(e), 1e-12)
					compare.Near(t, text+": variance at an example", variance.Row(3+i), s.Row(e), 1e-12)
				}
				if !strings.Contains(text, "periodic") {
					compare.Near(t, text+": the prior", mean.Row(2), make([]float64, p.MuBar.Cols), 1e-12)
					compare.Near(t, text+": the prior", variance.Row(2), work.Ones(p.MuBar.Cols), 1e-12)
				}
			}
		}
	})
}

// Samples have the means and covariances of q, which near examples in time share; their
// seed decides them one by one.
func TestSample(t *testing.T) {
	tier.Skip(t, tier.Race)
	withEachForm(func(bool) {
		for i, text := range allKernels {
			checkSample(t, few(t, text, false, uint64(i)), text)
		}
	})
}

func checkSample(t *testing.T, p *Params, name string) {
	t.Helper()
	posterior, s := posteriorOf(t, p), p.Prior.sequences()[0]
	at := []float64{s.Times[0] + 0.1, s.Times[0] + 0.1, s.Times[0] + 0.4, s.Times[0] + 30}
	const count = 4000
	sample := func(count int, seed uint64) []mat.Matrix {
		paths, err := posterior.Sample(s.Label, at, count, seed)
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	paths, few := sample(count, 5), sample(3, 5)
	for k, path := range few {
		compare.SameBits(t, "the first paths", path.Data, paths[k].Data)
	}
	if sample(1, 6)[0].At(0, 0) == few[0].At(0, 0) {
		t.Error("another seed gives the same")
	}
	mu, variance, err := posterior.Marginals(s.Label, at)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := newDenseProcess(p.Prior.Kernel, &s, 0, work.Gather(p.MuBar, s.Examples), work.Gather(p.Lambda, s.Examples))
	if err != nil {
		t.Fatal(err)
	}
	want := mat.New(len(at), len(at))
	for q := range p.MuBar.Cols {
		v, _ := dense.cross(q, at)
		p.Prior.Kernel.TimeMatrix(want, at, at)
		mat.Mul(want, -1, v.T(), v, 1)
		for i := range at {
			for j := range at {
				var mean, product float64
				for _, path := range paths {
					mean += path.At(i, q) / count
					product += (path.At(i, q) - mu.At(i, q)) * (path.At(j, q) - mu.At(j, q)) / count
				}
				// Six standard errors of a mean, eight of a covariance, and the nugget of samples.
				deviation := math.Sqrt(variance.At(i, q))
				scale := deviation*math.Sqrt(variance.At(j, q)) + 1e-5
				if !(math.Abs(mean-mu.At(i, q)) <= 6*deviation/math.Sqrt(count)+1e-5) || !(math.Abs(product-want.At(i, j)) <= 8*scale/math.Sqrt(count)) {
					t.Errorf("%s: dimension %d, times %v and %v: mean %v, want %v; covariance %v, want %v", name, q, at[i], at[j], mean, mu.At(i, q), product, want.At(i, j))
				}
			}
		}
		if !(math.Abs(few[0].At(0, q)-few[0].At(1, q)) < 1e-4) {
			t.Errorf("%s: a path has two values at one time: %v and %v", name, few[0].At(0, q), few[0].At(1, q))
		}
	}
}

func TestPosteriorErrors(t *testing.T) {
	withEachForm(func(bool) {
		posterior := posteriorOf(t, few(t, "matern32(2)", false, 1))
		for want, ask := range map[string]func() error{
			"sgplvm: Sequence: 77, expected the label": func() error { _, _, err := posterior.Marginals(77, one(1)); return err },
			"sgplvm: Times: time 1 is NaN":             func() error { _, _, err := posterior.Marginals(5, []float64{1, math.NaN()}); return err },
			"sgplvm: Times: time 0 is +Inf":            func() error { _, err := posterior.Sample(5, one(math.Inf(1)), 1, 0); return err },
		} {
			err, config := ask(), (*field.ConfigError)(nil)
			if !errors.As(err, &config) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, expected %q", err, want)
			}
		}
		mu, s, err := posterior.Marginals(5, nil)
		if d := cmp.Diff([]int{0, 2, 0, 2}, []int{mu.Rows, mu.Cols, s.Rows, s.Cols}); err != nil || d != "" {
			t.Errorf("no times: error %v, shapes (-want +got):\n%s", err, d)
		}
		if paths, err := posterior.Sample(5, nil, 2, 0); err != nil || len(paths) != 2 {
			t.Errorf("no times: %v, %v", paths, err)
		}
		if paths, err := posterior.Sample(5, one(1), 0, 0); err != nil || len(paths) != 0 {
			t.Errorf("no paths: %v, %v", paths, err)
		}
	})
}

// A root multiplied by its transpose is the matrix, with the nugget or, where that does not make it
// definite, without its negative eigenvalues.
func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		a, want []float64
		nugget  float64
	}{
		"definite":   {[]float64{4, 2, 2, 3}, []float64{4.5, 2, 2, 3.5}, 0.5},
		"singular":   {[]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}, 0},
		"indefinite": {[]float64{0, 1, 1, 0}, []float64{0.5, 0.5, 0.5, 0.5}, 1e-12},
	} {
		r, err := Root(mat.NewDense(2, 2, c.a), c.nugget)
		if err != nil {
			t.Fatal(err)
		}
		got := mat.New(2, 2)
		mat.Mul(got, 1, r, r.T(), 0)
		compare.Near(t, name, got.Data, c.want, 1e-15)
	}
	if _, err := Root(mat.NewDense(1, 1, one(math.NaN())), 0); err == nil {
		t.Error("a root of NaN")
	}
}
