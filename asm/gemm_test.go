package asm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

var depths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257}

// inputs are pairs of an m×k and a k×n matrix that try a sum of products.
func inputs(s *fuzz.Source, m, k, n int) map[string][2]mat.Matrix {
	a, b := fuzz.Cancelling(s, m, k, n)
	return map[string][2]mat.Matrix{
		"normal":     {fuzz.Normal(s, m, k), fuzz.Normal(s, k, n)},
		"wide":       {fuzz.Wide(s, m, k, 300), fuzz.Wide(s, k, n, 300)},
		"cancelling": {a, b},
		"subnormal":  {fuzz.Wide(s, m, k, 20), scaled(fuzz.Wide(s, k, n, 20), 0x1p-1040)},
	}
}

func scaled(m mat.Matrix, by float64) mat.Matrix {
	mat.Scale(m, by, m)
	return m
}

// packed returns the panels that GemmTile expects of a, m×k, and b, k×n. What
// must not matter, the rows from m and the columns from n, is NaN.
func packed(a, b mat.Matrix) (pa, pb []float64) {
	mr, nr := asm.Tile()
	at := func(x mat.Matrix, i, j int) float64 {
		if i < x.Rows && j < x.Cols {
			return x.At(i, j)
		}
		return math.NaN()
	}
	for l := range a.Cols {
		for i := range mr {
			pa = append(pa, at(a, i, l))
		}
		for j := range nr {
			pb = append(pb, at(b, l, j))
		}
	}
	return pa, pb
}

// tile is a matrix with rows gap apart, between canaries.
func tile(c mat.Matrix, offset, gap int) fuzz.Guarded {
	return fuzz.Guard(c, fuzz.Layout{Offset: 16 + offset, Gap: gap})
}

// modelTile is what GemmTile makes of C.
func modelTile(alpha float64, a, b, c mat.Matrix) {
	for i := range c.Rows {
		for j := range c.Cols {
			var sum float64
			for l := range a.Cols {
				sum = mulAdd(a.At(i, l), b.At(l, j), sum)
			}
			c.Set(i, j, mulAdd(alpha, sum, c.At(i, j)))
		}
	}
}

// The tile has the bits of its model for every number of rows and columns,
// depth, alignment and leading dimension, on any numbers, and writes nothing
// but its elements of C.
func TestGemmTile(t *testing.T) {
	numbers := []func(s *fuzz.Source, r, c int) mat.Matrix{
		fuzz.Normal,
		func(s *fuzz.Source, r, c int) mat.Matrix { return mat.NewDense(r, c, samples(s, r*c)) },
		func(s *fuzz.Source, r, c int) mat.Matrix { return mat.NewDense(r, c, tiny(s, r*c)) },
		func(s *fuzz.Source, r, c int) mat.Matrix { return fuzz.Integers(s, r, c, 8) },
		func(s *fuzz.Source, r, c int) mat.Matrix { return fuzz.Wide(s, r, c, 300) },
	}
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(4)
		at := 0
		for m := range mr + 1 {
			for n := range nr + 1 {
				for _, k := range depths {
					if testing.Short() && k > 33 && (m+n)%5 != 0 {
						continue
					}
					at++
					alpha := []float64{1, -1, 2, 0.5, -1.3, 0}[at%6]
					number := numbers[at%len(numbers)]
					checkTile(t, s, m, n, k, at, alpha, number)
				}
				if t.Failed() {
					return
				}
			}
		}
		for _, d := range [][3]int{{mr, nr, 7}, {mr, nr, 8}, {1, 1, 5}, {mr - 1, nr - 1, 9}, {mr, 1, 3}, {1, nr, 4}} {
			for align := range 512 { // the alignments of all three operands
				checkTile(t, s, d[0], d[1], d[2], align, alpha, fuzz.Normal)
			}
		}
	})
}

