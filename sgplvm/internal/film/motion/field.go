package motion

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

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

	Aspect float64
}

// displacement returns the mean displacement on a frame of width×height pixels.
func (f Field) displacement(width, height int) *Displacement {
	if f.Across == 0 {
		return noDisplacement(width, height)
	}
	return newDisplacement(Lattice{f.Across, f.Down, f.Aspect}, width, height).of(f.Mean)
}

// Warp takes a predicted frame, src, from reference coordinates to those of the frame at the
// field's time, dst, which may have pixels of another size. The mean is sampled by a cubic
// B-spline, the variance bilinearly, at the points which the mean displacement brings to the
// pixels of dst; points outside src take the nearest edge. The variance grows by (∇mean)ᵀ·C·∇mean,
// where C is the covariance of the displacement; between the nodes it is interpolated, which is its
// upper bound. Both frames have variances or neither. dst and src may be one frame. Warp holds a copy
// of src. It panics if the shapes do not fit.
func (f Field) Warp(dst, src frame.Frame) {
	dst.Check("Warp", "a frame to write")
	src.Check("Warp", "a frame to read")
	n, uncertain := src.Mean.Cols, src.Variance.Rows > 0
	if dst.Mean.Cols != n || (dst.Variance.Rows > 0) != uncertain {
		panic(fmt.Sprintf("film: Warp: from %d channels, variances %t, to %d channels, variances %t", n, uncertain, dst.Mean.Cols, dst.Variance.Rows > 0))
	}
	if f.Across == 0 && dst.Width == src.Width && dst.Height == src.Height {
		mat.Copy(dst.Mean, src.Mean)
		mat.Copy(dst.Variance, src.Variance)
		return
	}
	buffer := mat.Borrow(2 * src.Mean.Rows * n)
	defer mat.GiveBack(buffer)
	spline := frame.Image[float64]{Width: src.Width, Height: src.Height, Channels: n, Data: (*buffer)[:src.Mean.Rows*n]}
	mat.Copy(mat.NewDense(src.Mean.Rows, n, spline.Data), src.Mean)
	spline.ToSpline()
	var variance frame.Image[float64]
	if uncertain {
		variance = frame.Image[float64]{Width: src.Width, Height: src.Height, Channels: n, Data: (*buffer)[src.Mean.Rows*n:]}
		mat.Copy(mat.NewDense(src.Mean.Rows, n, variance.Data), src.Variance)
	}
	f.EachPixel(frame.Size{Width: dst.Width, Height: dst.Height}, frame.Size{Width: src.Width, Height: src.Height}, n, func(w *Warped) {
		mean := dst.Mean.Row(w.Pixel)
		if !uncertain {
			frame.Sample(mean, spline, w.X, w.Y)
			return
		}
		frame.SampleSlopes(mean, w.Dx, w.dy, spline, w.X, w.Y)
		frame.SampleLinear(dst.Variance.Row(w.Pixel), variance, w.X, w.Y)
		if f.Across > 0 {
			w.addUncertainty(dst.Variance.Row(w.Pixel), f.Covariance)
		}
	})
}

// Warped is a pixel of a frame that is written, and where in a picture of other pixels what is seen
// there comes from.
type Warped struct {
	Pixel          int
	X, Y           float64   // in pixels of the picture
	Value          []float64 // of each channel
	Dx, dy         []float64
	rx, ry         float64 // the same point in pixels of the frame
	ratioX, ratioY float64 // from those to pixels of the picture
	displacement   *Displacement
}

// EachPixel calls visit with every pixel of a frame of one size at the field's time, and with the point which
// the mean displacement brings there in a picture of another size in reference coordinates.
func (f Field) EachPixel(frame, picture frame.Size, channels int, visit func(w *Warped)) {
	d, n := f.displacement(frame.Width, frame.Height), channels
	ratioX, ratioY := float64(picture.Width)/float64(frame.Width), float64(picture.Height)/float64(frame.Height)
	mat.Parallel(frame.Height, func(y int) {
		buffer := mat.Borrow(3 * n)
		defer mat.GiveBack(buffer)
		values := *buffer
		clear(values)
		w := Warped{Value: values[:n], Dx: values[n : 2*n], dy: values[2*n:], ratioX: ratioX, ratioY: ratioY, displacement: d}
		var du, dv, growU, growV float64 // of the pixel before, and by how much they grew
		for x := range frame.Width {
			w.Pixel = y*frame.Width + x
			w.rx, w.ry = d.inverse(float64(x), float64(y), du+growU, dv+growV)
			u, v := w.rx-float64(x), w.ry-float64(y)
			if x > 0 {
				growU, growV = u-du, v-dv
			}
			du, dv = u, v
			w.X, w.Y = ratioX*(w.rx+0.5)-0.5, ratioY*(w.ry+0.5)-0.5
			visit(&w)
		}
	})
}

// addUncertainty adds (∇m)ᵀ·C·∇m for the displacement's covariance C and the picture m of which dx and dy have the slopes.
func (w *Warped) addUncertainty(variance, covariance []float64) {
	uu, uv, vv := w.displacement.covariance(covariance, w.rx, w.ry)
	uu, uv, vv = uu*w.ratioX*w.ratioX, uv*w.ratioX*w.ratioY, vv*w.ratioY*w.ratioY
	for c, dx := range w.Dx {
		dy := w.dy[c]
		variance[c] += dx*dx*uu + 2*dx*dy*uv + dy*dy*vv
	}
}

// Sources returns, for every pixel of a frame at the field's time, the point of a picture of other pixels in reference
// coordinates that is seen there, in its pixels.
func (f Field) Sources(width, height, sourceWidth, sourceHeight int) (x, y []float64) {
	x, y = make([]float64, width*height), make([]float64, width*height)
	f.EachPixel(frame.Size{Width: width, Height: height}, frame.Size{Width: sourceWidth, Height: sourceHeight}, 1, func(w *Warped) {
		x[w.Pixel], y[w.Pixel] = w.X, w.Y
	})
	return x, y
}

// WarpWhite adds independent numbers z of variance 1 in reference coordinates, which move with the contents, to the
// mean of a frame of as many pixels, scaled to the given variances.
func (f Field) WarpWhite(dst frame.Frame, z, variance mat.Matrix) {
	dst.Check("WarpWhite", "a frame to write")
	n := dst.Mean.Cols
	picture := frame.Image[float64]{Width: dst.Width, Height: dst.Height, Channels: n, Data: z.Data}
	f.EachPixel(frame.Size{Width: dst.Width, Height: dst.Height}, picture.Size(), n, func(w *Warped) {
		frame.SampleLinear(w.Value, picture, w.X, w.Y)
		_, _, a := frame.Between(w.X, dst.Width)
		_, _, b := frame.Between(w.Y, dst.Height)
		// A mean of four of them varies less.
		per := 1 / math.Sqrt((a*a+(1-a)*(1-a))*(b*b+(1-b)*(1-b)))
		for c, v := range w.Value {
			dst.Mean.Set(w.Pixel, c, dst.Mean.At(w.Pixel, c)+per*math.Sqrt(variance.At(w.Pixel, c))*v)
		}
	})
}
