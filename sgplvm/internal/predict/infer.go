package predict

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Infer returns the posterior of a partly seen example's latent variables (docs/math.md, "A
// partly seen example"). An example with nothing observed gets its prior. Errors:
// *data.ConfigError, *data.ValueError, ctx.Err().
func (q *Posterior) Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error) {
	e, err := q.observe(obs)
	if err != nil {
		return Latent{}, err
	}
	if o, err = o.complete(); err != nil {
		return Latent{}, err
	}
	return q.infer(ctx, e, o)
}

// latentTolerance ends an optimisation of q(x) that gained no more in ten steps, in nats:
// what is left then moves its mean by a small fraction of its standard deviations.
const latentTolerance = 1e-2

// infer scores all starting points, optimises the best and returns the best
// result.
func (q *Posterior) infer(ctx context.Context, e *example, o InferOptions) (Latent, error) {
	prior := e.prior.latent(q.params.X.Mu.Cols)
	if !e.observed() {
		return prior, ctx.Err()
	}
	v, err := q.evidenceOf(e, o.NoiseStrength)
	if err != nil {
		return Latent{}, err
	}
	w := q.workspaces.Get().(*inferWorkspace)
	defer q.workspaces.Put(w)

	candidates := q.score(v)
	prior.Bound, _ = v.at(&w.scratch, prior.Mu, prior.S, nil, nil)
	candidates = append(candidates, prior)
	slices.SortStableFunc(candidates, func(a, b Latent) int { return cmp.Compare(b.Bound, a.Bound) })

	var best Latent
	for k, c := range candidates[:min(o.Candidates, len(candidates))] {
		r, err := w.optimise(ctx, v, c, o.Iterations)
		if err != nil {
			return Latent{}, err
		}
		if k == 0 || r.Bound > best.Bound {
			best = r
		}
	}
	best.At, best.Seen = prior.At, true
	_, best.Noise = v.at(&w.scratch, best.Mu, best.S, nil, nil)
	return best, nil
}

// inferWorkspace is what one inference at a time needs.
type inferWorkspace struct {
	minimizer     lbfgs.Minimizer
	scratch       psi.Scratch
	x, s, dmu, ds []float64 // 2·d_ξ, and d_ξ each
}

func newInferWorkspace(d int) *inferWorkspace {
	return &inferWorkspace{x: make([]float64, 2*d), s: make([]float64, d), dmu: make([]float64, d), ds: make([]float64, d)}
}

// optimise returns the posterior with the highest L* that L-BFGS over (μ, log S) finds from a
// candidate.
func (w *inferWorkspace) optimise(ctx context.Context, v *evidence, c Latent, iterations int) (Latent, error) {
	d := len(w.s)
	copy(w.x, c.Mu)
	for i, s := range c.S {
		w.x[d+i] = math.Log(s)
	}
	r, err := w.minimizer.Minimize(ctx, func(x, slope []float64) float64 {
		for i, l := range x[d:] {
			w.s[i] = math.Exp(l)
		}
		value, _ := v.at(&w.scratch, x[:d], w.s, w.dmu, w.ds)
		for i := range d {
			slope[i] = -w.dmu[i]
			slope[d+i] = -w.ds[i] * w.s[i]
		}
		return -value
	}, w.x, lbfgs.Options{MaxIterations: iterations, GradTolerance: 1e-4, Decrease: latentTolerance, Noise: 1e-13})
	if err != nil {
		return Latent{}, err
	}
	l := Latent{Mu: slices.Clone(r.X[:d]), S: make([]float64, d), Bound: -r.F, Start: c.Start}
	for i, log := range r.X[d:] {
		l.S[i] = math.Exp(log)
	}
	return l, nil
}

// starts are the training posteriors in the form in which L* sees them, so that
// scoring all of them is two products.
type starts struct {
	example   []int // training example of each
	catalogue *psi.Catalogue
	kl        []float64 // from the standard normal prior
}

// startNumbers bounds the numbers that are kept of them (128 MiB); beyond it only
// evenly chosen training examples are starting points.
const startNumbers = 1 << 24

func newStarts(ps *psi.Statistics, p *bound.Params) *starts {
	m, n := p.Z.Rows, p.X.Mu.Rows
	count := max(1, min(n, startNumbers/(m*(m+1)/2)))
	s := &starts{example: make([]int, count), kl: make([]float64, count)}
	for k := range s.example {
		s.example[k] = k * n / count
		mu, v := exampleOf(p, s.example[k])
		s.kl[k] = bound.KL(mu, v, nil)
	}
	s.catalogue = ps.Catalogue(p.Q(), s.example)
	return s
}

// exampleOf returns means and variances of training example i, 1×d_ξ.
func exampleOf(p *bound.Params, i int) (mu, s mat.Matrix) {
	return p.X.Mu.Slice(i, i+1, 0, p.X.Mu.Cols), p.X.S.Slice(i, i+1, 0, p.X.S.Cols)
}

// score returns every training posterior as a candidate with its L*.
func (q *Posterior) score(v *evidence) []Latent {
	s := q.starts()
	squares := make([]float64, len(s.example))
	s.catalogue.Values(squares, v.form, v.square)
	c := make([]Latent, len(s.example))
	for k, i := range s.example {
		value, _ := v.value(squares[k])
		mu, variance := exampleOf(q.params, i)
		kl := s.kl[k]
		if v.prior != nil {
			kl = bound.KL(mu, variance, v.prior)
		}
		c[k] = Latent{Mu: mu.Row(0), S: variance.Row(0), Start: i, Bound: value - kl}
	}
	return c
}
