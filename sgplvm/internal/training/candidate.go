package training

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// Evaluate evaluates bound and gradient once, with the parameters of some groups moved by a little: a method of selection.Trainer, as the one below.
func (t *Trainer) Evaluate(ctx context.Context, by float64, moved, free bound.Group) error {
	at, grad, to := t.params.Clone(), t.params.Clone(), t.free(moved)
	x := make([]float64, to.Count(at))
	to.Pack(x, at)
	for i := range x {
		x[i] += by
	}
	to.Unpack(at, x)
	_, err := t.evaluator.Evaluate(ctx, at, grad, free)
	return err
}

// EvaluateDense evaluates the bound once with a covariance of the noise of which no symmetry is known.
func (t *Trainer) EvaluateDense(ctx context.Context) error {
	p, x := t.params.Clone(), t.data.Grid[0]
	p.Noise.Covariance = mat.New(x.Rows, x.Rows)
	t.params.Noise.Matrix(p.Noise.Covariance, x)
	_, err := t.evaluator.Bound(ctx, p)
	return err
}
