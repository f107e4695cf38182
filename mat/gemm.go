package mat

import (
	"fmt"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Mul sets dst = alpha·a·b + beta·dst, where a is m×k, b is k×n and dst is
// m×n. With beta == 0 dst is not read, with alpha == 0 neither a nor b is. dst
// must not overlap a or b.
func Mul(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if a.Cols != b.Rows || dst.Rows != a.Rows || dst.Cols != b.Cols {
		panic(fmt.Sprintf("mat: Mul: dst %s, a %s, b %s do not fit dst = a·b", dst.shape(), a.shape(), b.shape()))
	}
	if Overlap(dst, a) || Overlap(dst, b) {
		panic(fmt.Sprintf("mat: Mul: dst %s overlaps a %s or b %s", dst.shape(), a.shape(), b.shape()))
	}
	if alpha == 0 || dst.Rows == 0 || dst.Cols == 0 || a.Cols == 0 {
		scaleBy(dst, beta)
		return
	}
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

// mul is Mul where no dimension is 0. It chooses among three ways: without
// packing for small products, in chunks of the depth for long thin ones, and
// the blocked loops.
func mul(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if dst.ColStride != 1 && (dst.RowStride == 1 || dst.Cols == 1) {
		dst, a, b = dst.T(), b.T(), a.T() // dstᵀ = bᵀ·aᵀ
	}
	m, n, k := dst.Rows, dst.Cols, a.Cols
	switch {
	case m == 1 || n == 1 || m*n <= tune.smallMul && m*n*k <= tune.smallMul:
		scaleBy(dst, beta)
		mulSmall(dst, alpha, a, b)
	case k >= 2*tune.longK && m*n <= tune.longMN:
		mulLong(dst, alpha, a, b, beta)
	default:
		mulBlocked(dst, alpha, a, b, beta)
	}
}

// mulSmall adds alpha·a·b to dst without packing: dot products where a's rows
// and b's columns are contiguous, multiples of b's rows where those are, and
// plain sums elsewhere.
func mulSmall(dst Matrix, alpha float64, a, b Matrix) {
	switch k := a.Cols; {
	case a.ColStride == 1 && b.RowStride == 1 || k == 1:
		for i := range dst.Rows {
			ai := a.Data[i*a.RowStride : i*a.RowStride+k]
			for j := range dst.Cols {
				dst.Data[i*dst.RowStride+j*dst.ColStride] += alpha * asm.Dot(ai, b.Data[j*b.ColStride:j*b.ColStride+k])
			}
		}
	case dst.ColStride == 1 && b.ColStride == 1:
		for i := range dst.Rows {
			row := dst.Row(i)
			for l := range k {
				asm.Axpy(alpha*a.Data[i*a.RowStride+l*a.ColStride], b.Row(l), row)
			}
		}
	case dst.Cols == 1 && a.RowStride == 1 && dst.RowStride == 1:
		for l := range k {
			asm.Axpy(alpha*b.Data[l*b.RowStride], a.Data[l*a.ColStride:l*a.ColStride+a.Rows], dst.Data)
		}
	default:
		for i := range dst.Rows {
			for j := range dst.Cols {
				var s float64
				for l := range k {
					s += float64(a.Data[i*a.RowStride+l*a.ColStride] * b.Data[l*b.RowStride+j*b.ColStride])
				}
				dst.Data[i*dst.RowStride+j*dst.ColStride] += alpha * s
			}
		}
	}
}

// long is a product of great depth under way: chunks of the depth are
// multiplied side by side.
type long struct {
	a, b    Matrix
	alpha   float64
	chunks  int
	partial []float64 // the chunks' products, one after the other
}

// mostChunks bounds the number of chunks of a long product.
const mostChunks = 16

// mulLong sets a small dst when the depth k is large: the depth is cut into
// chunks whose number depends on k alone, the chunks' products are formed side
// by side, and then added pairwise in a fixed tree.
func mulLong(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	chunks := min(k/tune.longK, mostChunks)
	buffer := borrow(chunks * m * n)
	p := longs.take()
	*p = long{a: a, b: b, alpha: alpha, chunks: chunks, partial: *buffer}
	Run(chunks, p)
	for step := 1; step < chunks; step *= 2 {
		for c := 0; c+step < chunks; c += 2 * step {
			Add(p.part(c), p.part(c), 1, p.part(c+step))
		}
	}
	scaleBy(dst, beta)
	Add(dst, dst, 1, p.part(0))
	*p = long{}
	longs.give(p)
	giveBack(buffer)
}

func (p *long) part(c int) Matrix {
	m, n := p.a.Rows, p.b.Cols
	return NewDense(m, n, p.partial[c*m*n:(c+1)*m*n])
}

// Do multiplies chunk c.
func (p *long) Do(c int) {
	k := p.a.Cols
	k0, k1 := c*k/p.chunks, (c+1)*k/p.chunks
	mulBlocked(p.part(c), p.alpha, p.a.Slice(0, p.a.Rows, k0, k1), p.b.Slice(k0, k1, 0, p.b.Cols), 0)
}

// blocked is one step of a blocked product under way: all of dst, for kb of the
// depth. One operand is packed first, as a whole, and used by all; dst is cut
// into blocks along the other one, and each block packs its own part of that.
type blocked struct {
	dst, a, b Matrix
	alpha     float64
	beta      float64 // what the step multiplies dst by
	byRows    bool    // blocks are rows of dst and a, B is shared; else columns of dst and b, A is
	block     int     // rows or columns of a block
	shared    []float64
}

// mulBlocked sets dst by the five loops around the register tile. Every element
// of dst is summed by one goroutine, in steps of kc along the depth, so its bits
// do not depend on how dst is divided.
func mulBlocked(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	mr, nr := asm.Tile()
	steps := (k + tune.kc - 1) / tune.kc
	kc := (k + steps - 1) / steps
	byRows := m >= n
	nc, shared := n, roundUp(m, mr)
	if byRows {
		nc = min(n, tune.nc)
		shared = roundUp(nc, nr)
	}
	p := blockeds.take()
	buffer := borrow(kc * shared)
	for jc := 0; jc < n; jc += nc { // loop 5: columns of b, nc at a time
		for pc := 0; pc < k; pc += kc { // loop 4: depth, kc at a time
			kb, nb := min(kc, k-pc), min(nc, n-jc)
			*p = blocked{dst: dst.Slice(0, m, jc, jc+nb), a: a.Slice(0, m, pc, pc+kb), b: b.Slice(pc, pc+kb, jc, jc+nb),
				alpha: alpha, beta: beta, byRows: byRows, shared: *buffer}
			if pc > 0 {
				p.beta = 1
			}
			side, tile, most := m, mr, tune.mc
			if !byRows {
				side, tile, most = nb, nr, 2*tune.mc
			}
			blocks := (side + most - 1) / most
			share := m*nb*kb >= tune.parallel
			if share {
				blocks = roundUp(blocks, 4) // two or four processors end together
			}
			p.block = roundUp((side+blocks-1)/blocks, tile)
			blocks = (side + p.block - 1) / p.block
			if !share {
				p.packShared(0, p.panels())
				for i := range blocks {
					p.Do(i)
				}
				continue
			}
			Run((p.panels()+panelsTogether-1)/panelsTogether, (*packing)(p))
			Run(blocks, p) // loop 3: blocks of rows of a, or columns of b
		}
	}
	*p = blocked{}
	blockeds.give(p)
	giveBack(buffer)
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
	b.packShared(i*panelsTogether, min((i+1)*panelsTogether, b.panels()))
}

// packShared packs some panels of the shared operand.
func (p *blocked) packShared(from, to int) {
	mr, nr := asm.Tile()
	k := p.a.Cols
	if p.byRows {
		packB(p.shared[from*nr*k:], p.b.Slice(0, k, from*nr, min(to*nr, p.b.Cols)))
	} else {
		packA(p.shared[from*mr*k:], p.a.Slice(from*mr, min(to*mr, p.a.Rows), 0, k))
	}
}

// Do forms block i of dst.
func (p *blocked) Do(i int) {
	mr, nr := asm.Tile()
	m, n, k := p.dst.Rows, p.dst.Cols, p.a.Cols
	if p.byRows {
		i0, i1 := i*p.block, min((i+1)*p.block, m)
		own := borrow(k * roundUp(i1-i0, mr))
		packA(*own, p.a.Slice(i0, i1, 0, k))
		dst := p.dst.Slice(i0, i1, 0, n)
		scaleBy(dst, p.beta)
		mulPacked(dst, p.alpha, k, *own, p.shared)
		giveBack(own)
		return
	}
	j0, j1 := i*p.block, min((i+1)*p.block, n)
	own := borrow(k * roundUp(j1-j0, nr))
	packB(*own, p.b.Slice(0, k, j0, j1))
	dst := p.dst.Slice(0, m, j0, j1)
	scaleBy(dst, p.beta)
	mulPacked(dst, p.alpha, k, p.shared, *own)
	giveBack(own)
}

// mulPacked adds alpha·A·B to dst for packed blocks of depth k. A tile of a dst
// whose rows are not contiguous is formed in a buffer.
func mulPacked(dst Matrix, alpha float64, k int, packedA, packedB []float64) {
	mr, nr := asm.Tile()
	mc := roundUp(tune.mc, mr)
	for ic := 0; ic < dst.Rows; ic += mc { // rows whose panels stay in the level-2 cache
		for j := 0; j < dst.Cols; j += nr { // loop 2: panels of B
			pb := packedB[j*k : (j+nr)*k]
			n := min(nr, dst.Cols-j)
			for i := ic; i < min(ic+mc, dst.Rows); i += mr { // loop 1: panels of A
				pa := packedA[i*k : (i+mr)*k]
				m := min(mr, dst.Rows-i)
				if dst.ColStride == 1 {
					asm.GemmTile(k, alpha, pa, pb, dst.Data[i*dst.RowStride+j:], dst.RowStride, m, n)
				} else {
					scatterTile(dst.Slice(i, i+m, j, j+n), alpha, k, pa, pb)
				}
			}
		}
	}
}

// scatterTile adds one tile to a dst whose rows are not contiguous.
func scatterTile(dst Matrix, alpha float64, k int, pa, pb []float64) {
	var tile [asm.MaxTile]float64
	m, n := dst.Rows, dst.Cols
	asm.GemmTile(k, alpha, pa, pb, tile[:m*n], n, m, n)
	for i := range m {
		for j := range n {
			dst.Data[i*dst.RowStride+j*dst.ColStride] += tile[i*n+j]
		}
	}
}

// A freeList keeps objects for the next call, so that steady state allocates
// nothing.
type freeList[T any] struct {
	mutex sync.Mutex
	free  []*T
}

func (f *freeList[T]) take() *T {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if n := len(f.free); n > 0 {
		p := f.free[n-1]
		f.free = f.free[:n-1]
		return p
	}
	return new(T)
}

func (f *freeList[T]) give(p *T) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.free = append(f.free, p)
}

var (
	blockeds freeList[blocked]
	longs    freeList[long]
)
