package eig

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// leafOrder is the largest order of a tridiagonal matrix that the QL iteration
// solves as a whole; larger ones are divided. Tests change it.
var leafOrder = 32

// dc is the workspace of the divide-and-conquer algorithm for the tridiagonal
// eigenproblem T = Z·diag(d)·Zᵀ (Cuppen, Numer. Math. 36, 1981; Gu and
// Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995).
//
// T is halved until its parts are leaves:
//
//	T = diag(T₁, T₂) + ρ·u·uᵀ,   u = (0 … 0, 1, ±1, 0 … 0)
//
// where ρ is the magnitude of the off-diagonal element between the parts,
// subtracted from the two diagonal elements beside it. The leaves are solved by
// the QL iteration; then, level by level, each pair of neighbours is merged.
//
// Vectors are kept in rows: those of a part are the rows of its block on the
// diagonal of x. Where eigenvalues alone are wanted, the
// first and the last component of each vector are all that is ever needed, and
// kept in ends.
type dc struct {
	n          int
	d, e       []float64  // diagonal and subdiagonal; the eigenvalues of solved parts, row by row
	valuesOnly bool       // vectors are not wanted
	x          mat.Matrix // vectors of the solved parts in rows, in the end of all
	ends       mat.Matrix // or their first and last components, n×2
	packed     mat.Matrix // 2×n: ends of a merge's vectors, rearranged
	y          []float64  // a merge's vectors, rearranged and packed: y[lo·width:hi·width] for rows lo ≤ i < hi
	width      int        // n, and two panels
	order      []int      // rows of a solved part in ascending order of d
	sorted     []int      // rows of a merge in ascending order of d
	kind       []kind     // of the vector in row i
	weight     []float64  // what the tear's vector u is in terms of row i
	rows       []int      // rows that take part in the secular equation, and those that do not
	slot       []int      // place of an entry of rows among the rearranged vectors
	pole, zed  []float64  // the secular equation's d and z
	sigma      []float64  // its roots: sigma + tau
	tau        []float64
	hat        []float64 // the weights of Gu and Eisenstat
	products   []float64 // the chunks' shares of them, maxChunks for each row
	scratch    []float64 // a vector for each chunk
	failed     []int     // by leaf or merge: the row that did not converge, or −1
	qlWork     qlWork

	from, to int     // rows of the block that is being solved
	leaves   int     // of the block, a power of two
	merges   []merge // of one level
}

// kind tells where a part's vector may be other than 0.
type kind uint8

const (
	upper kind = iota // in the first part
	lower             // in the second part
	both
	kinds
)

// solve overwrites d with the eigenvalues of the tridiagonal matrix (d, e), not
// sorted, e with anything, and the rows of c.x with the unit eigenvectors in
// the order of d; or the eigenvalues alone, which takes O(n²) operations. Blocks between negligible elements
// of e are solved one after the other, each scaled by a power of two.
func (c *dc) solve(d, e []float64, valuesOnly bool) error {
	c.d, c.e, c.valuesOnly = d, e, valuesOnly
	c.grow(len(d))
	var err error
	for lo := 0; lo < c.n && err == nil; {
		hi := blockEnd(d, e, lo)
		err = c.solveBlock(lo, hi)
		lo = hi
	}
	c.d, c.e = nil, nil // they are the caller's
	return err
}

// grow sizes the workspace for order n; it allocates only beyond the largest
// order met so far.
func (c *dc) grow(n int) {
	c.n = n
	if c.valuesOnly {
		c.ends = mat.NewDense(n, 2, resize(c.ends.Data, 2*n))
		c.packed = mat.NewDense(2, n, resize(c.packed.Data, 2*n))
	} else {
		c.x = mat.NewDense(n, n, resize(c.x.Data, n*n))
		c.width = n + 2*roundUp(1)
		c.y = resize(c.y, n*c.width)
	}
	for _, v := range []*[]float64{&c.weight, &c.pole, &c.zed, &c.sigma, &c.tau, &c.hat} {
		*v = resize(*v, n)
	}
	for _, v := range []*[]int{&c.order, &c.sorted, &c.rows, &c.slot, &c.failed} {
		*v = resize(*v, n)
	}
	c.kind = resize(c.kind, n)
	c.products = resize(c.products, maxChunks*n)
	c.scratch = resize(c.scratch, maxChunks*n)
	c.merges = resize(c.merges, n)
	c.qlWork.grow(n)
}

