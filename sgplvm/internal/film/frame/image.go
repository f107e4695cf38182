package frame

import "github.com/seed-08962ecc/kronfield/mat"

// Number is how the values of a picture are kept.
type Number interface{ float32 | float64 }

// Image is a picture of width×height pixels: channel c of the pixel in column x and
// row y is data[(y·width + x)·channels + c]. The centre of that pixel is the point (x, y).
type Image[T Number] struct {
	Width, Height, Channels int
	Data                    []T
}

// NewImage returns a picture of zeros.
func NewImage[T Number](width, height, channels int) Image[T] {
	return Image[T]{width, height, channels, make([]T, width*height*channels)}
}

// Row returns the values of row y.
func (m Image[T]) Row(y int) []T {
	n := m.Width * m.Channels
	return m.Data[y*n : (y+1)*n]
}

// Size is that of a picture in pixels.
type Size struct{ Width, Height int }

// Half returns half as many, rounded up.
func (s Size) Half() Size { return Size{(s.Width + 1) / 2, (s.Height + 1) / 2} }

// Size returns the width and the height.
func (m Image[T]) Size() Size { return Size{m.Width, m.Height} }

// Add adds a·x.
func (m Image[T]) Add(a T, x Image[T]) {
	for i, v := range x.Data {
		m.Data[i] += a * v
	}
}

// DownsampleImage sets dst, no larger than src either way, to the means of src over dst's pixels.
func DownsampleImage[T, S Number](dst Image[T], src Image[S]) {
	rows, cols := overlaps(src.Height, dst.Height), overlaps(src.Width, dst.Width)
	mat.Parallel(dst.Height, func(y int) {
		buffer := mat.Borrow(src.Width * src.Channels)
		defer mat.GiveBack(buffer)
		sum, out := *buffer, dst.Row(y)
		clear(sum)
		for k, w := range rows[y].weights {
			for i, v := range src.Row(rows[y].from + k) {
				sum[i] += w * float64(v)
			}
		}
		for x, o := range cols {
			for c := range dst.Channels {
				var s float64
				for k, w := range o.weights {
					s += w * sum[(o.from+k)*src.Channels+c]
				}
				out[x*dst.Channels+c] = T(s)
			}
		}
	})
}

// overlap lists the pixels of a finer row which a coarser pixel covers, and the part of it that
// each of them is.
type overlap struct {
	from    int
	weights []float64
}

func overlaps(fine, coarse int) []overlap {
	o := make([]overlap, coarse)
	ratio := float64(fine) / float64(coarse)
	for i := range o {
		low, high := float64(i)*ratio, float64(i+1)*ratio
		o[i].from = int(low)
		for k := o[i].from; k < fine && float64(k) < high; k++ {
			if w := min(high, float64(k+1)) - max(low, float64(k)); w > 1e-9 || len(o[i].weights) == 0 {
				o[i].weights = append(o[i].weights, w/ratio)
			}
		}
	}
	return o
}

// SampleLinear sets dst to the bilinear interpolation of the values m at the point (x, y).
func SampleLinear[T Number](dst []float64, m Image[T], x, y float64) {
	x0, x1, a := Between(x, m.Width)
	y0, y1, b := Between(y, m.Height)
	r0, r1 := m.Row(y0), m.Row(y1)
	x0, x1 = x0*m.Channels, x1*m.Channels
	for c := range dst {
		top := (1-a)*float64(r0[x0+c]) + a*float64(r0[x1+c])
		bottom := (1-a)*float64(r1[x0+c]) + a*float64(r1[x1+c])
		dst[c] = (1-b)*top + b*bottom
	}
}

// Between returns the two of n positions 0, 1, … around x, or the nearest edge, and how far x
// lies from the first to the second.
func Between(x float64, n int) (i, j int, a float64) {
	if x < 0 {
		x = 0
	}
	if last := float64(n - 1); x > last {
		x = last
	}
	i = min(int(x), max(n-2, 0))
	return i, min(i+1, n-1), x - float64(i)
}

// SampleOver sets dst to the bilinear interpolation of the values m where pixel (x, y) of a picture of
// width×height pixels that covers the same ground has its centre.
func (m Image[T]) SampleOver(dst []float64, x, y, width, height int) {
	SampleLinear(dst, m, float64(m.Width)/float64(width)*(float64(x)+0.5)-0.5, float64(m.Height)/float64(height)*(float64(y)+0.5)-0.5)
}

// RowOver sets dst, channels numbers for each of width pixels, to what SampleOver says of row y.
func (m Image[T]) RowOver(dst []float64, y, width, height int) {
	j, k, b := Between(float64(m.Height)/float64(height)*(float64(y)+0.5)-0.5, m.Height)
	buffer, under, n := mat.Borrow(m.Width*m.Channels), m.Row(k), m.Channels
	defer mat.GiveBack(buffer)
	line := *buffer
	for i, v := range m.Row(j) {
		line[i] = (1-b)*float64(v) + b*float64(under[i])
	}
	ratio := float64(m.Width) / float64(width)
	for x := range width {
		i, k, a := Between(ratio*(float64(x)+0.5)-0.5, m.Width)
		left, right := line[i*n:(i+1)*n], line[k*n:(k+1)*n]
		for c, v := range left {
			dst[x*n+c] = (1-a)*v + a*right[c]
		}
	}
}

// AddOver adds what SampleOver says to values of a picture of width×height pixels, one a row.
func (m Image[T]) AddOver(to mat.Matrix, width, height int) {
	mat.Parallel(height, func(y int) {
		row := make([]float64, m.Channels*width)
		m.RowOver(row, y, width, height)
		for x := range width {
			v := to.Row(y*width + x)
			for c := range v {
				v[c] += row[m.Channels*x+c]
			}
		}
	})
}

// Square returns x².
func Square(x float64) float64 { return x * x }

// Dot returns Σ a_i·b_i, added up in order.
func Dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
