package asm_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// packedTriangle returns a triangle of a matrix as SolvePanel takes it; what is beyond
// the diagonal is NaN.
func packedTriangle(upper bool, a mat.Matrix) (v []float64) {
	mr, _ := asm.Tile()
	columns := func(tile, from, to int) {
		for j := from; j < to; j++ {
			for i := tile; i < tile+mr; i++ {
				if i < j == upper || i == j {
					v = append(v, a.At(i, j))
				} else {
					v = append(v, fuzz.Canary())
				}
			}
		}
	}
	for tile := 0; tile < a.Rows && !upper; tile += mr {
		columns(tile, 0, tile+mr)
	}
	for tile := a.Rows - mr; tile >= 0 && upper; tile -= mr {
		columns(tile, tile+mr, a.Rows)
		columns(tile, tile, tile+mr)
	}
	return v
}

// modelSolve is what SolvePanel makes of X.
func modelSolve(upper bool, a, x mat.Matrix) {
	mr, _ := asm.Tile()
	n := x.Rows
	subtract := func(i, j int) { addMultiple(x.Row(i), -a.At(i, j), x.Row(j)) }
	scale := func(i int) {
		for j, v := range x.Row(i) {
			x.Set(i, j, v*a.At(i, i))
		}
	}
	for i := 0; i < n && !upper; i++ {
		for j := range i {
			subtract(i, j)
		}
		scale(i)
	}
	for i := n - 1; i >= 0 && upper; i-- {
		tile := (i/mr + 1) * mr
		for j := tile; j < n; j++ {
			subtract(i, j)
		}
		for j := tile - 1; j > i; j-- {
			subtract(i, j)
		}
		scale(i)
	}
}

// The solution has the bits of its model for either triangle, any number of tiles, at
// every alignment, on any numbers, whatever stands beyond the diagonal.
func TestSolvePanel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(31)
		for _, upper := range []bool{false, true} {
			for _, tiles := range []int{0, 1, 2, 3, 4, 5, 6, 20} {
				for at, number := range matrixKinds {
					checkSolve(t, s, upper, tiles, at, number)
				}
			}
			for align := range 64 {
				checkSolve(t, s, upper, 2, align, fuzz.Normal)
			}
		}
	})
}

func checkSolve(t *testing.T, s *fuzz.Source, upper bool, tiles, align int, number func(s *fuzz.Source, r, c int) mat.Matrix) {
	t.Helper()
	mr, nr := asm.Tile()
	n := tiles * mr
	a, x := number(s, n, n), number(s, n, nr)
	if align == 0 { // where nothing overflows
		mat.Scale(a, 0.2, a)
	}
	v := packedTriangle(upper, a)
	ga, gx := guard(v, align%8), guard(x.Data, align/8%8)
	asm.SolvePanel(upper, tiles, ga.v, gx.v)
	modelSolve(upper, a, x)
	name := fmt.Sprintf("%d tiles, upper %t, alignment %o", tiles, upper, align)
	equal(t, name, gx.v, x.Data)
	same(t, name+", the triangle", ga.v, v)
	ga.check(t, name+", the triangle")
	gx.check(t, name+", x")
}

// Slices that do not hold the tiles panic with the operation and the shapes, before
// anything is written, whatever the capacities of the slices.
func TestSolvePanelPanics(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		a, x := make([]float64, 6*mr*mr), slices.Repeat([]float64{1}, 3*mr*nr)
		for name, c := range map[string]struct {
			tiles int
			a, x  []float64
		}{
			"triangle":       {3, a[:len(a)-1], x},
			"x":              {3, a, x[:len(x)-1]},
			"triangle empty": {1, nil, x},
			"x empty":        {1, a, nil},
			"below 0":        {-1, a, x},
			"least":          {math.MinInt, a, x},
			"many":           {4, a, x},
			"huge":           {math.MaxInt, a, x},
			"huge triangle":  {16384, a, make([]float64, 16384*mr*nr)}, // 32 bits are not enough for it
		} {
			for _, upper := range []bool{false, true} {
				text := tier.Panic(func() { asm.SolvePanel(upper, c.tiles, c.a, c.x) })
				want := fmt.Sprintf("do not hold %d tiles of %d×%d and %d×%d", c.tiles, mr, mr, mr, nr)
				if !strings.HasPrefix(text, "asm: SolvePanel: ") || !strings.HasSuffix(text, want) {
					t.Errorf("%s: panic %q, want one of SolvePanel that ends with %q", name, text, want)
				}
			}
		}
		same(t, "x after panics", x, slices.Repeat([]float64{1}, len(x)))
		if text := tier.Panic(func() { asm.SolvePanel(false, 0, nil, nil); asm.SolvePanel(true, 0, nil, nil) }); text != "" {
			t.Errorf("no tiles: panic %q", text)
		}
	})
}
