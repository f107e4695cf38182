package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Foresee sets scores, n·d_y, of the observed values to how many standard deviations they are from what N(mean, diag variance) predicts, and returns the mean
// square of all together, those of a channel decorrelated; NaN where nothing was observed or too much to be used at once. The covariance of what was predicted of
// a channel is C + P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ. Errors: those of Complete.
func (w *Workspace) Foresee(scores, mean, variance []float64) (score float64, err error) {
	score = math.NaN()
	if w.observed == 0 {
		return score, nil
	}
	w.setMoments(mean, variance, 1)
	w.marginal(w.result, w.m.points)
	var square float64
	for c, seen := range w.seen {
		for _, i := range seen {
			scores[i*w.m.c.Channels+c] = (w.value(i, c) - w.result.mean.Row(i)[c]) / math.Sqrt(w.result.variance.Row(i)[c]+1/w.m.c.Beta)
		}
		if len(seen) == 0 || !w.exactly() {
			continue
		}
		residual := w.residuals(0, seen)
		for k, i := range seen {
			residual.Data[k] = w.value(i, c) - w.result.mean.Row(i)[c]
		}
		covariance := w.observedCovariance(c, seen, nil)
		w.addSpread(covariance, c, seen)
		if err := w.factor.RefactorizeInPlace(covariance); err != nil {
			return score, err
		}
		w.factor.SolveHalf(residual)
		square += mat.Dot(residual, residual)
	}
	if w.exactly() {
		score = square / float64(w.observed)
	}
	return score, nil
}
