// Package evaluate measures how well missing values of pictures were filled in,
// in the user's raw units and over the filled-in values only.
//
// # One picture
//
// [Score] compares the truth y with a predicted mean m and variance v, noise
// included, at the values that were not seen:
//
//	RMSE      √ mean (y−m)²
//	MAE       mean |y−m|
//	MNLP      median of −log N(y | m, v) = ½ log 2πv + (y−m)²/2v
//	NLP       the mean of the same
//	Coverage  the share of values within the central 50, 90 and 99 % intervals
//
// The median log density is what the literature on filling in pictures quotes
// (Titsias and Lawrence 2010, Atkinson and Zabaras 2018). It rewards variances
// that are too small: for Gaussian errors it is least at about 0.67 of the true
// deviation. So it is never shown without the coverage, which should be 0.50,
// 0.90 and 0.99, and the mean, which a few confident mistakes make large.
//
// A picture too large to be held as a whole arrives in parts: a [Stream] takes slab
// after slab, and its scores are those of Score to the last bit.
//
// # Many pictures
//
// [Evaluate] does all of it for many pictures at once: [Summarize] gives the mean
// over the pictures with the 2.5th and 97.5th percentile.
package evaluate
