package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Evaluate returns the collapsed lower bound on log p(Y): Atkinson and Zabaras (2018), equation of
// the collapsed bound, with q(U) at its optimum (docs/math.md, "The bound"). With B = (⊗W)ᵀ·Y and
// D = β⁻¹ + ⊗Λ
//
//	L = ½·d_y·[−n_ξ·log|Σ| − m·log β − n·log 2π − Σ log d_i]
//	    − ½·β·[‖Y‖² − Σ b_ij²/d_i + d_y·(ψ0 − Π tr Λ_f)] − KL(q(X) ‖ p(X))
//
// where Σ is β⁻¹·I, or, with β = 1, the covariance of structured noise. Unless grad is nil it is
// overwritten with the bound's derivatives in the natural parameters of the free groups and 0
// elsewhere. With a dynamical prior Mu and S of p are set from its paths. Errors:
// *FactorizationError, *field.ReadError, ctx.Err().
func (e *Evaluator) Evaluate(ctx context.Context, p, grad *Params, free Group) (float64, error) {
	if e.masked != nil {
		return e.masked.evaluate(ctx, p, grad, free)
	}
	if err := e.Factorize(ctx, p); err != nil {
		return math.NaN(), err
	}
	beta := p.Noise.Precision()
	if err := e.sweep.run(ctx, e, beta, e.wanted(grad != nil, p, free)); err != nil {
		return math.NaN(), err
	}
	if grad != nil {
		if err := e.gradient(ctx, grad, p, free); err != nil {
			return math.NaN(), err
		}
	}
	sums := &e.sweep.sums
	n := float64(e.y.Examples * e.y.Points)
	m := float64(e.factors[0].Size() * e.Components())
	dy := float64(e.y.Channels)
	noise := -p.space().logNoise(e, p)
	return possible(dy/2*(noise-m*math.Log(beta)-n*math.Log(2*math.Pi)-sums.logDet)-
		beta/2*(e.yy-sums.fit(beta, e.factors[0].Lambda)+dy*(e.psi0(p)-e.tracePsi2()))-
		e.prior.divergence(&p.X), dy/2*(noise-n*math.Log(2*math.Pi)))
}

// possible refuses a bound above the log density of the noise where there is none: that no data can have. Where prior variances are too
// large for the numbers, ψ0 − tr K⁻¹Ψ2 is rounding, of either sign.
func possible(bound, most float64) (float64, error) {
	if bound > most+roundedBound*(1+math.Abs(most)) {
		return math.NaN(), &field.FactorizationError{Err: fmt.Errorf("a bound of %.3g, expected at most %.3g, the log density of data without residual: prior variances are too large", bound, most)}
	}
	return bound, nil
}

// roundedBound is how far a bound may be above what is possible, relatively.
const roundedBound = 1e-9

// Bound is Evaluate without derivatives.
func (e *Evaluator) Bound(ctx context.Context, p *Params) (float64, error) {
	return e.Evaluate(ctx, p, nil, 0)
}

// wanted says which sums of a sweep the derivatives in the free groups need.
func (e *Evaluator) wanted(gradient bool, p *Params, free Group) wanted {
	var w wanted
	if gradient && free&GroupLatent != 0 {
		w |= wantCross
	}
	switch spatial := p.space().wants(p); {
	case spatial == 0:
		w |= allWhite
	case gradient && free&GroupSpatial != 0:
		w |= spatial
	}
	return w
}

// psi0 is the whole trace Σ_n E k(x_n, x_n)·Π_f tr K(X_f, X_f), in the metric of the noise.
func (e *Evaluator) psi0(p *Params) float64 {
	return e.psi.Psi0(p.Q()) * p.space().trace(e, p)
}

// tracePsi2 is tr K_uu⁻¹Ψ2 = Π_f tr Λ_f.
func (e *Evaluator) tracePsi2() float64 {
	t := 1.0
	for _, f := range e.factors {
		t *= f.sumLambda()
	}
	return t
}
