package mat

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// unary applies row to corresponding contiguous rows of dst and src where both
// have them, and one to single elements elsewhere.
func unary(dst, src Matrix, row func(d, s []float64), one func(s float64) float64) {
	if dst.ColStride != 1 && src.ColStride != 1 {
		dst, src = dst.T(), src.T()
	}
	contiguous := dst.ColStride == 1 && src.ColStride == 1
	if dst.gapless() && src.gapless() {
		dst, src = dst.asRow(), src.asRow()
	}
	for i := range dst.Rows {
		if contiguous {
			row(dst.Row(i), src.Row(i))
			continue
		}
		for j := range dst.Cols {
			dst.Data[i*dst.RowStride+j*dst.ColStride] = one(src.Data[i*src.RowStride+j*src.ColStride])
		}
	}
}

// gapless tells that rows lie one behind the other, so that what is done element by element can be done of all as of one row: a call for
// each of many short rows takes longer than the work.
func (m Matrix) gapless() bool { return m.ColStride == 1 && m.RowStride == m.Cols }

func (m Matrix) asRow() Matrix {
	return Matrix{Rows: 1, Cols: m.Rows * m.Cols, RowStride: m.Rows * m.Cols, ColStride: 1, Data: m.Data}
}

// Scale sets dst = alpha·a, of the same shape. dst may be a.
func Scale(dst Matrix, alpha float64, a Matrix) {
	sameShape("Scale", dst, a)
	checkViews("mat: Scale", dst, "a", a)
	refuseOverlap("Scale", dst, a, "a")
	unary(dst, a,
		func(d, s []float64) { asm.Scale(d, alpha, s) },
		func(s float64) float64 { return alpha * s })
}

// Add sets dst = a + alpha·b, all of one shape, with the product rounded first.
// dst may be a or b.
func Add(dst, a Matrix, alpha float64, b Matrix) {
	sameShape("Add", dst, a)
	sameShape("Add", dst, b)
	checkViews("mat: Add", dst, "a", a)
	CheckSource("mat: Add", "b", b)
	refuseOverlap("Add", dst, a, "a")
	refuseOverlap("Add", dst, b, "b")
	binary(dst, a, b,
		func(d, x, y []float64) {
			if alpha == 1 || alpha == -1 { // one rounding or two are the same then
				asm.AddScaled(d, x, alpha, y)
				return
			}
			for i, v := range y {
				d[i] = x[i] + float64(alpha*v)
			}
		},
		func(x, y float64) float64 { return x + float64(alpha*y) })
}

// MulElem sets dst[i,j] = a[i,j]·b[i,j], all of one shape. dst may be a or b.
func MulElem(dst, a, b Matrix) {
	sameShape("MulElem", dst, a)
	sameShape("MulElem", dst, b)
	checkViews("mat: MulElem", dst, "a", a)
	CheckSource("mat: MulElem", "b", b)
	refuseOverlap("MulElem", dst, a, "a")
	refuseOverlap("MulElem", dst, b, "b")
	binary(dst, a, b, asm.MulTo, func(x, y float64) float64 { return x * y })
}

// binary applies row to corresponding contiguous rows of dst, a and b where all
// have them, and one to single elements elsewhere.
func binary(dst, a, b Matrix, row func(d, x, y []float64), one func(x, y float64) float64) {
	if dst.ColStride != 1 && a.ColStride != 1 && b.ColStride != 1 {
		dst, a, b = dst.T(), a.T(), b.T()
	}
	contiguous := dst.ColStride == 1 && a.ColStride == 1 && b.ColStride == 1
	if dst.gapless() && a.gapless() && b.gapless() {
		dst, a, b = dst.asRow(), a.asRow(), b.asRow()
	}
	for i := range dst.Rows {
		if contiguous {
			row(dst.Row(i), a.Row(i), b.Row(i))
			continue
		}
		d, p, q := i*dst.RowStride, i*a.RowStride, i*b.RowStride
		for range dst.Cols {
			dst.Data[d] = one(a.Data[p], b.Data[q])
			d, p, q = d+dst.ColStride, p+a.ColStride, q+b.ColStride
		}
	}
}

// ScaleRows sets dst[i,j] = d[i]·a[i,j], that is, dst = diag(d)·a. len(d) is
// the number of rows. dst may be a; it must not share elements with d.
func ScaleRows(dst Matrix, d []float64, a Matrix) {
	sameShape("ScaleRows", dst, a)
	if len(d) != a.Rows {
		panic(text.Sprintf("mat: ScaleRows: %d factors for a %s matrix", len(d), a.shape()))
	}
	checkViews("mat: ScaleRows", dst, "a", a)
	refuseOverlap("ScaleRows", dst, a, "a")
	refuseFactors("ScaleRows", dst, d)
	for i := range dst.Rows {
		if dst.ColStride == 1 && a.ColStride == 1 {
			asm.Scale(dst.Row(i), d[i], a.Row(i))
			continue
		}
		for j := range dst.Cols {
			dst.Data[i*dst.RowStride+j*dst.ColStride] = d[i] * a.Data[i*a.RowStride+j*a.ColStride]
		}
	}
}

// ScaleCols sets dst[i,j] = a[i,j]·d[j], that is, dst = a·diag(d). len(d) is
// the number of columns. dst may be a; it must not share elements with d.
func ScaleCols(dst, a Matrix, d []float64) {
	sameShape("ScaleCols", dst, a)
	if len(d) != a.Cols {
		panic(text.Sprintf("mat: ScaleCols: %d factors for a %s matrix", len(d), a.shape()))
	}
	checkViews("mat: ScaleCols", dst, "a", a)
	refuseOverlap("ScaleCols", dst, a, "a")
	refuseFactors("ScaleCols", dst, d)
	for i := range dst.Rows {
		if dst.ColStride == 1 && a.ColStride == 1 {
			asm.MulTo(dst.Row(i), a.Row(i), d)
			continue
		}
		for j := range dst.Cols {
			dst.Data[i*dst.RowStride+j*dst.ColStride] = a.Data[i*a.RowStride+j*a.ColStride] * d[j]
		}
	}
}

func refuseFactors(op string, dst Matrix, d []float64) {
	if overlap(dst, Vector(d)) {
		panic(text.Sprintf("mat: %s: dst (%s) overlaps the factors (%d×1)", op, dst.shape(), len(d)))
	}
}

// Dot returns the inner product Σ a[i,j]·b[i,j] of two matrices of one shape,
// the trace of aᵀb. It sums row by row.
func Dot(a, b Matrix) float64 {
	sameShape("Dot", a, b)
	CheckSource("mat: Dot", "a", a)
	CheckSource("mat: Dot", "b", b)
	if a.ColStride != 1 && b.ColStride != 1 {
		a, b = a.T(), b.T()
	}
	var s float64
	for i := range a.Rows {
		if a.ColStride == 1 && b.ColStride == 1 {
			s += asm.Dot(a.Row(i), b.Row(i))
			continue
		}
		for j := range a.Cols {
			s += float64(a.Data[i*a.RowStride+j*a.ColStride] * b.Data[i*b.RowStride+j*b.ColStride])
		}
	}
	return s
}

// Trace returns the sum of the diagonal of a square matrix.
func Trace(a Matrix) float64 {
	square("Trace", a)
	CheckSource("mat: Trace", "a", a)
	var s float64
	for i := range a.Rows {
		s += a.Data[i*(a.RowStride+a.ColStride)]
	}
	return s
}
