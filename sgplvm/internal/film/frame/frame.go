package frame

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Frame is a picture of Width×Height pixels, row by row: the pixel in column x of row y is row
// y·Width + x of Mean and of Variance, and a channel is a column. It may have no Variance (0×0).
type Frame struct {
	Width, Height  int
	Mean, Variance mat.Matrix
}

// LeastSide is the least width and height, in pixels, of a frame that tells what its finer pixels would show, and MaxSide bounds those of a
// frame that is read.
const LeastSide, MaxSide = 16, 1 << 15

// New returns a frame of zeros, with variances.
func New(width, height, channels int) Frame {
	return Frame{width, height, mat.New(width*height, channels), mat.New(width*height, channels)}
}

// Check panics, naming the caller and the frame, if the shapes do not fit.
func (f Frame) Check(caller, name string) {
	if n := f.Width * f.Height; f.Width < 1 || f.Height < 1 || f.Mean.Rows != n || f.Variance.Rows != 0 && (f.Variance.Rows != n || f.Variance.Cols != f.Mean.Cols) {
		panic(fmt.Sprintf("film: %s: %s with mean %d×%d and variance %d×%d for %d×%d pixels", caller, name, f.Mean.Rows, f.Mean.Cols, f.Variance.Rows, f.Variance.Cols, f.Width, f.Height))
	}
}

// Picture copies the mean.
func (f Frame) Picture() Image[float64] {
	m := NewImage[float64](f.Width, f.Height, f.Mean.Cols)
	mat.Copy(mat.NewDense(f.Mean.Rows, f.Mean.Cols, m.Data), f.Mean)
	return m
}

// View is picture to read alone: it shares the mean's numbers where these lie as a picture's do.
func (f Frame) View() Image[float64] {
	if f.Mean.ColStride == 1 && f.Mean.RowStride == f.Mean.Cols {
		return Image[float64]{f.Width, f.Height, f.Mean.Cols, f.Mean.Data[:f.Mean.Rows*f.Mean.Cols]}
	}
	return f.Picture()
}

// FrameOf returns a picture as a frame's mean, which it shares.
func FrameOf(m Image[float64]) Frame {
	return Frame{Width: m.Width, Height: m.Height, Mean: mat.NewDense(m.Width*m.Height, m.Channels, m.Data)}
}

// Downsample sets dst, no larger than src either way, to the means of src over its pixels; the variances too, which are
// upper limits of those of the means. It panics if the shapes do not fit.
func Downsample(dst, src Frame) {
	dst.Check("Downsample", "a frame to write")
	src.Check("Downsample", "a frame to read")
	n := src.Mean.Cols
	if dst.Width > src.Width || dst.Height > src.Height || dst.Mean.Cols != n || (dst.Variance.Rows > 0) != (src.Variance.Rows > 0) {
		panic(fmt.Sprintf("film: Downsample: from %d×%d pixels and %d channels to %d×%d and %d", src.Width, src.Height, n, dst.Width, dst.Height, dst.Mean.Cols))
	}
	DownsampleImage(Image[float64]{dst.Width, dst.Height, n, dst.Mean.Data}, src.View())
	if src.Variance.Rows > 0 {
		DownsampleImage(Image[float64]{dst.Width, dst.Height, n, dst.Variance.Data}, Frame{src.Width, src.Height, src.Variance, mat.Matrix{}}.View())
	}
}

// Blend makes of f and another frame of its shape, which is the right one with some chance, the mean and the variance over both.
func (f Frame) Blend(other Frame, chance float64) {
	for k := range f.Mean.Rows {
		for c := range f.Mean.Cols {
			a, b := f.Mean.At(k, c), other.Mean.At(k, c)
			f.Mean.Set(k, c, (1-chance)*a+chance*b)
			if f.Variance.Rows > 0 {
				f.Variance.Set(k, c, (1-chance)*f.Variance.At(k, c)+chance*other.Variance.At(k, c)+chance*(1-chance)*Square(b-a))
			}
		}
	}
}

// Resize sets dst to src in pixels of another size: the mean sampled by a cubic B-spline, the variance, if there is one, bilinearly. Points beyond an edge take the nearest pixel. It panics if the shapes do not fit.
func Resize(dst, src Frame) {
	dst.Check("Resize", "a frame to write")
	src.Check("Resize", "a frame to read")
	n := src.Mean.Cols
	if dst.Mean.Cols != n || (dst.Variance.Rows > 0) != (src.Variance.Rows > 0) {
		panic(fmt.Sprintf("film: Resize: from %d channels, variances %t, to %d channels, variances %t", n, src.Variance.Rows > 0, dst.Mean.Cols, dst.Variance.Rows > 0))
	}
	if dst.Width == src.Width && dst.Height == src.Height {
		mat.Copy(dst.Mean, src.Mean)
		mat.Copy(dst.Variance, src.Variance)
		return
	}
	spline := src.Picture()
	spline.ToSpline()
	across, down := float64(src.Width)/float64(dst.Width), float64(src.Height)/float64(dst.Height)
	mat.Parallel(dst.Height, func(y int) {
		for x := range dst.Width {
			Sample(dst.Mean.Row(y*dst.Width+x), spline, across*(float64(x)+0.5)-0.5, down*(float64(y)+0.5)-0.5)
		}
	})
	if src.Variance.Rows > 0 {
		v := Frame{Width: src.Width, Height: src.Height, Mean: src.Variance}.View()
		mat.Parallel(dst.Height, func(y int) {
			row := make([]float64, n*dst.Width)
			v.RowOver(row, y, dst.Width, dst.Height)
			for x := range dst.Width {
				copy(dst.Variance.Row(y*dst.Width+x), row[n*x:])
			}
		})
	}
}
