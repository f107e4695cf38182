package flow

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Frame is a picture of Width×Height pixels, row by row: the pixel in column x of row y is row
// y·Width + x of Mean and of Variance, and a channel is a column. It may have no Variance (0×0).
type Frame struct {
	Width, Height  int
	Mean, Variance mat.Matrix
}

// NewFrame returns a frame of zeros, with variances.
func NewFrame(width, height, channels int) Frame {
	return Frame{width, height, mat.New(width*height, channels), mat.New(width*height, channels)}
}

// check panics, naming the caller and the frame, if the shapes do not fit.
func (f Frame) check(caller, name string) {
	if n := f.Width * f.Height; f.Width < 1 || f.Height < 1 || f.Mean.Rows != n || f.Variance.Rows != 0 && (f.Variance.Rows != n || f.Variance.Cols != f.Mean.Cols) {
		panic(fmt.Sprintf("flow: %s: %s with mean %d×%d and variance %d×%d for %d×%d pixels", caller, name, f.Mean.Rows, f.Mean.Cols, f.Variance.Rows, f.Variance.Cols, f.Width, f.Height))
	}
}

// picture copies the mean.
func (f Frame) picture() image[float64] {
	m := newImage[float64](f.Width, f.Height, f.Mean.Cols)
	mat.Copy(mat.NewDense(f.Mean.Rows, f.Mean.Cols, m.data), f.Mean)
	return m
}

// view is picture to read alone: it shares the mean's numbers where these lie as a picture's do.
func (f Frame) view() image[float64] {
	if f.Mean.ColStride == 1 && f.Mean.RowStride == f.Mean.Cols {
		return image[float64]{f.Width, f.Height, f.Mean.Cols, f.Mean.Data[:f.Mean.Rows*f.Mean.Cols]}
	}
	return f.picture()
}

// frameOf returns a picture as a frame's mean, which it shares.
func frameOf(m image[float64]) Frame {
	return Frame{Width: m.width, Height: m.height, Mean: mat.NewDense(m.width*m.height, m.channels, m.data)}
}

// Downsample sets dst, no larger than src either way, to the means of src over its pixels; the variances too, which are
// upper limits of those of the means. It panics if the shapes do not fit.
func Downsample(dst, src Frame) {
	dst.check("Downsample", "a frame to write")
	src.check("Downsample", "a frame to read")
	n := src.Mean.Cols
	if dst.Width > src.Width || dst.Height > src.Height || dst.Mean.Cols != n || (dst.Variance.Rows > 0) != (src.Variance.Rows > 0) {
		panic(fmt.Sprintf("flow: Downsample: from %d×%d pixels and %d channels to %d×%d and %d", src.Width, src.Height, n, dst.Width, dst.Height, dst.Mean.Cols))
	}
	downsample(image[float64]{dst.Width, dst.Height, n, dst.Mean.Data}, src.view())
	if src.Variance.Rows > 0 {
		downsample(image[float64]{dst.Width, dst.Height, n, dst.Variance.Data}, Frame{src.Width, src.Height, src.Variance, mat.Matrix{}}.view())
	}
}

// Blend makes of f and another frame of its shape, which is the right one with some chance, the mean and the variance over both.
func (f Frame) Blend(other Frame, chance float64) {
	for k := range f.Mean.Rows {
		for c := range f.Mean.Cols {
			a, b := f.Mean.At(k, c), other.Mean.At(k, c)
			f.Mean.Set(k, c, (1-chance)*a+chance*b)
			if f.Variance.Rows > 0 {
				f.Variance.Set(k, c, (1-chance)*f.Variance.At(k, c)+chance*other.Variance.At(k, c)+chance*(1-chance)*square(b-a))
			}
		}
	}
}

// Field is the displacement φ(r) = r + d(r) at one time: Gaussian at every node.
type Field struct {
	// Across and Down are the numbers of nodes; 0 where nothing moves.
	Across, Down int

	// Mean holds the displacements of the nodes, row by row, in units of the frame's width: all
	// to the right, and then all downwards.
	Mean []float64

	// Covariance holds the variances to the right of all nodes, then the covariances of
	// right and down, then the variances downwards, in squared units of the frame's width.
	Covariance []float64

	aspect float64
}

// displacement returns the mean displacement on a frame of width×height pixels.
func (f Field) displacement(width, height int) *displacement {
	if f.Across == 0 {
		return noDisplacement(width, height)
	}
	return newDisplacement(lattice{f.Across, f.Down, f.aspect}, width, height).of(f.Mean)
}

