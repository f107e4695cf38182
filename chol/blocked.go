package chol

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// blocking holds the tuning constants of the factorisation. They change its
// speed, never a bit of its result; tests change them so that every path runs on
// small matrices.
var blocking = struct {
	// A block that one task finishes is of an eighth of the matrix's order, so
	// that several processors find work, but of least at least and most at most,
	// and then rounded up to panels. Below, fetching sums costs more than forming
	// them; above, nothing is gained, and two panels of a block's columns still
	// fit in the nearest cache but for a part (2·8·24·192 bytes). Between them far
	// caches deliver the fewer numbers the larger a block is.
	least, most int

	// serial is the order up to which one processor does everything, diagonal that up to which it
	// finds the diagonal of an inverse, in less room.
	serial, diagonal int

	// depth is the number of columns that one call of a kernel takes at most,
	// since assembly cannot be interrupted.
	depth int
}{least: 72, most: maxSide, serial: 192, diagonal: 512, depth: 2048}

const (
	maxSide     = 192 // a multiple of every panel's width
	widestPanel = 24
)

// panels is a factorisation under way. L is kept in panels of w rows, each column
// by column (asm.CholPanel), so that every kernel reads and writes what lies side
// by side. Rows are counted from the pad rows of an identity that stand before
// the first one and make their number a multiple of w:
//
//	I                w
//	  L₀₀            w     a panel; three of them are a block here
//	  L₁₀ L₁₁        w
//	  L₂₀ L₂₁ L₂₂    w
//
// Blocks of L are tasks. Task (i, j) waits for the blocks that it needs, which have
// lower numbers, so any number of processors may take tasks in the order of their
// numbers.
type panels struct {
	a     mat.Matrix
	shift float64
	l     mat.Matrix // n×n, where the factor goes

	w, pad  int
	count   int // panels
	block   int // panels in a block
	blocks  int // blocks in a column
	buffer  *[]float64
	data    []float64 // the panels, one after the other, while the factorisation is under way
	inverse []float64 // reciprocals of the diagonal

	finished []atomic.Int32 // blocks of each row of blocks
	failed   atomic.Bool
	pivot    NotPositiveDefiniteError // why
}

// factorize sets the lower triangle of l to the factor of a + shift·I and what is
// above the diagonal, in blocks on it, to 0. It returns false, with p.pivot, if
// there is none.
func (p *panels) factorize(l, a mat.Matrix, shift float64) bool {
	p.prepare(l, a, shift)
	p.grow()
	tasks := p.blocks * (p.blocks + 1) / 2
	if a.Rows <= blocking.serial {
		for i := range tasks {
			p.Do(i)
		}
	} else {
		mat.RunInOrder(tasks, p)
	}
	p.shrink()
	p.l, p.a = mat.Matrix{}, mat.Matrix{}
	return !p.failed.Load()
}

// prepare divides the matrices into panels and blocks, for which there is no room yet.
func (p *panels) prepare(l, a mat.Matrix, shift float64) {
	p.l, p.a, p.shift = l, a, shift
	p.w = asm.CholPanel()
	p.count = (a.Rows + p.w - 1) / p.w
	p.pad = p.count*p.w - a.Rows
	side := min(max(blocking.least, a.Rows/8), blocking.most)
	p.block = max(1, (side+p.w-1)/p.w)
	p.blocks = (p.count + p.block - 1) / p.block
	if cap(p.finished) < p.blocks {
		p.finished = make([]atomic.Int32, p.blocks)
	}
	p.finished = p.finished[:p.blocks]
	for i := range p.finished {
		p.finished[i].Store(0)
	}
	p.failed.Store(false)
}

// grow makes room for the panels.
func (p *panels) grow() {
	p.buffer = mat.Borrow(p.start(p.count))
	p.data = *p.buffer
	if rows := p.count * p.w; cap(p.inverse) < rows {
		p.inverse = make([]float64, rows)
	} else {
		p.inverse = p.inverse[:rows]
	}
}

