package motion

import (
	"fmt"
	"sort"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Field is the displacement at one time: Gaussian at every node.
type Field struct {
	// Across and Down are the numbers of nodes; 0 without motion.
	Across, Down int

	// Mean holds the displacements of the nodes, row by row, in units of the frame's width: all
	// to the right, and then all downwards.
	Mean []float64

	// Covariance holds the variances to the right of all nodes, then the covariances of
	// right and down, then the variances downwards, in squared units of the frame's width.
	Covariance []float64

	aspect float64
}

// At returns the displacements of a sequence, given by its label, at any times. The estimates of
// the training frames are taken as noisy, so that a Field is not exactly the estimate at its time.
// The variance is that of the process given the estimates: it grows in gaps and towards its prior
// value beyond the ends. Errors: *OptionError for an unknown sequence or a time that is not
// finite.
func (m *Motion) At(label int, times []float64) ([]Field, error) {
	i := sort.Search(len(m.sequences), func(i int) bool { return m.sequences[i].label >= label })
	if i == len(m.sequences) || m.sequences[i].label != label {
		return nil, optionError("sequence", "no frames with the label %d", label)
	}
	for j, t := range times {
		if t-t != 0 {
			return nil, optionError("times", "time %d is %v, expected a finite number", j, t)
		}
	}
	return m.at(m.sequences[i], times), nil
}

func (m *Motion) at(s sequence, times []float64) []Field {
	fields := make([]Field, len(times))
	if m.Still() {
		return fields
	}
	l, p := m.lattice, m.process
	var factor *chol.Factor
	known, end := -1, 0
	for i, t := range times {
		from, to := s.nearest(t)
		if from != known || to != end {
			k := mat.New(to-from, to-from)
			p.covariance(k, s.times[from:to])
			var err error
			if factor, _, err = chol.FactorizeJitter(k, []float64{0, 1e-10, 1e-8, 1e-6}); err != nil {
				panic(err) // correlations of finite times with a positive noise
			}
			known, end = from, to
		}
		c := make([]float64, to-from)
		for j, at := range s.times[from:to] {
			c[j] = p.correlation(t - at)
		}
		w := append([]float64(nil), c...)
		factor.Solve(mat.Vector(w))
		left := max(1-dot(c, w), 0)
		f := Field{Across: l.across, Down: l.down, Mean: make([]float64, l.size()), Covariance: make([]float64, len(m.covariance)), aspect: l.aspect}
		mat.Mul(mat.Vector(f.Mean), 1, s.d.Slice(from, to, 0, l.size()).T(), mat.Vector(w), 0)
		for j, v := range m.covariance {
			f.Covariance[j] = left * v
		}
		fields[i] = f
	}
	return fields
}

// nearest returns the frames from ≤ p < to, maxWindow at most, that are nearest to a time.
func (s sequence) nearest(t float64) (from, to int) {
	from, to = 0, len(s.times)
	if to <= maxWindow {
		return from, to
	}
	from = sort.Search(len(s.times)-maxWindow, func(i int) bool { return t-s.times[i] <= s.times[i+maxWindow]-t })
	return from, from + maxWindow
}

// flow returns the mean displacement on a grid of width×height pixels.
func (f Field) flow(width, height int) *flow {
	if f.Across == 0 {
		return newFlow(lattice{2, 2, 1}, width, height).of(make([]float64, 8))
	}
	return newFlow(lattice{f.Across, f.Down, f.aspect}, width, height).of(f.Mean)
}

// carry sets dst to the picture with the coefficients src, given in reference coordinates.
func (f Field) carry(dst, src image[float32]) {
	fl := f.flow(dst.width, dst.height)
	mat.Parallel(dst.height, func(y int) {
		row := dst.row(y)
		var u, v float64
		for x := range dst.width {
			rx, ry := fl.inverse(float64(x), float64(y), u, v)
			u, v = rx-float64(x), ry-float64(y)
			sample(row[x*dst.channels:(x+1)*dst.channels], src, rx, ry)
		}
	})
}

// Carry takes a predicted frame from reference coordinates to those of the frame at the field's
// time: mean and variance are (width·height)×channels, row y·width + x for the pixel in column x
// of row y, on a grid of any size over the same frame; they are overwritten. The mean is sampled
// by a cubic B-spline, the variance bilinearly, at the points which the mean displacement brings here;
// points from outside take the nearest edge. The variance grows by (∇mean)ᵀ·C·∇mean, where C is
// the covariance of the displacement, for which that between the nodes of a cell is taken to be the
// largest possible. variance may be 0×0: then there is none. Beside its arguments Carry holds a copy of
// them. It panics if the shapes do not fit.
func (f Field) Carry(mean, variance mat.Matrix, width, height int) {
	if width < 1 || height < 1 || mean.Rows != width*height || variance.Rows != 0 && (variance.Rows != mean.Rows || variance.Cols != mean.Cols) {
		panic(fmt.Sprintf("motion: Carry: mean %d×%d and variance %d×%d for %d×%d pixels", mean.Rows, mean.Cols, variance.Rows, variance.Cols, width, height))
	}
	if f.Across == 0 {
		return
	}
	n := mean.Cols
	buffer := mat.Borrow(2 * mean.Rows * n)
	defer mat.GiveBack(buffer)
	spline := image[float64]{width, height, n, (*buffer)[:mean.Rows*n]}
	mat.Copy(mat.NewDense(mean.Rows, n, spline.data), mean)
	spline.toSpline()
	var old image[float64]
	if variance.Rows > 0 {
		old = image[float64]{width, height, n, (*buffer)[mean.Rows*n:]}
		mat.Copy(mat.NewDense(mean.Rows, n, old.data), variance)
	}
	fl := f.flow(width, height)
	spread := f.Covariance
	mat.Parallel(height, func(y int) {
		values := make([]float64, 4*n)
		value, dx, dy, v := values[:n], values[n:2*n], values[2*n:3*n], values[3*n:]
		var du, dv float64
		for x := range width {
			rx, ry := fl.inverse(float64(x), float64(y), du, dv)
			du, dv = rx-float64(x), ry-float64(y)
			sample(value, spline, rx, ry)
			at := y*width + x
			for c, m := range value {
				mean.Set(at, c, m)
			}
			if variance.Rows == 0 {
				continue
			}
			sampleLinear(v, old, rx, ry)
			slopes(dx, dy, spline, rx, ry)
			uu, uv, vv := fl.spread(spread, rx, ry)
			for c := range v {
				variance.Set(at, c, v[c]+dx[c]*dx[c]*uu+2*dx[c]*dy[c]*uv+dy[c]*dy[c]*vv)
			}
		}
	})
}

// spread returns the covariance of the displacement at the point (x, y), in squared pixels.
func (f *flow) spread(covariance []float64, x, y float64) (uu, uv, vv float64) {
	i, _, a := between((x+0.5)/float64(f.width)*float64(f.across-1), f.across)
	j, k, b := between((y+0.5)/float64(f.height)*float64(f.down-1), f.down)
	n := f.nodes()
	at := func(c []float64) float64 { return blend(c[:n], f.across, i, j, k, a, b) }
	return f.scaleX * f.scaleX * at(covariance), f.scaleX * f.scaleY * at(covariance[n:]), f.scaleY * f.scaleY * at(covariance[2*n:])
}

// Register returns the frames in reference coordinates: src must give the frames that Fit was
// given, in the same order, and is read when the result is. A frame is sampled by a cubic B-spline;
// points outside it take the nearest edge. Without motion it is src itself. It panics if the sizes do
// not fit.
func (m *Motion) Register(src sgplvm.Source) sgplvm.Source {
	n, points, channels := src.Dims()
	if n != m.frames || points != m.width*m.height {
		panic(fmt.Sprintf("motion: Register: %d frames of %d points for the motion of %d frames of %d×%d pixels", n, points, m.frames, m.width, m.height))
	}
	if m.Still() {
		return src
	}
	r := &registered{m, src, channels, make([][]float64, n)}
	for _, s := range m.sequences {
		for p, f := range s.frames {
			r.d[f] = s.d.Row(p)
		}
	}
	return r
}

// registered is a source of frames in reference coordinates.
type registered struct {
	*Motion
	source   sgplvm.Source
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
	fl := newFlow(r.lattice, r.width, r.height)
	for i := from; i < to; i++ {
		frame := image[float64]{r.width, r.height, r.channels, dst[(i-from)*size : (i-from+1)*size]}
		spline := frame
		spline.data = *buffer
		copy(spline.data, frame.data)
		spline.toSpline()
		warp(frame, spline, fl.of(r.d[i]))
	}
	return nil
}
