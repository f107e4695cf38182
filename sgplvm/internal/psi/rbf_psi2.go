package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// rbfSum is Ψ2 summed over many examples, and its gradient.
//
// With C_nq = ½(1/ℓ_q² − a_nq) = S·a/ℓ² and u_nk, which holds what depends on k
// alone and half of what depends on n alone, the exponent of example n at the pair
// (k, j) of inducing points is
//
//	Σ_q C_nq·z_kq·z_jq + u_nk + u_nj
//
// so that with pairs as rows and examples as columns it is one product of depth
// d + 1, with u_nk as its last row, and one addition that the exponential takes
// along. The gradient is two further products of the same size, with ĝ = ∂L/∂E of each pair:
// (ĝ∘E)·Cᵀ for the inducing points and (z·z)ᵀ·(ĝ∘E) for the examples.
//
// Of the symmetric pairs only j ≤ k are formed. Row k of that triangle is short and row
// m−1−k long: the two together are a tile of m+1 pairs times blockExamples examples,
// the same size for all. The exponentials of the first tiles wait for the gradient, which
// computes those of the others again: memory never holds n·m² numbers where these are many.
//
// Work is divided into tasks by shape: chunks of examples, and groups of tiles. What a
// task adds to an example belongs to its group, what it adds to a pair to its chunk; the
// groups' and chunks' sums are added in order.
type rbfSum struct {
	ps             *rbfPsi
	mu, s          mat.Matrix // n×d
	chunks, groups int
	u, c           []float64 // u (m rows) and C (d rows), block of examples by block

	sums    []float64 // Ψ2's pairs, tile by tile, for each chunk
	kept    []float64 // exponentials of waiting tiles, for each chunk tile by tile and block by block
	waiting int       // tiles

	g       mat.Matrix // ∂L/∂Ψ2
	dmu, ds mat.Matrix
	du      []float64      // ∂L/∂u like u, for each group
	cross   []float64      // Σ over pairs of ĝ·E·z_k·z_j like c, for each group
	dz      []float64      // like zs, for each task
	finals  []*rbfGradient // for each chunk
}

const (
	blockExamples = 144 // a multiple of the width of every register tile
	chunkExamples = 512 // as many as one chunk has at least, if there are more
	pairChunks    = 16  // at most
	pairTasks     = 8   // at least, if there is work for them
)

// taskWork is how many multiplications of a product are worth a task: with fewer, adding up the tasks' sums takes long
// beside it. Eight tasks in place of four cost a step of 50 examples and inducing points 3 to 8 % on one core. Tests lower it.
var taskWork = 1 << 19

// maxKept is how many exponentials wait for the gradient at most: 32 MiB. Tests lower it.
var maxKept = 1 << 22

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

func (ps *rbfPsi) psi2(dst, mu, s mat.Matrix) {
	p := &ps.sum
	p.prepare(ps, mu, s)
	m := ps.z.Rows
	p.sums = work.Zeros(p.sums, p.chunks*p.tiles()*(m+1))
	mat.Run(p.chunks*p.groups, (*sumForward)(p))
	size := p.tiles() * (m + 1)
	for c := 1; c < p.chunks; c++ {
		asm.Axpy(1, p.sums[c*size:(c+1)*size], p.sums[:size])
	}
	for i := range p.tiles() {
		t, sums := tileAt(i, m), p.sums[i*(m+1):]
		copy(dst.Row(t.long), sums[:t.long+1])
		if t.short >= 0 {
			copy(dst.Row(t.short), sums[t.long+1:][:t.short+1])
		}
	}
	mat.MirrorLower(dst)
}

func (p *rbfSum) tiles() int { return (p.ps.z.Rows + 1) / 2 }

// chunk returns the examples of chunk c.
func (p *rbfSum) chunk(c int) (from, to int) { return work.Block(c, p.chunks, p.mu.Rows) }

// group returns the tiles of group g.
func (p *rbfSum) group(g int) (from, to int) { return work.Block(g, p.groups, p.tiles()) }

// prepare computes u and C. Blocks of examples begin anew in every chunk; block n0 ≤ n <
// n1 of an array with r rows is at n0·r.
func (p *rbfSum) prepare(ps *rbfPsi, mu, s mat.Matrix) {
	n, m, d := mu.Rows, ps.z.Rows, ps.z.Cols
	p.ps, p.mu, p.s = ps, mu, s
	p.chunks = max(1, min((n+chunkExamples-1)/chunkExamples, pairChunks))
	p.groups = min((pairTasks+p.chunks-1)/p.chunks, p.tiles(), n*p.tiles()*(m+1)*(d+2)/taskWork+1)
	p.u, p.c = work.Grown(p.u, n*m), work.Grown(p.c, n*d)
	p.waiting = min(p.tiles(), maxKept/max(1, n*(m+1)))
	p.kept = work.Grown(p.kept, n*p.waiting*(m+1))
	mat.Run(p.chunks, (*sumPrepare)(p))
}

type sumPrepare rbfSum

