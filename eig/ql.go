package eig

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// sweepsPerRow limits the QL iteration to that many sweeps for each row of the
// matrix; about 1.7 are needed. Tests lower it.
var sweepsPerRow = 30

// unit is the relative size of a subdiagonal element that is taken for zero:
// the unit roundoff.
const unit = 0x1p-53

// stalled makes no subdiagonal element negligible, as a fault in the rotations
// might. Tests set it.
var stalled = false

// ql reduces the tridiagonal matrix (s.d, s.e) to the diagonal s.d by the
// implicit QL iteration with Wilkinson's shift (Dubrulle, Martin and Wilkinson,
// Numer. Math. 12, 1968; Parlett, "The Symmetric Eigenvalue Problem", chapter
// 8), and records the rotations. Blocks between negligible subdiagonal elements
// are treated one after the other.
func (s *Solver) ql() error {
	n := s.n
	budget := sweepsPerRow * n
	for lo := 0; lo < n; {
		hi := lo
		for hi < n-1 && math.Abs(s.e[hi]) > unit*math.Sqrt(math.Abs(s.d[hi]))*math.Sqrt(math.Abs(s.d[hi+1])) {
			hi++
		}
		if at, ok := s.qlBlock(lo, hi, &budget); !ok {
			return &NotConvergedError{Order: n, Sweeps: sweepsPerRow * n, Index: at}
		}
		lo = hi + 1
	}
	return nil
}

// qlBlock diagonalises rows lo to hi. It scales them so that their largest
// element is about 1, and turns the block round if the larger end is the upper
// one: QL finds the upper end's eigenvalues first and wants them small. Where
// budget sweeps are not enough it returns the row it was isolating.
func (s *Solver) qlBlock(lo, hi int, budget *int) (row int, ok bool) {
	if lo == hi {
		return 0, true
	}
	d, e := s.d[lo:hi+1], s.e[lo:hi]
	var largest float64
	for _, x := range d {
		largest = max(largest, math.Abs(x))
	}
	for _, x := range e {
		largest = max(largest, math.Abs(x))
	}
	_, scale := math.Frexp(largest)
	scaleBy(d, -scale)
	scaleBy(e, -scale)
	if math.Abs(d[len(d)-1]) < math.Abs(d[0]) {
		slices.Reverse(d)
		slices.Reverse(e)
		s.rotations.flip(lo, hi)
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
			return lo + l, false
		}
		*budget--
		sweep(d[l:m+1], e[l:m], s.rotations.sweep(lo+l, lo+m))
	}
	scaleBy(d, scale)
	return 0, true
}

func scaleBy(x []float64, exponent int) {
	for i := range x {
		x[i] = math.Ldexp(x[i], exponent)
	}
}

// negligible reports whether the subdiagonal element e between a and b is small
// enough to be taken for zero, in a block whose largest element is about 1.
func negligible(e, a, b float64) bool {
	return !stalled && float64(e*e) <= float64(unit*math.Abs(a))*float64(unit*math.Abs(b))+0x1p-1022
}

// sweep is one QL step with the shift nearest to d[0] of the leading 2×2
// block's eigenvalues: rotations in the planes (i, i+1) for i = len(e)−1 down
// to 0, where rot[i] rotates plane i.
func sweep(d, e []float64, rot []rotation) {
	m := len(e)
	g := (d[1] - d[0]) / (2 * e[0])
	g = d[m] - d[0] + e[0]/(g+math.Copysign(math.Hypot(g, 1), g))
	c, sn, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= 0; i-- {
		f, b := sn*e[i], c*e[i]
		var r float64
		c, sn, r = givens(g, f)
		if i < m-1 {
			e[i+1] = r
		}
		g = d[i+1] - p
		r = float64((d[i]-g)*sn) + float64(2*c*b)
		p = sn * r
		d[i+1] = g + p
		g = float64(c*r) - b
		rot[i] = rotation{c, sn}
	}
	d[0] -= p
	e[0] = g
}

// givens returns c = g/r and s = f/r with r = √(g²+f²).
func givens(g, f float64) (c, s, r float64) {
	if f == 0 {
		return 1, 0, g
	}
	q := float64(g*g) + float64(f*f)
	if q > 0x1p-900 {
		r = math.Sqrt(q)
		return g / r, f / r, r
	}
	const up = 0x1p600
	g, f = up*g, up*f
	r = math.Sqrt(float64(g*g) + float64(f*f))
	return g / r, f / r, r / up
}

// rotation is a plane rotation of columns i and i+1:
//
//	(zᵢ, zᵢ₊₁) ← (c·zᵢ − s·zᵢ₊₁, s·zᵢ + c·zᵢ₊₁)
type rotation struct{ c, s float64 }

