package reference_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// The dense formulas agree with the evaluations with 50 digits, but for a digit that their inverses cost.
func TestDense(t *testing.T) {
	const digits = 10 * reference.Digits
	for _, c := range reference.Cases(t) {
		m := c.Model(t)
		d, want := reference.NewDense(m), c.Expected
		compare.NearOne(t, c.Name+": bound but for the divergence", d.Bound()+d.KL, want.Bound+want.KL, digits)
		for i, f := range want.Forward {
			got := d.Forecast(f.Mu, f.S, nil, c.Grid(t, i))
			for channel, mean := range got.Mean {
				for k, row := range f.Mean {
					compare.NearOne(t, fmt.Sprintf("%s: prediction %d, mean", c.Name, i), mean[k], row[channel], digits)
				}
				compare.Near(t, fmt.Sprintf("%s: prediction %d, covariance", c.Name, i), slices.Concat(got.Cov[channel]...), slices.Concat(f.Cov[channel]...), digits)
			}
		}
		values := mat.New(m.Space.Len(), m.Channels())
		values.Fill(math.NaN())
		for k, i := range want.Test.Observed {
			copy(values.Row(i), want.Test.Y[k])
		}
		compare.NearOne(t, c.Name+": L*", d.TestBound(want.Test.Mu, want.Test.S, nil, m.Space, values), want.Test.Bound, digits)
	}
}

// Equal shapes give equal models, and all that are drawn are valid.
func TestShapes(t *testing.T) {
	for seed := range uint64(30) {
		for _, shape := range []reference.Shape{reference.RandomShape(seed), reference.ResidualShape(seed), reference.TimeShape(seed)} {
			a, b := shape.Model(t), shape.Model(t)
			compare.SameBits(t, shape.String(), slices.Concat(a.Y.Data, a.Params.X.Mu.Data, a.Params.X.S.Data, a.Params.Z.Data), slices.Concat(b.Y.Data, b.Params.X.Mu.Data, b.Params.X.S.Data, b.Params.Z.Data))
		}
	}
}
