package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

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

// leastModelled is the least part of the model's own variance that counts.
const leastModelled = 1e-4

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

// traits returns those of the cells of a frame; all are 0 beyond the ends of a sequence.
func (x *Mixture) traits(f Frame, o Others) image[float64] {
	cells := newImage[float64](min(x.width, f.Width), min(x.height, f.Height), traits)
	if o.beyond > 0 {
		return cells
	}
	all, flow, n := newImage[float64](f.Width, f.Height, traits), o.means[others-1], len(x.scale)
	per := square(float64(f.Width)/float64(mixtureCell*x.width)) / (4 * float64(n)) // of squared differences over two pixels
	var scale float64
	for _, s := range x.scale {
		scale += s / float64(n)
	}
	mat.Parallel(f.Height, func(y int) {
		row, up, down := flow.row(y), flow.row(max(y-1, 0)), flow.row(min(y+1, f.Height-1))
		for i := range f.Width {
			pixel, left, right := y*f.Width+i, max(i-1, 0)*n, min(i+1, f.Width-1)*n
			t := all.data[pixel*traits : (pixel+1)*traits]
			for c, s := range x.scale {
				t[0] += square(f.Mean.At(pixel, c)-row[i*n+c]) / (s * float64(n))
				t[3] += per / s * (square(row[right+c]-row[left+c]) + square(down[i*n+c]-up[i*n+c]))
			}
			t[1], t[2] = o.doubts.data[2*pixel]/scale, o.doubts.data[2*pixel+1]*t[3]
		}
	})
	downsample(cells, all, make([]float64, cells.height*f.Width*traits))
	return cells
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
