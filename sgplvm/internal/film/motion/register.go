package motion

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Register returns the frames in reference coordinates: src must give the frames that Fit was
// given, in the same order, and is read when the result is. A frame is sampled by a cubic B-spline;
// points outside it take the nearest edge. Without motion it is src itself. It panics if the sizes do
// not fit.
func (m *Motion) Register(src data.Source) data.Source {
	n, points, channels := src.Dims()
	m.MustFit("Register", n, points)
	if m.Still() {
		return src
	}
	r := &registered{m, src, channels, make([][]float64, n)}
	for _, s := range m.Sequences {
		for p, f := range s.Examples {
			r.d[f] = s.Displacements.Row(p)
		}
	}
	return r
}

// registered is a source of frames in reference coordinates.
type registered struct {
	*Motion
	source   data.Source
	channels int
	d        [][]float64 // of each frame
}

func (r *registered) Dims() (examples, points, channels int) { return r.source.Dims() }

func (r *registered) ReadExamples(dst []float64, from, to int) error {
	if err := r.source.ReadExamples(dst, from, to); err != nil {
		return err
	}
	size := r.Width * r.Height * r.channels
	buffer := mat.Borrow(size)
	defer mat.GiveBack(buffer)
	displaced := newDisplacement(r.Lattice, r.Width, r.Height)
	for i := from; i < to; i++ {
		frame := frame.Image[float64]{Width: r.Width, Height: r.Height, Channels: r.channels, Data: dst[(i-from)*size : (i-from+1)*size]}
		spline := frame
		spline.Data = *buffer
		copy(spline.Data, frame.Data)
		spline.ToSpline()
		Resample(frame, spline, displaced.of(r.d[i]))
	}
	return nil
}
