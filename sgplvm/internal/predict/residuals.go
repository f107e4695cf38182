package predict

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Residuals returns r_n = y_n − E f(x_n) of all training examples, for Options.Residuals:
// n_ξ×(n_s·d_y) in the model's units. y are the training data. Errors: *field.ReadError, ctx.Err().
func (q *Posterior) Residuals(ctx context.Context, y *data.Scaled) (mat.Matrix, error) {
	r := mat.New(y.Examples, y.Size())
	for i := range y.Examples {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if err := y.Read(r.Row(i), i, i+1); err != nil {
			return r, err
		}
	}
	q.addFitted(r, -1, q.params.Q())
	return r, nil
}

// Kept returns the training examples whose residuals are kept, in the model's units, n_ξ×(n_s·d_y); 0×0 where none are.
func (q *Posterior) Kept() mat.Matrix {
	y := q.residuals.Clone()
	if q.keeps() {
		q.addFitted(y, 1, q.params.Q())
	}
	return y
}

// ResidualsOf returns r_n = y_n − E f(x_n) of any examples y, n×(n_s·d_y) in the model's units, with a latent posterior.
func (q *Posterior) ResidualsOf(y mat.Matrix, x psi.Q) mat.Matrix {
	r := y.Clone()
	q.addFitted(r, -1, x)
	return r
}

// addFitted adds alpha·E f(x_n) of examples to a, n×(n_s·d_y).
func (q *Posterior) addFitted(a mat.Matrix, alpha float64, x psi.Q) {
	on, psi1 := q.training(), mat.New(a.Rows, q.factors[0].Size())
	q.psi.Psi1(psi1, x)
	for c, p := range on.p {
		channel := mat.Matrix{Rows: a.Rows, Cols: p.Rows, RowStride: a.Cols, ColStride: len(on.p), Data: a.Data[c:]}
		mat.Mul(channel, alpha, psi1, p.T(), 1)
	}
}
