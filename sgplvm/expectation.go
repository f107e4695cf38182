package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// What was filled in is less varied than what was missing. The covariance of the noise that is learned of completed examples is
// therefore that of their residuals and, on average over examples, that of what was missing given what was observed
// (docs/math.md, "Completion in rounds"): the expectation of an EM algorithm. Where no covariance is learned, the white noise has what of that is white. Sums of such covariances are kept as lower triangles, row by row.

// maxUnsure is of how many points a covariance is formed that is not learned, but for its mean variance.
const maxUnsure = 2048

// imputeWithErrors returns the moments of Impute, and what the example adds to such a sum, scaled, over channels; nil of films, and of many points of which no covariance is learned.
func (m *Model) imputeWithErrors(ctx context.Context, obs Observed, o InferOptions) (p Prediction, lower []float64, err error) {
	o.KeepOutliers = true
	by, given, err := m.seen(obs)
	if err != nil {
		return p, nil, err
	}
	q := by.posterior
	n, learned := q.Grid().Len(), q.Params().Noise.Learned()
	if by.film != nil || n > maxUnsure && !learned {
		p, _, err = m.Impute(ctx, obs, o)
		return p, nil, err
	}
	cov := mat.New(n, n)
	given.Grid = by.on(given.Grid)
	if p, _, err = q.ImputeUnsure(ctx, cov, !learned, given, by.inferOptions(o)); err != nil {
		return p, nil, err
	}
	lower = cov.Data[:0]
	for i := range n {
		lower = append(lower, cov.Row(i)[:i+1]...)
	}
	return p, lower, nil
}

// plus returns the sum of two lower triangles, either of which may be nil; a is overwritten.
func plus(a, b []float64) []float64 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	asm.Axpy(1, b, a)
	return a
}
