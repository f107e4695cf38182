package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// pole is the pole of the cubic B-spline's recursive filter (Unser 1999, box 2).
var pole = math.Sqrt(3) - 2

// toSpline turns the values of a picture into the coefficients of the cubic B-spline that goes
// through them, mirrored about the outermost pixels (Unser, Aldroubi and Eden 1993): along every
// row, then along all columns at once.
func (m image[T]) toSpline() {
	mat.Parallel(m.height, func(y int) { filter(m.row(y), m.width, m.channels, 0, m.channels) })
	n, bands := m.width*m.channels, (m.width*m.channels+columnBand-1)/columnBand
	mat.Parallel(bands, func(b int) { filter(m.data, m.height, n, b*columnBand, min((b+1)*columnBand, n)) })
}

// columnBand is how many columns are filtered together.
const columnBand = 256

// filter filters the series v[i·step+j], i < n, for every from ≤ j < to.
func filter[T number](v []T, n, step, from, to int) {
	if n == 1 {
		return // the spline through a single value is constant: its coefficients add up to it
	}
	line := func(i int) []T { return v[i*step+from : i*step+to] }
	// The causal filter's first value is a sum over the mirrored series, which is cut where a
	// term is below rounding.
	first := line(0)
	z := pole
	for k := 1; k < min(2*n-2, 30); k++ {
		for j, x := range line(mirror(k, n)) {
			first[j] += T(z) * x
		}
		z *= pole
	}
	if period := 2*n - 2; period < 30 {
		scale := T(1 / (1 - math.Pow(pole, float64(period))))
		for j := range first {
			first[j] *= scale
		}
	}
	p := T(pole)
	for i := 1; i < n; i++ {
		before, now := line(i-1), line(i)
		for j, x := range before {
			now[j] += p * x
		}
	}
	last, before := line(n-1), line(n-2)
	for j, x := range before {
		last[j] = T(pole/(pole*pole-1)) * (last[j] + p*x)
	}
	for i := n - 2; i >= 0; i-- {
		now, after := line(i), line(i+1)
		for j, x := range after {
			now[j] = p * (x - now[j])
		}
	}
	for i := range n {
		now := line(i)
		for j := range now {
			now[j] *= 6
		}
	}
}

// mirror returns the pixel 0 ≤ i < n that pixel k, up to 2n−2 away, stands for.
func mirror(k, n int) int {
	if k < 0 {
		k = -k
	}
	if k >= n {
		k = 2*n - 2 - k
	}
	return min(max(k, 0), n-1)
}

// taps are the four pixels around a point in one direction, as they are mirrored, and the cubic
// B-spline's weights and slopes there.
type taps struct {
	pixel         [4]int
	weight, slope [4]float64
}

// tapsAt returns the taps of a point x among n pixels; outside them it is the nearest edge.
func tapsAt(x float64, n int) (t taps) {
	x = min(max(x, 0), float64(n-1))
	i := min(int(x), max(n-2, 0))
	a := x - float64(i)
	b := 1 - a
	t.weight = [4]float64{b * b * b / 6, (4 - 6*a*a + 3*a*a*a) / 6, (4 - 6*b*b + 3*b*b*b) / 6, a * a * a / 6}
	t.slope = [4]float64{-b * b / 2, -a * (2 - 1.5*a), b * (2 - 1.5*b), a * a / 2}
	if i >= 1 && i+2 < n {
		t.pixel = [4]int{i - 1, i, i + 1, i + 2}
	} else {
		for k := range t.pixel {
			t.pixel[k] = mirror(i-1+k, n)
		}
	}
	return t
}

// sample sets dst, a number for each channel, to the spline with the coefficients m at the point
// (x, y).
func sample[T, D number](dst []D, m image[T], x, y float64) {
	tx, ty := tapsAt(x, m.width), tapsAt(y, m.height)
	n := m.channels
	x0, x1, x2, x3 := tx.pixel[0]*n, tx.pixel[1]*n, tx.pixel[2]*n, tx.pixel[3]*n
	r0, r1, r2, r3 := m.row(ty.pixel[0]), m.row(ty.pixel[1]), m.row(ty.pixel[2]), m.row(ty.pixel[3])
	w, v := tx.weight, ty.weight
	for c := range dst {
		s0 := w[0]*float64(r0[x0+c]) + w[1]*float64(r0[x1+c]) + w[2]*float64(r0[x2+c]) + w[3]*float64(r0[x3+c])
		s1 := w[0]*float64(r1[x0+c]) + w[1]*float64(r1[x1+c]) + w[2]*float64(r1[x2+c]) + w[3]*float64(r1[x3+c])
		s2 := w[0]*float64(r2[x0+c]) + w[1]*float64(r2[x1+c]) + w[2]*float64(r2[x2+c]) + w[3]*float64(r2[x3+c])
		s3 := w[0]*float64(r3[x0+c]) + w[1]*float64(r3[x1+c]) + w[2]*float64(r3[x2+c]) + w[3]*float64(r3[x3+c])
		dst[c] = D(v[0]*s0 + v[1]*s1 + v[2]*s2 + v[3]*s3)
	}
}

// slopes sets dx and dy to the derivatives of the spline with the coefficients m at the point
// (x, y), a number for each channel. They are 0 across an edge and beyond, the picture being mirrored
// there.
func slopes[T number](dx, dy []float64, m image[T], x, y float64) {
	tx, ty := tapsAt(x, m.width), tapsAt(y, m.height)
	clear(dx)
	clear(dy)
	for j, w := range ty.weight {
		row := m.row(ty.pixel[j])
		for i, pixel := range tx.pixel {
			ax, ay := w*tx.slope[i], ty.slope[j]*tx.weight[i]
			for c := range dx {
				v := float64(row[pixel*m.channels+c])
				dx[c] += ax * v
				dy[c] += ay * v
			}
		}
	}
}
