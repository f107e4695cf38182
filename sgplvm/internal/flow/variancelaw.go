package flow

import "math"

// A varianceLaw is how the mean square of a mixture's errors at a place, in units of the channel's variance, is made of
// parts that add up: the first number times the variance that the model expects, the next ones times the traits of the
// place, and the last one everywhere. None is negative. A trait is small where frames are close in time, so that a law
// learned where frames are left out holds between those that are closer.
type varianceLaw [2 + traits]float64

// traitsOf are the traits of a place, means over a cell, in units of the channels' variances: how far model and dense
// flow are apart, how far what two frames show along the flow's paths is, the texture times the squared distance by which
// flows there and back disagree, and the texture, the squared slope per pixel of training.
type traitsOf [traits]float64

const traits = 4

// leastModelled is the least part of the model's own variance that counts, and leastScale the least variance of a channel.
const leastModelled, leastScale = 1e-4, 1e-12

// variance returns what is expected where the model expects v.
func (l *varianceLaw) variance(v float64, t *traitsOf) float64 {
	sum := l[0]*v + l[1+traits]
	for k, u := range t {
		sum += l[1+k] * u
	}
	return sum
}

func (l *varianceLaw) valid() bool {
	for _, a := range l {
		if !(a >= 0) || math.IsInf(a, 0) {
			return false
		}
	}
	return l[0] > 0
}

// varianceSteps is how many steps fitVariances takes.
const varianceSteps = 200

// fitVariances returns the law under which squared errors are likeliest, each Gaussian; rows hold for each error what the
// law's numbers multiply. Steps multiply each number by the root of what it would have to be over what it is,
// which never makes errors less likely (Févotte and Idier 2011).
func fitVariances(rows []varianceLaw, squares []float64) (l varianceLaw) {
	var sums varianceLaw
	var total float64
	for i, r := range rows {
		for k, v := range r {
			sums[k] += v
		}
		total += squares[i]
	}
	for k, s := range sums {
		if s > 0 {
			l[k] = total / (s * float64(len(l)))
		}
	}
	for range varianceSteps {
		var have, want varianceLaw
		for i, r := range rows {
			var v float64
			for k, a := range l {
				v += a * r[k]
			}
			v = 1 / max(v, leastScale)
			for k, u := range r {
				have[k] += u * v
				want[k] += u * v * v * squares[i]
			}
		}
		for k := range l {
			if have[k] > 0 {
				l[k] *= math.Sqrt(want[k] / have[k])
			}
		}
	}
	l[0] = max(l[0], leastModelled)
	return l
}
