package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// psi2Sum is Ψ2 summed over many examples, and its gradient.
//
// With C_nq = ½(1/ℓ_q² − a_nq) = S·a/ℓ² and u_nk, which holds what depends on k
// alone and half of what depends on n alone, the exponent of example n at the pair
// (k, j) of inducing points is
//
//	Σ_q C_nq·z_kq·z_jq + u_nk + u_nj
//
// so that with pairs as rows and examples as columns it is one product of depth
// d_ξ + 1, with u_nk as its last row, and one addition that the exponential takes
// along. The gradient is two further products of the same size: E·Cᵀ for the inducing
// points, and, with ĝ = ∂L/∂E of each pair, (ĝ·z·z)ᵀ·E for the examples.
//
// Of the symmetric pairs only j ≤ k are formed. Row k of that triangle is short and row
// m_ξ−1−k long: the two together are a tile of m_ξ+1 pairs times blockExamples examples,
// the same size for all. Exponentials live in such a tile only; the gradient computes
// them again, which costs less than to write and read n_ξ·m_ξ² numbers.
//
// Work is divided into parts by shape: chunks of examples, and groups of tiles. What a
// part adds to an example belongs to its group, what it adds to a pair to its chunk; the
// groups' and chunks' sums are added in order.
type psi2Sum struct {
	ps             *psiStatistics
	mu, s          mat.Matrix // n×d_ξ
	chunks, groups int
	u, c           []float64 // u (m_ξ rows) and C (d_ξ rows), block of examples by block

	sums []float64 // Ψ2's pairs, tile by tile, for each chunk

	g       mat.Matrix // ∂L/∂Ψ2
	dmu, ds mat.Matrix
	du      []float64      // ∂L/∂u like u, for each group
	cross   []float64      // Σ over pairs of ĝ·E·z_k·z_j like c, for each group
	dz      []float64      // m_ξ×d_ξ, for each part
	finals  []*psiGradient // for each chunk
}

const (
	blockExamples = 144 // a multiple of the width of every register tile
	chunkExamples = 512 // as many as one chunk has at least, if there are more
	pairChunks    = 16  // at most
	pairParts     = 8   // at least
)

// A tile is two rows of the lower triangle of pairs: first the pairs (long, j) for
// j ≤ long, then (short, j) for j ≤ short. In the middle of an odd number of rows there
// is no short one: −1.
type tile struct{ long, short int }

func tileAt(t, m int) tile {
	if t == m-1-t {
		return tile{t, -1}
	}
	return tile{m - 1 - t, t}
}

func (t tile) pairs() int { return t.long + 1 + t.short + 1 }

// pair returns the inducing points of row i of the tile.
func (t tile) pair(i int) (k, j int) {
	if i <= t.long {
		return t.long, i
	}
	return t.short, i - t.long - 1
}

// psi2 sets dst (m_ξ×m_ξ, symmetric) to Ψ2, summed over the rows of mu and s
// (n×d_ξ).
func (ps *psiStatistics) psi2(dst, mu, s mat.Matrix) {
	p := &ps.sum
	p.prepare(ps, mu, s)
	m := ps.z.Rows
	p.sums = zeros(p.sums, p.chunks*p.tiles()*(m+1))
	mat.Run(p.chunks*p.groups, (*psi2Forward)(p))
	size := p.tiles() * (m + 1)
	for c := 1; c < p.chunks; c++ {
		asm.Axpy(1, p.sums[c*size:(c+1)*size], p.sums[:size])
	}
	for i := range p.tiles() {
		t := tileAt(i, m)
		for r := range t.pairs() {
			k, j := t.pair(r)
			dst.Set(k, j, p.sums[i*(m+1)+r])
		}
	}
	mat.MirrorLower(dst)
}

// psi2Backward adds the derivatives of Σ g∘Ψ2 to grad and to dmu and ds
// (n×d_ξ), given the symmetric g = ∂L/∂Ψ2. psi2 must have been called before, with the
// same mu and s.
func (ps *psiStatistics) psi2Backward(grad *psiGradient, dmu, ds, g, mu, s mat.Matrix) {
	p := &ps.sum
	n, m, d := mu.Rows, ps.z.Rows, ps.z.Cols
	p.g, p.mu, p.s, p.dmu, p.ds = g, mu, s, dmu, ds
	p.du = zeros(p.du, p.groups*n*m)
	p.cross = zeros(p.cross, p.groups*n*d)
	p.dz = zeros(p.dz, p.chunks*p.groups*m*d)
	mat.Run(p.chunks*p.groups, (*psi2Backward)(p))
	for len(p.finals) < p.chunks {
		p.finals = append(p.finals, newPsiGradient(m, d))
	}
	mat.Run(p.chunks, (*psi2Finish)(p))
	for i := range p.chunks * p.groups {
		asm.Axpy(1, p.dz[i*m*d:(i+1)*m*d], grad.z.Data)
	}
	for _, f := range p.finals[:p.chunks] {
		grad.variance += f.variance
		asm.Axpy(1, f.square, grad.square)
		asm.Axpy(1, f.z.Data, grad.z.Data)
	}
}

