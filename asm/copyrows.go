package asm

import "github.com/seed-08962ecc/kronfield/internal/text"

// CopyRows sets dst[i*ldd+j] = src[i*lds+j] for i < rows and j < n, with n at
// most the larger of mr, nr = Tile(): it packs rows or columns of a matrix into a
// panel. Where rows is above 1, ldd and lds
// must be at least n. dst and src must not overlap. What lies ahead numbers behind
// the source is brought into the cache: what will be copied next.
func CopyRows(dst []float64, ldd int, src []float64, lds, rows, n, ahead int) {
	if mr, nr := Tile(); rows < 0 || uint(n) > uint(max(mr, nr)) {
		panic(text.Sprintf("asm: CopyRows: %d×%d numbers, at most %d columns", rows, n, max(mr, nr)))
	}
	if rows == 0 || n == 0 {
		return
	}
	matrixFits("CopyRows", "dst", len(dst), rows, n, ldd)
	matrixFits("CopyRows", "src", len(src), rows, n, lds)
	raceRows(raceWrite, dst, ldd, rows, n)
	raceRows(raceRead, src, lds, rows, n)
	for ; rows > block/8; rows -= block / 8 { // a call of assembly cannot be interrupted
		copyRows(dst, ldd, src, lds, block/8, n, ahead)
		dst, src = dst[block/8*ldd:], src[block/8*lds:]
	}
	copyRows(dst, ldd, src, lds, rows, n, ahead)
}

func copyRowsGeneric(dst []float64, ldd int, src []float64, lds, rows, n int) {
	for i := range rows {
		copy(dst[i*ldd:i*ldd+n], src[i*lds:])
	}
}
