package mat

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Mul sets dst = alpha·a·b + beta·dst, where a is m×k, b is k×n and dst is
// m×n. With beta == 0 dst is not read, with alpha == 0 neither a nor b is. dst
// must not overlap a or b.
func Mul(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if a.Cols != b.Rows || dst.Rows != a.Rows || dst.Cols != b.Cols {
		panic(text.Sprintf("mat: Mul: dst %s, a %s, b %s do not fit dst = a·b", dst.shape(), a.shape(), b.shape()))
	}
	dst.destination("mat: Mul", "dst")
	a.source("mat: Mul", "a")
	b.source("mat: Mul", "b")
	if overlap(dst, a) || overlap(dst, b) {
		panic(text.Sprintf("mat: Mul: dst %s overlaps a %s or b %s", dst.shape(), a.shape(), b.shape()))
	}
	if alpha == 0 || dst.Rows == 0 || dst.Cols == 0 || a.Cols == 0 {
		scaleBy(dst, beta)
		return
	}
	a.setApart()
	b.setApart()
	mul(dst, alpha, a, b, beta)
}

// scaleBy multiplies dst by beta; 0 overwrites, whatever stood there.
func scaleBy(dst Matrix, beta float64) {
	switch beta {
	case 0:
		dst.Fill(0)
	case 1:
	default:
		Scale(dst, beta, dst)
	}
}

// mul is Mul where no dimension is 0. It chooses among three ways: vectors, long
// thin products in chunks of the depth, and the blocked loops.
func mul(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if dst.ColStride != 1 && (dst.RowStride == 1 || dst.Cols == 1) {
		dst, a, b = dst.T(), b.T(), a.T() // dstᵀ = bᵀ·aᵀ
	}
	m, n, k := dst.Rows, dst.Cols, a.Cols
	switch {
	case m == 1 || n == 1:
		scaleBy(dst, beta)
		mulVector(dst, alpha, a, b)
	case dst.ColStride != 1:
		mulScattered(dst, alpha, a, b, beta)
	case k >= 2*tune.longK && m*n <= tune.longMN:
		mulLong(dst, alpha, a, b, beta, false)
	default:
		mulBlocked(dst, alpha, a, b, beta, false)
	}
}

// mulScattered sets a dst of which neither rows nor columns are contiguous, some rows
// at a time.
func mulScattered(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	rows := scatteredRows(m, n)
	buffer := Borrow(rows * n)
	for i0 := 0; i0 < m; i0 += rows {
		i1 := min(i0+rows, m)
		product := NewDense(i1-i0, n, (*buffer)[:(i1-i0)*n])
		mul(product, alpha, a.Slice(i0, i1, 0, k), b, 0)
		d := dst.Slice(i0, i1, 0, n)
		scaleBy(d, beta)
		Add(d, d, 1, product)
	}
	GiveBack(buffer)
}

// scatteredRows is how many of m rows of n numbers are formed beside their place at a
// time: no more than tune.scattered numbers, but a few tiles, all about as many.
func scatteredRows(m, n int) int {
	mr, _ := asm.Tile()
	most := max(2*mr, tune.scattered/n)
	parts := (m + most - 1) / most
	return (m + parts - 1) / parts
}

// mulVector adds alpha·a·b to dst, of which one dimension is 1: dot products where
// one factor is a contiguous vector and the other has its vectors contiguous, multiples
// of contiguous rows where those are, and plain sums elsewhere. It is the sums that alpha
// multiplies, or, where none of its elements vanishes or overflows by that, a.
func mulVector(dst Matrix, alpha float64, a, b Matrix) {
	if dst.Rows != 1 {
		dst, a, b = dst.T(), b.T(), a.T() // so that dst and a are rows
	}
	k, n := a.Cols, dst.Cols
	var buffer [64]float64
	switch {
	case (a.ColStride == 1 || k == 1) && (b.RowStride == 1 || k == 1):
		for j := 0; j < n; j += len(buffer) {
			dots := buffer[:min(len(buffer), n-j)]
			asm.DotRows(dots, b.Data[j*b.ColStride:], b.ColStride, a.Data[:k])
			for i, v := range dots {
				dst.Data[(j+i)*dst.ColStride] += alpha * v
			}
		}
	case dst.ColStride == 1 && b.ColStride == 1 && multipliable(alpha, a):
		addRowsTimes(dst.Data[:n], alpha, a, b)
	case dst.ColStride == 1 && b.ColStride == 1:
		var sums [512]float64
		for j := 0; j < n; j += len(sums) {
			s := sums[:min(len(sums), n-j)]
			clear(s)
			addRowsTimes(s, 1, a, b.Slice(0, k, j, j+len(s)))
			asm.Axpy(alpha, s, dst.Data[j:])
		}
	default:
		for j := range n {
			var s float64
			for l := range k {
				s += float64(a.Data[l*a.ColStride] * b.Data[l*b.RowStride+j*b.ColStride])
			}
			dst.Data[j*dst.ColStride] += alpha * s
		}
	}
}