// shrink leaves the panels' room to others.
func (p *panels) shrink() {
	mat.GiveBack(p.buffer)
	p.buffer, p.data = nil, nil
}

// start is where panel g starts: those before it have w, 2w, … columns.
func (p *panels) start(g int) int { return p.w * p.w * g * (g + 1) / 2 }

// columns returns panel g from column k on.
func (p *panels) columns(g, k int) []float64 { return p.data[p.start(g)+k*p.w : p.start(g+1)] }

// Do does a task. All before it have begun, which is what makes waiting end; where one
// of them panics, nobody waits any more.
func (p *panels) Do(task int) {
	ended := false
	defer func() {
		if !ended {
			p.failed.Store(true)
		}
	}()
	if i, j := p.place(task); i == j {
		p.diagonal(j)
	} else {
		p.below(i, j)
	}
	ended = true
}

// skew is how many rows of blocks a column of blocks is ahead of the next one.
const skew = 4

// place returns the block of a task: tasks are in the order of i + skew·j, those
// further to the right first. A block comes after those that it needs, which are
// to the left of it, and to the left of and on the diagonal of its column; and
// the diagonal, which others wait for, is finished early. In a model of the
// kernels' times two processors are 1.92 times as fast as one at n = 560 (with a
// skew of 1: 1.86, column by column with the next diagonal moved forward: 1.79).
func (p *panels) place(task int) (i, j int) {
	for sum := 0; ; sum++ {
		first, last := max(0, (sum-p.blocks+skew)/skew), sum/(skew+1)
		if n := last - first + 1; task >= n {
			task -= max(0, n)
			continue
		}
		j = last - task
		return sum - skew*j, j
	}
}

// wait waits until block (i, j) is finished and returns false if it never will be.
// It is rarely long, unless another program has the processor of the one that is
// waited for, and may need this one's too.
func (p *panels) wait(i, j int) bool {
	const patience = 500 // about 0.1 ms
	for spins := 0; int(p.finished[i].Load()) <= j; spins++ {
		switch {
		case p.failed.Load():
			return false
		case spins < patience:
			runtime.Gosched()
		default:
			time.Sleep(20 * time.Microsecond)
		}
	}
	return true
}

// rows returns the panels of block row i, from g0 to g1.
func (p *panels) rows(i int) (g0, g1 int) { return i * p.block, min((i+1)*p.block, p.count) }

// diagonal finishes block (j, j), the last one of its row.
func (p *panels) diagonal(j int) {
	g0, g1 := p.rows(j)
	if j == 0 {
		p.load(j)
	}
	for b := range j {
		if !p.wait(j, b) {
			return
		}
		for g := g0 + 1; g < g1; g++ {
			p.update(g, g0, g, b)
		}
	}
	for g := g0; g < g1; g++ {
		p.solve(g, g0, g)
		if !p.factor(g) {
			return
		}
	}
	p.finished[j].Store(int32(j + 1))
	for g := g0; g < g1; g++ {
		p.store(g)
	}
}

// below finishes block (i, j), i > j.
func (p *panels) below(i, j int) {
	g0, g1 := p.rows(i)
	h0, h1 := p.rows(j)
	if j == 0 {
		p.load(i)
	}
	for b := range j {
		if !p.wait(i, b) || !p.wait(j, b) {
			return
		}
		for g := g0; g < g1; g++ {
			p.update(g, h0, h1, b)
		}
	}
	if !p.wait(j, j) {
		return
	}
	for g := g0; g < g1; g++ {
		p.solve(g, h0, h1)
	}
	p.finished[i].Store(int32(j + 1))
}

// update subtracts from the columns of panel g that panels h0 to h1 are named
// after, what the columns of block column b contribute.
func (p *panels) update(g, h0, h1, b int) {
	k0, k1 := p.rows(b)
	from, to := max(k0*p.w, p.pad), k1*p.w
	for h := h0; h < h1; h++ {
		asm.CholUpdate(to-from, p.columns(h, from), p.columns(g, from), p.columns(g, h*p.w))
	}
}

