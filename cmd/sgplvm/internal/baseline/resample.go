package baseline

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A resampling takes values at n pixels along an axis to m pixels that cover the same
// length. The centre of pixel i is at (i+½)·n/m − ½ in pixels of the source; beyond
// the edges the outermost value is repeated.
type resampling struct {
	taps    [][4]int // of each of the m pixels: pixels of the source
	weights [][4]float64
}

// centres returns the centres of m pixels in pixels of n that cover the same length.
func centres(n, m int) []float64 {
	x := make([]float64, m)
	for i := range x {
		x[i] = (float64(i)+0.5)*float64(n)/float64(m) - 0.5
	}
	return x
}

// bicubic is cubic convolution with a = −½ (R. Keys, IEEE Transactions on Acoustics,
// Speech, and Signal Processing 29(6), 1981), exact for polynomials of degree 2.
func bicubic(n, m int) resampling {
	return newResampling(n, m, func(t float64) [4]float64 {
		return [4]float64{
			((-0.5*t+1)*t - 0.5) * t,
			(1.5*t-2.5)*t*t + 1,
			((-1.5*t+2)*t + 0.5) * t,
			(0.5*t - 0.5) * t * t,
		}
	})
}

// linear interpolates between two pixels: of positive numbers it makes positive ones.
func linear(n, m int) resampling {
	return newResampling(n, m, func(t float64) [4]float64 { return [4]float64{0, 1 - t, t, 0} })
}

// newResampling gives each pixel the weights of four neighbours for its distance t
// from the second one, 0 ≤ t < 1.
func newResampling(n, m int, weights func(t float64) [4]float64) resampling {
	r := resampling{make([][4]int, m), make([][4]float64, m)}
	for i, x := range centres(n, m) {
		below := math.Floor(x)
		for k := range 4 {
			r.taps[i][k] = min(max(int(below)-1+k, 0), n-1)
		}
		r.weights[i] = weights(x - below)
	}
	return r
}

// rows sets dst to row i of a plane whose rows are resampled; width numbers.
func (r resampling) rows(dst, plane []float64, width, i int) {
	for k, w := range r.weights[i] {
		source := plane[r.taps[i][k]*width:][:width]
		if k == 0 {
			asm.Scale(dst, w, source)
			continue
		}
		asm.Axpy(w, source, dst)
	}
}

// columns sets dst, m numbers, to a row whose columns are resampled.
func (r resampling) columns(dst, row []float64) {
	for i, t := range r.taps {
		w := r.weights[i]
		dst[i] = (float64(w[0]*row[t[0]]) + float64(w[1]*row[t[1]])) + (float64(w[2]*row[t[2]]) + float64(w[3]*row[t[3]]))
	}
}

// resample sets dst, count planes of (to−from)×len(columns.taps), to the rows from ≤ i < to of
// resampled planes of height×width.
func resample(dst, planes []float64, count, height, width int, rows, columns resampling, from, to int) {
	n := to - from
	m := len(columns.taps)
	mat.Parallel(count*n, func(part int) {
		p, i := part/n, part%n
		buffer := mat.Borrow(width)
		row := (*buffer)[:width]
		rows.rows(row, planes[p*height*width:][:height*width], width, from+i)
		columns.columns(dst[(p*n+i)*m:][:m], row)
		mat.GiveBack(buffer)
	})
}
