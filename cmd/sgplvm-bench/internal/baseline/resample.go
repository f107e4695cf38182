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
	taps    [][]int // of each of the m pixels: four or eight pixels of the source
	weights [][]float64
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
	return newResampling(n, m, func(t float64) []float64 { w := cubicWeights(t); return w[:] })
}

// cubicWeights returns the weights of four pixels at the distance t from the second one.
func cubicWeights(t float64) [4]float64 {
	return [4]float64{
		((-0.5*t+1)*t - 0.5) * t,
		(1.5*t-2.5)*t*t + 1,
		((-1.5*t+2)*t + 0.5) * t,
		(0.5*t - 0.5) * t * t,
	}
}

// linear interpolates between two pixels: of positive numbers it makes positive ones.
func linear(n, m int) resampling {
	return newResampling(n, m, func(t float64) []float64 { return []float64{0, 1 - t, t, 0} })
}

// lanczos is the sinc under a window that is a sinc four times as wide (C. E. Duchon, Journal of Applied Meteorology
// 18(8), 1979), over eight pixels; its weights add up to 1.
func lanczos(n, m int) resampling {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	return newResampling(n, m, func(t float64) []float64 {
		w := make([]float64, 8)
		var sum float64
		for k := range w {
			x := float64(k-3) - t
			w[k] = sinc(x) * sinc(x/4)
			sum += w[k]
		}
		for k := range w {
			w[k] /= sum
		}
		return w
	})
}

// newResampling gives each pixel the weights of four or eight neighbours for its distance t
// from the middle one below it, 0 ≤ t < 1.
func newResampling(n, m int, weights func(t float64) []float64) resampling {
	r := resampling{make([][]int, m), make([][]float64, m)}
	for i, x := range centres(n, m) {
		below := math.Floor(x)
		r.weights[i] = weights(x - below)
		for k := range r.weights[i] {
			r.taps[i] = append(r.taps[i], min(max(int(below)+1-len(r.weights[i])/2+k, 0), n-1))
		}
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
		var sum float64
		for k := 0; k < len(t); k += 4 {
			sum += (float64(w[k]*row[t[k]]) + float64(w[k+1]*row[t[k+1]])) + (float64(w[k+2]*row[t[k+2]]) + float64(w[k+3]*row[t[k+3]]))
		}
		dst[i] = sum
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
