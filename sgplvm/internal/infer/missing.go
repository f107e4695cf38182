package infer

import "math"

// A Missing says in what way values of an example are missing.
type Missing struct {
	Gap  float64 // the mean distance of missing values from the nearest observed ones, in mean spacings
	Seen float64 // the share of observed values; 0: not known
}

// Unlike returns how far two ways of missing are from one another, in d dimensions: the squared distance in log(1 + gap) and in log(gap·seen^(1/d)).
// Among points drawn at random with the share that is seen the gap is about ½·seen^(−1/d), so that the second tells what is missing here and there
// from what is missing together. It counts where both are known.
func Unlike(a, b Missing, d int) float64 {
	far := math.Log((1 + a.Gap) / (1 + b.Gap))
	far *= far
	if a.Gap*a.Seen > 0 && b.Gap*b.Seen > 0 {
		together := math.Log(a.Gap/b.Gap) + math.Log(a.Seen/b.Seen)/float64(d)
		far += float64(together * together)
	}
	return far
}