// multipliable reports whether alpha times the row a has only rounding errors: no
// element becomes subnormal, 0 or infinite.
func multipliable(alpha float64, a Matrix) bool {
	if alpha == 1 || alpha == -1 {
		return true
	}
	for l := range a.Cols {
		x := a.Data[l*a.ColStride]
		if v := math.Abs(alpha * x); v < 0x1p-1022 && x != 0 || v > math.MaxFloat64 {
			return false
		}
	}
	return true
}

// addRowsTimes adds alpha·a·b to y, where a is a row and the rows of b are contiguous.
func addRowsTimes(y []float64, alpha float64, a, b Matrix) {
	var buffer [64]float64
	for l := 0; l < a.Cols; l += len(buffer) {
		factors := buffer[:min(len(buffer), a.Cols-l)]
		for i := range factors {
			factors[i] = alpha * a.Data[(l+i)*a.ColStride]
		}
		asm.AxpyRows(factors, b.Data[l*b.RowStride:], b.RowStride, y)
	}
}

// long is a product of great depth under way: chunks of the depth are
// multiplied side by side.
type long struct {
	a, b    Matrix
	alpha   float64
	lower   bool // only the lower triangle is wanted
	chunks  int
	partial []float64 // the chunks' products, one after the other
}

// maxChunks bounds the number of chunks of a long product.
const maxChunks = 16

// mulLong sets a small dst, or its lower triangle, when the depth k is large: the
// depth is cut into chunks whose number depends on k alone, the chunks' products
// are formed side by side, and then added pairwise in a fixed tree.
func mulLong(dst Matrix, alpha float64, a, b Matrix, beta float64, lower bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	chunks := min(k/tune.longK, maxChunks)
	buffer := Borrow(chunks * m * n)
	p := longs.Take()
	*p = long{a: a, b: b, alpha: alpha, lower: lower, chunks: chunks, partial: *buffer}
	Run(chunks, p)
	for i := range m {
		to := n
		if lower {
			to = i + 1
		}
		row := func(c int) Matrix { return p.part(c).Slice(i, i+1, 0, to) }
		for step := 1; step < chunks; step *= 2 {
			for c := 0; c+step < chunks; c += 2 * step {
				Add(row(c), row(c), 1, row(c+step))
			}
		}
		d := dst.Slice(i, i+1, 0, to)
		scaleBy(d, beta)
		Add(d, d, 1, row(0))
	}
	*p = long{}
	longs.Give(p)
	GiveBack(buffer)
}

func (p *long) part(c int) Matrix {
	m, n := p.a.Rows, p.b.Cols
	return NewDense(m, n, p.partial[c*m*n:(c+1)*m*n])
}

// Do multiplies chunk c.
func (p *long) Do(c int) {
	k := p.a.Cols
	k0, k1 := c*k/p.chunks, (c+1)*k/p.chunks
	mulBlocked(p.part(c), p.alpha, p.a.Slice(0, p.a.Rows, k0, k1), p.b.Slice(k0, k1, 0, p.b.Cols), 0, p.lower)
}

