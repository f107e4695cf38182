package mixture

import "math"

// leftOutErrors are those of frames that were left out between others: of each frame products of the errors, level by level.
type leftOutErrors []frameErrors

// frameErrors are the products of the errors of a frame, level by level.
type frameErrors [mixtureLevels]products

// Of the regression: the part of all values that a level is given beside its own ones, from everywhere; how often frames are weighed anew, and the part of
// their mean squared error that a frame has at least.
const (
	levelShrinkage = 0.02
	weightSteps    = 8
	minError       = 1e-3
)

// weights returns those of all levels, without the predictions before first, of which the mean over frames of the root mean squared error is least: each frame counts by
// one over that (iteratively reweighted least squares). By squares alone the few would decide in which the light or the motion leaps.
func (l leftOutErrors) weights(first int) (levels []weights) {
	part := make([]float64, len(l))
	for i := range part {
		part[i] = 1
	}
	for step := 0; ; step++ {
		if levels = l.weighed(part, first); step == weightSteps {
			return levels
		}
		errors, mean := make([]float64, len(l)), 0.
		for i := range l {
			errors[i] = l[i].under(levels)
			mean += errors[i] / float64(len(l))
		}
		if !(mean > 0) {
			return levels
		}
		for i, e := range errors {
			part[i] = 1 / math.Sqrt(max(e/mean, minError))
		}
	}
}

// weighed returns the weights of all levels of least squared error, each frame by its part.
func (l leftOutErrors) weighed(part []float64, first int) (levels []weights) {
	var of frameErrors
	var all products
	for i := range l {
		for k := range of {
			of[k].join(&l[i][k], part[i])
			all.join(&l[i][k], part[i])
		}
	}
	for _, p := range of {
		p.join(&all, levelShrinkage)
		p.joinUsual(len(l), first)
		levels = append(levels, simplexWeights(&p.plain, first))
	}
	return levels
}

// under returns the mean squared error of the frame under weights.
func (f *frameErrors) under(levels []weights) float64 {
	var sum, count float64
	for k := range f {
		sum += quadratic(&f[k].plain, &levels[k])
		count += f[k].count
	}
	return sum / count
}
