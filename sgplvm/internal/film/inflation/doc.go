// Package inflation multiplies the variances of predicted frames by what frames that were left out show to be missing, where
// and when they do: a map of the frame and a course in time, both smooth, whose reach is chosen by leaving out frames once more.
package inflation