// solve finishes the columns of panel g that panels h0 to h1 are named after, from
// which only the columns of these are still to be subtracted.
func (p *panels) solve(g, h0, h1 int) {
	from := h0 * p.w
	for h := h0; h < h1; h++ {
		asm.CholSolve(h*p.w-from, p.columns(h, from), p.columns(g, from), p.inverse[h*p.w:])
	}
}

// factor finishes the diagonal block of panel g, from which nothing has been
// subtracted yet. It returns false, with p.pivot, if there is no factor.
func (p *panels) factor(g int) bool {
	from, to := min(p.pad, g*p.w), g*p.w
	for ; to-from > blocking.depth; from += blocking.depth {
		c := p.columns(g, from)
		asm.CholUpdate(blocking.depth, c, c, p.columns(g, to))
	}
	good, pivot := asm.CholFactor(to-from, p.columns(g, from), p.inverse[to:])
	if good < p.w {
		p.pivot = NotPositiveDefiniteError{Index: to + good - p.pad, Pivot: pivot}
		p.failed.Store(true)
		return false
	}
	return true
}

// together is the number of rows that are copied from a matrix to a panel, or back,
// at a time: those that share a line of the cache in a panel.
const together = 8

// load copies block row i of a + shift·I, of which it reads the lower triangle.
func (p *panels) load(i int) {
	g0, g1 := p.rows(i)
	for g := g0; g < g1; g++ {
		clear(p.columns(g, 0)[:p.pad*p.w])
		for r := range min(p.w, p.pad-g*p.w) { // rows of the identity
			p.columns(g, r)[r] = 1
		}
		for r, rows := p.first(g); r < p.w; r, rows = r+rows, min(together, p.w-r-rows) {
			p.loadRows(p.columns(g, p.pad)[r:], g*p.w+r-p.pad, rows)
		}
	}
}

// first returns the first row of panel g that is one of the matrix, and the number
// of rows up to the next multiple of together.
func (p *panels) first(g int) (r, rows int) {
	r = max(0, p.pad-g*p.w)
	return r, min(together-r%together, p.w-r)
}

// loadRows copies some rows of a + shift·I, from row i on: dst[k*w+r] = a[i+r, k],
// k ≤ i+r.
func (p *panels) loadRows(dst []float64, i, rows int) {
	copyTransposed(dst, p.w, p.a.Slice(i, i+rows, 0, i+1))
	for r := range rows {
		for k := i + 1; k <= i+r; k++ {
			dst[k*p.w+r] = p.a.Data[(i+r)*p.a.RowStride+k*p.a.ColStride]
		}
		dst[(i+r)*p.w+r] += p.shift
	}
}

// copyTransposed sets dst[k*w+r] = a[r,k], where a has at most w rows.
func copyTransposed(dst []float64, w int, a mat.Matrix) {
	switch {
	case a.ColStride == 1:
		asm.Transpose(dst, w, a.Data, a.RowStride, a.Rows, a.Cols)
	case a.RowStride == 1:
		for k := range a.Cols {
			copy(dst[k*w:k*w+a.Rows], a.Data[k*a.ColStride:])
		}
	default:
		for k := range a.Cols {
			for r := range a.Rows {
				dst[k*w+r] = a.Data[r*a.RowStride+k*a.ColStride]
			}
		}
	}
}

// store copies panel g to its rows of l, some of them at a time, so that the
// processor sees few streams.
func (p *panels) store(g int) {
	src := p.columns(g, p.pad)
	columns := (g+1)*p.w - p.pad
	for r, rows := p.first(g); r < p.w; r, rows = r+rows, min(together, p.w-r-rows) {
		i := g*p.w + r - p.pad
		asm.Transpose(p.l.Data[i*p.l.RowStride:], p.l.RowStride, src[r:], p.w, columns, rows)
	}
}
