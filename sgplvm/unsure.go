package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// What was filled in is less varied than what was missing. The covariance of the noise that is learned of completed examples is
// therefore that of their residuals and, on average over examples, that of what was missing given what was observed
// (docs/math.md, "Completion in rounds"): the expectation of an EM algorithm. Sums of such covariances are kept as lower triangles, row by row.

// unsure tells of values that were filled in how far they may be from what was missing. The zero value: none were.
type unsure struct {
	covariance mat.Matrix // given the observed values, scaled, on average over examples and channels, n_s×n_s
	variance   mat.Matrix // of each, in the data's units, n_ξ×(n_s·d_y); 0 where it was observed
}

// examples returns what is known of some examples; the mean stays that of all.
func (u unsure) examples(in []int) unsure {
	if u.variance.Rows > 0 {
		u.variance = work.Gather(u.variance, in)
	}
	return u
}

// of returns what is known of some examples at some points.
func (u unsure) of(in, points []int, channels int) unsure {
	if u.variance.Rows == 0 {
		return u
	}
	some := unsure{mat.New(len(points), len(points)), mat.New(len(in), len(points)*channels)}
	work.Submatrix(some.covariance, u.covariance, points, points)
	for k, i := range in {
		to, from := some.variance.Row(k), u.variance.Row(i)
		for j, at := range points {
			copy(to[j*channels:], from[at*channels:(at+1)*channels])
		}
	}
	return some
}

// known returns what a model knows beside the parameters.
func (t *Trainer) known() predict.Options {
	o := predict.Options{Calibration: t.calibration, Residuals: t.residuals}
	if u := t.data.unsure; u.variance.Rows > 0 && t.residuals.Rows > 0 {
		v, scale := u.variance.Clone(), t.evaluator.Data().Scaler.Scale
		for i := range v.Rows {
			for k, row := 0, v.Row(i); k < len(row); k++ {
				s := scale[k%len(scale)]
				row[k] /= s * s
			}
		}
		o.Filled = predict.NewFilled(v, u.covariance)
	}
	return o
}

// unsureOf returns what an example adds to such a sum, scaled, over channels; nil where the model's noise has no structure to learn.
func unsureOf(m *Model, obs Observed, l Latent, o InferOptions) ([]float64, error) {
	by, obs, err := m.seen(obs)
	if err != nil || by.film != nil || !by.posterior.Params().Noise.Learned() {
		return nil, err
	}
	n := by.posterior.Grid().Len()
	cov := mat.New(n, n)
	if err := by.posterior.AddConditional(cov, obs, l, by.inferOptions(o)); err != nil {
		return nil, err
	}
	lower := cov.Data[:0]
	for i := range n {
		lower = append(lower, cov.Row(i)[:i+1]...)
	}
	return lower, nil
}

// plus returns the sum of two lower triangles, either of which may be nil; a is overwritten.
func plus(a, b []float64) []float64 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	asm.Axpy(1, b, a)
	return a
}

// unsure is what the next models know of the completed values, given a sum of covariances over the examples with holes.
func (c *completer) unsure(lower []float64) unsure {
	if lower == nil {
		return unsure{}
	}
	n := c.points.Rows
	cov, scale := mat.New(n, n), 1/float64(c.y.Rows*c.channels)
	for i := range n {
		row := cov.Row(i)[:i+1]
		asm.Scale(row, scale, lower[:i+1])
		lower = lower[i+1:]
	}
	mat.MirrorLower(cov)
	return unsure{cov, c.variance}
}
