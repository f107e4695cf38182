package asm

import "github.com/seed-08962ecc/kronfield/internal/text"

// Transpose sets dst[l*ldd+i] = src[i*lds+l] for i < rows and l < k: it packs
// rows of contiguous numbers into a panel whose columns are contiguous. Where k
// is above 1, ldd must be at least rows; where rows is above 1, lds at least k.
// dst and src must not overlap.
func Transpose(dst []float64, ldd int, src []float64, lds, rows, k int) {
	if rows <= 0 || k <= 0 {
		return
	}
	if k > 1 && ldd < rows || rows > 1 && lds < k || len(dst) < reach(k-1, ldd, len(dst))+rows || len(src) < reach(rows-1, lds, len(src))+k {
		panic(text.Sprintf("asm: Transpose: %d numbers, rows %d apart, do not hold a %d×%d matrix, or %d numbers, rows %d apart, its transpose",
			len(src), lds, rows, k, len(dst), ldd))
	}
	raceRows(raceRead, src, lds, rows, k)
	raceRows(raceWrite, dst, ldd, k, rows)
	for from := 0; from < k; from += block / 8 { // a call of assembly cannot be interrupted
		to := min(from+block/8, k)
		transpose(dst[from*ldd:], ldd, src[from:], lds, rows, to-from)
	}
}

func transposeGeneric(dst []float64, ldd int, src []float64, lds, rows, k int) {
	for i := range rows {
		row := src[i*lds : i*lds+k]
		at := i
		for _, v := range row {
			dst[at] = v
			at += ldd
		}
	}
}
