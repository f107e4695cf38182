package eig

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Blocks have about a twenty-fourth of the order's reflectors, within these bounds: a wide
// block makes better products and a larger triangle. Tests change them.
var minBlock, maxBlock = 24, 120

// reflectorBlock is the number of reflectors that are applied together to vectors
// of n elements: where it may be, a multiple of the columns of any register tile.
func reflectorBlock(n int) int { return max(minBlock, min(maxBlock, (n/24+23)/24*24)) }

// Tests change these, too.
var (
	reflectorsTogether = 256      // in blocks that are made ready at a time
	vectorNumbers      = 48 << 10 // of the vectors that these are applied to by one part, about
	minVectors         = 24       // there
)

// blocks are some consecutive blocks of reflectors, ready for vectors in the rows of x. A block is
//
//	Hₖ·Hₖ₊₁·… = I − V·T·Vᵀ    T⁻ᵀ = L = stril(Vᵀ·V) + diag(1/τ)
//
// the compact WY form of Schreiber and Van Loan (SIAM J. Sci. Stat. Comput.
// 10(1), 1989), with the inverse of T that Joffrain, Low, Quintana-Ortí, van de
// Geijn and Van Zee read off VᵀV (ACM Trans. Math. Software 32(2), 2006). So a
// triangular solution, G = L⁻¹·Vᵀ, takes the place of T, and x loses (x·V)·G.
//
// V and G are packed once, in panels as wide as a register tile. Each part applies all of the blocks to
// vectors of its own, which lie in its cache meanwhile: x comes from memory once, not twice for each block.
type blocks struct {
	s           *Solver
	x           mat.Matrix
	width       int       // reflectors of a block
	first, last int       // blocks first ≤ b < last are ready
	size        int       // numbers of V, or of G
	packed      []float64 // V and G of the blocks
	vectors     int       // of a part
}

// backTransform overwrites x with x·Qᵀ, that is, each row v of x with (Q·v)ᵀ, where Q = H₀·H₁·…·Hₙ₋₂ is the product of
// the reflectors that tridiagonalize left in s.u and s.tau.
func (s *Solver) backTransform(x mat.Matrix) error {
	n := s.n
	if n < 2 {
		return nil
	}
	b := &s.blocks
	b.s, b.x, b.width = s, x, reflectorBlock(n)
	b.vectors = max(minVectors, vectorNumbers/n&^7)
	defer func() { b.x = mat.Matrix{} }()
	for b.last = (n-2)/b.width + 1; b.last > 0; b.last = b.first {
		if err := s.stopped(); err != nil {
			return err
		}
		b.first = max(0, b.last-b.together())
		mat.Run(b.last-b.first, (*readying)(b))
		mat.Run((n+b.vectors-1)/b.vectors, b)
	}
	return nil
}

// together is the number of blocks that are made ready at a time.
func (b *blocks) together() int { return max(1, reflectorsTogether/b.width) }

// grow makes room for blocks of reflectors of order n.
func (b *blocks) grow(n int) {
	b.width = reflectorBlock(n)
	b.size = roundUp(b.width) * roundUp(n)
	b.packed = resize(b.packed, 2*b.size*min(b.together(), n/b.width+1))
}

// block returns the first reflector of block i, how many it has, and room for V and G.
func (b *blocks) block(i int) (k, width int, v, g []float64) {
	k = i * b.width
	room := b.packed[2*b.size*(i-b.first):][:2*b.size]
	return k, min(b.width, b.s.n-1-k), room[:b.size], room[b.size:]
}

// readying makes blocks ready.
type readying blocks

// Do makes block b.first + i ready.
func (r *readying) Do(i int) {
	b := (*blocks)(r)
	s := b.s
	k, width, v, g := b.block(b.first + i)
	vt := s.u.Slice(k, k+width, k+1, s.n)
	length := vt.Cols
	buffer := mat.Borrow(width * (width + length))
	l := mat.NewDense(width, width, (*buffer)[:width*width])
	mat.Syrk(l, 1, vt, 0)
	for i, tau := range s.tau[k : k+width] {
		if tau == 0 { // v is 0, and so is row i of G whatever stands here
			tau = 1
		}
		l.Set(i, i, 1/tau)
	}
	rows := mat.NewDense(width, length, (*buffer)[width*width:][:width*length])
	mat.Copy(rows, vt)
	mat.SolveLower(l, rows)
	_, nr := asm.Tile()
	for j := 0; j < width; j += nr {
		asm.Transpose(v[j*length:], nr, vt.Data[j*vt.RowStride:], vt.RowStride, min(nr, width-j), length)
	}
	for i := range width {
		packRow(g, i, width, rows.Row(i))
	}
	mat.GiveBack(buffer)
}

// Do applies the blocks to part i of the vectors.
func (b *blocks) Do(i int) {
	n := b.s.n
	x := b.x.Slice(i*b.vectors, min((i+1)*b.vectors, n), 0, n)
	buffer := mat.Borrow(x.Rows * b.width)
	for i := b.last - 1; i >= b.first; i-- {
		k, width, v, g := b.block(i)
		columns, length, w := x.Data[k+1:], n-k-1, *buffer
		mulPacked(w, width, 1, columns, x.RowStride, v, 0, x.Rows, width, length)
		mulPacked(columns, x.RowStride, -1, w, width, g, 1, x.Rows, length, width)
	}
	mat.GiveBack(buffer)
}
