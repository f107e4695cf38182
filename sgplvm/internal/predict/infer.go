package predict

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// infer scores all starting points, optimises the best and returns the best
// result.
func (q *Posterior) infer(ctx context.Context, e *example, o InferOptions) (Latent, error) {
	d, r := q.params.X.Mu.Cols, e.room
	if !e.observed() {
		return e.prior.latent(r, d), ctx.Err()
	}
	v, err := q.evidenceOf(e, o.NoiseStrength)
	if err != nil {
		return Latent{}, err
	}
	w := q.workspaces.Get().(*infer.Optimiser)
	defer q.workspaces.Put(w)

	prior, candidates := e.prior.latent(r, d), q.score(e, v)
	prior.Bound, _ = v.At(&w.Scratch, prior.Mu, prior.S, nil, nil)
	candidates = append(candidates, prior)
	slices.SortStableFunc(candidates, func(a, b Latent) int { return cmp.Compare(b.Bound, a.Bound) })

	var best Latent
	for k, c := range candidates[:min(o.Candidates, len(candidates))] {
		l := Latent{Mu: append(r.vector(d)[:0], c.Mu...), S: append(r.vector(d)[:0], c.S...), Start: c.Start}
		if l.Bound, err = w.Optimise(ctx, v, l.Mu, l.S, o.Iterations); err != nil {
			return Latent{}, err
		}
		if k == 0 || l.Bound > best.Bound {
			best = l
		}
	}
	best.At, best.Seen = prior.At, true
	_, best.Noise = v.At(&w.Scratch, best.Mu, best.S, nil, nil)
	return best, nil
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
		s.kl[k] = psi.KL(mu, v, nil)
	}
	s.catalogue = ps.Catalogue(p.Q(), s.example)
	return s
}

// exampleOf returns means and variances of training example i, 1×d_ξ.
func exampleOf(p *bound.Params, i int) (mu, s mat.Matrix) {
	return p.X.Mu.Slice(i, i+1, 0, p.X.Mu.Cols), p.X.S.Slice(i, i+1, 0, p.X.S.Cols)
}

// scoredStarts is how many training posteriors are scored, where the model knows which training examples are nearest. Tests lower it.
var scoredStarts = 128

// score returns every training posterior, or those of the examples nearest to what was observed, as a candidate with its L*.
func (q *Posterior) score(e *example, v *infer.Evidence) []Latent {
	s, r := q.starts(), e.room
	n := len(s.example)
	squares, c := r.vector(n), r.latents(n+1)
	add := func(k int, square float64) {
		i := s.example[k]
		value, _ := v.Value(square)
		mu, variance := exampleOf(q.params, i)
		kl := s.kl[k]
		if v.Prior != nil {
			kl = psi.KL(mu, variance, v.Prior)
		}
		c = append(c, Latent{Mu: mu.Row(0), S: variance.Row(0), Start: i, Bound: value - kl})
	}
	if n > scoredStarts && q.kept != nil && e.on.training != nil && n == q.params.X.Mu.Rows {
		distances, near := q.far(e), r.list(n)
		for k := range n {
			near = append(near, k)
		}
		near = work.Least(near, distances, squares, scoredStarts)
		s.catalogue.ValuesAt(squares, near, v.Form, v.Square)
		for j, k := range near {
			add(k, squares[j])
		}
		return c
	}
	s.catalogue.Values(squares, v.Form, v.Square)
	for k, square := range squares {
		add(k, square)
	}
	return c
}
