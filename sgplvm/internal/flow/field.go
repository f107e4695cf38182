package flow

import (
	"fmt"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
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
	s, err := m.sequence(label)
	if err != nil {
		return nil, err
	}
	for j, t := range times {
		if t-t != 0 {
			return nil, optionError("times", "time %d is %v, expected a finite number", j, t)
		}
	}
	return m.at(s, times), nil
}

// sequence returns the one with a label.
func (m *Motion) sequence(label int) (sequence, error) {
	i := sort.Search(len(m.sequences), func(i int) bool { return m.sequences[i].label >= label })
	if i == len(m.sequences) || m.sequences[i].label != label {
		return sequence{}, optionError("sequence", "no frames with the label %d", label)
	}
	return m.sequences[i], nil
}

// LeftOut returns the displacement at the time of a training frame as the estimates of the other frames
// of its sequence alone have it. It panics if there is no such frame.
func (m *Motion) LeftOut(frame int) Field {
	s, p := m.find(frame)
	if m.Still() {
		return Field{}
	}
	others := sequence{label: s.label, times: slices.Concat(s.times[:p], s.times[p+1:]), d: mat.New(s.d.Rows-1, s.d.Cols)}
	mat.Copy(others.d.Slice(0, p, 0, s.d.Cols), s.d.Slice(0, p, 0, s.d.Cols))
	mat.Copy(others.d.Slice(p, s.d.Rows-1, 0, s.d.Cols), s.d.Slice(p+1, s.d.Rows, 0, s.d.Cols))
	return m.at(others, s.times[p:p+1])[0]
}

// find returns the sequence of a training frame and its place there.
func (m *Motion) find(frame int) (s sequence, p int) {
	for _, s := range m.sequences {
		if p := slices.Index(s.frames, frame); p >= 0 {
			return s, p
		}
	}
	panic(fmt.Sprintf("motion: frame %d of %d", frame, m.frames))
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

// A Frame is a picture of Width×Height pixels with its uncertainty: Mean and Variance are
// (Width·Height)×channels, row y·Width + x for the pixel in column x of row y. A Variance of
// 0×0 stands for none.
type Frame struct {
	Width, Height  int
	Mean, Variance mat.Matrix
}

// NewFrame returns a frame of zeros, with variances.
func NewFrame(width, height, channels int) Frame {
	return Frame{width, height, mat.New(width*height, channels), mat.New(width*height, channels)}
}

func (f Frame) check(what string) {
	if n := f.Width * f.Height; f.Width < 1 || f.Height < 1 || f.Mean.Rows != n || f.Variance.Rows != 0 && (f.Variance.Rows != n || f.Variance.Cols != f.Mean.Cols) {
		panic(fmt.Sprintf("motion: Carry: %s with mean %d×%d and variance %d×%d for %d×%d pixels", what, f.Mean.Rows, f.Mean.Cols, f.Variance.Rows, f.Variance.Cols, f.Width, f.Height))
	}
}

// Carry takes a predicted frame, src, from reference coordinates to those of the frame at the
// field's time, dst, which may have pixels of another size. The mean is sampled by a cubic
// B-spline, the variance bilinearly, at the points which the mean displacement brings to the
// pixels of dst; points from outside take the nearest edge. The variance grows by
// (∇mean)ᵀ·C·∇mean, where C is the covariance of the displacement, for which that between
// the nodes of a cell is taken to be the largest possible. Both have variances or neither. dst and
// src may be one frame; beside them Carry holds a copy of src. It panics if the shapes do not fit.
func (f Field) Carry(dst, src Frame) {
	dst.check("a frame to write")
	src.check("a frame to read")
	n, uncertain := src.Mean.Cols, src.Variance.Rows > 0
	if dst.Mean.Cols != n || (dst.Variance.Rows > 0) != uncertain {
		panic(fmt.Sprintf("motion: Carry: from %d channels, variances %t, to %d channels, variances %t", n, uncertain, dst.Mean.Cols, dst.Variance.Rows > 0))
	}
	if f.Across == 0 && dst.Width == src.Width && dst.Height == src.Height {
		mat.Copy(dst.Mean, src.Mean)
		mat.Copy(dst.Variance, src.Variance)
		return
	}
	buffer := mat.Borrow(2 * src.Mean.Rows * n)
	defer mat.GiveBack(buffer)
	spline := image[float64]{src.Width, src.Height, n, (*buffer)[:src.Mean.Rows*n]}
	mat.Copy(mat.NewDense(src.Mean.Rows, n, spline.data), src.Mean)
	spline.toSpline()
	var old image[float64]
	if uncertain {
		old = image[float64]{src.Width, src.Height, n, (*buffer)[src.Mean.Rows*n:]}
		mat.Copy(mat.NewDense(src.Mean.Rows, n, old.data), src.Variance)
	}
	// The flow is in pixels of dst; a point of dst is at ratio·(x + ½) − ½ in pixels of src.
	fl := f.flow(dst.Width, dst.Height)
	ratioX, ratioY := float64(src.Width)/float64(dst.Width), float64(src.Height)/float64(dst.Height)
	mat.Parallel(dst.Height, func(y int) {
		values := make([]float64, 4*n)
		value, dx, dy, v := values[:n], values[n:2*n], values[2*n:3*n], values[3*n:]
		var du, dv float64
		for x := range dst.Width {
			rx, ry := fl.inverse(float64(x), float64(y), du, dv)
			du, dv = rx-float64(x), ry-float64(y)
			sx, sy := ratioX*(rx+0.5)-0.5, ratioY*(ry+0.5)-0.5
			sample(value, spline, sx, sy)
			at := y*dst.Width + x
			for c, m := range value {
				dst.Mean.Set(at, c, m)
			}
			if !uncertain {
				continue
			}
			sampleLinear(v, old, sx, sy)
			if f.Across > 0 {
				slopes(dx, dy, spline, sx, sy)
				uu, uv, vv := fl.spread(f.Covariance, rx, ry)
				uu, uv, vv = uu*ratioX*ratioX, uv*ratioX*ratioY, vv*ratioY*ratioY
				for c := range v {
					v[c] += dx[c]*dx[c]*uu + 2*dx[c]*dy[c]*uv + dy[c]*dy[c]*vv
				}
			}
			for c := range v {
				dst.Variance.Set(at, c, v[c])
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
func (m *Motion) Register(src data.Source) data.Source {
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
