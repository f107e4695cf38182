package simple

import (
	"cmp"
	"math"
	"slices"
)

// A Law is a mean squared residual by distance: steps that rise.
type Law struct{ from, variance []float64 }

// lawClass is the least number of residuals of a step.
const lawClass = 100

// NewLaw fits rising steps to squared residuals (pool adjacent violators; M. Ayer et al., Annals of Mathematical Statistics 26(4), 1955). At an
// infinite distance, and where there are no residuals, the law is beyond.
func NewLaw(distance, squares []float64, beyond float64) Law {
	order := make([]int, len(distance))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	type step struct{ from, sum, count float64 }
	var steps []step
	for at, k := range order {
		if math.IsInf(distance[k], 1) {
			break
		}
		last := len(steps) - 1
		if last < 0 || steps[last].count >= lawClass && distance[k] > distance[order[at-1]] {
			steps = append(steps, step{distance[k], squares[k], 1})
			continue
		}
		steps[last].sum += squares[k]
		steps[last].count++
	}
	var pooled []step
	for _, s := range steps {
		pooled = append(pooled, s)
		for n := len(pooled); n > 1 && pooled[n-1].sum*pooled[n-2].count <= pooled[n-2].sum*pooled[n-1].count; n = len(pooled) {
			pooled[n-2].sum += pooled[n-1].sum
			pooled[n-2].count += pooled[n-1].count
			pooled = pooled[:n-1]
		}
	}
	var l Law
	for _, s := range pooled {
		l.from, l.variance = append(l.from, s.from), append(l.variance, s.sum/s.count)
	}
	l.from, l.variance = append(l.from, math.Inf(1)), append(l.variance, beyond)
	return l
}

// At returns the mean squared residual at a distance.
func (l Law) At(distance float64) float64 {
	k := len(l.from) - 1
	for k > 0 && l.from[k] > distance {
		k--
	}
	return l.variance[k]
}
