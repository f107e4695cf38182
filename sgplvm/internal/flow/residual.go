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
	m.addNeighbours(f, frames, field, d, x.shot, x.neighbours())
}

// A residualFrame is a training frame next to a moment: as coefficients of its spline, sampled once and twice, and where its contents are.
type residualFrame struct {
	scale       float64
	once, twice image[float32]
	own, offset *displacement
}

// addNeighbours adds the parts of some neighbours.
func (m *Motion) addNeighbours(f Frame, frames *TrainingFrames, field Field, d *Detail, s sequence, neighbours []neighbour) {
	var around []residualFrame
	for _, n := range neighbours {
		if n.weight > 0 {
			around = append(around, m.residualFrame(frames, d.sharpening, d.sharpness(f.Width), s, n))
		}
	}
	field.eachPixel(size{f.Width, f.Height}, size{frames.Width, frames.Height}, frames.Channels, func(w *warped) {
		sharp, blurred, mean := w.value, w.dx, f.Mean.Row(w.pixel)
		for k := range around {
			n := &around[k]
			sample(blurred, n.twice, w.x, w.y)
			ou, ov := n.offset.value(w.x, w.y)
			x, y := w.x+ou, w.y+ov
			u, v := n.own.value(x, y)
			sample(sharp, n.once, x+u, y+v)
			for c, v := range sharp {
				mean[c] += n.scale * (v - blurred[c])
			}
		}
	})
}

// residualFrame prepares a neighbour.
func (m *Motion) residualFrame(frames *TrainingFrames, filter sharpening, sharpness float64, s sequence, n neighbour) residualFrame {
	r := residualFrame{scale: n.weight * frames.Step, once: sharpened(frames.picture(s.Examples[n.place]), filter, sharpness)}
	r.once.toSpline()
	r.twice = newImage[float32](frames.Width, frames.Height, frames.Channels)
	r.own, r.offset = m.displacement(frames.Width, frames.Height, s, n.place), m.offset(n, frames.Width, frames.Height)
	resample(r.twice, r.once, r.own)
	r.twice.toSpline()
	return r
}

// offset returns that of a neighbour on a frame of width×height pixels.
func (m *Motion) offset(n neighbour, width, height int) *displacement {
	if n.offset == nil {
		return noDisplacement(width, height)
	}
	return newDisplacement(m.flowLattice, width, height).of(n.offset)
}
