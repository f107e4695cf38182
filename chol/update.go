package chol

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Update replaces the factor of A by that of A + x·xᵀ, where x has as many
// numbers as A has rows, and leaves x as it is. Work: 3n² operations; nothing is
// allocated after the first call. A non-finite x[i] gives a *[NonFiniteError] for (i, 0); a diagonal
// that overflows a *[NotPositiveDefiniteError]. After an error the factor is what
// it was, to the last bit.
//
// Method: plane rotations of the columns of L with x, which becomes 0 (Gill,
// Golub, Murray and Saunders, Mathematics of Computation 28, 1974; LINPACK's
// DCHUD), row by row.
func (f *Factor) Update(x []float64) error {
	return f.modify("Update", x, plane)
}

// Downdate replaces the factor of A by that of A − x·xᵀ; otherwise it is
// [Factor.Update]. If A − x·xᵀ is not positive definite in floating point the
// error is a *[NotPositiveDefiniteError] with the first pivot of A − x·xᵀ that is
// not positive.
//
// Method: hyperbolic rotations in mixed form, where an element of x is formed
// from the new element of L (Bojanczyk, Brent, Van Dooren and de Hoog, SIAM J.
// Sci. Stat. Comput. 8, 1987). Errors are those of the problem: near a singular
// A − x·xᵀ a relative change ε of L moves the new factor by ε/(1 − xᵀA⁻¹x).
func (f *Factor) Downdate(x []float64) error {
	return f.modify("Downdate", x, hyperbolic)
}

// A rotation takes the elements l of a column of L and v of x to
//
//	(c·l + s·v, c·v − s·l)              plane
//	l' = (l − s·v)·d, (l', c·v − s·l')  hyperbolic, d = 1/c
type rotation struct{ c, s, d float64 }

// kind is the kind of the rotations of a sweep.
type kind bool

const (
	plane      kind = false
	hyperbolic kind = true
)

// rowsTogether is the number of rows that a sweep goes through side by side: each
// of them is a chain in which one step waits for the one before.
const rowsTogether = 4

// modify sweeps over the rows of L. Row i takes the rotations of the rows before
// it, then makes its own. The old rows are kept until no row can fail.
func (f *Factor) modify(op string, x []float64, by kind) error {
	f.check(op)
	n := f.l.Rows
	if len(x) != n {
		panic(text.Sprintf("chol: %s: factor %d×%d and vector of %d numbers do not fit", op, n, n, len(x)))
	}
	if mat.Overlap(mat.Vector(x), f.l) {
		panic(text.Sprintf("chol: %s: the vector of %d numbers overlaps the %d×%d factor's storage", op, n, n, n))
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &NonFiniteError{Row: i, Value: v}
		}
	}
	if cap(f.rotations) < n {
		f.rotations = make([]rotation, n)
	}
	q := f.rotations[:n]
	buffer := mat.Borrow(n * (n + 1) / 2)
	defer mat.GiveBack(buffer)
	old := *buffer
	for i0 := 0; i0 < n; i0 += rowsTogether {
		var v [rowsTogether]float64
		m := copy(v[:], x[i0:])
		for i := i0; i < i0+m; i++ {
			copy(old[i*(i+1)/2:], f.l.Row(i)[:i+1])
		}
		if m == rowsTogether {
			by.rotateRows(q[:i0], f.l.Row(i0), f.l.Row(i0+1), f.l.Row(i0+2), f.l.Row(i0+3), &v)
		} else {
			for r := range m {
				v[r] = by.rotateRow(q[:i0], f.l.Row(i0+r), v[r])
			}
		}
		for r := range m {
			i := i0 + r
			row := f.l.Row(i)
			v[r] = by.rotateRow(q[i0:i], row[i0:], v[r])
			var pivot float64
			q[i], row[i], pivot = by.generate(row[i], v[r])
			if !(row[i] > 0) || pivot > math.MaxFloat64 {
				for k := range i0 + m {
					copy(f.l.Row(k), old[k*(k+1)/2:][:k+1])
				}
				return &NotPositiveDefiniteError{Index: i, Pivot: pivot}
			}
		}
	}
	return nil
}

// generate returns the rotation that makes v zero, and what becomes of l: a diagonal,
// the root of the pivot, that is 0 where there is none.
func (by kind) generate(l, v float64) (q rotation, diagonal, pivot float64) {
	if by == plane {
		h := math.Hypot(l, v)
		return rotation{c: l / h, s: v / h}, h, h * h
	}
	less, more := l-math.Abs(v), l+math.Abs(v)
	if !(less > 0) {
		return rotation{}, 0, less * more
	}
	pivot = less * more
	diagonal = math.Sqrt(pivot)
	if pivot < 0x1p-1000 { // subnormal, or nearly
		diagonal = math.Sqrt(less) * math.Sqrt(more)
	}
	return rotation{c: diagonal / l, s: v / l, d: l / diagonal}, diagonal, pivot
}

// rotateRow applies rotations to the first elements of a row and to v, and returns
// what becomes of v.
func (by kind) rotateRow(q []rotation, row []float64, v float64) float64 {
	row = row[:len(q)]
	if by == plane {
		for k, l := range row {
			c, s := q[k].c, q[k].s
			row[k] = float64(c*l) + float64(s*v)
			v = float64(c*v) - float64(s*l)
		}
		return v
	}
	for k, l := range row {
		c, s, d := q[k].c, q[k].s, q[k].d
		l = (l - float64(s*v)) * d
		row[k] = l
		v = float64(c*v) - float64(s*l)
	}
	return v
}

// rotateRows is rotateRow for four rows.
func (by kind) rotateRows(q []rotation, r0, r1, r2, r3 []float64, v *[rowsTogether]float64) {
	n := len(q)
	r0, r1, r2, r3 = r0[:n], r1[:n], r2[:n], r3[:n]
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	if by == plane {
		for k := range q {
			c, s := q[k].c, q[k].s
			l0, l1, l2, l3 := r0[k], r1[k], r2[k], r3[k]
			r0[k], v0 = float64(c*l0)+float64(s*v0), float64(c*v0)-float64(s*l0)
			r1[k], v1 = float64(c*l1)+float64(s*v1), float64(c*v1)-float64(s*l1)
			r2[k], v2 = float64(c*l2)+float64(s*v2), float64(c*v2)-float64(s*l2)
			r3[k], v3 = float64(c*l3)+float64(s*v3), float64(c*v3)-float64(s*l3)
		}
	} else {
		for k := range q {
			c, s, d := q[k].c, q[k].s, q[k].d
			l0, l1 := (r0[k]-float64(s*v0))*d, (r1[k]-float64(s*v1))*d
			l2, l3 := (r2[k]-float64(s*v2))*d, (r3[k]-float64(s*v3))*d
			r0[k], r1[k], r2[k], r3[k] = l0, l1, l2, l3
			v0, v1 = float64(c*v0)-float64(s*l0), float64(c*v1)-float64(s*l1)
			v2, v3 = float64(c*v2)-float64(s*l2), float64(c*v3)-float64(s*l3)
		}
	}
	*v = [rowsTogether]float64{v0, v1, v2, v3}
}
