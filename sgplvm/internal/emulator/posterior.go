package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Columns returns the table of the inputs ξ, a row of x each: the reverse of Coordinates, without columns that count for nothing.
func (m *Model) Columns(x mat.Matrix) []Column {
	var list []Column
	at := 0
	for q := range m.Encodings {
		e := &m.Encodings[q]
		w := e.Width()
		if w == 0 {
			continue
		}
		c := Column{Name: e.Name}
		for i := range x.Rows {
			if e.Levels == nil {
				v := m.Mean[at] + m.Scale[at]*x.At(i, at)
				if e.Log {
					v = math.Exp(v)
				}
				c.Numbers = append(c.Numbers, v)
				continue
			}
			best := 0
			for l := range w {
				if m.Mean[at+l]+m.Scale[at+l]*x.At(i, at+l) > m.Mean[at+best]+m.Scale[at+best]*x.At(i, at+best) {
					best = l
				}
			}
			c.Labels = append(c.Labels, e.Levels[best])
		}
		list = append(list, c)
		at += w
	}
	return list
}

// InputField sets dst to the input field of ξ, in the user's units.
func (m *Model) InputField(dst, x []float64) {
	b := m.Fields
	copy(dst, b.Mean)
	mat.Mul(mat.Vector(dst), b.size(), b.V, mat.Vector(x[len(m.Mean):]), 1)
	for i, v := range dst {
		c := i % len(b.Scaler.Mean)
		dst[i] = b.Scaler.Mean[c] + float64(b.Scaler.Scale[c]*v)
	}
}

// size is that of the columns of the orthonormal basis, squared, over that of V.
func (b *FieldBasis) size() float64 {
	sum := 0.
	for i := range b.V.Rows {
		sum += b.V.At(i, 0) * b.V.At(i, 0)
	}
	return 1 / sum
}

// InputVariances returns the variance of each value of the input field over draws of ξ. What the components leave out has the variance that it has in the runs, on average over
// the values of a channel.
func (m *Model) InputVariances(draws mat.Matrix) []float64 {
	b, d := m.Fields, len(m.Mean)
	channels, size := len(b.Scaler.Mean), b.size()
	left := make([]float64, channels)
	for c := range left {
		left[c] = 1
	}
	runs := b.variances(m.X.Slice(0, m.X.Rows, d, m.X.Cols), size)
	for i, v := range runs {
		left[i%channels] -= (v + b.Mean[i]*b.Mean[i]) / float64(b.Points)
	}
	list := b.variances(draws.Slice(0, draws.Rows, d, draws.Cols), size)
	for i := range list {
		s := b.Scaler.Scale[i%channels]
		list[i] = s * s * (list[i] + max(0, left[i%channels]))
	}
	return list
}

// variances returns the variance of each value over rows of coordinates.
func (b *FieldBasis) variances(x mat.Matrix, size float64) []float64 {
	d := x.Cols
	c, v := Covariance(x), make([]float64, b.V.Rows)
	vc := mat.New(b.V.Rows, d)
	mat.Mul(vc, size*size, b.V, c, 0)
	for i := range v {
		v[i] = max(0, asm.Dot(vc.Row(i), b.V.Row(i)))
	}
	return v
}

// Covariance returns that of the columns over the rows.
func Covariance(x mat.Matrix) mat.Matrix {
	y, c := x.Clone(), mat.New(x.Cols, x.Cols)
	centre(y)
	mat.Mul(c, 1/float64(max(1, x.Rows)), y.T(), y, 0)
	return c
}

// centre takes the means off the columns, and returns them.
func centre(y mat.Matrix) []float64 {
	means := make([]float64, y.Cols)
	for i := range y.Rows {
		asm.Axpy(1/float64(y.Rows), y.Row(i), means)
	}
	for i := range y.Rows {
		asm.Axpy(-1, means, y.Row(i))
	}
	return means
}
