package flow

import (
	"fmt"
)

// AddResidual adds the motion-compensated residual to the mean of a frame that was warped to a moment by
// its field. The residual is the linear interpolation in time of the training frames before and after,
// each sampled once, where the inter-frame flow says that the contents are (neighbours.go), less the
// same of the registered frames, which were sampled twice and do not move in between. It gives back detail
// that two samplings blur, and moves edges which the interpolation of registered frames blends. Beyond the
// ends the nearest frame counts alone.
// Finer pixels are sampled from frames that d has sharpened. It panics if the channels differ.
func (m *Motion) AddResidual(f Frame, frames *TrainingFrames, field Field, d *Detail, x Moment) {
	f.check("AddResidual", "a frame to write")
	if frames.Channels != f.Mean.Cols || frames.Frames != 0 && frames.Frames != m.frames {
		panic(fmt.Sprintf("flow: AddResidual: %d training frames of %d channels for mean %d×%d and %d frames", frames.Frames, frames.Channels, f.Mean.Rows, f.Mean.Cols, m.frames))
	}
	if m.Still() || frames.Frames == 0 {
		return
	}
	m.addNeighbours(f, frames, field, d, x, x.neighbours())
}

// A residualFrame is a training frame next to a moment: its weight, the coefficients of its spline, and where its contents are.
type residualFrame struct {
	scale       float64
	spline      image[float32]
	finer       sharpPicture
	own, offset *displacement
}

// addNeighbours adds the parts of some neighbours: each as it is, sampled once, less all together as they are when registered, sampled twice.
func (m *Motion) addNeighbours(f Frame, frames *TrainingFrames, field Field, d *Detail, moment Moment, neighbours []neighbour) {
	s := moment.shot
	w, h, n := frames.Width, frames.Height, frames.Channels
	var around []residualFrame
	one, twice := newImage[float32](w, h, n), newImage[float32](w, h, n)
	for _, o := range neighbours {
		if o.weight > 0 {
			r := residualFrame{o.weight * frames.Step, frames.spline(s.Examples[o.place], d.sharpening, d.sharpness(f.Width)), frames.sharp(d, s, o.place, moment.without, f.Width), m.displacement(w, h, s, o.place), m.offset(o, w, h)}
			resample(one, r.spline, r.own)
			twice.add(float32(r.scale), one)
			around = append(around, r)
		}
	}
	twice.toSpline()
	field.eachPixel(size{f.Width, f.Height}, size{w, h}, n, func(w *warped) {
		sharp, blurred, mean := w.value, w.dx, f.Mean.Row(w.pixel)
		sample(blurred, twice, w.x, w.y)
		for c, v := range blurred {
			mean[c] -= v
		}
		for k := range around {
			r := &around[k]
			ou, ov := r.offset.value(w.x, w.y)
			x, y := w.x+ou, w.y+ov
			u, v := r.own.value(x, y)
			r.finer.at(sharp, x+u, y+v)
			for c, v := range sharp {
				mean[c] += r.scale * v
			}
		}
	})
}

// offset returns that of a neighbour on a frame of width×height pixels.
func (m *Motion) offset(n neighbour, width, height int) *displacement {
	if n.offset == nil {
		return noDisplacement(width, height)
	}
	return newDisplacement(m.flowLattice, width, height).of(n.offset)
}