// solveBlock solves rows lo ≤ i < hi, whose subdiagonal elements are not
// negligible.
func (c *dc) solveBlock(lo, hi int) error {
	if !c.valuesOnly {
		for i := lo; i < hi; i++ {
			row := c.x.Row(i)
			clear(row[:lo])
			clear(row[hi:])
		}
	}
	if hi-lo == 1 {
		if !c.valuesOnly {
			c.x.Set(lo, lo, 1)
		}
		return nil
	}
	c.from, c.to = lo, hi
	scale := scaleBlock(c.d[lo:hi], c.e[lo:hi-1])
	for c.leaves = 1; c.leaves*max(leafOrder, 2) < hi-lo; {
		c.leaves *= 2
	}
	for i := 1; i < c.leaves; i++ {
		at := c.bound(i, c.leaves)
		rho := math.Abs(c.e[at-1])
		c.d[at-1] -= rho
		c.d[at] -= rho
	}
	mat.Run(c.leaves, (*leaves)(c))
	if err := c.failure(c.leaves, sweepsPerRow*c.n); err != nil {
		return err
	}
	for parts := c.leaves / 2; parts > 0; parts /= 2 {
		for i := range parts {
			c.merges[i] = merge{dc: c, at: i,
				lo: c.bound(i, parts), mid: c.bound(2*i+1, 2*parts), hi: c.bound(i+1, parts), last: parts == 1}
		}
		mat.Run(parts, (*level)(c))
		if err := c.failure(parts, secularSteps); err != nil {
			return err
		}
	}
	scaleBy(c.d[lo:hi], scale)
	return nil
}

// bound returns the row at which part i of the block begins, of so many parts.
func (c *dc) bound(i, parts int) int { return c.from + i*(c.to-c.from)/parts }

// failure returns the error of the first leaf or merge that has failed.
func (c *dc) failure(parts, limit int) error {
	for _, row := range c.failed[:parts] {
		if row >= 0 {
			return &NotConvergedError{Order: c.n, Sweeps: limit, Index: row}
		}
	}
	return nil
}

// leaves does the leaves of a block.
type leaves dc

// Do solves leaf i.
func (l *leaves) Do(i int) {
	c := (*dc)(l)
	lo, hi := c.bound(i, c.leaves), c.bound(i+1, c.leaves)
	var z mat.Matrix
	if c.valuesOnly {
		z = c.ends.Slice(lo, hi, 0, 2)
		z.Fill(0)
		z.Set(0, 0, 1)
		z.Set(hi-lo-1, 1, 1)
	} else {
		z = c.x.Slice(lo, hi, lo, hi)
		z.Fill(0)
		z.Diag().Fill(1)
	}
	c.failed[i] = -1
	at, ok := ql(c.d[lo:hi], c.e[lo:hi-1], z, c.qlWork.part(lo, hi), sweepsPerRow*c.n)
	if !ok {
		c.failed[i] = lo + at
	}
	order := c.order[lo:hi]
	for i := range order {
		order[i] = lo + i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.d[i], c.d[j]) })
}

// level does the merges of a level.
type level dc

// Do does merge i.
func (l *level) Do(i int) { l.merges[i].run() }

// merge joins two solved parts, rows lo ≤ i < mid and mid ≤ i < hi. With Q the
// vectors of both parts in columns, D their eigenvalues,
//
//	T = Q·(D + ρ·w·wᵀ)·Qᵀ,   w = Qᵀ·u
//
// What remains of D and w after deflation is a secular equation; its vectors S
// make Q·S those of T. In rows that is Sᵀ·Qᵀ, and the first part's columns of
// Qᵀ are 0 in the rows of the second part: rows are rearranged by kind, so that
// products leave the zeros out.
type merge struct {
	*dc
	at          int // number among the merges of its level
	lo, mid, hi int
	last        bool // of its block

	rho   float64    // of unit w
	k     int        // rows in the secular equation: rows[lo:lo+k]
	count [kinds]int // of them
	parts int        // into which the work on roots and rows is cut
}

// maxChunks is the largest number of chunks of a merge.
const maxChunks = 16

// chunkOrder is the order of a merge for each chunk.
const chunkOrder = 32

func (m *merge) run() {
	m.failed[m.at] = -1
	m.tear()
	m.sortParts()
	m.deflate()
	m.arrange()
	m.parts = max(1, min(maxChunks, (m.hi-m.lo)/chunkOrder))
	mat.Run(m.parts, (*roots)(m))
	if j := slices.IndexFunc(m.tau[m.lo:m.lo+m.k], math.IsNaN); j >= 0 {
		m.failed[m.at] = m.lo + j
		return
	}
	m.multiply()
	m.store()
}

