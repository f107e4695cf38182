package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// What was filled in is less varied than what was missing. The covariance of the noise that is learned of completed examples is
// therefore that of their residuals and, on average over examples, that of what was missing given what was observed
// (docs/math.md, "Completion in rounds"): the expectation of an EM algorithm. Where no covariance is learned, the white noise has what of that is white. Sums of such covariances are kept as lower triangles, row by row.

// mostUnsure is of how many points a covariance is formed that is not learned, but for its mean variance.
const mostUnsure = 2048

// unsureOf returns what an example adds to such a sum, scaled, over channels; nil of films, and of many points of which no covariance is learned.
func unsureOf(m *Model, obs Observed, l Latent, o InferOptions) ([]float64, error) {
	by, obs, err := m.seen(obs)
	if err != nil || by.film != nil {
		return nil, err
	}
	n := by.posterior.Grid().Len()
	if n > mostUnsure && !by.posterior.Params().Noise.Learned() {
		return nil, nil
	}
	cov, add := mat.New(n, n), by.posterior.AddConditional
	if !by.posterior.Params().Noise.Learned() {
		add = by.posterior.AddInnovations
	}
	if err := add(cov, obs, l, by.inferOptions(o)); err != nil {
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