func (p *psi2Sum) tiles() int { return (p.ps.z.Rows + 1) / 2 }

// chunk returns the examples of chunk c.
func (p *psi2Sum) chunk(c int) (from, to int) { return blockRange(c, p.chunks, p.mu.Rows) }

// group returns the tiles of group g.
func (p *psi2Sum) group(g int) (from, to int) { return blockRange(g, p.groups, p.tiles()) }

// prepare computes u and C. Blocks of examples begin anew in every chunk; block n0 ≤ n <
// n1 of an array with r rows is at n0·r.
func (p *psi2Sum) prepare(ps *psiStatistics, mu, s mat.Matrix) {
	n, m, d := mu.Rows, ps.z.Rows, ps.z.Cols
	p.ps, p.mu, p.s = ps, mu, s
	p.chunks = max(1, min((n+chunkExamples-1)/chunkExamples, pairChunks))
	p.groups = min((pairParts+p.chunks-1)/p.chunks, p.tiles())
	p.u, p.c = grown(p.u, n*m), grown(p.c, n*d)
	mat.Run(p.chunks, (*psi2Prepare)(p))
}

type psi2Prepare psi2Sum

// Do prepares chunk i.
func (p *psi2Prepare) Do(i int) {
	s := (*psi2Sum)(p)
	ps := s.ps
	m, d := ps.z.Rows, ps.z.Cols
	from, to := s.chunk(i)
	buffer := mat.Borrow((2*d + 2) * blockExamples)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		nb := n1 - n0
		coefficients := mat.NewDense(2*d+1, nb, (*buffer)[:(2*d+1)*nb]) // of [z², z, 1] in u
		logs := (*buffer)[(2*d+1)*nb : (2*d+2)*nb]
		rest := coefficients.Row(2 * d)
		for j := range rest {
			rest[j] = math.Log(ps.variance) // half of what depends on n alone
		}
		for q, l2 := range ps.square {
			c, square, linear := s.c[n0*d+q*nb:][:nb], coefficients.Row(q), coefficients.Row(d+q)
			at := n0*d + q
			for j := range nb {
				v, x := s.s.Data[at], s.mu.Data[at]-ps.shift[q]
				at += d
				a := 1 / (2*v + l2)
				c[j] = v * a / l2
				square[j] = -0.25 * (a + 1/l2)
				linear[j] = a * x
				logs[j] = 1 + 2*v/l2
				rest[j] -= 0.5 * a * x * x
			}
			asm.Log(logs, logs)
			asm.Axpy(-0.25, logs, rest)
		}
		for j, v := range rest {
			rest[j] = max(v, vanishing)
		}
		mat.Mul(mat.NewDense(m, nb, s.u[n0*m:n1*m]), 1, ps.features, coefficients, 0)
	}
	mat.GiveBack(buffer)
}

// vanishing is a logarithm of nothing at all that can be multiplied by 0.
const vanishing = -1e300

// psi2Part is what one part works in.
type psi2Part struct {
	left  []float64 // z_k∘z_j of the pairs of a tile and two columns that choose u_k, (m_ξ+1)×(d_ξ+2)
	right []float64 // C and two rows u, (d_ξ+2) rows, block by block
	e     []float64 // exponentials, (m_ξ+1)×blockExamples
	ct    []float64 // Cᵀ, d_ξ columns, block by block
	g     []float64 // ĝ of the pairs of a tile: what each contributes to L for every unit of its E, in both its places
	back  []float64 // ĝ·left, (m_ξ+1)×(d_ξ+2)
	sum   []float64 // E·Cᵀ, (m_ξ+1)×d_ξ
	cross []float64 // backᵀ·E, (d_ξ+2)×blockExamples
}

var psi2Parts mat.Pool[psi2Part]

// begin copies C of the examples from ≤ n < to.
func (w *psi2Part) begin(p *psi2Sum, from, to int) {
	m, d := p.ps.z.Rows, p.ps.z.Cols
	w.left = grown(w.left, (m+1)*(d+2))
	w.right = grown(w.right, (to-from)*(d+2))
	w.e = grown(w.e, (m+1)*blockExamples)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		copy(w.right[(n0-from)*(d+2):], p.c[n0*d:n1*d])
	}
}

