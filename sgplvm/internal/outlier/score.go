package outlier

import (
	"math"
	"slices"
)

// Beyond is how many standard deviations of its predictive distribution, without it, a value that was found to be far is away at least to be an
// outlier.
const Beyond = 10

// Score returns how many standard deviations a value is away from a predictive distribution with that mean and variance, and whether that is
// too far.
func Score(value, mean, variance float64) (score float64, far bool) {
	score = math.Abs(value-mean) / math.Sqrt(variance)
	return score, score >= Beyond
}

// minReach is how many standard deviations from their mean values may be, whatever others are. Normal ones are never there.
const minReach = 8

// Reach returns how far values may be from their mean, in standard deviations, where others are at the given distances, which it sorts.
func Reach(distances []float64) float64 {
	slices.Sort(distances)
	slices.Reverse(distances)
	t := restOf(distances)
	if math.IsInf(t.bound, 1) { // too few to tell
		return minReach
	}
	return max(minReach, t.bound)
}
