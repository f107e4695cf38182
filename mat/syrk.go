package mat

import "fmt"

// Syrk sets the lower triangle of dst to that of alpha·a·aᵀ + beta·dst, where a
// is n×k and dst n×n. The strict upper triangle of dst is neither read nor
// written. With beta == 0 dst is not read. dst must not overlap a.
func Syrk(dst Matrix, alpha float64, a Matrix, beta float64) {
	if dst.Rows != a.Rows || dst.Cols != a.Rows {
		panic(fmt.Sprintf("mat: Syrk: dst %s, a %s do not fit dst = a·aᵀ", dst.shape(), a.shape()))
	}
	if Overlap(dst, a) {
		panic(fmt.Sprintf("mat: Syrk: dst %s overlaps a %s", dst.shape(), a.shape()))
	}
	mulSym(dst, alpha, a, a.T(), beta)
}

// MulSym sets the lower triangle of dst to that of alpha·a·b + beta·dst, where
// a is n×k, b is k×n and dst n×n: half the work of Mul when the product is
// known to be symmetric, as a·diag(w)·aᵀ is. The strict upper triangle of dst
// is neither read nor written. With beta == 0 dst is not read. dst must not
// overlap a or b.
func MulSym(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if a.Cols != b.Rows || dst.Rows != a.Rows || dst.Cols != b.Cols || dst.Rows != dst.Cols {
		panic(fmt.Sprintf("mat: MulSym: dst %s, a %s, b %s do not fit a square dst = a·b", dst.shape(), a.shape(), b.shape()))
	}
	if Overlap(dst, a) || Overlap(dst, b) {
		panic(fmt.Sprintf("mat: MulSym: dst %s overlaps a %s or b %s", dst.shape(), a.shape(), b.shape()))
	}
	mulSym(dst, alpha, a, b, beta)
}

// mulSym halves the triangle: two triangles and one full product below them.
func mulSym(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	n, k := dst.Rows, a.Cols
	if n <= 2*tune.triangle {
		buf := borrow(n * n)
		full := NewDense(n, n, *buf)
		Mul(full, alpha, a, b, 0)
		for i := range n {
			d := dst.Slice(i, i+1, 0, i+1)
			scaleBy(d, beta)
			Add(d, d, 1, full.Slice(i, i+1, 0, i+1))
		}
		giveBack(buf)
		return
	}
	h := half(n)
	mulSym(dst.Slice(0, h, 0, h), alpha, a.Slice(0, h, 0, k), b.Slice(0, k, 0, h), beta)
	Mul(dst.Slice(h, n, 0, h), alpha, a.Slice(h, n, 0, k), b.Slice(0, k, 0, h), beta)
	mulSym(dst.Slice(h, n, h, n), alpha, a.Slice(h, n, 0, k), b.Slice(0, k, h, n), beta)
}

// half is about n/2, a multiple of the unblocked order where n is larger.
func half(n int) int {
	if t := tune.triangle; n > 2*t {
		return roundUp(n/2, t)
	}
	return (n + 1) / 2
}