// blocked is one step of a blocked product under way: all of dst, for kb of the
// depth. dst is cut into blocks of rows, for which B is packed once, or of columns,
// for which A is, if they are packed at all; each block packs its own part of the
// other operand.
type blocked struct {
	dst, a, b    Matrix
	alpha        float64
	beta         float64 // what the step multiplies dst by
	lower        bool    // only elements (i, j) with i + above ≥ j are wanted
	above        int
	packA, packB bool // operands that do not lie as the kernel needs them
	byRows       bool // blocks are rows of dst and a, B is shared; else columns of dst and b, A is
	block        int  // rows or columns of a block
	shared       []float64
	ready        bool // the shared operand is packed
}

// mulBlocked sets dst, or the lower triangle of a square one, by the five loops
// around the register tile. Every element of dst is summed by one goroutine, in
// steps of kc along the depth, so its bits do not depend on how dst is divided.
func mulBlocked(dst Matrix, alpha float64, a, b Matrix, beta float64, lower bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	mr, nr := asm.Tile()
	steps := (k + tune.kc - 1) / tune.kc
	kc := (k + steps - 1) / steps
	packA, packB := mustPackA(a), mustPackB(b, m)
	if !packA && !packB && !lower && steps == 1 && m*n*k < tune.parallel { // small, and the kernel takes all as it lies
		for j := 0; j < n; j += nr {
			asm.GemmPanel(k, alpha, a.Data, a.RowStride, a.ColStride, mr*a.RowStride, b.Data[j*b.ColStride:], b.RowStride,
				beta, dst.Data[j:], dst.RowStride, m, min(nr, n-j))
		}
		return
	}
	byRows := 2*m >= n && (!lower || m >= tune.bands)
	nc, shared := n, roundUp(m, mr)
	if byRows {
		nc = min(n, tune.nc)
		shared = roundUp(nc, nr)
	}
	if byRows && !packB || !byRows && !packA {
		shared = 0
	}
	p := blockeds.Take()
	buffer := Borrow(kc * shared)
	for jc := 0; jc < n; jc += nc { // loop 5: columns of b, nc at a time
		for pc := 0; pc < k; pc += kc { // loop 4: depth, kc at a time
			kb, nb := min(kc, k-pc), min(nc, n-jc)
			ic := 0
			if lower {
				ic = jc / mr * mr
			}
			*p = blocked{dst: dst.Slice(ic, m, jc, jc+nb), a: a.Slice(ic, m, pc, pc+kb), b: b.Slice(pc, pc+kb, jc, jc+nb),
				alpha: alpha, beta: beta, lower: lower, above: ic - jc, packA: packA, packB: packB, byRows: byRows, shared: *buffer}
			if pc > 0 {
				p.beta = 1
			}
			p.run()
		}
	}
	*p = blocked{}
	blockeds.Give(p)
	GiveBack(buffer)
}

// mustPackA reports whether the product runs faster with a packed: where its rows
// are not contiguous, or many of them would meet in few sets of the caches.
func mustPackA(a Matrix) bool {
	return a.Rows*a.Cols > tune.direct && (a.ColStride != 1 || a.RowStride%tune.clash == 0)
}

// mustPackB reports whether b, which meets m rows, must be packed: where its rows
// are not contiguous, or where it is large and used often.
func mustPackB(b Matrix, m int) bool {
	mr, _ := asm.Tile()
	return b.ColStride != 1 && b.Cols > 1 || b.Rows*b.Cols > tune.direct && m > 3*mr
}

// run does the step: the packing of the shared operand, and the blocks.
func (p *blocked) run() {
	mr, nr := asm.Tile()
	side, tile, most := p.dst.Rows, mr, tune.mc
	if !p.byRows {
		side, tile, most = p.dst.Cols, nr, 2*tune.mc
	}
	blocks := (side + most - 1) / most
	share := p.dst.Rows*p.dst.Cols*p.a.Cols >= tune.parallel
	if share {
		blocks = roundUp(blocks, 4) // two or four processors end together
	}
	p.block = roundUp((side+blocks-1)/blocks, tile)
	if share && (side+p.block-1)/p.block == 3 {
		p.block = roundUp((side+1)/2, tile)
	}
	blocks = (side + p.block - 1) / p.block
	if !share {
		for i := range blocks {
			p.Do(i)
			p.ready = true
		}
		return
	}
	if p.byRows && p.packB || !p.byRows && p.packA {
		Run((p.panels()+panelsTogether-1)/panelsTogether, (*packing)(p))
	}
	p.ready = true
	Run(blocks, p) // loop 3: blocks of rows of a, or columns of b
}