// tear sets the weights w, of length 1, and ρ.
func (m *merge) tear() {
	beta := m.e[m.mid-1]
	m.rho = 2 * math.Abs(beta)
	half := math.Sqrt2 / 2
	for i := m.lo; i < m.mid; i++ {
		m.weight[i], m.kind[i] = half*m.end(i, 1), upper
	}
	half = math.Copysign(half, beta)
	for i := m.mid; i < m.hi; i++ {
		m.weight[i], m.kind[i] = half*m.end(i, 0), lower
	}
}

// end returns the component of vector i that is next to the tear: the last one
// of its part for the first part's vectors (side 1), else the first one (side 0).
// Of ends it is cleared, since the merged part has it no more.
func (m *merge) end(i, side int) float64 {
	if !m.valuesOnly {
		return m.x.At(i, m.mid-side)
	}
	row := m.ends.Row(i)
	x := row[side]
	row[side] = 0
	return x
}

// sortParts merges the ascending orders of the two parts.
func (m *merge) sortParts() {
	mergeSorted(m.sorted[m.lo:m.hi], m.order[m.lo:m.mid], m.order[m.mid:m.hi], m.d)
}

// mergeSorted merges a and b, indices of d in ascending order of it.
func mergeSorted(dst, a, b []int, d []float64) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && d[a[0]] <= d[b[0]] {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// deflate finds the rows that are eigenvectors already, within the error that
// rounding brings anyway: those whose weight is negligible and, after a rotation
// that makes its weight 0, one of two whose eigenvalues are close (Dongarra and
// Sorensen, SIAM J. Sci. Stat. Comput. 8, 1987). rows[lo:lo+k] become the rows
// that are left, rows[lo+k:hi] the deflated ones, both in ascending order.
func (m *merge) deflate() {
	var largest, heaviest float64
	for i := m.lo; i < m.hi; i++ {
		largest = max(largest, math.Abs(m.d[i]))
		heaviest = max(heaviest, math.Abs(m.weight[i]))
	}
	tol := 8 * unit * max(largest, m.rho*heaviest)
	m.k = 0
	tail := m.hi // deflated rows, from the end, descending
	drop := func(row int) {
		tail--
		at := tail
		for ; at+1 < m.hi && m.d[m.rows[at+1]] > m.d[row]; at++ {
			m.rows[at] = m.rows[at+1]
		}
		m.rows[at] = row
	}
	previous := -1
	for _, row := range m.sorted[m.lo:m.hi] {
		switch {
		case !(m.rho*math.Abs(m.weight[row]) > tol):
			drop(row)
			continue
		case previous >= 0 && m.rotate(previous, row, tol):
			drop(previous)
		case previous >= 0:
			m.rows[m.lo+m.k] = previous
			m.k++
		}
		previous = row
	}
	if previous >= 0 {
		m.rows[m.lo+m.k] = previous
		m.k++
	}
	slices.Reverse(m.rows[m.lo+m.k : m.hi])
}

// rotate moves the weight of row i to row j if what that leaves between them is
// at most tol, and reports whether it does. d[i] ≤ d[j].
func (m *merge) rotate(i, j int, tol float64) bool {
	wi, wj := m.weight[i], m.weight[j]
	length := math.Hypot(wi, wj)
	c, s := wj/length, -wi/length
	gap := m.d[j] - m.d[i]
	if !(math.Abs(gap*c*s) <= tol) {
		return false
	}
	m.weight[i], m.weight[j] = 0, length
	shift := gap * s * s
	m.d[i] += shift
	m.d[j] -= shift
	if m.valuesOnly {
		asm.Rotate(m.ends.Row(i), m.ends.Row(j), c, s)
		return true
	}
	if m.kind[i] != m.kind[j] {
		m.widen(i)
		m.widen(j)
	}
	a, b := m.columns(m.kind[i])
	asm.Rotate(m.x.Row(i)[a:b], m.x.Row(j)[a:b], c, s)
	return true
}

// columns returns the range in which a vector may be other than 0.
func (m *merge) columns(k kind) (from, to int) {
	switch k {
	case upper:
		return m.lo, m.mid
	case lower:
		return m.mid, m.hi
	}
	return m.lo, m.hi
}

// widen fills the other part of row i with zeros.
func (m *merge) widen(i int) {
	switch m.kind[i] {
	case upper:
		clear(m.x.Row(i)[m.mid:m.hi])
	case lower:
		clear(m.x.Row(i)[m.lo:m.mid])
	}
	m.kind[i] = both
}

// arrange gives the rows of the secular equation their places: the upper ones
// first, then both, then the lower ones.
func (m *merge) arrange() {
	m.count = [kinds]int{}
	for _, row := range m.rows[m.lo : m.lo+m.k] {
		m.count[m.kind[row]]++
	}
	next := [kinds]int{upper: 0, both: m.count[upper], lower: m.count[upper] + m.count[both]}
	for i, row := range m.rows[m.lo : m.lo+m.k] {
		at := m.lo + i
		m.slot[at] = next[m.kind[row]]
		next[m.kind[row]]++
		m.pole[at], m.zed[at] = m.d[row], m.weight[row]
	}
}

// gathered returns the three parts of the rearranged vectors: the first part's
// columns of those that are upper or both and the second part's columns of those
// that are both or lower, with so many rows and packed for mulPacked, and the deflated vectors as a whole.
func (m *merge) gathered() (first, second []float64, firsts, seconds int, deflated mat.Matrix) {
	space := m.y[m.lo*m.width : m.hi*m.width]
	firsts, seconds = m.count[upper]+m.count[both], m.count[both]+m.count[lower]
	first, space = space[:firsts*roundUp(m.mid-m.lo)], space[firsts*roundUp(m.mid-m.lo):]
	second, space = space[:seconds*roundUp(m.hi-m.mid)], space[seconds*roundUp(m.hi-m.mid):]
	size := m.hi - m.lo
	return first, second, firsts, seconds, mat.NewDense(size-m.k, size, space[:(size-m.k)*size])
}

// gather copies the vectors of rows[lo+i] for from ≤ i < to.
func (m *merge) gather(from, to int) {
	if m.valuesOnly {
		for i := m.lo + from; i < m.lo+to; i++ {
			row, at := m.ends.Row(m.rows[i]), i
			if i < m.lo+m.k {
				at = m.lo + m.slot[i]
			}
			m.packed.Row(0)[at], m.packed.Row(1)[at] = row[0], row[1]
		}
		return
	}
	first, second, firsts, seconds, deflated := m.gathered()
	for i := from; i < to; i++ {
		row := m.rows[m.lo+i]
		src := m.x.Row(row)
		if i >= m.k {
			m.widen(row)
			copy(deflated.Row(i-m.k), src[m.lo:m.hi])
			continue
		}
		at := m.slot[m.lo+i]
		if m.kind[row] != lower {
			packRow(first, at, firsts, src[m.lo:m.mid])
		}
		if m.kind[row] != upper {
			packRow(second, at-m.count[upper], seconds, src[m.mid:m.hi])
		}
	}
}

// chunk returns the range of n things that belong to part i.
func (m *merge) chunk(i, n int) (from, to int) { return i * n / m.parts, (i + 1) * n / m.parts }

// equation returns the secular equation.
func (m *merge) equation() secular {
	return secular{m.pole[m.lo : m.lo+m.k], m.zed[m.lo : m.lo+m.k], 1 / m.rho}
}

// roots finds the roots of a merge's secular equation.
type roots merge

// Do finds the roots of part i, and their factors of the weights of Gu and
// Eisenstat; and it gathers some of the vectors.
func (r *roots) Do(i int) {
	m := (*merge)(r)
	from, to := m.chunk(i, m.hi-m.lo)
	m.gather(from, to)
	f := m.equation()
	product := m.product(i)
	for j := range product {
		product[j] = 1
	}
	from, to = m.chunk(i, m.k)
	for j := from; j < to; j++ {
		pole, tau, ok := f.root(j)
		if !ok {
			tau = math.NaN() // seen when all parts have ended
		}
		dj, sigma := f.d[j], f.d[pole]
		m.sigma[m.lo+j], m.tau[m.lo+j] = sigma, tau
		asm.PoleRatios(product[:j], f.d[:j], sigma, tau, dj)
		product[j] *= (dj - sigma) - tau
		asm.PoleRatios(product[j+1:], f.d[j+1:], sigma, tau, dj)
	}
}

// product returns part i's factors of the weights.
func (m *merge) product(i int) []float64 {
	return m.products[m.lo*maxChunks+i*m.k:][:m.k]
}

// weights finds the weights for which the roots, as they were computed, are
// exact: ẑ[i]² = Π (d[i]−λ[j]) / Π (d[i]−d[j]), up to a factor (Löwner's
// formula). With them the vectors are orthogonal however close the roots are
// (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994). What the vectors are made of, d and ẑ,
// it leaves in weight and zed, rearranged as they are.
func (m *merge) weights() {
	hat := m.hat[m.lo : m.lo+m.k]
	copy(hat, m.product(0))
	for i := 1; i < m.parts; i++ {
		asm.MulTo(hat, hat, m.product(i))
	}
	for i, p := range hat {
		hat[i] = math.Copysign(math.Sqrt(math.Abs(p)), m.zed[m.lo+i])
	}
	for i, at := range m.slot[m.lo : m.lo+m.k] {
		m.weight[m.lo+at], m.zed[m.lo+at] = m.pole[m.lo+i], hat[i]
	}
}

// vectors makes the vectors of the merged part.
type vectors merge

// vectorsOf is how many vectors part i makes at most, of a secular equation of order k.
func vectorsOf(k int) int { return min(64, max(minVectors, vectorNumbers/max(1, k)&^7)) }

// Do forms some rows of Sᵀ, and their products with the rearranged vectors while they are in the cache.
func (v *vectors) Do(i int) {
	m := (*merge)(v)
	from := i * vectorsOf(m.k)
	to := min(from+vectorsOf(m.k), m.k)
	ld := (m.k+7)&^7 | 8 // rows that lie apart in the cache
	buffer := mat.Borrow((to - from) * ld)
	s := mat.Matrix{Rows: to - from, Cols: m.k, RowStride: ld, ColStride: 1, Data: *buffer}
	for j := range s.Rows {
		row := s.Row(j)
		asm.Scale(row, m.vector(row, from+j), row)
	}
	first, second, firsts, seconds, _ := m.gathered()
	x := m.x.Slice(m.lo+from, m.lo+to, m.lo, m.hi)
	mulPacked(x.Data, x.RowStride, 1, s.Data, ld, first, 0, x.Rows, m.mid-m.lo, firsts)
	mulPacked(x.Data[m.mid-m.lo:], x.RowStride, 1, s.Data[m.k-seconds:], ld, second, 0, x.Rows, m.hi-m.mid, seconds)
	mat.GiveBack(buffer)
}

// vector sets v to vector j of the secular equation, and returns what makes its length 1.
func (m *merge) vector(v []float64, j int) float64 {
	return 1 / math.Sqrt(asm.PoleVector(v, m.zed[m.lo:], m.weight[m.lo:], m.sigma[m.lo+j], m.tau[m.lo+j]))
}

// endsOf finds the ends of the vectors of the merged part.
type endsOf merge

// Do finds those of part i.
func (e *endsOf) Do(i int) {
	m := (*merge)(e)
	from, to := m.chunk(i, m.k)
	row := m.scratch[m.lo*maxChunks+i*m.k:][:m.k]
	for j := from; j < to; j++ {
		scale := m.vector(row, j)
		ends := m.ends.Row(m.lo + j)
		for side := range ends {
			ends[side] = scale * asm.Dot(row, m.packed.Row(side)[m.lo:])
		}
	}
}

// multiply forms the vectors of the merged part and brings the deflated ones
// back.
func (m *merge) multiply() {
	if m.valuesOnly {
		if !m.last {
			m.weights()
			mat.Run(m.parts, (*endsOf)(m))
		}
		mat.Copy(m.ends.Slice(m.lo+m.k, m.hi, 0, 2), m.packed.Slice(0, 2, m.lo+m.k, m.hi).T())
		return
	}
	m.weights()
	step := vectorsOf(m.k)
	mat.Run((m.k+step-1)/step, (*vectors)(m))
	_, _, _, _, deflated := m.gathered()
	mat.Copy(m.x.Slice(m.lo+m.k, m.hi, m.lo, m.hi), deflated)
}

// store writes the eigenvalues of the merged part in the order of its vectors,
// and their ascending order.
func (m *merge) store() {
	roots, deflated := m.hat[m.lo:m.lo+m.k], m.hat[m.lo+m.k:m.hi]
	for j := range roots {
		roots[j] = m.sigma[m.lo+j] + m.tau[m.lo+j]
	}
	for i := range deflated {
		deflated[i] = m.d[m.rows[m.lo+m.k+i]]
	}
	copy(m.d[m.lo:m.hi], m.hat[m.lo:m.hi])
	for i := m.lo; i < m.hi; i++ {
		m.sorted[i] = i
	}
	mergeSorted(m.order[m.lo:m.hi], m.sorted[m.lo:m.lo+m.k], m.sorted[m.lo+m.k:m.hi], m.d)
}
