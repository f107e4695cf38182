package training

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// LeaveOneOut is that of sgplvm.Trainer.
func (t *Trainer) LeaveOneOut(ctx context.Context, body func(example int, mean, variance mat.Matrix) error) error {
	return t.leaveSomeOut(ctx, every, body)
}

// every wants all examples.
func every(int) bool { return true }

// slabsLeftOut is about how many slabs of examples are predicted together, since what all others say is gone through once for them.
const slabsLeftOut = 4

// leaveSomeOut is LeaveOneOut of the examples that are wanted.
func (t *Trainer) leaveSomeOut(ctx context.Context, wanted func(example int) bool, body func(example int, mean, variance mat.Matrix) error) error {
	if err := t.CanLeaveOut(); err != nil {
		return err
	}
	q, err := t.posterior(ctx)
	if err != nil {
		return err
	}
	latents, err := t.cavities()
	if err != nil {
		return err
	}
	if err := t.evaluator.BeginLeavingOut(ctx, t.params); err != nil {
		return err
	}
	defer t.evaluator.EndLeavingOut()
	y := t.evaluator.Data()
	n, m := y.Examples, t.params.Z.Rows
	size := max(t.evaluator.Components()*y.Channels, m*m) // a value each, and the spread of Ψ2
	step := max(1, min(n, slabsLeftOut*data.SlabNumbers/size))
	var chosen []int
	for i := range n {
		if wanted(i) {
			chosen = append(chosen, i)
		}
	}
	for from := 0; from < len(chosen); from += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.leaveOut(ctx, q, latents, chosen[from:min(from+step, len(chosen))], body); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut predicts some examples, in order, at their cavities, which are among latents.
func (t *Trainer) leaveOut(ctx context.Context, q *predict.Posterior, latents []field.Latent, examples []int, body func(example int, mean, variance mat.Matrix) error) error {
	own := make([]field.Latent, len(examples))
	for k, i := range examples {
		own[k] = latents[i]
	}
	psi1, means, variances, err := q.PredictLeftOut(ctx, own)
	if err != nil {
		return err
	}
	shift, spread := t.evaluator.LeaveOut(psi1, examples)
	inflation := t.inflation()
	for k, i := range examples {
		t.correct(means[k], variances[k], shift, spread, k)
		if t.calibration != nil {
			t.calibration.Apply(variances[k], t.calibration.Factor, 0, inflation(*own[k].At, i))
		}
		if err := body(i, means[k], variances[k]); err != nil {
			return err
		}
	}
	return nil
}

// inflation returns that of the calibration, if there is one.
func (t *Trainer) inflation() func(at field.Instant, without int) float64 {
	if t.calibration == nil {
		return nil
	}
	return t.calibration.Inflation.Over(t.params.X.At())
}

// correct applies to mean and variance, in the user's units, what bound.Evaluator.LeaveOut says of its example k.
func (t *Trainer) correct(mean, variance mat.Matrix, shift, spread []float64, k int) {
	y := t.evaluator.Data()
	for c, scale := range y.Scaler.Scale {
		down, wider := shift[(k*y.Channels+c)*y.Points:][:y.Points], spread[k*y.Points:][:y.Points]
		work.EachRow(y.Points, func(s int) {
			mean.Row(s)[c] -= scale * down[s]
			variance.Row(s)[c] += scale * scale * wider[s]
		})
	}
}

// leftUnexplained calls body with what leaving out every example that is wanted left unexplained of it, and the variance
// expected, n_s×d_y in the user's units.
func (t *Trainer) leftUnexplained(ctx context.Context, wanted func(example int) bool, body func(example int, residual, variance mat.Matrix)) error {
	y := t.evaluator.Data()
	residual := mat.New(y.Points, y.Channels)
	return t.leaveSomeOut(ctx, wanted, func(example int, mean, variance mat.Matrix) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := y.ReadRaw(residual.Data, example, example+1); err != nil {
			return err
		}
		mat.Add(residual, residual, -1, mean)
		body(example, residual, variance)
		return nil
	})
}

// LeftOutDensities is that of sgplvm.Trainer.
func (t *Trainer) LeftOutDensities(ctx context.Context) ([]float64, error) {
	densities := make([]float64, t.evaluator.Data().Examples)
	err := t.leftUnexplained(ctx, every, func(example int, residual, variance mat.Matrix) {
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

// cavities returns what all other examples say of the latent variables at every example's time, nil where examples have no times.
func (t *Trainer) cavities() ([]field.Latent, error) {
	if t.params.X.Paths == nil {
		return nil, nil
	}
	mu, s, err := dynamics.Cavities(t.params.X.Paths, t.params.X.Mu, t.params.X.S)
	if err != nil {
		return nil, err
	}
	at := t.params.X.At()
	latents := make([]field.Latent, mu.Rows)
	for i := range latents {
		latents[i] = field.Latent{Mu: mu.Row(i), S: s.Row(i), Start: -1, At: &at[i]}
	}
	return latents, nil
}
