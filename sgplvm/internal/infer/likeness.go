package infer

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
)

// MinWeight is the weight of Weights up to which a training example does not count but in their sum, and MinShare
// that of Effective, as a part of the largest.
const (
	MinWeight = 1e-3
	MinShare  = 1e-3
)

// Weights sets w to how much the training examples count for the noise of an example at the squared distances d_n² from
// them, with the bandwidth h and the variance white of the white noise:
//
//	w_n = exp(−½·(d_n² − d²)/(h²·d²)),   d² the least of them
func Weights(w, distances []float64, bandwidth, white float64) {
	least := slices.Min(distances)
	exponentials(w, distances, least, 0.5/(bandwidth*bandwidth*max(least, white)))
}

// Effective sets w to weights exp(−λ·d_n) that add up to 1, with λ ≥ 0 such that the effective number 1/Σ w_n² is no more
// than the one given.
func Effective(w, distances []float64, number float64) {
	least := slices.Min(distances)
	var mean float64
	for _, v := range distances {
		mean += (v - least) / float64(len(distances))
	}
	set := func(lambda float64) float64 {
		exponentials(w, distances, least, lambda)
		var sum float64
		for _, v := range w {
			sum += v
		}
		asm.Scale(w, 1/sum, w)
		return 1 / asm.SumSquares(w)
	}
	if set(0) <= number*(1+1e-12) || mean == 0 {
		return
	}
	low, high := math.Log(1e-6/mean), math.Log(1e12/mean)
	if set(math.Exp(high)) > number {
		return // so many are equally near
	}
	// Newton's method for the logarithm of the effective number, which falls, as a function of log λ, between bounds.
	const longest, enough = 2, 1e-13
	for x := math.Log(1 / mean); high-low > enough; {
		lambda := math.Exp(x)
		above := math.Log(set(lambda) / number)
		if math.Abs(above) < enough {
			return
		}
		if above > 0 {
			low = x
		} else {
			high = x
		}
		next := x + min(max(-above/slope(w, distances, lambda), -longest), longest)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		x = next
	}
	set(math.Exp(low))
}

// slope returns the derivative of the logarithm of the effective number in log λ, of weights that add up to 1: 2λ·(Σ w_n²·d_n/Σ w_n² − Σ w_n·d_n).
func slope(w, distances []float64, lambda float64) float64 {
	var near, squares float64
	for k, v := range w {
		squares += float64(v * v)
		near += float64(v*v) * distances[k]
	}
	return 2 * lambda * (near/squares - asm.Dot(w, distances))
}

// Reaching makes of the squared distances of all points from a part's centre how much each counts for likeness near that part: Gaussian
// in the distance, and 1 at the nearest point that was seen in any channel.
func Reaching(squares []float64, seen [][]int, reach float64) {
	nearest := math.Inf(1)
	for _, points := range seen {
		for _, i := range points {
			nearest = min(nearest, squares[i])
		}
	}
	for i, v := range squares {
		squares[i] = math.Exp(-0.5 * max(0, v-nearest) / (reach * reach))
	}
}

// exponentials sets w to exp(−λ·(d_n − least)).
func exponentials(w, distances []float64, least, lambda float64) {
	for k, v := range distances {
		w[k] = -lambda * (v - least)
	}
	asm.Exp(w, w)
}
