package mat

import (
	"math/bits"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// fits reports whether m is a view of its Data: no dimension or stride is negative,
// and the last element is among the slice's len(Data) numbers, whatever its capacity.
func (m *Matrix) fits() bool {
	if m.Rows|m.Cols|m.RowStride|m.ColStride < 0 {
		return false
	}
	if m.Rows == 0 || m.Cols == 0 {
		return true
	}
	over, down := bits.Mul(uint(m.Rows-1), uint(m.RowStride))
	beyond, right := bits.Mul(uint(m.Cols-1), uint(m.ColStride))
	last, carry := bits.Add(down, right, 0)
	return over|beyond|carry == 0 && last < uint(len(m.Data))
}

// IsDistinct reports whether every element of m has a place of its own, as those of
// a destination must: no stride is 0 along more than one element, and rows do not run
// into one another.
func (m Matrix) IsDistinct() bool { return m.distinct() }

func (m *Matrix) distinct() bool {
	switch r, c := m.RowStride, m.ColStride; {
	case m.Rows == 0 || m.Cols == 0:
		return true
	case m.Rows == 1:
		return m.Cols == 1 || c != 0
	case m.Cols == 1:
		return r != 0
	case c == 1 && r >= m.Cols || r == 1 && c >= m.Rows:
		return true
	case r == 0 || c == 0:
		return false
	default: // (i, j) and (i+c/g, j−r/g) are in one place
		g := gcd(r, c)
		return c/g >= m.Rows || r/g >= m.Cols
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// CheckSource panics unless m is a view that can be read: no dimension or stride is
// negative, and its last element is within len(Data). The text names the operation,
// as "chol: Solve", and what m is to it.
func CheckSource(op, name string, m Matrix) {
	if !m.fits() {
		noView(op, name, m)
	}
}

// CheckDestination is CheckSource for a view that is written, of which no two
// elements may be in one place.
func CheckDestination(op, name string, m Matrix) {
	if !m.fits() {
		noView(op, name, m)
	}
	if !m.IsDistinct() {
		panic(text.Sprintf("%s: the %s matrix %s, with strides %d and %d, has several elements in one place and cannot be written",
			op, m.shape(), name, m.RowStride, m.ColStride))
	}
}

func noView(op, name string, m Matrix) {
	panic(text.Sprintf("%s: %s is no view: a %s matrix with strides %d and %d of %d numbers", op, name, m.shape(), m.RowStride, m.ColStride, len(m.Data)))
}

// source and destination are CheckSource and CheckDestination, without copies of the view.
func (m *Matrix) source(op, name string) {
	if !m.fits() {
		noView(op, name, *m)
	}
}

func (m *Matrix) destination(op, name string) {
	if !m.fits() || !m.distinct() {
		CheckDestination(op, name, *m)
	}
}

// setApart makes m a copy of itself where elements share a place: the kernels take rows or
// columns that lie apart.
func (m *Matrix) setApart() {
	if !m.distinct() {
		*m = m.Clone()
	}
}