// setTile fills left.
func (w *psi2Part) setTile(p *psi2Sum, t tile) {
	d := p.ps.z.Cols
	for i := range t.pairs() {
		k, j := t.pair(i)
		row := w.left[i*(d+2) : (i+1)*(d+2)]
		asm.MulTo(row[:d], p.ps.z.Row(k), p.ps.z.Row(j))
		row[d], row[d+1] = 1, 0
		if k != t.long {
			row[d], row[d+1] = 0, 1
		}
	}
}

// exponentials returns the tile's E for the examples n0 ≤ n < n1 of a chunk that begins
// at from.
func (w *psi2Part) exponentials(p *psi2Sum, t tile, from, n0, n1 int) mat.Matrix {
	m, d, nb, pairs := p.ps.z.Rows, p.ps.z.Cols, n1-n0, t.pairs()
	u := p.u[n0*m : n1*m]
	right := mat.NewDense(d+2, nb, w.right[(n0-from)*(d+2):(n1-from)*(d+2)])
	copy(right.Row(d), u[t.long*nb:])
	if t.short >= 0 {
		copy(right.Row(d+1), u[t.short*nb:(t.short+1)*nb])
	} else {
		clear(right.Row(d + 1))
	}
	e := mat.NewDense(pairs, nb, w.e[:pairs*nb])
	mat.Mul(e, 1, mat.NewDense(pairs, d+2, w.left[:pairs*(d+2)]), right, 0)
	split := (t.long + 1) * nb
	asm.ExpAdd(e.Data[:split], e.Data[:split], 0, u)
	asm.ExpAdd(e.Data[split:], e.Data[split:], 0, u)
	return e
}

type psi2Forward psi2Sum

// Do adds up the pairs of part i.
func (p *psi2Forward) Do(i int) {
	s := (*psi2Sum)(p)
	m := s.ps.z.Rows
	chunk := i / s.groups
	from, to := s.chunk(chunk)
	first, last := s.group(i % s.groups)
	w := psi2Parts.Take()
	w.begin(s, from, to)
	for at := first; at < last; at++ {
		t := tileAt(at, m)
		w.setTile(s, t)
		sums := mat.Vector(s.sums[(chunk*s.tiles()+at)*(m+1):][:t.pairs()])
		for n0 := from; n0 < to; n0 += blockExamples {
			n1 := min(n0+blockExamples, to)
			e := w.exponentials(s, t, from, n0, n1)
			mat.Mul(sums, 1, e, mat.Vector(manyOnes[:n1-n0]), 1)
		}
	}
	psi2Parts.Give(w)
}

var manyOnes = ones(blockExamples)

type psi2Backward psi2Sum

// Do adds up the derivatives of part i.
func (p *psi2Backward) Do(i int) {
	s := (*psi2Sum)(p)
	n, m, d := s.mu.Rows, s.ps.z.Rows, s.ps.z.Cols
	chunk, group := i/s.groups, i%s.groups
	from, to := s.chunk(chunk)
	first, last := s.group(group)
	du, cross := s.du[group*n*m:(group+1)*n*m], s.cross[group*n*d:(group+1)*n*d]
	dz := s.dz[i*m*d : (i+1)*m*d]
	w := psi2Parts.Take()
	w.begin(s, from, to)
	w.beginBackward(s, from, to)
	for at := first; at < last; at++ {
		t := tileAt(at, m)
		pairs := t.pairs()
		w.setTile(s, t)
		back, sum := mat.NewDense(pairs, d+2, w.back[:pairs*(d+2)]), mat.NewDense(pairs, d, w.sum[:pairs*d])
		g := w.weights(s.g, t)
		for r, v := range g {
			asm.Scale(back.Row(r), v, w.left[r*(d+2):(r+1)*(d+2)])
		}
		for n0 := from; n0 < to; n0 += blockExamples {
			n1 := min(n0+blockExamples, to)
			nb := n1 - n0
			e := w.exponentials(s, t, from, n0, n1)
			beta := 1.0
			if n0 == from {
				beta = 0
			}
			mat.Mul(sum, 1, e, mat.NewDense(nb, d, w.ct[(n0-from)*d:(n1-from)*d]), beta)
			product := mat.NewDense(d+2, nb, w.cross[:(d+2)*nb])
			mat.Mul(product, 1, back.T(), e, 0)
			asm.Axpy(1, product.Data[:d*nb], cross[n0*d:n1*d])

			block := mat.NewDense(m, nb, du[n0*m:n1*m])
			asm.Axpy(1, product.Row(d), block.Row(t.long))
			if t.short >= 0 {
				asm.Axpy(1, product.Row(d+1), block.Row(t.short))
			}
			for r, v := range g {
				_, j := t.pair(r)
				asm.Axpy(v, e.Data[r*nb:(r+1)*nb], block.Data[j*nb:(j+1)*nb])
			}
		}
		for r, weight := range g {
			k, j := t.pair(r)
			zk, zj, dzk, dzj := s.ps.z.Row(k), s.ps.z.Row(j), dz[k*d:(k+1)*d], dz[j*d:(j+1)*d]
			for q, v := range sum.Row(r) {
				v *= weight
				dzk[q] += v * zj[q]
				dzj[q] += v * zk[q]
			}
		}
	}
	psi2Parts.Give(w)
}

