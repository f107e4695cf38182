package outlier

import "math"

// Beyond is how many standard deviations of its predictive distribution, without it, a value is away at least to be an outlier.
// Normal data are never there; of Student's distribution with 3 degrees of freedom, scaled to its variance, one value in 11,600 is.
const Beyond = 17

// Score returns how many standard deviations a value is away from a predictive distribution with that mean and variance, and whether that is
// too far.
func Score(value, mean, variance float64) (score float64, far bool) {
	score = math.Abs(value-mean) / math.Sqrt(variance)
	return score, score >= Beyond
}

// Bound returns the least score that is too far among the scores of one example, which it sorts: where many
// are large, and tails long, the prediction is what is wrong, or something is there that training has not seen. With gross the
// scores are beside all that training has seen, and up to a quarter of them may be too far.
func Bound(scores []float64, gross bool) float64 {
	share := different
	if gross {
		share = repeated
	}
	t := tailOf(scores, share, false)
	if math.IsInf(t.bound, 1) { // too few to tell
		return Beyond
	}
	return max(Beyond, t.bound)
}
