package asm_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// packedTriangle returns the lower triangle of a matrix as SolvePanel takes it; what
// does not matter is NaN.
func packedTriangle(l mat.Matrix) (v []float64) {
	mr, _ := asm.Tile()
	for i0 := 0; i0 < l.Rows; i0 += mr {
		for j := range i0 + mr {
			for i := i0; i < i0+mr; i++ {
				if i < j {
					v = append(v, fuzz.Canary())
				} else {
					v = append(v, l.At(i, j))
				}
			}
		}
	}
	return v
}

// modelSolve is what SolvePanel makes of X.
func modelSolve(l, x mat.Matrix) {
	for i := range x.Rows {
		row := x.Row(i)
		for r := range i {
			addMultiple(row, -l.At(i, r), x.Row(r))
		}
		for j := range row {
			row[j] *= l.At(i, i)
		}
	}
}

// The solution has the bits of its model for any number of tiles, at every
// alignment, on any numbers, whatever stands above the diagonal.
func TestSolvePanel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(31)
		for _, tiles := range []int{0, 1, 2, 3, 4, 5, 6, 20} {
			for at, number := range matrixKinds {
				checkSolve(t, s, tiles, at, number)
			}
		}
		for align := range 64 {
			checkSolve(t, s, 2, align, fuzz.Normal)
		}
	})
}

func checkSolve(t *testing.T, s *fuzz.Source, tiles, align int, number func(s *fuzz.Source, r, c int) mat.Matrix) {
	t.Helper()
	mr, nr := asm.Tile()
	n := tiles * mr
	l, x := number(s, n, n), number(s, n, nr)
	v := packedTriangle(l)
	gl, gx := guard(v, align%8), guard(x.Data, align/8%8)
	asm.SolvePanel(tiles, gl.v, gx.v)
	modelSolve(l, x)
	name := fmt.Sprintf("%d tiles, alignment %o", tiles, align)
	equal(t, name, gx.v, x.Data)
	same(t, name+", l", gl.v, v)
	gl.check(t, name+", l")
	gx.check(t, name+", x")
}

// The solution is exact where that is an integer and the diagonal 1 or 2.
func TestSolvePanelExact(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(32)
		for tiles := range 7 {
			n := tiles * mr
			l, want := fuzz.Integers(s, n, n, 2), fuzz.Integers(s, n, nr, 8)
			for i := range n {
				l.Set(i, i, float64(1+s.IntN(2)))
			}
			x := fuzz.NaiveMul(1, fuzz.Lower(l), want, 0, mat.Matrix{})
			for i := range n {
				l.Set(i, i, 1/l.At(i, i))
			}
			asm.SolvePanel(tiles, packedTriangle(l), x.Data)
			for i := range want.Data {
				if x.Data[i] != want.Data[i] {
					t.Fatalf("%d tiles: element %d is %g, want %g", tiles, i, x.Data[i], want.Data[i])
				}
			}
		}
	})
}

// Slices that do not hold the tiles panic with the operation and the shapes, before
// anything is written.
func TestSolvePanelPanics(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		l, x := make([]float64, 6*mr*mr), slices.Repeat([]float64{1}, 3*mr*nr)
		long := make([]float64, 46342*mr*nr)
		for name, c := range map[string]struct {
			tiles int
			l, x  []float64
		}{
			"l":         {3, l[:len(l)-1], x}, // the capacity would do
			"x":         {3, l, x[:len(x)-1]},
			"l empty":   {1, nil, x},
			"x empty":   {1, l, nil},
			"below 0":   {-1, l, x},
			"least":     {math.MinInt, l, x},
			"many":      {4, l, x},
			"huge":      {math.MaxInt, l, x},
			"l of many": {46341, l, long}, // 46341·46342 needs 32 bits
		} {
			text := panicText(func() { asm.SolvePanel(c.tiles, c.l, c.x) })
			want := fmt.Sprintf("do not hold %d tiles of %d×%d and %d×%d", c.tiles, mr, mr, mr, nr)
			if !strings.HasPrefix(text, "asm: SolvePanel: ") || !strings.HasSuffix(text, want) {
				t.Errorf("%s: panic %q, want one of SolvePanel that ends with %q", name, text, want)
			}
		}
		same(t, "x after panics", x, slices.Repeat([]float64{1}, len(x)))
		if text := panicText(func() { asm.SolvePanel(0, nil, nil) }); text != "" {
			t.Errorf("no tiles: panic %q", text)
		}
	})
}

// involution returns a lower triangle that is its own inverse, and so are the numbers
// on its diagonal: however often it is solved with, no number grows or vanishes.
func involution(s *fuzz.Source, n int) mat.Matrix {
	basis, l := fuzz.Lower(fuzz.Normal(s, n, n)), mat.New(n, n)
	mat.Scale(basis, 1/float64(n), basis)
	for i := range n {
		basis.Set(i, i, 1)
		for j := range n {
			l.Set(i, j, basis.At(j, i)*float64(1-i%2*2))
		}
	}
	mat.SolveUpper(basis.T(), l) // the transpose of basis · signs · basis⁻¹
	return l.T()
}

func BenchmarkSolvePanel(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, rows := range []int{48, 120, 240, 504} {
			b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
				s := fuzz.New(1)
				v, x := packedTriangle(involution(s, rows)), fuzz.Normal(s, rows, nr)
				tiles := rows / mr
				fuzz.Rate(b, asm.Peak, float64(rows*(rows+1)*nr), func() { asm.SolvePanel(tiles, v, x.Data) })
			})
		}
	})
}