// Do prepares chunk i.
func (p *sumPrepare) Do(i int) {
	s := (*rbfSum)(p)
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

// sumTask is what one task works in.
type sumTask struct {
	own   []float64 // z_k of the pairs of a tile, and two columns that choose u_k, (m+1)×(d+2)
	left  []float64 // z_k∘z_j and these columns, likewise
	right []float64 // C and two rows u, (d+2) rows, block by block
	e     []float64 // exponentials, (m+1)×blockExamples
	ct    []float64 // Cᵀ, d columns, block by block
	g     []float64 // ĝ of the pairs of a tile: what each contributes to L for every unit of its E, in both its places
	sum   []float64 // ĝ·E·Cᵀ, and two columns of 0, (m+1)×(d+2)
	part  []float64 // sum by z_k or z_j, likewise
	cross []float64 // leftᵀ·ĝ·E, (d+2)×blockExamples

	buffer *[]float64 // borrowed, of which all these are
}

// borrow makes room for the slices, of lengths sizes.
func (w *sumTask) borrow(slices []*[]float64, sizes []int) {
	total := 0
	for _, n := range sizes {
		total += (n + 7) &^ 7 // so that each begins a cache line
	}
	w.buffer = mat.Borrow(total)
	rest := *w.buffer
	for i, n := range sizes {
		*slices[i], rest = rest[:n:n], rest[(n+7)&^7:]
	}
}

// begin copies C of the examples from ≤ n < to. giveBack ends what it begins.
func (w *sumTask) begin(p *rbfSum, from, to int, backward bool) {
	m, d := p.ps.z.Rows, p.ps.z.Cols
	tile, block := (m+1)*(d+2), min(to-from, blockExamples)
	slices := [...]*[]float64{&w.own, &w.left, &w.right, &w.e, &w.ct, &w.g, &w.sum, &w.part, &w.cross}
	sizes := [...]int{tile, tile, (to - from) * (d + 2), (m + 1) * block, (to - from) * d, m + 1, tile, tile, (d + 2) * block}
	count := 4
	if backward {
		count = len(slices)
	}
	w.borrow(slices[:count], sizes[:count])
	clear(w.sum)
	for n0 := from; n0 < to; n0 += blockExamples {
		n1 := min(n0+blockExamples, to)
		copy(w.right[(n0-from)*(d+2):], p.c[n0*d:n1*d])
	}
}

func (w *sumTask) giveBack() { mat.GiveBack(w.buffer) }

// setTile fills own and left.
func (w *sumTask) setTile(p *rbfSum, t tile) {
	zs := p.ps.zs
	split, end := (t.long+1)*zs.Cols, t.pairs()*zs.Cols
	repeat(w.own[:split], zs.Row(t.long), 0)
	asm.MulTo(w.left[:split], w.own[:split], zs.Data)
	if t.short >= 0 {
		repeat(w.own[split:end], zs.Row(t.short), 1)
		asm.MulTo(w.left[split:end], w.own[split:end], zs.Data)
	}
}

// repeat fills dst with copies of row, of whose last two numbers only one stays and the other is 0.
func repeat(dst, row []float64, last int) {
	n := copy(dst, row)
	dst[n-1-last] = 0
	for ; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// room returns where the exponentials of tile number at are, for the examples n0 ≤ n < n1 of the chunk from ≤ n < to.
func (w *sumTask) room(p *rbfSum, at, from, to, n0, n1 int) mat.Matrix {
	room, m := w.e, p.ps.z.Rows
	if at < p.waiting {
		room = p.kept[(from*p.waiting+at*(to-from)+n0-from)*(m+1):]
	}
	pairs := tileAt(at, m).pairs()
	return mat.NewDense(pairs, n1-n0, room[:pairs*(n1-n0)])
}

// exponentials sets e to those of the tile for the examples n0 ≤ n < n1 of a chunk that begins
// at from.
func (w *sumTask) exponentials(e mat.Matrix, p *rbfSum, t tile, from, n0, n1 int) {
	m, d, nb, pairs := p.ps.z.Rows, p.ps.z.Cols, n1-n0, t.pairs()
	u := p.u[n0*m : n1*m]
	right := mat.NewDense(d+2, nb, w.right[(n0-from)*(d+2):(n1-from)*(d+2)])
	copy(right.Row(d), u[t.long*nb:])
	if t.short >= 0 {
		copy(right.Row(d+1), u[t.short*nb:(t.short+1)*nb])
	} else {
		clear(right.Row(d + 1))
	}
	mat.Mul(e, 1, mat.NewDense(pairs, d+2, w.left[:pairs*(d+2)]), right, 0)
	split := (t.long + 1) * nb
	asm.ExpAdd(e.Data[:split], e.Data[:split], 0, u)
	asm.ExpAdd(e.Data[split:], e.Data[split:], 0, u)
}

type sumForward rbfSum

// Do adds up the pairs of task i.
func (p *sumForward) Do(i int) {
	s := (*rbfSum)(p)
	m := s.ps.z.Rows
	chunk := i / s.groups
	from, to := s.chunk(chunk)
	first, last := s.group(i % s.groups)
	var w sumTask
	w.begin(s, from, to, false)
	for at := first; at < last; at++ {
		t := tileAt(at, m)
		w.setTile(s, t)
		sums := mat.Vector(s.sums[(chunk*s.tiles()+at)*(m+1):][:t.pairs()])
		for n0 := from; n0 < to; n0 += blockExamples {
			n1 := min(n0+blockExamples, to)
			e := w.room(s, at, from, to, n0, n1)
			w.exponentials(e, s, t, from, n0, n1)
			mat.Mul(sums, 1, e, mat.Vector(manyOnes[:n1-n0]), 1)
		}
	}
	w.giveBack()
}

var manyOnes = work.Ones(blockExamples)
