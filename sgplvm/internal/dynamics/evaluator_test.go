package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// Marginals and divergence are those of N(K·μ̄, (K⁻¹ + Λ)⁻¹) and N(0, K), with K inverted where
// that is possible.
func TestMarginalsByDefinition(t *testing.T) {
	withEachForm(func(states bool) {
		for i, text := range allKernels {
			name := fmt.Sprintf("%s, states %v", text, states)
			p := few(t, text, true, uint64(i))
			mu, s, kl := marginalsOf(t, p)
			var want float64
			for _, sequence := range p.Prior.sequences() {
				n, k := len(sequence.Times), covarianceOf(p, sequence)
				k1, logDetK := inverse(k)
				for q := range p.MuBar.Cols {
					muBar := columnOf(sequence, p.MuBar, q)
					sum := k1.Clone()
					for i, l := range columnOf(sequence, p.Lambda, q) {
						sum.Set(i, i, sum.At(i, i)+l)
					}
					cov, logDetSum := inverse(sum)
					mean := mat.New(n, 1)
					mat.Mul(mean, 1, k, mat.Vector(muBar), 0)
					want += 0.5 * (logDetK + logDetSum - float64(n))
					for i := range n {
						want += 0.5 * mean.Data[i] * muBar[i]
						for j := range n {
							want += 0.5 * k1.At(i, j) * cov.At(i, j)
						}
						e := sequence.Examples[i]
						compare.Near(t, name, []float64{mu.At(e, q), s.At(e, q)}, []float64{mean.Data[i], cov.At(i, i)}, 1e-9)
					}
				}
			}
			compare.Near(t, name+": divergence", one(kl), one(want), 1e-8)
		}
	})
}

// objective is an arbitrary function of means and variances less the divergence, with its derivatives
// in means and variances.
func objective(t testing.TB, p *Params) (value float64, dmu, ds mat.Matrix) {
	t.Helper()
	mu, s, kl := marginalsOf(t, p)
	value = -kl
	dmu, ds = mat.New(mu.Rows, mu.Cols), mat.New(mu.Rows, mu.Cols)
	for i, m := range mu.Data {
		a, b := math.Sin(float64(i)), math.Cos(float64(i))
		value += a*m - m*m/2 + b*s.Data[i] + a*m*s.Data[i]
		dmu.Data[i], ds.Data[i] = a-m+a*s.Data[i], b+a*m
	}
	return value, dmu, ds
}

// gradientOf returns the gradient of objective.
func gradientOf(t testing.TB, p *Params) *Params {
	t.Helper()
	e, grad := NewEvaluator(p.Prior), p.Clone()
	_, dmu, ds := objective(t, p)
	if _, err := e.Marginals(p, mat.New(dmu.Rows, dmu.Cols), mat.New(dmu.Rows, dmu.Cols)); err != nil {
		t.Fatal(err)
	}
	e.Backward(grad, p, dmu, ds)
	return grad
}

// Every derivative is that of differences, in each coordinate of an optimiser, with equal times and
// several sequences.
func TestGradient(t *testing.T) {
	withEachForm(func(states bool) {
		for i, text := range allKernels {
			p := few(t, text, false, uint64(i))
			c, err := NewPreconditioner(Prior{Times: p.Prior.Times, Sequences: p.Prior.Sequences, Kernel: parsed(t, "matern32(2)")})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []*Preconditioner{nil, c} {
				name := fmt.Sprintf("%s, states %v, preconditioned %v", text, states, c != nil)
				checkGradient(t, name, p, c)
			}
		}
	})
}

func checkGradient(t *testing.T, name string, p *Params, c *Preconditioner) {
	t.Helper()
	var slopes []float64 // in the values, in Visit's order
	p.Visit(gradientOf(t, p), c, func(_, slope []float64, _ bool) { slopes = append(slopes, slope...) })
	// at returns the objective where the coordinate of a number is h higher.
	at := func(number int, h float64) float64 {
		moved := p.Clone()
		moved.Visit(moved, c, func(value, _ []float64, _ bool) {
			if number >= 0 && number < len(value) {
				value[number] += h
			}
			number -= len(value)
		})
		value, _, _ := objective(t, moved)
		return value
	}
	for i, slope := range slopes {
		const h = 1e-5
		// Differences have an error of h² and of ε/h.
		if got := (at(i, h) - at(i, -h)) / (2 * h); !(math.Abs(got-slope) <= 1e-6*max(1, math.Abs(slope))) {
			t.Errorf("%s: derivative %d is %v, differences give %v", name, i, slope, got)
		}
	}
}

