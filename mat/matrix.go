package mat

import (
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Matrix is a view of a rectangle of float64 numbers: element (i, j) is
// Data[i*RowStride+j*ColStride]. Copying a Matrix copies the view, not the
// numbers. The zero value is the 0×0 matrix; r×0 and 0×c matrices are ordinary
// matrices. Strides are never negative, and the last element is within len(Data): what
// is no such view is refused by a panic. Elements of a matrix that is only read may
// share a place (a stride of 0 repeats a row or a column), at the price of a copy where
// the kernels cannot take it; those of a destination may not ([Matrix.IsDistinct]).
type Matrix struct {
	Rows, Cols           int
	RowStride, ColStride int
	Data                 []float64
}

// New returns an r×c matrix of zeros, stored row by row.
//
//go:noinline
func New(r, c int) Matrix {
	checkSize("New", r, c)
	return Matrix{Rows: r, Cols: c, RowStride: c, ColStride: 1, Data: make([]float64, r*c)}
}

// NewDense returns the r×c matrix whose rows follow one another in data; it
// shares data, which must hold exactly r·c numbers. A nil slice stands for
// zeros.
func NewDense(r, c int, data []float64) Matrix {
	if data == nil {
		return New(r, c)
	}
	checkSize("NewDense", r, c)
	if len(data) != r*c {
		panic(text.Sprintf("mat: NewDense: %d numbers for a %d×%d matrix", len(data), r, c))
	}
	return Matrix{Rows: r, Cols: c, RowStride: c, ColStride: 1, Data: data}
}

// Vector returns data as a len(data)×1 matrix that shares it.
func Vector(data []float64) Matrix {
	return Matrix{Rows: len(data), Cols: 1, RowStride: 1, ColStride: 1, Data: data}
}

// Identity returns the n×n identity matrix.
func Identity(n int) Matrix {
	m := New(n, n)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

func checkSize(op string, r, c int) {
	if r < 0 || c < 0 || (c > 0 && r > math.MaxInt/8/c) {
		panic(text.Sprintf("mat: %s: no %d×%d matrix", op, r, c))
	}
}

// At returns element (i, j), counted from 0.
func (m *Matrix) At(i, j int) float64 {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(indexError{"At", i, j, m.Rows, m.Cols})
	}
	return m.Data[i*m.RowStride+j*m.ColStride]
}

// Set sets element (i, j), counted from 0.
func (m *Matrix) Set(i, j int, v float64) {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(indexError{"Set", i, j, m.Rows, m.Cols})
	}
	m.Data[i*m.RowStride+j*m.ColStride] = v
}

// An indexError is what At and Set panic with: a matrix has no element (i, j). At and Set are inlined since it is formatted where it is printed.
type indexError struct {
	op               string
	i, j, rows, cols int
}

func (e indexError) Error() string {
	return text.Sprintf("mat: %s: element (%d, %d) of a %d×%d matrix", e.op, e.i, e.j, e.rows, e.cols)
}

// T returns the transposed view.
func (m Matrix) T() Matrix {
	m.Rows, m.Cols = m.Cols, m.Rows
	m.RowStride, m.ColStride = m.ColStride, m.RowStride
	return m
}

// Slice returns the view of rows i0 ≤ i < i1 and columns j0 ≤ j < j1.
func (m Matrix) Slice(i0, i1, j0, j1 int) Matrix {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		panic(text.Sprintf("mat: Slice: rows %d to %d, columns %d to %d of a %s matrix", i0, i1, j0, j1, m.shape()))
	}
	m.source("mat: Slice", "the matrix")
	v := Matrix{Rows: i1 - i0, Cols: j1 - j0, RowStride: m.RowStride, ColStride: m.ColStride}
	if v.Rows > 0 && v.Cols > 0 {
		first := i0*m.RowStride + j0*m.ColStride
		v.Data = m.Data[first : first+v.span()]
	}
	return v
}

// Row returns row i as a slice that shares the matrix's storage. The elements
// of a row must be adjacent (ColStride 1, or fewer than two columns).
func (m Matrix) Row(i int) []float64 {
	if uint(i) >= uint(m.Rows) {
		panic(text.Sprintf("mat: Row: row %d of a %s matrix", i, m.shape()))
	}
	if m.Cols == 0 {
		return nil
	}
	if m.ColStride != 1 && m.Cols > 1 {
		panic(text.Sprintf("mat: Row: the rows of a %s matrix with column stride %d are not contiguous", m.shape(), m.ColStride))
	}
	over, at := bits.Mul(uint(i), uint(m.RowStride))
	if end := at + uint(m.Cols); over != 0 || end < at || end > uint(len(m.Data)) {
		noView("mat: Row", "the matrix", m)
	}
	return m.Data[at : int(at)+m.Cols : int(at)+m.Cols]
}

