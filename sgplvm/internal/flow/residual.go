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
	for _, n := range x.neighbours() {
		if n.weight > 0 {
			m.addNeighbour(f, frames, field, d, x.shot, n)
		}
	}
}

// addNeighbour adds the part of one neighbour.
func (m *Motion) addNeighbour(f Frame, frames *TrainingFrames, field Field, d *Detail, s sequence, n neighbour) {
	once := sharpened(frames.picture(s.Examples[n.place]), d.sharpening, d.sharpness(f.Width))
	once.toSpline()
	twice := newImage[float32](frames.Width, frames.Height, frames.Channels)
	own := m.displacement(frames.Width, frames.Height, s, n.place)
	resample(twice, once, own)
	twice.toSpline()
	offset := m.offset(n, frames.Width, frames.Height)
	scale := n.weight * frames.Step
	field.eachPixel(size{f.Width, f.Height}, once.size(), frames.Channels, func(w *warped) {
		sharp, blurred := w.value, w.dx
		sample(blurred, twice, w.x, w.y)
		ou, ov := offset.value(w.x, w.y)
		x, y := w.x+ou, w.y+ov
		u, v := own.value(x, y)
		sample(sharp, once, x+u, y+v)
		for c, v := range sharp {
			f.Mean.Set(w.pixel, c, f.Mean.At(w.pixel, c)+scale*(v-blurred[c]))
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
