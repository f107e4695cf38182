package mixture

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A dense interpolation in time follows the contents of two training frames a and b, pixel by pixel, along the optical
// flow from a to b and that from b to a. A point of the frame at the time that is w of the way lies on a path of each:
// that of s in a with s + w·f_ab(s) = x, and that of s in b with s + (1 − w)·f_ba(s) = x, but for how paths bend (bends.go), both found by fixed-point
// iteration. Where the two flows agree along a path the contents are seen in both frames, and the interpolation along
// it is linear; where they do not, the contents are hidden in the other frame, and count as the frame shows
// them that the path starts from. A path that does not reach the point, or along which the flows disagree, counts less.
type dense struct {
	w     float64 // the way from a to b
	a, b  motion.SharpPicture
	flows motion.PairFlow
	bends [2]*bend // of paths from a and from b; nil where they are straight
}

// minPath is the weight that a path has at least, over that of one along which all agrees: 0.001 and 0.02 besides alters errors by 0.04 % at most.
const minPath = 0.02

// newDense returns the interpolation w of the way from a to b, given their splines, the flows between them and how paths bend.
func newDense(w float64, a, b motion.SharpPicture, flows motion.PairFlow, bends [2]*bend) *dense {
	return &dense{w: w, a: a, b: b, flows: flows, bends: bends}
}

// A path runs from a point of a to one of b.
type path struct {
	ax, ay, bx, by float64
	miss           float64 // squared distance by which it misses the point at its time
	apart          float64 // squared distance by which the flows there and back disagree
	agreement      float64 // of the flows, from 0 to 1
}

// pathFrom returns the path through (x, y), w of the way along a flow that bends, whose other end back is the flow from.
func pathFrom(there, back *opticalflow.Flow, bends *bend, x, y, w float64) path {
	p := path{ax: x, ay: y}
	var u, v float64
	for range 5 {
		u, v = there.At(p.ax, p.ay)
		right, down := bends.along(w, u, v, p.ax, p.ay)
		p.miss = frame.Square(p.ax+right-x) + frame.Square(p.ay+down-y)
		p.ax, p.ay = x-right, y-down
		if p.miss < 1e-6 {
			p.miss = 0 // what is left of it is less by the slope of the flow
			break
		}
	}
	if p.miss > 0 {
		u, v = there.At(p.ax, p.ay)
		right, down := bends.along(w, u, v, p.ax, p.ay)
		p.miss = frame.Square(p.ax+right-x) + frame.Square(p.ay+down-y)
	}
	p.bx, p.by = p.ax+u, p.ay+v
	bu, bv := back.At(p.bx, p.by)
	p.apart = frame.Square(u+bu) + frame.Square(v+bv)
	p.agreement = motion.Agreement(p.apart, u, v)
	return p
}

// paths returns the two paths through (x, y): that which starts from a point of a, and that which starts from one of b.
func (d *dense) paths(x, y float64) (from, to path) {
	there, back := &d.flows.There, &d.flows.Back
	from, to = pathFrom(there, back, d.bends[0], x, y, d.w), pathFrom(back, there, d.bends[1], x, y, 1-d.w)
	to.ax, to.ay, to.bx, to.by = to.bx, to.by, to.ax, to.ay
	return from, to
}

// weightOf returns the weight of a path of which share is that of the frame that it starts from.
func weightOf(p path, share float64) float64 {
	return minPath + share*p.agreement*math.Exp(-0.5*p.miss/frame.Square(motion.FlowSpread))
}

// at sets value to the interpolation at the point (x, y) in pixels of the frames; buffer holds two numbers
// for each channel. It returns the mean square, over the channels, of the differences between what the two frames show along its paths.
func (d *dense) at(value, buffer []float64, x, y float64) (mismatch float64) {
	n := len(value)
	first, second := buffer[:n], buffer[n:2*n]
	clear(value)
	from, to := d.paths(x, y)
	own, other := weightOf(from, 1-d.w), weightOf(to, d.w)
	own, other = own/(own+other), other/(own+other)
	for _, s := range [2]struct {
		path
		weight, a float64 // of the path, and of frame a in it
	}{{from, own, 1 - d.w*from.agreement}, {to, other, (1 - d.w) * to.agreement}} {
		d.a.At(first, s.ax, s.ay)
		d.b.At(second, s.bx, s.by)
		for c := range value {
			value[c] += s.weight * (s.a*first[c] + (1-s.a)*second[c])
			mismatch += s.weight / float64(n) * frame.Square(first[c]-second[c])
		}
	}
	return mismatch
}
