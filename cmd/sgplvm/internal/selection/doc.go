// Package selection selects models by what they predict: candidates are trained on a part of the
// data and scored on the rest, and a candidate replaces an earlier one where its scores are better by
// several standard errors of their mean difference. With few scores chance would select otherwise.
//
// [Noise] selects how the covariance of a model's noise is learned and used, by complete pictures
// that are held out and filled in under the masks of those that are wanted. [Time] selects the
// kernels of a model in time, by leaving out one example after the other.
//
// The package knows the model and nothing else of the program.
package selection