// rotations collects the sweeps that are to be applied to the columns of z, so
// that a few rows of z meet many sweeps while they are in the nearest cache.
// Every row is treated alike and alone, so rows run in parallel. Between finish
// and start nothing is recorded.
type rotations struct {
	z       mat.Matrix
	record  bool
	list    []rotation
	steps   []step
	scratch []rotation // of a sweep that is not recorded

	rowsPart func(block int) // set once, so that a parallel call does not allocate
}

// step is a sweep over columns lo to hi, list[at+i] for the plane (lo+i,
// lo+i+1); or, if at < 0, the reversal of those columns.
type step struct{ lo, hi, at int }

// rotationLimit is the length that the list may reach before it is applied
// (256 KiB). Tests change it.
var rotationLimit = 1 << 14

// rowBlock is the number of rows of one parallel part.
const rowBlock = 16

// start begins a list for z.
func (r *rotations) start(z mat.Matrix) {
	r.z, r.record = z, true
	r.list, r.steps = r.list[:0], r.steps[:0]
}

// finish applies what is left and lets go of z.
func (r *rotations) finish() {
	r.apply()
	r.z, r.record = mat.Matrix{}, false
}

// flip records the reversal of columns lo to hi.
func (r *rotations) flip(lo, hi int) {
	if r.record {
		r.steps = append(r.steps, step{lo, hi, -1})
	}
}

// sweep returns room for the hi−lo rotations of a sweep over columns lo to hi.
func (r *rotations) sweep(lo, hi int) []rotation {
	if !r.record {
		r.scratch = resize(r.scratch, hi-lo)
		return r.scratch
	}
	if len(r.list)+hi-lo > rotationLimit {
		r.apply()
	}
	at := len(r.list)
	r.list = slices.Grow(r.list, hi-lo)[:at+hi-lo]
	r.steps = append(r.steps, step{lo, hi, at})
	return r.list[at:]
}

// apply applies the list to z and empties it.
func (r *rotations) apply() {
	if r.rowsPart == nil {
		r.rowsPart = func(block int) {
			i0 := block * rowBlock
			r.applyRows(i0, min(i0+rowBlock, r.z.Rows))
		}
	}
	if len(r.steps) > 0 {
		mat.Parallel((r.z.Rows+rowBlock-1)/rowBlock, r.rowsPart)
	}
	r.list, r.steps = r.list[:0], r.steps[:0]
}

// applyRows applies the list to rows i0 to i1−1 of z, four at a time.
func (r *rotations) applyRows(i0, i1 int) {
	for ; i0 < i1; i0 += 4 {
		rows := min(4, i1-i0)
		for _, st := range r.steps {
			row := func(i int) []float64 { return r.z.Row(i0 + i)[st.lo : st.hi+1] }
			switch {
			case st.at < 0:
				for i := range rows {
					slices.Reverse(row(i))
				}
			case rows == 4:
				rotate4(row(0), row(1), row(2), row(3), r.list[st.at:st.at+st.hi-st.lo])
			default:
				for i := range rows {
					rotate(row(i), r.list[st.at:st.at+st.hi-st.lo])
				}
			}
		}
	}
}

// rotate applies a sweep to one row: rot[i] to elements i and i+1, from the
// last to the first.
func rotate(z []float64, rot []rotation) {
	n := len(rot)
	z = z[:n+1]
	f := z[n]
	for i := n - 1; i >= 0; i-- {
		c, s := rot[i].c, rot[i].s
		h := z[i]
		z[i+1] = float64(s*h) + float64(c*f)
		f = float64(c*h) - float64(s*f)
	}
	z[0] = f
}

// rotate4 is rotate for four rows at once, whose chains of operations do not
// wait for one another.
func rotate4(z0, z1, z2, z3 []float64, rot []rotation) {
	n := len(rot)
	z0, z1, z2, z3 = z0[:n+1], z1[:n+1], z2[:n+1], z3[:n+1]
	f0, f1, f2, f3 := z0[n], z1[n], z2[n], z3[n]
	for i := n - 1; i >= 0; i-- {
		c, s := rot[i].c, rot[i].s
		h0, h1, h2, h3 := z0[i], z1[i], z2[i], z3[i]
		z0[i+1] = float64(s*h0) + float64(c*f0)
		z1[i+1] = float64(s*h1) + float64(c*f1)
		z2[i+1] = float64(s*h2) + float64(c*f2)
		z3[i+1] = float64(s*h3) + float64(c*f3)
		f0 = float64(c*h0) - float64(s*f0)
		f1 = float64(c*h1) - float64(s*f1)
		f2 = float64(c*h2) - float64(s*f2)
		f3 = float64(c*h3) - float64(s*f3)
	}
	z0[0], z1[0], z2[0], z3[0] = f0, f1, f2, f3
}
