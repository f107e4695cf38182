package mat

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// SolveLower overwrites b with l⁻¹·b, where l is n×n lower triangular and b is
// n×k (forward substitution; the BLAS's TRSM). The strict upper triangle of l
// is not read; a zero on its diagonal gives infinities or NaN. b must not
// overlap l.
func SolveLower(l, b Matrix) { solveLower(checkTriangular("mat: SolveLower", l, b), b) }

// SolveUpper overwrites b with u⁻¹·b, where u is n×n upper triangular and b is
// n×k (back substitution; the BLAS's TRSM). The strict lower triangle of u is
// not read; a zero on its diagonal gives infinities or NaN. b must not overlap
// u.
func SolveUpper(u, b Matrix) { solveUpper(checkTriangular("mat: SolveUpper", u, b), b) }

// MulLower overwrites b with l·b, where l is n×n lower triangular and b is n×k
// (the BLAS's TRMM). The strict upper triangle of l is not read. b must not
// overlap l.
func MulLower(l, b Matrix) { mulLower(checkTriangular("mat: MulLower", l, b), b) }

// MulUpper overwrites b with u·b, where u is n×n upper triangular and b is n×k
// (the BLAS's TRMM). The strict lower triangle of u is not read. b must not
// overlap u.
func MulUpper(u, b Matrix) { mulUpper(checkTriangular("mat: MulUpper", u, b), b) }

// checkTriangular panics unless the triangle t and b fit. It returns t, or a copy if
// elements of it share a place.
func checkTriangular(op string, t, b Matrix) Matrix {
	if t.Rows != t.Cols || t.Rows != b.Rows {
		panic(text.Sprintf("%s: triangle %s and b %s do not fit", op, t.shape(), b.shape()))
	}
	t.source(op, "the triangle")
	b.destination(op, "b")
	if overlap(t, b) {
		panic(text.Sprintf("%s: b %s overlaps the triangle %s", op, b.shape(), t.shape()))
	}
	t.setApart()
	return t
}

// quarters splits a triangle at h.
func quarters(t Matrix, h int) (t11, t12, t21, t22 Matrix) {
	n := t.Rows
	return t.Slice(0, h, 0, h), t.Slice(0, h, h, n), t.Slice(h, n, 0, h), t.Slice(h, n, h, n)
}