func checkTile(t *testing.T, s *fuzz.Source, m, n, k, align int, alpha float64, number func(s *fuzz.Source, r, c int) mat.Matrix) {
	t.Helper()
	a, b, c := number(s, m, k), number(s, k, n), number(s, m, n)
	pa, pb := packed(a, b)
	ga, gb := guard(pa, align%8), guard(pb, align/8%8)
	gc := tile(c, align/64%8, []int{0, 1, 7}[align%3])
	asm.GemmTile(k, alpha, ga.v, gb.v, gc.Data, gc.RowStride, m, n)
	name := fmt.Sprintf("%d×%d×%d, ldc=%d, alpha %g, alignment %o", m, k, n, gc.RowStride, alpha, align)
	modelTile(alpha, a, b, c)
	for i := range m {
		equal(t, name+fmt.Sprintf(", row %d", i), gc.Row(i), c.Row(i))
	}
	if err := gc.Check(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	same(t, name+", a", ga.v, pa)
	same(t, name+", b", gb.v, pb)
	ga.check(t, name+", a")
	gb.check(t, name+", b")
}

// The tile is exact on integers.
func TestGemmTileExact(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(6)
		for _, k := range depths {
			a, b, c := fuzz.Integers(s, mr, k, 8), fuzz.Integers(s, k, nr, 8), fuzz.Integers(s, mr, nr, 8)
			pa, pb := packed(a, b)
			got := c.Clone()
			asm.GemmTile(k, -0.5, pa, pb, got.Data, nr, mr, nr)
			if err := fuzz.SameBits(got, fuzz.NaiveMul(-0.5, a, b, 1, c)); err != nil {
				t.Errorf("k=%d: %v", k, err)
			}
		}
	})
}

// The tile stays within the bound of each element.
func TestGemmTileAccurate(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		s := fuzz.New(5)
		for _, k := range depths {
			for name, p := range inputs(s, mr, k, nr) {
				c := fuzz.Normal(s, mr, nr)
				if name == "subnormal" {
					c.Fill(0)
				}
				pa, pb := packed(p[0], p[1])
				got := c.Clone()
				asm.GemmTile(k, alpha, pa, pb, got.Data, nr, mr, nr)
				if r := fuzz.MulError(got, alpha, p[0], p[1], 1, c); !(r <= 1) {
					t.Errorf("k=%d, %s: %.3g of the bound", k, name, r)
				}
			}
		}
	})
}

// A NaN or an infinity at one place of a panel makes its row or its column of
// the tile non-finite, and nothing else.
func TestGemmTileNonFinite(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		for _, k := range []int{1, 2, 3, 4, 9} {
			for at := range (mr + nr) * k {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					pa, pb := make([]float64, mr*k), make([]float64, nr*k)
					row, col := -1, -1
					if at < len(pa) {
						pa[at], row = v, at%mr
					} else {
						pb[at-len(pa)], col = v, (at-len(pa))%nr
					}
					c := make([]float64, mr*nr)
					asm.GemmTile(k, 1, pa, pb, c, nr, mr, nr)
					for i := range mr {
						for j := range nr {
							x := c[i*nr+j]
							if (x-x != 0) != (i == row || j == col) {
								t.Fatalf("k=%d, %g in row %d or column %d: element (%d, %d) is %g", k, v, row, col, i, j, x)
							}
						}
					}
				}
			}
		}
	})
}

