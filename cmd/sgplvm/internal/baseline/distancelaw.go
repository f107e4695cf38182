package baseline

import (
	"math"
	"slices"
)

// A distanceLaw is the variance of a residual by distance: steps that rise.
type distanceLaw struct{ from, variance []float64 }

// distanceClass is the least number of residuals of a step.
const distanceClass = 100

// newDistanceLaw fits rising steps to squared residuals (pool adjacent violators; M. Ayer et al., Annals of Mathematical Statistics
// 26(4), 1955). Beyond all that is known, a value has the variance of the data.
func newDistanceLaw(distance, mean, truth []float64, spread float64) distanceLaw {
	order := make([]int, len(distance))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case distance[a] < distance[b]:
			return -1
		case distance[a] > distance[b]:
			return 1
		}
		return 0
	})
	type step struct{ from, sum, count float64 }
	var steps []step
	for at, k := range order {
		if math.IsInf(distance[k], 1) {
			break
		}
		r := square(truth[k] - mean[k])
		last := len(steps) - 1
		if last < 0 || steps[last].count >= distanceClass && distance[k] > distance[order[at-1]] {
			steps = append(steps, step{distance[k], r, 1})
			continue
		}
		steps[last].sum += r
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
	var l distanceLaw
	for _, s := range pooled {
		l.from, l.variance = append(l.from, s.from), append(l.variance, max(s.sum/s.count, least*spread))
	}
	l.from, l.variance = append(l.from, math.Inf(1)), append(l.variance, spread)
	return l
}

func (l distanceLaw) at(distance float64) float64 {
	k := len(l.from) - 1
	for k > 0 && l.from[k] > distance {
		k--
	}
	return l.variance[k]
}