// Diag returns the main diagonal as a min(Rows, Cols)×1 view.
func (m Matrix) Diag() Matrix {
	CheckSource("mat: Diag", "the matrix", m)
	return Matrix{Rows: min(m.Rows, m.Cols), Cols: 1, RowStride: m.RowStride + m.ColStride, ColStride: 1, Data: m.Data}
}

// IsContiguous reports whether the rows follow one another in Data without
// gaps, so that Data[:Rows*Cols] is the matrix row by row.
func (m Matrix) IsContiguous() bool {
	return (m.ColStride == 1 || m.Cols <= 1) && (m.RowStride == m.Cols || m.Rows <= 1)
}

// Clone returns a copy stored row by row.
func (m Matrix) Clone() Matrix {
	c := New(m.Rows, m.Cols)
	Copy(c, m)
	return c
}

// Copy copies src into dst, of the same shape. The two may be the same view;
// otherwise they must not share elements.
func Copy(dst, src Matrix) {
	sameShape("Copy", dst, src)
	checkViews("mat: Copy", dst, "src", src)
	refuseOverlap("Copy", dst, src, "src")
	if dst.ColStride != 1 && dst.RowStride == 1 {
		dst, src = dst.T(), src.T()
	}
	if dst.ColStride == 1 && src.RowStride == 1 && dst.RowStride >= dst.Cols && src.ColStride >= src.Rows {
		asm.Transpose(dst.Data, dst.RowStride, src.Data, src.ColStride, src.Cols, src.Rows)
		return
	}
	unary(dst, src, func(d, s []float64) { copy(d, s) }, func(s float64) float64 { return s })
}

// Fill sets every element to v.
func (m Matrix) Fill(v float64) {
	CheckDestination("mat: Fill", "filled", m)
	m = m.rowMajor()
	for i := range m.Rows {
		if m.ColStride == 1 {
			row := m.Row(i)
			if v == 0 && !math.Signbit(v) {
				clear(row)
				continue
			}
			for j := range row {
				row[j] = v
			}
			continue
		}
		for j := range m.Cols {
			m.Data[i*m.RowStride+j*m.ColStride] = v
		}
	}
}

// NonFinite returns the first element, row by row, that is NaN or infinite.
func NonFinite(m Matrix) (i, j int, found bool) {
	CheckSource("mat: NonFinite", "m", m)
	return nonFinite(m, m.Cols, 0)
}

// NonFiniteLower is NonFinite for the lower triangle of a square matrix, the
// only part of a symmetric argument that is read.
func NonFiniteLower(m Matrix) (i, j int, found bool) {
	square("NonFiniteLower", m)
	CheckSource("mat: NonFiniteLower", "m", m)
	return nonFinite(m, 1, 1)
}

// nonFinite looks at the first columns of the first row, and at as many more of each next one.
func nonFinite(m Matrix, columns, more int) (i, j int, found bool) {
	for i := range m.Rows {
		if m.ColStride != 1 || !(asm.MaxAbs(m.Row(i)[:columns]) <= math.MaxFloat64) {
			for j := range columns {
				if v := m.Data[i*m.RowStride+j*m.ColStride]; v-v != 0 {
					return i, j, true
				}
			}
		}
		columns += more
	}
	return 0, 0, false
}

// MirrorLower copies the strict lower triangle of a square matrix onto its
// strict upper triangle, so that the matrix becomes symmetric.
func MirrorLower(m Matrix) {
	square("MirrorLower", m)
	CheckDestination("mat: MirrorLower", "m", m)
	const nb = 24
	for i0 := 0; i0 < m.Rows; i0 += nb {
		i1 := min(i0+nb, m.Rows)
		Copy(m.Slice(0, i0, i0, i1), m.Slice(i0, i1, 0, i0).T())
		for i := i0; i < i1; i++ {
			for j := i0; j < i; j++ {
				m.Data[j*m.RowStride+i*m.ColStride] = m.Data[i*m.RowStride+j*m.ColStride]
			}
		}
	}
}

// String formats the matrix row by row, for error messages and small examples.
func (m Matrix) String() string {
	var s strings.Builder
	for i := range m.Rows {
		for j := range m.Cols {
			if j > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(text.Sprintf("%.6g", m.At(i, j)))
		}
		s.WriteByte('\n')
	}
	return s.String()
}

//go:noinline
func (m Matrix) shape() string { return text.Sprintf("%d×%d", m.Rows, m.Cols) }