// Shapes and slices that do not fit panic with the operation and the shapes,
// whatever the capacities of the slices.
func TestGemmTilePanics(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		a, b, c := make([]float64, 3*mr), make([]float64, 3*nr), make([]float64, mr*nr)
		less := func(x []float64) []float64 { return x[:len(x)-1] } // the capacity would do
		for name, f := range map[string]func(){
			"a":               func() { asm.GemmTile(3, 1, less(a), b, c, nr, mr, nr) },
			"b":               func() { asm.GemmTile(3, 1, a, less(b), c, nr, mr, nr) },
			"c":               func() { asm.GemmTile(3, 1, a, b, less(c), nr, mr, nr) },
			"c, k 0":          func() { asm.GemmTile(0, 1, nil, nil, less(c), nr, mr, nr) },
			"m above mr":      func() { asm.GemmTile(1, 1, a, b, make([]float64, 1000), nr, mr+1, nr) },
			"n above nr":      func() { asm.GemmTile(1, 1, a, b, make([]float64, 1000), nr+1, mr, nr+1) },
			"m below 0":       func() { asm.GemmTile(1, 1, a, b, c, nr, -1, nr) },
			"n below 0":       func() { asm.GemmTile(1, 1, a, b, c, nr, mr, -1) },
			"k below 0":       func() { asm.GemmTile(-1, 1, a, b, c, nr, mr, nr) },
			"k huge":          func() { asm.GemmTile(math.MaxInt, 1, a, b, c, nr, mr, nr) },
			"ldc below n":     func() { asm.GemmTile(1, 1, a, b, c, nr-1, mr, nr) },
			"ldc below 0":     func() { asm.GemmTile(1, 1, a, b, c, -nr, mr, nr) },
			"ldc huge":        func() { asm.GemmTile(1, 1, a, b, c, math.MaxInt, 2, nr) },
			"empty C, bad m":  func() { asm.GemmTile(1, 1, a, b, nil, 0, mr+1, 0) },
			"k 0, C missing":  func() { asm.GemmTile(0, 1, nil, nil, nil, 1, 1, 1) },
			"panels too many": func() { asm.GemmTile(4, 1, a, b, c, nr, mr, nr) },
		} {
			if text := panicText(f); !strings.HasPrefix(text, "asm: GemmTile: ") || !strings.Contains(text, "×") {
				t.Errorf("%s: panic %q, want one of GemmTile with shapes", name, text)
			}
		}
		for name, f := range map[string]func(){
			"no rows":          func() { asm.GemmTile(3, 1, a, b, nil, 0, 0, nr) },
			"no columns":       func() { asm.GemmTile(3, 1, a, b, nil, 0, mr, 0) },
			"one row, ldc 0":   func() { asm.GemmTile(3, 1, a, b, c[:nr], 0, 1, nr) },
			"nothing to add":   func() { asm.GemmTile(0, 1, nil, nil, c, nr, mr, nr) },
			"longer than used": func() { asm.GemmTile(2, 1, a, b, c, nr, mr-1, nr-1) },
		} {
			if text := panicText(f); text != "" {
				t.Errorf("%s: panic %q", name, text)
			}
		}
	})
}

// A tile fits into a buffer of MaxTile numbers.
func TestTile(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		if mr < 1 || nr < 1 || mr*nr > asm.MaxTile {
			t.Errorf("a tile of %d×%d, MaxTile is %d", mr, nr, asm.MaxTile)
		}
	})
}

// The yardstick counts its operations.
func TestPeak(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		one := asm.Peak(1)
		if one < 2 || asm.Peak(0) != 0 || asm.Peak(1000) != 1000*one {
			t.Errorf("0, 1 and 1000 rounds: %g, %g and %g operations", asm.Peak(0), one, asm.Peak(1000))
		}
	})
}

// Bits, shapes and layouts from the fuzzer: the tile against its model.
func FuzzGemmTile(f *testing.F) {
	f.Add(uint64(1), uint8(8), uint8(24), uint16(9), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, m, n uint8, k, align uint16) {
		eachLevel(t, func(t *testing.T) {
			mr, nr := asm.Tile()
			checkTile(t, fuzz.New(seed), int(m)%(mr+1), int(n)%(nr+1), int(k)%300, int(align), alpha,
				func(s *fuzz.Source, r, c int) mat.Matrix {
					x := make([]float64, r*c)
					for i := range x {
						x[i] = math.Float64frombits(s.Uint64())
					}
					return mat.NewDense(r, c, x)
				})
		})
	})
}

// Bits and lengths from the fuzzer: the vector kernels against their models.
func FuzzVectors(f *testing.F) {
	f.Add(uint64(1), uint16(33), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, offset, kernel uint8) {
		k := vectors[int(kernel)%len(vectors)]
		eachLevel(t, func(t *testing.T) {
			checkVector(t, fuzz.New(seed), k, int(n)%1000, int(offset), k.name, func(s *fuzz.Source, n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = math.Float64frombits(s.Uint64())
				}
				return x
			})
		})
	})
}