func solveLower(l, b Matrix) {
	n := l.Rows
	if n <= solveOrder(b) {
		if !solvePanels(l, b, false) {
			solveLowerRows(l, b)
		}
		return
	}
	h := halve(n, solveOrder(b))
	l11, _, l21, l22 := quarters(l, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	solveLower(l11, b1)
	Mul(b2, -1, l21, b1, 1)
	solveLower(l22, b2)
}

func solveUpper(u, b Matrix) {
	n := u.Rows
	if n <= solveOrder(b) {
		if !solvePanels(u, b, true) {
			solveUpperRows(u, b)
		}
		return
	}
	h := halve(n, solveOrder(b))
	u11, u12, _, u22 := quarters(u, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	solveUpper(u22, b2)
	Mul(b1, -1, u12, b2, 1)
	solveUpper(u11, b1)
}

// solveOrder is the order up to which a system with the right-hand sides b is solved
// without halving.
func solveOrder(b Matrix) int {
	if b.Cols < tune.narrow {
		return tune.triangle
	}
	return tune.solve
}

// halve is about half of n, a multiple of the order of the blocks where n is much
// larger.
func halve(n, order int) int {
	if n > 2*order {
		return roundUp(n/2, order)
	}
	return (n + 1) / 2
}

// solveLowerRows and solveUpperRows solve row by row.
func solveLowerRows(l, b Matrix) {
	for i := range l.Rows {
		subtractRows(b, i, l, 0, i)
		divideRow(b, i, l)
	}
}

func solveUpperRows(u, b Matrix) {
	for i := u.Rows - 1; i >= 0; i-- {
		subtractRows(b, i, u, i+1, u.Rows)
		divideRow(b, i, u)
	}
}

// solving is a triangular solve of small order under way: the triangle is packed,
// and panels of right-hand sides are packed, solved and put back.
type solving struct {
	b        Matrix
	upper    bool
	tiles    int
	triangle []float64
}

// solvePanels solves a system of small order on packed panels. It leaves it alone,
// and returns false, where there are few right-hand sides or the reciprocal of an
// element of the diagonal would not do for the element.
func solvePanels(t, b Matrix, upper bool) bool {
	n := t.Rows
	if b.Cols < tune.narrow || !invertible(t.Diag()) {
		return false
	}
	mr, nr := asm.Tile()
	tiles := (n + mr - 1) / mr
	buffer := Borrow(mr * mr * (tiles * (tiles + 1) / 2))
	packTriangle(*buffer, t, upper)
	p := solvings.Take()
	*p = solving{b: b, upper: upper, tiles: tiles, triangle: *buffer}
	panels := (b.Cols + nr - 1) / nr
	if n*n*b.Cols >= tune.parallel {
		Run(panels, p)
	} else {
		for i := range panels {
			p.Do(i)
		}
	}
	*p = solving{}
	solvings.Give(p)
	GiveBack(buffer)
	return true
}

var solvings Pool[solving]

// invertible reports whether the reciprocals of d neither overflow nor lose bits.
// Those of 0, infinities and NaN do what division by them does.
func invertible(d Matrix) bool {
	for i := range d.Rows {
		v := math.Abs(d.Data[i*d.RowStride])
		if v != 0 && v < 0x1p-1020 || v > 0x1p1020 && v <= math.MaxFloat64 {
			return false
		}
	}
	return true
}

// packTriangle packs a triangle as asm.SolvePanel takes it. A tile has rows missing
// where the order is no multiple of mr: the last one of a lower triangle, the first
// one of an upper one, so that nothing depends on what stands in their place.
func packTriangle(dst []float64, t Matrix, upper bool) {
	n := t.Rows
	mr, _ := asm.Tile()
	for done := 0; done < n; done += mr {
		rows := min(mr, n-done)
		missing := mr - rows
		tile := dst[mr*done : mr*(done+mr)] // that on the diagonal
		if missing > 0 {
			clear(dst[:mr*(done+mr)])
		}
		if !upper {
			packPanels(dst, t.Slice(done, done+rows, 0, done+rows), mr)
			missing = 0
		} else {
			first := n - done - rows
			packPanels(dst[missing:], t.Slice(first, first+rows, n-done, n), mr)
			packPanels(tile[missing*(mr+1):], t.Slice(first, first+rows, first, n-done), mr)
		}
		for j := missing; j < missing+rows; j++ {
			tile[j*(mr+1)] = 1 / tile[j*(mr+1)]
		}
		dst = dst[mr*(done+mr):]
	}
}

// Do solves panel i of the right-hand sides.
func (p *solving) Do(i int) {
	mr, nr := asm.Tile()
	n := p.b.Rows
	j0, j1 := i*nr, min((i+1)*nr, p.b.Cols)
	b := p.b.Slice(0, n, j0, j1)
	buffer := Borrow(p.tiles * mr * nr)
	x := *buffer
	missing := p.tiles*mr - n
	if missing > 0 || j1-j0 < nr {
		clear(x)
	}
	if p.upper {
		x = x[missing*nr:]
	}
	packB(x[:n*nr], b)
	asm.SolvePanel(p.upper, p.tiles, p.triangle, *buffer)
	unpack(b, x)
	GiveBack(buffer)
}

// unpack copies a panel of nr columns back to b.
func unpack(b Matrix, x []float64) {
	_, nr := asm.Tile()
	switch {
	case b.ColStride == 1 || b.Cols == 1:
		asm.CopyRows(b.Data, b.RowStride, x, nr, b.Rows, b.Cols, 0)
	case b.RowStride == 1:
		asm.Transpose(b.Data, b.ColStride, x, nr, b.Rows, b.Cols)
	default:
		for i := range b.Rows {
			for j := range b.Cols {
				b.Data[i*b.RowStride+j*b.ColStride] = x[i*nr+j]
			}
		}
	}
}

func mulLower(l, b Matrix) {
	n := l.Rows
	if n <= tune.triangle {
		for i := n - 1; i >= 0; i-- {
			scaleRow(b, i, l)
			addRows(b, i, l, 0, i)
		}
		return
	}
	h := halve(n, tune.triangle)
	l11, _, l21, l22 := quarters(l, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	mulLower(l22, b2)
	Mul(b2, 1, l21, b1, 1)
	mulLower(l11, b1)
}

func mulUpper(u, b Matrix) {
	n := u.Rows
	if n <= tune.triangle {
		for i := range n {
			scaleRow(b, i, u)
			addRows(b, i, u, i+1, n)
		}
		return
	}
	h := halve(n, tune.triangle)
	u11, u12, _, u22 := quarters(u, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	mulUpper(u11, b1)
	Mul(b1, 1, u12, b2, 1)
	mulUpper(u22, b2)
}

// subtractRows subtracts Σ t[i,l]·b[l,:] over l0 ≤ l < l1 from row i of b.
func subtractRows(b Matrix, i int, t Matrix, l0, l1 int) { combineRows(b, i, -1, t, l0, l1) }

// addRows adds Σ t[i,l]·b[l,:] over l0 ≤ l < l1 to row i of b.
func addRows(b Matrix, i int, t Matrix, l0, l1 int) { combineRows(b, i, 1, t, l0, l1) }

func combineRows(b Matrix, i int, sign float64, t Matrix, l0, l1 int) {
	if l0 == l1 || b.Cols == 0 {
		return
	}
	mulVector(b.Slice(i, i+1, 0, b.Cols), sign, t.Slice(i, i+1, l0, l1), b.Slice(l0, l1, 0, b.Cols))
}

// scaleRow multiplies row i of b by t[i,i].
func scaleRow(b Matrix, i int, t Matrix) {
	d := t.Data[i*(t.RowStride+t.ColStride)]
	for j := range b.Cols {
		b.Data[i*b.RowStride+j*b.ColStride] *= d
	}
}

// divideRow divides row i of b by t[i,i].
func divideRow(b Matrix, i int, t Matrix) {
	d := t.Data[i*(t.RowStride+t.ColStride)]
	for j := range b.Cols {
		b.Data[i*b.RowStride+j*b.ColStride] /= d
	}
}
