package asm_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// Every shape around the registers' widths, with gaps between the rows that
// stay as they are.
func TestTranspose(t *testing.T) {
	s := fuzz.New(11)
	for rows := range 26 {
		for k := range 20 {
			lds, ldd := k+3, rows+2
			src := fuzz.Normal(s, max(rows, 1), lds)
			dst := make([]float64, max(0, k-1)*ldd+rows)
			for i := range dst {
				dst[i] = fuzz.Canary()
			}
			asm.Transpose(dst, ldd, src.Data[:max(0, (rows-1)*lds+k)], lds, rows, k)
			for l := range k {
				for i := range min(ldd, len(dst)-l*ldd) {
					got, want := dst[l*ldd+i], fuzz.Canary()
					if i < rows {
						want = src.At(i, l)
					}
					if math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("%d×%d: row %d, column %d: got %v, want %v", rows, k, i, l, got, want)
					}
				}
			}
		}
	}
}
