package mixture

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A varianceLaw is how the mean square of a mixture's errors of a value, in units of the channel's variance, is made of
// parts that add up, each a number times a trait of the value. None is negative. Traits are small where frames are close in time, so that a law
// learned where frames are left out holds between those that are closer.
type varianceLaw [varianceParts]float64

// The parts, in brackets the symbols of docs/math.md, 19.3.
const (
	modelled   = iota // the variance that the model expects (V)
	everywhere        // 1
	byMismatch        // the mean square, over channels, of how far what two frames show along the flow's paths is apart (m)
	bySlope           // the squared slope per pixel, times the spread of the gap (g)
	varianceParts
)

// traitsOf returns what the numbers of a law multiply. Where contents are
// between frames is known the worse the farther away these are: what that makes of slopes is in proportion to the spread (spreadOf).
func traitsOf(v, mismatch, slope, spread float64) varianceLaw {
	return varianceLaw{v, 1, mismatch, spread * slope}
}

// spreadOf returns the variance of where contents are in a gap between frames, over that in the gap of learning. Both are in proportion: contents that do not
// move evenly depart from an even motion as a Brownian motion does.
func spreadOf(gap, learned float64) float64 {
	if !(learned > 0) {
		return 1
	}
	return gap / learned
}

// variance returns what is expected of a value with the given traits.
func (l *varianceLaw) variance(traits varianceLaw) float64 {
	return max(frame.Dot(l[:], traits[:]), LeastScale)
}

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
	for range 200 {
		var have, want varianceLaw
		for i, r := range rows {
			v := 1 / l.variance(r)
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
	return l
}
