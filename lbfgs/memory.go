package lbfgs

// curvatureFloor is the least cosine of the angle between s and y for which a pair
// is kept. Rounding alone makes cosines of this size; exact pairs of a function
// whose Hessian has condition number κ stay above about 2/√κ.
const curvatureFloor = 0x1p-50

// pair is a step s, the change y of the gradient along it, and 1/sᵀy; alpha is
// scratch of the two-loop recursion.
type pair struct {
	s, y       []float64
	rho, alpha float64
}

// memory holds up to limit pairs, oldest first, and the scale γ of the initial
// inverse Hessian γ·I. Entries of pairs beyond used are storage to reuse.
type memory struct {
	pairs []pair
	used  int
	limit int
	gamma float64
	spare pair // the candidate for the next place
}

// add stores the pair (x₊ − x, g₊ − g), over the oldest one if the memory is full,
// or leaves it out if its curvature is not positive beyond rounding.
func (m *memory) add(x, xNext, g, gNext []float64) {
	p := &m.spare
	p.s, p.y = resize(p.s, len(x)), resize(p.y, len(x))
	for i := range x {
		p.s[i], p.y[i] = xNext[i]-x[i], gNext[i]-g[i]
	}
	sy, normS, normY := dot(p.s, p.y), norm2(p.s), norm2(p.y)
	rho, gamma := 1/sy, sy/normY/normY
	if !(sy > curvatureFloor*normS*normY) || !finite(rho) || !(gamma > 0) || !finite(gamma) {
		return
	}
	p.rho, m.gamma = rho, gamma
	newest := m.slot(len(x))
	*newest, m.spare = m.spare, *newest
}

// slot returns the storage, of n entries each, for the newest pair.
func (m *memory) slot(n int) *pair {
	if m.used == m.limit {
		oldest := m.pairs[0]
		copy(m.pairs, m.pairs[1:m.used])
		m.pairs[m.used-1] = oldest
		return &m.pairs[m.used-1]
	}
	if m.used == len(m.pairs) {
		m.pairs = append(m.pairs, pair{})
	}
	p := &m.pairs[m.used]
	p.s, p.y = resize(p.s, n), resize(p.y, n)
	m.used++
	return p
}

// direction writes d = −H·g by the two-loop recursion (Nocedal 1980; Nocedal &
// Wright 2006, algorithm 7.4).
func (m *memory) direction(d, g []float64) {
	copy(d, g)
	pairs := m.pairs[:m.used]
	for i := len(pairs) - 1; i >= 0; i-- {
		p := &pairs[i]
		p.alpha = p.rho * dot(p.s, d)
		addScaled(d, -p.alpha, p.y)
	}
	for i := range d {
		d[i] *= m.gamma
	}
	for i := range pairs {
		p := &pairs[i]
		beta := p.rho * dot(p.y, d)
		addScaled(d, p.alpha-beta, p.s)
	}
	for i := range d {
		d[i] = -d[i]
	}
}

// resize returns a slice of length n, v's storage if that suffices.
func resize(v []float64, n int) []float64 {
	if cap(v) < n || v == nil {
		return make([]float64, n)
	}
	return v[:n]
}
