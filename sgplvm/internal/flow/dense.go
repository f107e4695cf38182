package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// A dense interpolation in time follows the contents of two training frames a and b, pixel by pixel, along the optical
// flow from a to b and that from b to a. A point of the frame at the time that is w of the way lies on a path of each:
// that of s in a with s + w·f_ab(s) = x, and that of s in b with s + (1 − w)·f_ba(s) = x, but for how paths bend (bends.go), both found by fixed-point
// iteration. Where the two flows agree along a path the contents are seen in both frames, and the interpolation along
// it is linear; where they do not, the contents are hidden in the other frame, and count as the frame shows
// them that the path starts from. A path that does not reach the point, or along which the flows disagree, counts less.
type dense struct {
	w        float64 // the way from a to b
	a, b     sharpPicture
	flows    pairFlow
	bends    [2]*bend           // of paths from a and from b; nil where they are straight
	textures *[2]image[float64] // of a and b; nil where doubts about their pixels do not count

	middle, first, second opticalflow.Similarity // where the whole picture turns: from w of the way to half of it, and from there to a and to b
}

// Of paths: the iterations for their start, which end when one moves it by less than so many pixels; by how many pixels they may miss a point, and by how many
// flows there and back may disagree; both are standard deviations. leastPath is a path's least weight, and mostApart the
// largest squared distance that counts as doubt.
const (
	pathSteps     = 5
	pathPrecision = 1e-3
	pathMiss      = 0.5
	flowSpread    = 0.5
	leastPath     = 1e-3
	mostApart     = 25
)

// newDense returns the interpolation w of the way from a to b, given their splines, the flows between them and how paths bend.
func newDense(w float64, a, b sharpPicture, flows pairFlow, bends [2]*bend) *dense {
	d := &dense{w: w, a: a, b: b, flows: flows, bends: bends}
	if flows.turns {
		d.middle, d.first, d.second = flows.whole.Power(0.5-w), flows.whole.Power(-0.5), flows.whole.Power(0.5)
	}
	return d
}

// A doubt is what is doubtful of an interpolation at a point: the mean square of the differences between what the two frames show
// along its paths, over the channels, the squared distance in pixels by which the paths miss the point and the flows disagree, and what other frames leave unresolved; and what pixels miss.
type doubt struct {
	mismatch, apart, unresolved float64
	aliasing
}

// pathFrom returns the path through (x, y), w of the way along a flow that bends, whose other end back is the flow from.
func pathFrom(there, back *opticalflow.Flow, bends *bend, x, y, w float64) path {
	p := path{ax: x, ay: y}
	var u, v float64
	for range pathSteps {
		u, v = there.At(p.ax, p.ay)
		right, down := bends.along(w, u, v, p.ax, p.ay)
		p.miss = square(p.ax+right-x) + square(p.ay+down-y)
		p.ax, p.ay = x-right, y-down
		if p.miss < pathPrecision*pathPrecision {
			p.miss = 0 // what is left of it is less by the slope of the flow
			break
		}
	}
	if p.miss > 0 {
		u, v = there.At(p.ax, p.ay)
		right, down := bends.along(w, u, v, p.ax, p.ay)
		p.miss = square(p.ax+right-x) + square(p.ay+down-y)
	}
	p.bx, p.by = p.ax+u, p.ay+v
	bu, bv := back.At(p.bx, p.by)
	p.apart = square(u+bu) + square(v+bv)
	p.agreement = agreement(p.apart, u, v, flowSpread)
	return p
}

// paths returns the two paths through (x, y): that which starts from a point of a, and that which starts from one of b.
func (d *dense) paths(x, y float64) (from, to path) {
	there, back, width, height := &d.flows.there, &d.flows.back, d.flows.there.Width, d.flows.there.Height
	if d.flows.turns {
		x, y = d.middle.At(width, height, x, y)
	}
	from, to = pathFrom(there, back, d.bends[0], x, y, d.w), pathFrom(back, there, d.bends[1], x, y, 1-d.w)
	to.ax, to.ay, to.bx, to.by = to.bx, to.by, to.ax, to.ay
	if d.flows.turns {
		for _, p := range [2]*path{&from, &to} {
			p.ax, p.ay = d.first.At(width, height, p.ax, p.ay)
			p.bx, p.by = d.second.At(width, height, p.bx, p.by)
		}
	}
	return from, to
}

// weight is that of a path of which share is the weight of the frame that it starts from.
func (p path) weight(share float64) float64 {
	w := share * (p.agreement + 0.02)
	if p.miss > 0 {
		w *= math.Exp(-0.5 * p.miss / square(pathMiss))
	}
	return leastPath + w
}

// at sets value to the interpolation at the point (x, y) in pixels of the frames; buffer holds two numbers
// for each channel. It returns what is doubtful there.
func (d *dense) at(value, buffer []float64, x, y float64) (t doubt) {
	n := len(value)
	first, second := buffer[:n], buffer[n:2*n]
	clear(value)
	from, to := d.paths(x, y)
	own, other := from.weight(1-d.w), to.weight(d.w)
	own, other = own/(own+other), other/(own+other)
	for _, s := range [2]struct {
		path
		weight, a float64 // of the path, and of frame a in it
	}{{from, own, 1 - d.w*from.agreement}, {to, other, (1 - d.w) * to.agreement}} {
		d.a.at(first, s.ax, s.ay)
		d.b.at(second, s.bx, s.by)
		for c := range value {
			value[c] += s.weight * (s.a*first[c] + (1-s.a)*second[c])
			t.mismatch += s.weight / float64(n) * square(first[c]-second[c])
		}
		t.apart += s.weight * min(s.miss+s.apart, mostApart)
		t.unresolved += s.weight * (s.a*d.a.unresolvedAt(s.ax, s.ay) + (1-s.a)*d.b.unresolvedAt(s.bx, s.by))
		if d.textures != nil {
			t.add(s.path, s.weight, s.a, d.textures)
		}
	}
	return t
}