// panels is the number of panels of the shared operand.
func (p *blocked) panels() int {
	mr, nr := asm.Tile()
	if p.byRows {
		return (p.b.Cols + nr - 1) / nr
	}
	return (p.a.Rows + mr - 1) / mr
}

// packing does the packing of a product's shared operand, some panels at a time.
type packing blocked

const panelsTogether = 8

// Do packs part i of the shared operand.
func (p *packing) Do(i int) {
	b := (*blocked)(p)
	mr, nr := asm.Tile()
	k := b.a.Cols
	from, to := i*panelsTogether, min((i+1)*panelsTogether, b.panels())
	if b.byRows {
		packB(b.shared[from*nr*k:], b.b.Slice(0, k, from*nr, min(to*nr, b.b.Cols)))
	} else {
		packA(b.shared[from*mr*k:], b.a.Slice(from*mr, min(to*mr, b.a.Rows), 0, k))
	}
}

// Do forms block i of dst. What is not packed yet is packed when it is needed
// first, so that it is found in the cache.
func (p *blocked) Do(i int) {
	mr, nr := asm.Tile()
	m, n, k := p.dst.Rows, p.dst.Cols, p.a.Cols
	i0, i1, j0, j1 := 0, m, 0, n
	own, ownA, ownB := 0, p.packA && p.byRows, p.packB && !p.byRows
	if p.byRows {
		if p.lower {
			i = (m-1)/p.block - i // the longest rows first, so that processors end together
		}
		i0, i1 = i*p.block, min((i+1)*p.block, m)
		own = roundUp(i1-i0, mr)
	} else {
		j0, j1 = i*p.block, min((i+1)*p.block, n)
		own = roundUp(j1-j0, nr)
	}
	if !ownA && !ownB {
		own = 0
	}
	buffer := Borrow(k*own + asm.MaxTile)
	beside := (*buffer)[k*own:] // for tiles that the diagonal crosses
	a := left{p.a.Data[i0*p.a.RowStride:], p.a.RowStride, p.a.ColStride, mr * p.a.RowStride}
	if p.packA {
		a = left{p.shared, 1, mr, mr * k}
		if ownA {
			a.data = *buffer
		}
		if ownA || !p.ready {
			packA(a.data, p.a.Slice(i0, i1, 0, k))
		}
	}
	b, packNow := p.shared, p.packB && !p.ready
	mc := roundUp(tune.mc, mr)
	if ownB {
		b, packNow = *buffer, false
		packB(b, p.b.Slice(0, k, j0, j1))
	}
	for ic := i0; ic < i1; ic += mc { // rows whose panels stay in the level-2 cache
		ib := min(mc, i1-ic)
		for j := j0; j < j1; j += nr { // loop 2: panels of B; loop 1, panels of A, is in asm
			nb := min(nr, j1-j)
			panel, ldb := p.b.Data[j*p.b.ColStride:], p.b.RowStride
			if p.packB {
				panel, ldb = b[(j-j0)*k:], nr
				if packNow && ic == i0 {
					packB(panel, p.b.Slice(0, k, j, j+nb))
				}
			}
			if p.lower {
				p.lowerPanel(a, ic-i0, panel, ldb, ic, ic+ib, j, nb, beside)
			} else {
				asm.GemmPanel(k, p.alpha, a.data[(ic-i0)/mr*a.step:], a.rows, a.cols, a.step, panel, ldb,
					p.beta, p.dst.Data[ic*p.dst.RowStride+j:], p.dst.RowStride, ib, nb)
			}
		}
	}
	GiveBack(buffer)
}

// left is a left operand as the kernel takes it: its numbers and the steps from row
// to row, from column to column, and from tile to tile.
type left struct {
	data             []float64
	rows, cols, step int
}

var (
	blockeds Pool[blocked]
	longs    Pool[long]
)
