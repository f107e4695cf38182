package kernel

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Zero sets every parameter to 0, to collect a gradient.
func (k *Kernel) Zero() {
	k.Variance, k.Period = 0, 0
	clear(k.LengthScale)
	clear(k.Weights)
	for i := range k.Terms {
		k.Terms[i].Zero()
	}
}

// Visit calls f for the kernel's parameters but the variance, all of them positive: length
// scales, periods and, for the weights of a sum, their ratios to the last one, so that they
// keep adding up to 1. Missing ones are left out.
//
// other has the form of k and holds a number for each parameter, usually ∂L/∂θ, of which f
// receives its part as slope. f may change value, which changes k, and slope, which changes
// other; the slopes of ratios are computed from those of the weights and are only read. Where
// other is k, f may change value alone.
func (k *Kernel) Visit(other *Kernel, f func(value, slope []float64, positive bool)) {
	if k.Kind == Sum && len(k.Weights) > 0 {
		k.visitWeights(other, f)
	}
	if len(k.LengthScale) > 0 {
		f(k.LengthScale, other.LengthScale, true)
	}
	if k.Kind == Periodic {
		value, slope := []float64{k.Period}, []float64{other.Period}
		f(value, slope, true)
		other.Period = slope[0] // first: the two may be one
		k.Period = value[0]
	}
	for i := range k.Terms {
		k.Terms[i].Visit(&other.Terms[i], f)
	}
}

// minWeight is what a weight is at least, the smallest normal number.
const minWeight = 0x1p-1022

// visitWeights visits r_i = w_i/w_last. From w_i = r_i/Σr, where r_last is 1,
//
//	∂L/∂r_i = w_last·(∂L/∂w_i − Σ_j w_j·∂L/∂w_j)
func (k *Kernel) visitWeights(other *Kernel, f func(value, slope []float64, positive bool)) {
	last := len(k.Weights) - 1
	mean := asm.Dot(k.Weights, other.Weights)
	ratios, slopes := make([]float64, last), make([]float64, last)
	for i := range last {
		ratios[i] = k.Weights[i] / k.Weights[last]
		slopes[i] = k.Weights[last] * (other.Weights[i] - mean)
	}
	before := slices.Clone(ratios)
	f(ratios, slopes, true)
	if slices.Equal(ratios, before) {
		return
	}
	total := 1 + sum(ratios)
	for i, r := range ratios {
		k.Weights[i] = max(r/total, minWeight)
	}
	k.Weights[last] = max(1/total, minWeight)
}
