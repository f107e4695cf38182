package asm_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
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

// Matrices that their slices do not hold are refused, be it by a stride of which a multiple
// wraps around to a small number.
func TestTransposePanics(t *testing.T) {
	const huge = math.MaxInt/2 + 1 // four times that is 0
	x, y := make([]float64, 25), make([]float64, 25)
	for _, c := range []struct{ ldd, lds, dst, src int }{
		{5, 5, 24, 25}, {5, 5, 25, 24}, {4, 5, 25, 25}, {5, 4, 25, 25}, {huge, 5, 25, 25}, {5, huge, 25, 25}, {huge / 2, 5, 25, 25}, {5, huge / 2, 25, 25}, {-5, 5, 25, 25}, {5, -5, 25, 25}, {math.MaxInt, 5, 25, 25},
	} {
		if text := tier.Panic(func() { asm.Transpose(x[:c.dst], c.ldd, y[:c.src], c.lds, 5, 5) }); !strings.HasPrefix(text, "asm: Transpose: ") {
			t.Errorf("rows %d and %d apart, %d and %d numbers: panic %q", c.ldd, c.lds, c.dst, c.src, text)
		}
	}
	asm.Transpose(x, 5, y, 5, 5, 5)
}
