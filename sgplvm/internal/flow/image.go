package flow

import "github.com/seed-08962ecc/kronfield/mat"

// number is how the values of a picture are kept.
type number interface{ float32 | float64 }

// image is a picture of width×height pixels: channel c of the pixel in column x and
// row y is data[(y·width + x)·channels + c]. The centre of that pixel is the point (x, y).
type image[T number] struct {
	width, height, channels int
	data                    []T
}

func newImage[T number](width, height, channels int) image[T] {
	return image[T]{width, height, channels, make([]T, width*height*channels)}
}

// row returns the values of row y.
func (m image[T]) row(y int) []T {
	n := m.width * m.channels
	return m.data[y*n : (y+1)*n]
}

// size is that of a picture in pixels.
type size struct{ width, height int }

func (m image[T]) size() size { return size{m.width, m.height} }

// add adds a·x.
func (m image[T]) add(a T, x image[T]) {
	for i, v := range x.data {
		m.data[i] += a * v
	}
}

// downsample sets dst, no larger than src either way, to the means of src over dst's pixels.
func downsample[T, S number](dst image[T], src image[S]) {
	rows, cols := overlaps(src.height, dst.height), overlaps(src.width, dst.width)
	mat.Parallel(dst.height, func(y int) {
		buffer := mat.Borrow(src.width * src.channels)
		defer mat.GiveBack(buffer)
		sum, out := *buffer, dst.row(y)
		clear(sum)
		for k, w := range rows[y].weights {
			for i, v := range src.row(rows[y].from + k) {
				sum[i] += w * float64(v)
			}
		}
		for x, o := range cols {
			for c := range dst.channels {
				var s float64
				for k, w := range o.weights {
					s += w * sum[(o.from+k)*src.channels+c]
				}
				out[x*dst.channels+c] = T(s)
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

// sampleLinear sets dst to the bilinear interpolation of the values m at the point (x, y).
func sampleLinear[T number](dst []float64, m image[T], x, y float64) {
	x0, x1, a := between(x, m.width)
	y0, y1, b := between(y, m.height)
	r0, r1 := m.row(y0), m.row(y1)
	x0, x1 = x0*m.channels, x1*m.channels
	for c := range dst {
		top := (1-a)*float64(r0[x0+c]) + a*float64(r0[x1+c])
		bottom := (1-a)*float64(r1[x0+c]) + a*float64(r1[x1+c])
		dst[c] = (1-b)*top + b*bottom
	}
}

// between returns the two of n positions 0, 1, … around x, or the nearest edge, and how far x
// lies from the first to the second.
func between(x float64, n int) (i, j int, a float64) {
	if x < 0 {
		x = 0
	}
	if last := float64(n - 1); x > last {
		x = last
	}
	i = min(int(x), max(n-2, 0))
	return i, min(i+1, n-1), x - float64(i)
}

// sampleOver sets dst to the bilinear interpolation of the values m where pixel (x, y) of a picture of
// width×height pixels that covers the same ground has its centre.
func (m image[T]) sampleOver(dst []float64, x, y, width, height int) {
	sampleLinear(dst, m, float64(m.width)/float64(width)*(float64(x)+0.5)-0.5, float64(m.height)/float64(height)*(float64(y)+0.5)-0.5)
}

// rowOver sets dst, channels numbers for each of width pixels, to what sampleOver says of row y.
func (m image[T]) rowOver(dst []float64, y, width, height int) {
	j, k, b := between(float64(m.height)/float64(height)*(float64(y)+0.5)-0.5, m.height)
	buffer, under, n := mat.Borrow(m.width*m.channels), m.row(k), m.channels
	defer mat.GiveBack(buffer)
	line := *buffer
	for i, v := range m.row(j) {
		line[i] = (1-b)*float64(v) + b*float64(under[i])
	}
	ratio := float64(m.width) / float64(width)
	for x := range width {
		i, k, a := between(ratio*(float64(x)+0.5)-0.5, m.width)
		left, right := line[i*n:(i+1)*n], line[k*n:(k+1)*n]
		for c, v := range left {
			dst[x*n+c] = (1-a)*v + a*right[c]
		}
	}
}

func square(x float64) float64 { return x * x }

func dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
