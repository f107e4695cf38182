package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Joint is the bound of several views of the same examples over one q(X) (docs/math.md, 27):
//
//	L = Σ_v L_v(q(X), θ_v) − KL(q(X) ‖ p(X))
//
// where L_v is the bound of a view by itself without its KL. A view may lack some of the examples. Used by one goroutine at a time.
type Joint struct {
	views []*Evaluator
	rows  [][]int // the examples of each view; nil: all
	prior prior   // of X, from the first evaluation on
}

// NewJoint returns the bound of views, each an evaluator that only this bound uses from then on. rows has the numbers of the examples of each view, nil
// where it has all of them.
func NewJoint(views []*Evaluator, rows [][]int) *Joint {
	if len(rows) != len(views) {
		panic(fmt.Sprintf("bound: rows of %d views, expected %d", len(rows), len(views)))
	}
	for _, e := range views {
		e.prior = shared{}
	}
	return &Joint{views: views, rows: rows}
}

// Evaluate returns the bound at q(X) = x and the parameters p of each view, of which it sets X. Unless grad is nil it sets its elements to the derivatives
// in the parameters of the views, and dx to those in x; free is as in [Evaluator.Evaluate]. Where x has paths in time Mu and S of x are set from these; views
// have none. Errors: those of [Evaluator.Evaluate].
func (j *Joint) Evaluate(ctx context.Context, x *Latents, p []*Params, dx *Latents, grad []*Params, free Group) (float64, error) {
	if j.prior == nil {
		j.prior = newPrior(x)
	}
	if err := j.prior.derive(x); err != nil {
		return math.NaN(), err
	}
	bound := -j.prior.divergence(x)
	if grad != nil {
		dx.zero()
	}
	for v, e := range j.views {
		j.Give(v, p[v], x)
		var g *Params
		if grad != nil {
			g = grad[v]
		}
		value, err := e.Evaluate(ctx, p[v], g, free)
		if err != nil {
			return value, err
		}
		bound += value
		if grad != nil && free&GroupLatent != 0 {
			j.add(v, dx.Mu, g.X.Mu)
			j.add(v, dx.S, g.X.S)
		}
	}
	if grad != nil && free&GroupLatent != 0 {
		j.prior.backward(dx, x)
	}
	return bound, nil
}

// Give sets the latent variables of the parameters of view v to those of its examples in x.
func (j *Joint) Give(v int, p *Params, x *Latents) {
	if j.rows[v] == nil {
		mat.Copy(p.X.Mu, x.Mu)
		mat.Copy(p.X.S, x.S)
		return
	}
	for k, i := range j.rows[v] {
		copy(p.X.Mu.Row(k), x.Mu.Row(i))
		copy(p.X.S.Row(k), x.S.Row(i))
	}
}

// add adds rows of view v to those of its examples.
func (j *Joint) add(v int, dst, src mat.Matrix) {
	if j.rows[v] == nil {
		mat.Add(dst, dst, 1, src)
		return
	}
	for k, i := range j.rows[v] {
		mat.Add(dst.Slice(i, i+1, 0, dst.Cols), dst.Slice(i, i+1, 0, dst.Cols), 1, src.Slice(k, k+1, 0, src.Cols))
	}
}

// shared is the prior of a view whose latent variables are those of a Joint: that has the divergence.
type shared struct{}

func (shared) derive(*Latents) error       { return nil }
func (shared) divergence(*Latents) float64 { return 0 }
func (shared) backward(_, _ *Latents)      {}
