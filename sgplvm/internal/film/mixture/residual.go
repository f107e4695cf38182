package mixture

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// AddResidual adds the motion-compensated residual to the mean of a frame that was warped to a moment by
// its field. The residual is the linear interpolation in time of the training frames before and after,
// each sampled once, less the
// same of the registered frames, which were sampled twice and do not move in between. It gives back detail
// that two samplings blur, and moves edges which the interpolation of registered frames blends. Beyond the
// ends the nearest frame counts alone.
// Finer pixels are sampled from frames that d has sharpened. It panics if the channels differ.
func AddResidual(f frame.Frame, m *motion.Motion, frames *motion.Frames, field motion.Field, d *Detail, x motion.Moment) {
	f.Check("AddResidual", "a frame to write")
	if frames.Channels != f.Mean.Cols || frames.Frames != 0 && frames.Frames != m.Frames {
		panic(fmt.Sprintf("film: AddResidual: %d training frames of %d channels for mean %d×%d and %d frames", frames.Frames, frames.Channels, f.Mean.Rows, f.Mean.Cols, m.Frames))
	}
	if m.Still() || frames.Frames == 0 {
		return
	}
	addNeighbours(f, m, frames, field, d, x, x.Neighbours())
}

// A residualFrame is a training frame next to a moment: its weight, the coefficients of its spline, and where its contents are.
type residualFrame struct {
	scale  float64
	spline frame.Image[float32]
	finer  motion.SharpPicture
	own    *motion.Displacement
}

// addNeighbours adds the parts of some neighbours: each as it is, sampled once, less all together as they are when registered, sampled twice.
func addNeighbours(f frame.Frame, m *motion.Motion, frames *motion.Frames, field motion.Field, d *Detail, moment motion.Moment, neighbours []motion.Neighbour) {
	s := moment.Shot
	w, h, n := frames.Width, frames.Height, frames.Channels
	var around []residualFrame
	one, twice := frame.NewImage[float32](w, h, n), frame.NewImage[float32](w, h, n)
	for _, o := range neighbours {
		if o.Weight > 0 {
			r := residualFrame{o.Weight * frames.Step, SplineOf(frames, s.Examples[o.Place], d.sharpening, d.sharpness(f.Width)), Sharp(frames, d, s, o.Place, moment.Without, f.Width), m.Displacement(w, h, s, o.Place)}
			motion.Resample(one, r.spline, r.own)
			twice.Add(float32(r.scale), one)
			around = append(around, r)
		}
	}
	twice.ToSpline()
	field.EachPixel(frame.Size{Width: f.Width, Height: f.Height}, frame.Size{Width: w, Height: h}, n, func(w *motion.Warped) {
		sharp, blurred, mean := w.Value, w.Dx, f.Mean.Row(w.Pixel)
		frame.Sample(blurred, twice, w.X, w.Y)
		for c, v := range blurred {
			mean[c] -= v
		}
		for k := range around {
			r := &around[k]
			u, v := r.own.Value(w.X, w.Y)
			r.finer.At(sharp, w.X+u, w.Y+v)
			for c, v := range sharp {
				mean[c] += r.scale * v
			}
		}
	})
}