// beginBackward makes the transposed blocks of C, and room.
func (w *psi2Part) beginBackward(p *psi2Sum, from, to int) {
	m, d := p.ps.z.Rows, p.ps.z.Cols
	w.back, w.sum = grown(w.back, (m+1)*(d+2)), grown(w.sum, (m+1)*d)
	w.cross, w.ct = grown(w.cross, (d+2)*blockExamples), grown(w.ct, (to-from)*d)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		mat.Copy(mat.NewDense(n1-n0, d, w.ct[(n0-from)*d:(n1-from)*d]), mat.NewDense(d, n1-n0, p.c[n0*d:n1*d]).T())
	}
}

// weights fills and returns g.
func (w *psi2Part) weights(g mat.Matrix, t tile) []float64 {
	w.g = grown(w.g, t.pairs())
	asm.Scale(w.g[:t.long+1], 2, g.Row(t.long)[:t.long+1])
	w.g[t.long] /= 2
	if t.short >= 0 {
		asm.Scale(w.g[t.long+1:], 2, g.Row(t.short)[:t.short+1])
		w.g[t.long+1+t.short] /= 2
	}
	return w.g
}

type psi2Finish psi2Sum

// Do chains the derivatives in u and C of chunk i into μ, S, Z and ℓ².
func (p *psi2Finish) Do(i int) {
	s := (*psi2Sum)(p)
	ps := s.ps
	n, m, d := s.mu.Rows, ps.z.Rows, ps.z.Cols
	from, to := s.chunk(i)
	for g := 1; g < s.groups; g++ {
		asm.Axpy(1, s.du[(g*n+from)*m:(g*n+to)*m], s.du[from*m:to*m])
		asm.Axpy(1, s.cross[(g*n+from)*d:(g*n+to)*d], s.cross[from*d:to*d])
	}
	final := s.finals[i]
	final.zero()
	buffer := mat.Borrow((4*d+1)*blockExamples + 2*d*m)
	perZ := mat.NewDense(m, 2*d, (*buffer)[:2*d*m]) // Σ_n of ∂u_nk/∂z_k: the factor of z, and the rest
	perZ.Fill(0)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		nb := n1 - n0
		room := (*buffer)[2*d*m:]
		moments, factors := mat.NewDense(2*d+1, nb, room[:(2*d+1)*nb]), mat.NewDense(2*d, nb, room[(2*d+1)*nb:(4*d+1)*nb])
		du := mat.NewDense(m, nb, s.du[n0*m:n1*m])
		mat.Mul(moments, 0.5, ps.features.T(), du, 0) // with w = Σ_j g·E, u's derivative is 2w: Σ w·z², Σ w·z, Σ w
		totals := moments.Row(2 * d)
		for q, l2 := range ps.square {
			s2, s1, cross := moments.Row(q), moments.Row(d+q), s.cross[n0*d+q*nb:]
			perSquare, rest := factors.Row(q), factors.Row(d+q)
			at := n0*d + q
			var square float64
			for j, s0 := range totals {
				a := 1 / (2*s.s.Data[at] + l2)
				x := s.mu.Data[at] - ps.shift[q]
				da := -(0.5*(s2[j]+cross[j]) - 2*x*s1[j] + x*x*s0)
				s.dmu.Data[at] += 2 * a * (s1[j] - x*s0)
				s.ds.Data[at] += -2*a*a*da - a*s0
				square += -a*a*da - 0.5*a*s0 + 0.5*s0/l2 + 0.5*(s2[j]-cross[j])/(l2*l2)
				perSquare[j], rest[j] = -0.5*(a+1/l2), a*x
				at += d
			}
			final.square[q] += square
		}
		for _, s0 := range totals {
			final.variance += 2 * s0 / ps.variance
		}
		mat.Mul(perZ, 1, du, factors.T(), 1)
	}
	for k := range m {
		dz, z, row := final.z.Row(k), ps.z.Row(k), perZ.Row(k)
		for q := range d {
			dz[q] += z[q]*row[q] + row[d+q]
		}
	}
	mat.GiveBack(buffer)
}

// grown returns n numbers in the storage of v where they fit; their values are
// arbitrary.
func grown(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// zeros is grown with zeros.
func zeros(v []float64, n int) []float64 {
	v = grown(v, n)
	clear(v)
	return v
}
