package mat

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Syrk sets the lower triangle of dst to that of alpha·a·aᵀ + beta·dst, where a
// is n×k and dst n×n. The strict upper triangle of dst is neither read nor
// written. With beta == 0 dst is not read. dst must not overlap a.
func Syrk(dst Matrix, alpha float64, a Matrix, beta float64) {
	if dst.Rows != a.Rows || dst.Cols != a.Rows {
		panic(text.Sprintf("mat: Syrk: dst %s, a %s do not fit dst = a·aᵀ", dst.shape(), a.shape()))
	}
	dst.destination("mat: Syrk", "dst")
	a.source("mat: Syrk", "a")
	if overlap(dst, a) {
		panic(text.Sprintf("mat: Syrk: dst %s overlaps a %s", dst.shape(), a.shape()))
	}
	a.setApart()
	mulSym(dst, alpha, a, a.T(), beta)
}

// MulSym sets the lower triangle of dst to that of alpha·a·b + beta·dst, where
// a is n×k, b is k×n and dst n×n: half the work of Mul when the product is
// known to be symmetric, as a·diag(w)·aᵀ is. The strict upper triangle of dst
// is neither read nor written. With beta == 0 dst is not read. dst must not
// overlap a or b.
func MulSym(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if a.Cols != b.Rows || dst.Rows != a.Rows || dst.Cols != b.Cols || dst.Rows != dst.Cols {
		panic(text.Sprintf("mat: MulSym: dst %s, a %s, b %s do not fit a square dst = a·b", dst.shape(), a.shape(), b.shape()))
	}
	dst.destination("mat: MulSym", "dst")
	a.source("mat: MulSym", "a")
	b.source("mat: MulSym", "b")
	if overlap(dst, a) || overlap(dst, b) {
		panic(text.Sprintf("mat: MulSym: dst %s overlaps a %s or b %s", dst.shape(), a.shape(), b.shape()))
	}
	a.setApart()
	b.setApart()
	mulSym(dst, alpha, a, b, beta)
}

// mulSym is MulSym for operands that were checked. A dst of which only columns are
// contiguous would be an upper triangle by rows; it is formed beside.
func mulSym(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	n, k := dst.Rows, a.Cols
	switch {
	case alpha == 0 || n == 0 || k == 0:
		for i := range n {
			scaleBy(dst.Slice(i, i+1, 0, i+1), beta)
		}
	case dst.ColStride != 1 && n > 1:
		mulSymScattered(dst, alpha, a, b, beta)
	case k >= 2*tune.longK && n*n <= tune.longMN:
		mulLong(dst, alpha, a, b, beta, true)
	default:
		mulBlocked(dst, alpha, a, b, beta, true)
	}
}

// mulSymScattered is mulSym for a dst whose rows are not contiguous, some of them at a
// time: what is left of a block on the diagonal, and the block.
func mulSymScattered(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	n, k := dst.Rows, a.Cols
	rows := scatteredRows(n, n)
	buffer := Borrow(rows * n)
	for i0 := 0; i0 < n; i0 += rows {
		i1 := min(i0+rows, n)
		product := NewDense(i1-i0, i1, (*buffer)[:(i1-i0)*i1])
		part := a.Slice(i0, i1, 0, k)
		if i0 > 0 {
			mul(product.Slice(0, i1-i0, 0, i0), alpha, part, b.Slice(0, k, 0, i0), 0)
		}
		mulSym(product.Slice(0, i1-i0, i0, i1), alpha, part, b.Slice(0, k, i0, i1), 0)
		for i := i0; i < i1; i++ {
			d := dst.Slice(i, i+1, 0, i+1)
			scaleBy(d, beta)
			Add(d, d, 1, product.Slice(i-i0, i-i0+1, 0, i+1))
		}
	}
	GiveBack(buffer)
}

// lowerPanel is a panel of dst, rows i0 ≤ i < i1 and n columns from j, of which
// only what is on and below the diagonal is wanted. Tiles that the diagonal crosses
// are formed in the buffer tile.
func (p *blocked) lowerPanel(a left, at int, panel []float64, ldb, i0, i1, j, n int, tile []float64) {
	mr, nr := asm.Tile()
	k := p.a.Cols
	first := j - p.above // the row of the diagonal's first element in the panel
	i := i0
	if first > i {
		i += (first - i) / mr * mr
	}
	for ; i < min(i1, first+n-1); i += mr {
		rows, cols := min(mr, i1-i), min(n, i+mr-first)
		asm.GemmPanel(k, p.alpha, a.data[(at+i-i0)/mr*a.step:], a.rows, a.cols, a.step, panel, ldb, 0, tile, nr, rows, cols)
		for r := max(i, first); r < i+rows; r++ {
			product := tile[(r-i)*nr:][:min(cols, r-first+1)]
			row := p.dst.Data[r*p.dst.RowStride+j:][:len(product)]
			if p.beta == 0 {
				copy(row, product)
			} else {
				asm.AddScaled(row, product, p.beta, row)
			}
		}
	}
	if i < i1 {
		asm.GemmPanel(k, p.alpha, a.data[(at+i-i0)/mr*a.step:], a.rows, a.cols, a.step, panel, ldb,
			p.beta, p.dst.Data[i*p.dst.RowStride+j:], p.dst.RowStride, i1-i, n)
	}
}
