package eig

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// sweepsPerRow limits the QL iteration to that many sweeps for each row of the
// matrix; about 1.7 are needed. Tests lower it.
var sweepsPerRow = 30

// unit is the relative size of a subdiagonal element that is taken for zero:
// the unit roundoff.
const unit = 0x1p-53

// qlWork is the scratch memory of a QL iteration: the rotations of a sweep.
type qlWork struct{ c, s []float64 }

// grow sizes the workspace for order n.
func (w *qlWork) grow(n int) {
	w.c, w.s = resize(w.c, n), resize(w.s, n)
}

// part is the part of the workspace that belongs to rows lo ≤ i < hi.
func (w *qlWork) part(lo, hi int) qlWork { return qlWork{w.c[lo:hi], w.s[lo:hi]} }

// ql overwrites the diagonal d of the tridiagonal matrix (d, e) with its
// eigenvalues, in no order, by the implicit QL iteration with Wilkinson's shift
// (Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968; Parlett, "The
// Symmetric Eigenvalue Problem", chapter 8), and e with zeros. z, of as many rows
// or none, is multiplied from the left by the matrix whose rows are the
// eigenvectors in the order of d. Blocks between negligible subdiagonal elements
// are treated one after the other. Where budget sweeps are not enough it returns
// the row it was isolating.
func ql(d, e []float64, z mat.Matrix, work qlWork, budget int) (row int, ok bool) {
	for lo := 0; lo < len(d); {
		hi := blockEnd(d, e, lo)
		block := z
		if z.Rows > 0 {
			block = z.Slice(lo, hi, 0, z.Cols)
		}
		if at, ok := qlBlock(d[lo:hi], e[lo:hi-1], block, work, &budget); !ok {
			return lo + at, false
		}
		lo = hi
	}
	return 0, true
}

// blockEnd returns the end of the block that begins at row lo: the first row
// behind it whose coupling to the row before is negligible beside their own
// diagonal elements.
func blockEnd(d, e []float64, lo int) int {
	hi := lo + 1
	for hi < len(d) && math.Abs(e[hi-1]) > unit*math.Sqrt(math.Abs(d[hi-1]))*math.Sqrt(math.Abs(d[hi])) {
		hi++
	}
	return hi
}

// qlBlock is ql for one block. It scales the block so that its largest element is
// about 1, and turns it round if the larger end is the upper one: QL finds the
// upper end's eigenvalues first and wants them small.
func qlBlock(d, e []float64, z mat.Matrix, work qlWork, budget *int) (row int, ok bool) {
	scale := scaleBlock(d, e)
	if math.Abs(d[len(d)-1]) < math.Abs(d[0]) {
		slices.Reverse(d)
		slices.Reverse(e)
		for i := range z.Rows / 2 {
			a, b := z.Row(i), z.Row(z.Rows-1-i)
			for j, x := range a {
				a[j], b[j] = b[j], x
			}
		}
	}
	for l := 0; l < len(e); {
		m := l
		for m < len(e) && !negligible(e[m], d[m], d[m+1]) {
			m++
		}
		if m < len(e) {
			e[m] = 0
		}
		if m == l {
			l++
			continue
		}
		if *budget == 0 {
			return l, false
		}
		*budget--
		c, s := work.c[:m-l], work.s[:m-l]
		sweep(d[l:m+1], e[l:m], c, s)
		if z.Rows > 0 {
			asm.RotateRows(z.Data[l*z.RowStride:], z.RowStride, z.Cols, c, s)
		}
	}
	scaleBy(d, scale)
	return 0, true
}

// scaleBlock divides the tridiagonal matrix (d, e) by 2^scale so that its
// largest magnitude is at least 1/2 and less than 1, or 0.
func scaleBlock(d, e []float64) (scale int) {
	_, scale = math.Frexp(max(asm.MaxAbs(d), asm.MaxAbs(e)))
	scaleBy(d, -scale)
	scaleBy(e, -scale)
	return scale
}

// scaleBy multiplies x by 2^exponent.
func scaleBy(x []float64, exponent int) {
	if exponent == 0 {
		return
	}
	for i := range x {
		x[i] = math.Ldexp(x[i], exponent)
	}
}

// negligible reports whether the subdiagonal element e between a and b is small
// enough to be taken for zero, in a block whose largest element is about 1.
func negligible(e, a, b float64) bool {
	return float64(e*e) <= float64(unit*math.Abs(a))*float64(unit*math.Abs(b))+0x1p-1022
}

// sweep is one QL step with the shift nearest to d[0] of the leading 2×2
// block's eigenvalues: rotations (c[i], s[i]) in the planes (i, i+1) for
// i = len(e)−1 down to 0.
//
// Of each rotation, with q = g²+f², c = g/√q and s = f/√q, the next one waits only
// for what is rational: s², c·s and c²−s² are quotients by q, which halves the
// time of the chain. The square roots are taken beside it, and f from f², so that
// (c, s) has length 1 whatever error f² has collected.
func sweep(d, e, c, s []float64) {
	m := len(e)
	d, c, s = d[:m+1], c[:m], s[:m]
	g := (d[1] - d[0]) / (2 * e[0])
	g = d[m] - d[0] + e[0]/(g+math.Copysign(math.Sqrt(float64(g*g)+1), g))
	f, b := e[m-1], e[m-1]
	ff := f * f
	x := d[m] // d[i+1] as the rotations so far have left it
	for i := m - 1; ; i-- {
		var before float64 // e[i−1]
		if i > 0 {
			before = e[i-1]
		}
		t := d[i] - x
		var ci, si, r, p, next float64
		gg := g * g
		if ff > tiny {
			q := gg + ff
			inverse := 1 / q
			ss, cs := ff*inverse, g*f*inverse
			p = float64(ss*t) + float64(2*cs*b)
			next = float64(cs*t) + float64((gg-ff)*inverse*b)
			ff = ss * float64(before*before)
			r = math.Sqrt(q)
			ci, si = g*(r*inverse), f*(r*inverse)
		} else {
			ci, si, r = givens(g, f)
			w := float64(t*si) + float64(2*ci*b)
			p, next = si*w, float64(ci*w)-b
			ff = float64(si*before) * float64(si*before)
		}
		if i < m-1 {
			e[i+1] = r
		}
		d[i+1] = x + p
		c[i], s[i] = ci, si
		x = d[i] - p
		g, f, b = next, si*before, ci*before
		if ff > tiny {
			f = math.Copysign(math.Sqrt(ff), f)
		}
		if i == 0 {
			break
		}
	}
	d[0], e[0] = x, g
}

// tiny is a number below which a square, and what it is multiplied by, may have
// lost bits.
const tiny = 0x1p-900

// givens returns c = g/r and s = f/r with r = √(g²+f²).
func givens(g, f float64) (c, s, r float64) {
	if f == 0 {
		return 1, 0, g
	}
	q := float64(g*g) + float64(f*f)
	if q > tiny {
		r = math.Sqrt(q)
		return g / r, f / r, r
	}
	const up = 0x1p600
	g, f = up*g, up*f
	r = math.Sqrt(float64(g*g) + float64(f*f))
	return g / r, f / r, r / up
}