// rowMajor returns m or, where that makes rows contiguous, its transpose: for
// operations that treat all elements alike.
func (m Matrix) rowMajor() Matrix {
	if m.ColStride != 1 && (m.RowStride == 1 || m.ColStride > m.RowStride) {
		return m.T()
	}
	return m
}

// span is the number of storage elements from the first to the last one.
func (m Matrix) span() int {
	if m.Rows == 0 || m.Cols == 0 {
		return 0
	}
	return (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride + 1
}

func square(op string, m Matrix) {
	if m.Rows != m.Cols {
		panic(text.Sprintf("mat: %s: a %s matrix is not square", op, m.shape()))
	}
}

func sameShape(op string, a, b Matrix) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		panic(text.Sprintf("mat: %s: shapes %s and %s differ", op, a.shape(), b.shape()))
	}
}

// same reports whether two views of one shape are the same elements in the
// same places.
func same(a, b Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols &&
		(a.Rows == 0 || a.Cols == 0 ||
			&a.Data[0] == &b.Data[0] && (a.Rows == 1 || a.RowStride == b.RowStride) && (a.Cols == 1 || a.ColStride == b.ColStride))
}

// Overlap reports whether the two views share an element. Disjoint rectangles
// of one matrix do not overlap, although their address ranges do.
func Overlap(a, b Matrix) bool {
	CheckSource("mat: Overlap", "a", a)
	CheckSource("mat: Overlap", "b", b)
	return overlap(a, b)
}

// overlap is Overlap for views that were checked.
func overlap(a, b Matrix) bool {
	na, nb := a.span(), b.span()
	if na == 0 || nb == 0 {
		return false
	}
	pa, pb := uintptr(unsafe.Pointer(&a.Data[0])), uintptr(unsafe.Pointer(&b.Data[0]))
	if pa >= pb+uintptr(nb)*8 || pb >= pa+uintptr(na)*8 {
		return false
	}
	// Element sets do not care which index is called the row: put the larger
	// stride first, then b's first element is delta elements after a's.
	a, b = a.largeStrideFirst(), b.largeStrideFirst()
	delta := (int(pb) - int(pa)) / 8
	if rs := a.RowStride; rs > 0 && a.ColStride == 1 && b.ColStride == 1 && rs == b.RowStride && a.Cols <= rs && b.Cols <= rs {
		// Two rectangles of one row-major matrix with rows of rs elements.
		di, dj := floorDiv(delta, rs)
		return rectangles(a, b, di, dj) || rectangles(a, b, di+1, dj-rs)
	}
	// Rows are arithmetic progressions: compare them pair by pair.
	for i := range a.Rows {
		for k := range b.Rows {
			if progressions(i*a.RowStride, a.ColStride, a.Cols, delta+k*b.RowStride, b.ColStride, b.Cols) {
				return true
			}
		}
	}
	return false
}

func (m Matrix) largeStrideFirst() Matrix {
	if m.Cols <= 1 { // a column has no column stride of its own
		m.ColStride = 1
	}
	if m.Rows <= 1 {
		m.RowStride = max(m.RowStride, m.Cols*m.ColStride)
	}
	if m.ColStride > m.RowStride {
		return m.T()
	}
	return m
}

// floorDiv returns q and 0 ≤ r < d with n = q·d + r.
func floorDiv(n, d int) (q, r int) {
	q, r = n/d, n%d
	if r < 0 {
		q, r = q-1, r+d
	}
	return q, r
}

// rectangles reports whether b, shifted by (di, dj) against a, meets a.
func rectangles(a, b Matrix, di, dj int) bool {
	return di < a.Rows && di+b.Rows > 0 && dj < a.Cols && dj+b.Cols > 0
}

// progressions reports whether x+i·dx (i < nx) and y+j·dy (j < ny) meet.
func progressions(x, dx, nx, y, dy, ny int) bool {
	if x > y+(ny-1)*dy || y > x+(nx-1)*dx {
		return false
	}
	if dx == 0 || nx == 1 {
		return y == x || (dy != 0 && (x-y)%dy == 0 && (x-y)/dy >= 0 && (x-y)/dy < ny)
	}
	for j := range ny {
		if d := y + j*dy - x; d >= 0 && d%dx == 0 && d/dx < nx {
			return true
		}
	}
	return false
}

// checkViews checks a destination and what is read.
func checkViews(op string, dst Matrix, name string, src Matrix) {
	dst.destination(op, "dst")
	src.source(op, name)
}

func refuseOverlap(op string, dst, src Matrix, name string) {
	if overlap(dst, src) && !same(dst, src) {
		panic(text.Sprintf("mat: %s: dst (%s) overlaps %s (%s)", op, dst.shape(), name, src.shape()))
	}
}