// result is all that an evaluator computes, for some derivatives of the bound.
func result(t *testing.T, p *Params) (values, slopes []float64) {
	t.Helper()
	n, d := p.MuBar.Rows, p.MuBar.Cols
	e, grad := NewEvaluator(p.Prior), p.Clone()
	mu, s, dmu, ds := mat.New(n, d), mat.New(n, d), mat.New(n, d), mat.New(n, d)
	kl, err := e.Marginals(p, mu, s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 12))
	for i := range dmu.Data {
		dmu.Data[i], ds.Data[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	e.Backward(grad, p, dmu, ds)
	p.Visit(grad, nil, func(_, slope []float64, _ bool) { slopes = append(slopes, slope...) })
	return slices.Concat(one(kl), mu.Data, s.Data), slopes
}

// Two examples at one time are two observations of one latent point; precisions from
// nearly nothing to nearly everything do no harm.
func TestMarginalsAtTheirLimits(t *testing.T) {
	p := &Params{Prior{Times: []float64{1, 1, 1, 1}, Kernel: parsed(t, "rbf(1)")}, mat.NewDense(4, 1, []float64{1, 2, 3, 4}), mat.New(4, 1)}
	for _, lambda := range []float64{1e-300, 1e-8, 1, 1e8, 1e12} {
		p.Lambda.Fill(lambda)
		mu, s, kl := marginalsOf(t, p)
		for i := range 4 {
			compare.Near(t, "mean", one(mu.At(i, 0)), one(10), 1e-15)
			compare.Near(t, "variance", one(s.At(i, 0)*(1+4*lambda)), one(1), 1e-15*max(1, 4*lambda)) // S is the difference of numbers near 1
		}
		share := 1 / (1 + 4*lambda)
		compare.Near(t, "divergence", one(kl), one(0.5*(math.Log1p(4*lambda)+share-1+100)), 1e-12+1e-15*lambda) // and λ·S near 1
		grad := gradientOf(t, p)
		if i, q, bad := mat.NonFinite(grad.Lambda); bad {
			t.Errorf("λ = %v: derivative %v", lambda, grad.Lambda.At(i, q))
		}
	}
	for want, spoil := range map[string]func(p *Params){
		"sgplvm: dynamical prior, sequence 0, latent dimension 0: a precision of 1e+14":                   func(p *Params) { p.Lambda.Data[2] = 1e14 },
		"sgplvm: dynamical prior, sequence 0, latent dimension 0: coefficients with a sum of 1e+09":       func(p *Params) { p.MuBar.Data[0] = 1e9 },
		"sgplvm: dynamical prior, sequence 0, latent dimension 0: coefficients with a sum of NaN":         func(p *Params) { p.MuBar.Data[0] = math.NaN() },
		"sgplvm: dynamical prior, sequence 0, latent dimension 0: a precision of NaN, expected at most 1": func(p *Params) { p.Lambda.Data[3] = math.NaN() },
	} {
		q := p.Clone()
		spoil(q)
		if _, err := NewEvaluator(q.Prior).Marginals(q, mat.New(4, 1), mat.New(4, 1)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// The same parameters give the same bits at any GOMAXPROCS, in storage used before for others.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, text := range []string{"matern52(2)", "0.5*rbf(3)+0.5*matern12(1)"} {
		p := many(t, text, 150)
		values, slopes := result(t, p)
		for _, procs := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			v, s := result(t, p)
			compare.SameBits(t, text, v, values)
			compare.SameBits(t, text, s, slopes)
		}
		e, other := NewEvaluator(p.Prior), p.Clone()
		other.Lambda.Fill(3)
		mu, s := mat.New(150, 2), mat.New(150, 2)
		for _, p := range []*Params{other, p} {
			kl, err := e.Marginals(p, mu, s)
			if err != nil {
				t.Fatal(err)
			}
			if p != other {
				compare.SameBits(t, text+": again", slices.Concat(one(kl), mu.Data, s.Data), values)
			}
		}
	}
}

// A step makes no vectors or matrices of its own; a kernel makes small ones for each transition.
func TestAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 100
	for text, most := range map[string]float64{"rbf(3)": 10, "matern32(3)": 10 + 2*n} {
		p := many(t, text, n)
		p.Prior.Sequences = nil
		e, grad := NewEvaluator(p.Prior), p.Clone()
		mu, s := mat.New(n, 2), mat.New(n, 2)
		step := func() {
			if _, err := e.Marginals(p, mu, s); err != nil {
				t.Fatal(err)
			}
			e.Backward(grad, p, mu, s)
		}
		step()
		if got := testing.AllocsPerRun(20, step); got > most {
			t.Errorf("%s: %v allocations, expected at most %v", text, got, most)
		}
	}
}
