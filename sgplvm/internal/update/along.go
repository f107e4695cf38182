package update

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// When inferAlong ends: no mean moved by more deviations than that, or after so many rounds. What an example of which nothing is known has of precision.
const alongTolerance, alongRounds, leastPrecision = 0.01, 20, 1e-9

// inferAlong infers further examples of a model in time. q(X) has for each example a site, of precision Λ and some shift; those of earlier examples stay. That of a new one makes of
// what all others say of it, N(m, V), the maximum of L* over it: which is where the bound has a maximum (docs/math.md, "Sums over examples"). Errors: those of inferAll.
func (m *Model) inferAlong(ctx context.Context, examples field.Source, at []field.Instant) (*inferred, error) {
	old := m.Posterior.Params().X
	before, n, d := old.Mu.Rows, len(at), old.Mu.Cols
	p := old.Paths.Clone()
	if p.Prior.Sequences == nil {
		p.Prior.Sequences = make([]int, before)
	}
	for _, i := range at {
		p.Prior.Times, p.Prior.Sequences = append(p.Prior.Times, i.Time), append(p.Prior.Sequences, i.Sequence)
	}
	nothing, none := mat.New(n, d), mat.New(n, d)
	nothing.Fill(leastPrecision)
	scaled := work.Stacked(p.Scaled(old.Mu), none)
	p.MuBar, p.Lambda = work.Stacked(p.MuBar, none), work.Stacked(p.Lambda, nothing)
	x := &bound.Latents{Mu: mat.New(before+n, d), S: mat.New(before+n, d), Paths: p}
	e := dynamics.NewEvaluator(p.Prior)
	first, err := follow(e, x, scaled)
	if err != nil {
		return nil, &field.FactorizationError{Err: err}
	}
	for round := 0; ; round++ {
		mean, variance, err := dynamics.Cavities(p, x.Mu, x.S)
		if err != nil {
			return nil, &field.FactorizationError{Err: err}
		}
		priors := make([]field.Latent, n)
		for i := range priors {
			priors[i] = field.Latent{Mu: mean.Row(before + i), S: variance.Row(before + i), Start: -1, At: &at[i]}
		}
		f, err := m.inferAll(ctx, examples, 0, n, priors)
		if err != nil {
			return nil, err
		}
		moved := 0.0
		for k := range n * d {
			i, q := before+k/d, k%d
			mu, v := f.q.Mu.At(k/d, q), f.q.S.At(k/d, q)
			moved = max(moved, math.Abs(mu-x.Mu.At(i, q))/math.Sqrt(v))
			site := infer.SiteOf(mean.At(i, q), variance.At(i, q), mu, v)
			precision, half := max(site.Precision, leastPrecision), math.Sqrt(p.Lambda.At(i, q))
			if round > 0 { // halfway, or neighbours overshoot together
				precision, site.Shift = (precision+half*half)/2, (site.Shift+half*scaled.At(i, q))/2
			}
			p.Lambda.Set(i, q, precision)
			scaled.Set(i, q, site.Shift/math.Sqrt(precision))
		}
		all, err := follow(e, x, scaled)
		if err != nil {
			return nil, &field.FactorizationError{Err: err}
		}
		if moved <= alongTolerance || round == alongRounds {
			f.q.Mu, f.q.S = x.Mu.Slice(before, before+n, 0, d).Clone(), x.S.Slice(before, before+n, 0, d).Clone()
			f.along, f.divergence = x, all-first
			return f, nil
		}
	}
}

// follow sets q(X) to what its sites say, and returns its divergence.
func follow(e *dynamics.Evaluator, x *bound.Latents, scaled mat.Matrix) (float64, error) {
	if err := x.Paths.Observe(scaled); err != nil {
		return 0, err
	}
	return e.Marginals(x.Paths, x.Mu, x.S)
}