// Warp takes a predicted frame, src, from reference coordinates to those of the frame at the
// field's time, dst, which may have pixels of another size. The mean is sampled by a cubic
// B-spline, the variance bilinearly, at the points which the mean displacement brings to the
// pixels of dst; points outside src take the nearest edge. The variance grows by (∇mean)ᵀ·C·∇mean,
// where C is the covariance of the displacement; between the nodes it is interpolated, which is its
// upper bound. Both frames have variances or neither. dst and src may be one frame. Warp holds a copy
// of src. It panics if the shapes do not fit.
func (f Field) Warp(dst, src Frame) {
	dst.check("Warp", "a frame to write")
	src.check("Warp", "a frame to read")
	n, uncertain := src.Mean.Cols, src.Variance.Rows > 0
	if dst.Mean.Cols != n || (dst.Variance.Rows > 0) != uncertain {
		panic(fmt.Sprintf("flow: Warp: from %d channels, variances %t, to %d channels, variances %t", n, uncertain, dst.Mean.Cols, dst.Variance.Rows > 0))
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
	var variance image[float64]
	if uncertain {
		variance = image[float64]{src.Width, src.Height, n, (*buffer)[src.Mean.Rows*n:]}
		mat.Copy(mat.NewDense(src.Mean.Rows, n, variance.data), src.Variance)
	}
	f.eachPixel(size{dst.Width, dst.Height}, size{src.Width, src.Height}, n, func(w *warped) {
		mean := dst.Mean.Row(w.pixel)
		if !uncertain {
			sample(mean, spline, w.x, w.y)
			return
		}
		sampleSlopes(mean, w.dx, w.dy, spline, w.x, w.y)
		sampleLinear(dst.Variance.Row(w.pixel), variance, w.x, w.y)
		if f.Across > 0 {
			w.addUncertainty(dst.Variance.Row(w.pixel), f.Covariance)
		}
	})
}

// warped is a pixel of a frame that is written, and where in a picture of other pixels what is seen
// there comes from.
type warped struct {
	pixel          int
	x, y           float64   // in pixels of the picture
	value          []float64 // of each channel
	dx, dy         []float64
	rx, ry         float64 // the same point in pixels of the frame
	ratioX, ratioY float64 // from those to pixels of the picture
	displacement   *displacement
}

// eachPixel calls visit with every pixel of a frame of one size at the field's time, and with the point which
// the mean displacement brings there in a picture of another size in reference coordinates.
func (f Field) eachPixel(frame, picture size, channels int, visit func(w *warped)) {
	d, n := f.displacement(frame.width, frame.height), channels
	ratioX, ratioY := float64(picture.width)/float64(frame.width), float64(picture.height)/float64(frame.height)
	mat.Parallel(frame.height, func(y int) {
		buffer := mat.Borrow(3 * n)
		defer mat.GiveBack(buffer)
		values := *buffer
		clear(values)
		w := warped{value: values[:n], dx: values[n : 2*n], dy: values[2*n:], ratioX: ratioX, ratioY: ratioY, displacement: d}
		var du, dv, growU, growV float64 // of the pixel before, and by how much they grew
		for x := range frame.width {
			w.pixel = y*frame.width + x
			w.rx, w.ry = d.inverse(float64(x), float64(y), du+growU, dv+growV)
			u, v := w.rx-float64(x), w.ry-float64(y)
			if x > 0 {
				growU, growV = u-du, v-dv
			}
			du, dv = u, v
			w.x, w.y = ratioX*(w.rx+0.5)-0.5, ratioY*(w.ry+0.5)-0.5
			visit(&w)
		}
	})
}

// addUncertainty adds (∇m)ᵀ·C·∇m for the displacement's covariance C and the picture m of which dx and dy have the slopes.
func (w *warped) addUncertainty(variance, covariance []float64) {
	uu, uv, vv := w.displacement.covariance(covariance, w.rx, w.ry)
	uu, uv, vv = uu*w.ratioX*w.ratioX, uv*w.ratioX*w.ratioY, vv*w.ratioY*w.ratioY
	for c, dx := range w.dx {
		dy := w.dy[c]
		variance[c] += dx*dx*uu + 2*dx*dy*uv + dy*dy*vv
	}
}

// Sources returns, for every pixel of a frame at the field's time, the point of a picture of other pixels in reference
// coordinates that is seen there, in its pixels.
func (f Field) Sources(width, height, sourceWidth, sourceHeight int) (x, y []float64) {
	x, y = make([]float64, width*height), make([]float64, width*height)
	f.eachPixel(size{width, height}, size{sourceWidth, sourceHeight}, 1, func(w *warped) {
		x[w.pixel], y[w.pixel] = w.x, w.y
	})
	return x, y
}

// WarpWhite adds independent numbers z of variance 1 in reference coordinates, which move with the contents, to the
// mean of a frame of as many pixels, scaled to the given variances.
func (f Field) WarpWhite(dst Frame, z, variance mat.Matrix) {
	dst.check("WarpWhite", "a frame to write")
	n := dst.Mean.Cols
	picture := image[float64]{dst.Width, dst.Height, n, z.Data}
	f.eachPixel(size{dst.Width, dst.Height}, picture.size(), n, func(w *warped) {
		sampleLinear(w.value, picture, w.x, w.y)
		_, _, a := between(w.x, dst.Width)
		_, _, b := between(w.y, dst.Height)
		// A mean of four of them varies less.
		per := 1 / math.Sqrt((a*a+(1-a)*(1-a))*(b*b+(1-b)*(1-b)))
		for c, v := range w.value {
			dst.Mean.Set(w.pixel, c, dst.Mean.At(w.pixel, c)+per*math.Sqrt(variance.At(w.pixel, c))*v)
		}
	})
}
