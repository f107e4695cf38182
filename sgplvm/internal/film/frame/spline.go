package frame

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// pole is the pole of the cubic B-spline's recursive filter (Unser 1999, box 2).
var pole = math.Sqrt(3) - 2

// ToSpline turns the values of a picture into the coefficients of the cubic B-spline that goes
// through them, mirrored about the outermost pixels (Unser, Aldroubi and Eden 1993): along every
// row, then along all columns at once.
func (m Image[T]) ToSpline() {
	mat.Parallel(m.Height, func(y int) { filter(m.Row(y), m.Width, m.Channels, 0, m.Channels) })
	n, bands := m.Width*m.Channels, (m.Width*m.Channels+columnBand-1)/columnBand
	mat.Parallel(bands, func(b int) { filter(m.Data, m.Height, n, b*columnBand, min((b+1)*columnBand, n)) })
}

// columnBand is how many columns are filtered together.
const columnBand = 256

// filter filters the series v[i·step+j], i < n, for every from ≤ j < to.
func filter[T Number](v []T, n, step, from, to int) {
	if n == 1 {
		return // the spline through a single value is constant: its coefficients add up to it
	}
	line := func(i int) []T { return v[i*step+from : i*step+to] }
	// The causal filter's first value is a sum over the mirrored series, which is cut where a
	// term is below rounding.
	first := line(0)
	z := pole
	for k := 1; k < min(2*n-2, 30); k++ {
		for j, x := range line(Mirror(k, n)) {
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

// Mirror returns the pixel 0 ≤ i < n that pixel k, up to 2n−2 away, stands for: a picture goes on mirrored about its outermost pixels.
func Mirror(k, n int) int {
	if k < 0 {
		k = -k
	}
	if k >= n {
		k = 2*n - 2 - k
	}
	return min(max(k, 0), n-1)
}

// splinePixels returns the pixels that a point between pixel i and the next depends on, as they are mirrored.
func splinePixels(i, n int) (p0, p1, p2, p3 int) {
	if i >= 1 && i+2 < n {
		return i - 1, i, i + 1, i + 2
	}
	return Mirror(i-1, n), Mirror(i, n), Mirror(i+1, n), Mirror(i+2, n)
}

// splineWeights returns the cubic B-spline's weights of these pixels.
func splineWeights(a float64) (w0, w1, w2, w3 float64) {
	b := 1 - a
	w0, w3 = b*b*b*(1./6), a*a*a*(1./6)
	return w0, 2./3 - a*a + 3*w3, 2./3 - b*b + 3*w0, w3
}

// Sample sets dst, a number for each channel, to the spline with the coefficients m at the point
// (x, y).
func Sample[T, D Number](dst []D, m Image[T], x, y float64) {
	n, stride := m.Channels, m.Width*m.Channels
	i, _, a := Between(x, m.Width)
	j, _, b := Between(y, m.Height)
	x0, x1, x2, x3 := splinePixels(i, m.Width)
	y0, y1, y2, y3 := splinePixels(j, m.Height)
	w0, w1, w2, w3 := splineWeights(a)
	v0, v1, v2, v3 := splineWeights(b)
	p0, p1, p2, p3 := T(w0), T(w1), T(w2), T(w3)
	q0, q1, q2, q3 := T(v0), T(v1), T(v2), T(v3)
	r0, r1, r2, r3 := m.Data[y0*stride:][:stride], m.Data[y1*stride:][:stride], m.Data[y2*stride:][:stride], m.Data[y3*stride:][:stride]
	x0, x1, x2, x3 = x0*n, x1*n, x2*n, x3*n
	for c := range dst {
		s0 := p0*r0[x0+c] + p1*r0[x1+c] + p2*r0[x2+c] + p3*r0[x3+c]
		s1 := p0*r1[x0+c] + p1*r1[x1+c] + p2*r1[x2+c] + p3*r1[x3+c]
		s2 := p0*r2[x0+c] + p1*r2[x1+c] + p2*r2[x2+c] + p3*r2[x3+c]
		s3 := p0*r3[x0+c] + p1*r3[x1+c] + p2*r3[x2+c] + p3*r3[x3+c]
		dst[c] = D(q0*s0 + q1*s1 + q2*s2 + q3*s3)
	}
}
