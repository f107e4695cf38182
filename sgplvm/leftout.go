package sgplvm

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// LeftOutDensities returns, for every training example, the mean negative log density (nats a
// value, in the user's units) of its values as LeaveOneOut predicts them from all others, with
// calibrated variances where the model has them (Calibrate). It is what to compare models
// of the same examples by where whole examples are to be predicted: the bound also counts how well
// the values of an example predict one another. Errors: as LeaveOneOut's.
func (m *Model) LeftOutDensities(ctx context.Context) ([]float64, error) {
	densities, at := make([]float64, m.Examples()), m.params.Dynamics.instants()
	err := m.leftUnexplained(ctx, func(example int, residual, variance mat.Matrix) {
		if c := m.calibration; c != nil {
			c.apply(variance, c.factor, 0, c.unrest.at(at[example], at, example))
		}
		per := 1 / float64(residual.Rows*residual.Cols)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				densities[example] += 0.5 * per * (math.Log(2*math.Pi*v) + r*r/v)
			}
		}
	})
	return densities, err
}
