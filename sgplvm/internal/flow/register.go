package flow

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Register returns the frames in reference coordinates: src must give the frames that Fit was
// given, in the same order, and is read when the result is. A frame is sampled by a cubic B-spline;
// points outside it take the nearest edge. Without motion it is src itself. It panics if the sizes do
// not fit.
func (m *Motion) Register(src data.Source) data.Source {
	n, points, channels := src.Dims()
	m.mustFit("Register", n, points)
	if m.Still() {
		return src
	}
	r := &registered{m, src, channels, make([][]float64, n)}
	for _, s := range m.sequences {
		for p, f := range s.Examples {
			r.d[f] = s.d.Row(p)
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
	size := r.width * r.height * r.channels
	buffer := mat.Borrow(size)
	defer mat.GiveBack(buffer)
	displaced := newDisplacement(r.lattice, r.width, r.height)
	for i := from; i < to; i++ {
		frame := image[float64]{r.width, r.height, r.channels, dst[(i-from)*size : (i-from+1)*size]}
		spline := frame
		spline.data = *buffer
		copy(spline.data, frame.data)
		spline.toSpline()
		resample(frame, spline, displaced.of(r.d[i]))
	}
	return nil
}
