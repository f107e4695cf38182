package asm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// Every shape, with gaps between the rows, at every alignment, and more rows than
// one call of assembly takes: the bits are those of the source, and nothing else is
// written.
func TestCopyRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(12)
		for n := range max(mr, nr) + 1 {
			for _, rows := range []int{0, 1, 2, 3, 4, 5, 8, 9} {
				for align := range 64 {
					checkCopy(t, s, rows, n, align)
				}
			}
		}
		for at, rows := range []int{block/8 - 1, block / 8, block/8 + 1, 2*(block/8) + 3} {
			for _, n := range []int{1, nr - 1, nr} {
				checkCopy(t, s, rows, n, 9*at)
			}
		}
	})
}

func checkCopy(t *testing.T, s *fuzz.Source, rows, n, align int) {
	t.Helper()
	src := anyBits(s, rows, n)
	from := fuzz.Guard(src, fuzz.Layout{Offset: 16 + align%8, Gap: align % 3})
	to := fuzz.Guard(anyBits(s, rows, n), fuzz.Layout{Offset: 16 + align/8, Gap: align % 5})
	asm.CopyRows(to.Data, n+align%5, from.Data, n+align%3, rows, n, 1000*align)
	for name, g := range map[string]fuzz.Guarded{"destination": to, "source": from} {
		err := g.Check()
		if err == nil {
			err = fuzz.SameBits(g.Matrix, src)
		}
		if err != nil {
			t.Fatalf("%d×%d numbers, alignment %o, %s: %v", rows, n, align, name, err)
		}
	}
}

// Shapes and slices that do not fit panic with the operation and the shapes.
func TestCopyRowsPanics(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		nr = max(mr, nr) // as many columns as there may be
		const huge = math.MaxInt
		dst, src := make([]float64, 1000), make([]float64, 1000)
		less := func(x []float64, n int) []float64 { return x[:n-1] } // the capacity would do
		for name, c := range map[string]struct {
			f    func()
			want string
		}{
			"dst":             {func() { asm.CopyRows(less(dst, 5*nr), nr, src, nr, 5, nr, 0) }, fmt.Sprintf("dst has %d numbers, which are no 5×%d matrix", 5*nr-1, nr)},
			"src":             {func() { asm.CopyRows(dst, nr, less(src, 5*nr), nr, 5, nr, 0) }, fmt.Sprintf("src has %d numbers, which are no 5×%d matrix", 5*nr-1, nr)},
			"dst, one row":    {func() { asm.CopyRows(less(dst, nr), nr, src, nr, 1, nr, 0) }, fmt.Sprintf("dst has %d numbers", nr-1)},
			"src, one row":    {func() { asm.CopyRows(dst, nr, less(src, nr), nr, 1, nr, 0) }, fmt.Sprintf("src has %d numbers", nr-1)},
			"ldd below n":     {func() { asm.CopyRows(dst, nr-1, src, nr, 2, nr, 0) }, fmt.Sprintf("no 2×%d matrix with rows %d apart", nr, nr-1)},
			"lds below n":     {func() { asm.CopyRows(dst, nr, src, nr-1, 2, nr, 0) }, fmt.Sprintf("no 2×%d matrix with rows %d apart", nr, nr-1)},
			"ldd below 0":     {func() { asm.CopyRows(dst, -nr, src, nr, 2, nr, 0) }, fmt.Sprintf("no 2×%d matrix with rows %d apart", nr, -nr)},
			"lds below 0":     {func() { asm.CopyRows(dst, nr, src, -nr, 2, nr, 0) }, fmt.Sprintf("no 2×%d matrix with rows %d apart", nr, -nr)},
			"ldd huge":        {func() { asm.CopyRows(dst, huge, src, nr, 3, nr, 0) }, "rows 9"},
			"lds huge":        {func() { asm.CopyRows(dst, nr, src, huge/2+1, 3, nr, 0) }, "rows 4"},
			"many columns":    {func() { asm.CopyRows(dst, nr+1, src, nr+1, 2, nr+1, 0) }, fmt.Sprintf("2×%d numbers, at most %d columns", nr+1, nr)},
			"n below 0":       {func() { asm.CopyRows(dst, nr, src, nr, 2, -1, 0) }, "2×-1 numbers"},
			"rows below 0":    {func() { asm.CopyRows(dst, nr, src, nr, -1, nr, 0) }, fmt.Sprintf("-1×%d numbers", nr)},
			"rows huge":       {func() { asm.CopyRows(dst, nr, src, nr, huge, nr, 0) }, "dst has 1000 numbers"},
			"no rows, bad n":  {func() { asm.CopyRows(nil, 0, nil, 0, 0, nr+1, 0) }, fmt.Sprintf("0×%d numbers", nr+1)},
			"bad rows, n = 0": {func() { asm.CopyRows(nil, 0, nil, 0, -1, 0, 0) }, "-1×0 numbers"},
		} {
			if strings.HasPrefix(c.want, "rows ") && math.MaxInt == math.MaxInt32 {
				c.want = "rows "
			}
			if text := tier.Panic(c.f); !strings.HasPrefix(text, "asm: CopyRows: ") || !strings.Contains(text, c.want) {
				t.Errorf("%s: panic %q, want one of CopyRows with %q", name, text, c.want)
			}
		}
		for name, f := range map[string]func(){
			"no rows":    func() { asm.CopyRows(nil, 0, nil, 0, 0, nr, 0) },
			"no columns": func() { asm.CopyRows(nil, 0, nil, 0, 7, 0, 0) },
			"ahead of memory": func() {
				for _, ahead := range []int{huge, math.MinInt, -1, huge/8 + 1} {
					asm.CopyRows(dst, nr, src, nr, 9, nr, ahead)
				}
			},
			"one row, no strides": func() { asm.CopyRows(dst[:nr], 0, src[:nr], -1, 1, nr, 0) },
		} {
			if text := tier.Panic(f); text != "" {
				t.Errorf("%s: panic %q", name, text)
			}
		}
	})
}
