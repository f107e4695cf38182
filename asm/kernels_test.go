package asm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// lengths are around the widths by which a kernel may go through a slice.
var lengths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257}

// vector is a slice with canaries on both sides.
type vector struct {
	v    []float64
	mark []float64
}

// guard copies x to the given offset from the start of an allocation, so that
// offsets 0 to 7 are all alignments, between canaries.
func guard(x []float64, offset int) vector {
	const margin = 9
	all := slices.Repeat([]float64{fuzz.Canary()}, margin+offset+len(x)+margin)
	v := all[margin+offset:][:len(x)]
	copy(v, x)
	return vector{v, all}
}

// check reports a canary that was overwritten.
func (g vector) check(t *testing.T, name string) {
	t.Helper()
	first := cap(g.mark) - cap(g.v)
	for i, x := range g.mark {
		if inside := i >= first && i < first+len(g.v); !inside && math.Float64bits(x) != fuzz.CanaryBits {
			t.Errorf("%s: element %d of a slice of %d was overwritten with %g", name, i-first, len(g.v), x)
		}
	}
}

// same reports the first element of got whose bits are not those of want.
func same(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if err := fuzz.SameBits(mat.Vector(got), mat.Vector(want)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// special are numbers on which a kernel may slip.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
	math.SmallestNonzeroFloat64, -0x1p-1060, 0x1p-1022, 0x1.fffffffffffffp-1023,
}

// samples returns n numbers, every third of them special.
func samples(s *fuzz.Source, n int) []float64 {
	x := fuzz.Wide(s, n, 1, 300).Data
	for i := 2; i < n; i += 3 {
		x[i] = special[s.IntN(len(special))]
	}
	return x
}

// equal reports the first element in which numbers differ; any NaN is equal to
// any other.
func equal(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			t.Errorf("%s: element %d of %d is %g, want %g", name, i, len(want), g, w)
			return
		}
	}
}

// Kernels that treat each element alone: one operation, one rounding, known to
// the bit. The destination may be the argument, longer than it, and lie at any
// offset.
func TestElementwise(t *testing.T) {
	const alpha = 0.3
	for _, k := range []struct {
		name string
		do   func(dst, x, y []float64)
		want func(x, y float64) float64
	}{
		{"Scale", func(dst, x, _ []float64) { asm.Scale(dst, alpha, x) }, func(x, _ float64) float64 { return alpha * x }},
		{"Scale by 0", func(dst, x, _ []float64) { asm.Scale(dst, 0, x) }, func(x, _ float64) float64 { return 0 * x }},
		{"MulTo", func(dst, x, y []float64) { asm.MulTo(dst, x, y) }, func(x, y float64) float64 { return x * y }},
	} {
		t.Run(k.name, func(t *testing.T) {
			s := fuzz.New(1)
			for _, n := range lengths {
				for offset := range 8 {
					x, y := samples(s, n), samples(s, n)
					want := make([]float64, n)
					for i := range want {
						want[i] = k.want(x[i], y[i])
					}
					gx, gy := guard(x, (offset+3)%8), guard(y, (offset+5)%8)
					dst := guard(slices.Repeat([]float64{7}, n+offset%2), offset)
					k.do(dst.v, gx.v, gy.v)
					equal(t, k.name, dst.v, want)
					if offset%2 == 1 && dst.v[n] != 7 {
						t.Errorf("element %d behind the end is %g", n, dst.v[n])
					}
					same(t, "x", gx.v, x)
					same(t, "y", gy.v, y)
					k.do(gx.v, gx.v, gy.v)
					equal(t, k.name+" in place of x", gx.v, want)
					k.do(gy.v, x, gy.v)
					equal(t, k.name+" in place of y", gy.v, want)
					for _, g := range []vector{gx, gy, dst} {
						g.check(t, k.name)
					}
				}
			}
		})
	}
}

// Dot and Axpy are exact on integers, at every length and offset.
func TestVectorsExact(t *testing.T) {
	s := fuzz.New(2)
	for _, n := range lengths {
		for offset := range 8 {
			x, y := fuzz.Integers(s, n, 1, 8).Data, fuzz.Integers(s, n+1, 1, 8).Data
			gx, gy := guard(x, offset), guard(y, (offset+3)%8)
			var dot float64
			want := slices.Clone(y)
			for i := range x {
				dot += float64(x[i] * y[i])
				want[i] += float64(-3 * x[i])
			}
			if got := asm.Dot(gx.v, gy.v); got != dot {
				t.Errorf("Dot of %d numbers is %g, want %g", n, got, dot)
			}
			same(t, "y", gy.v, y)
			asm.Axpy(-3, gx.v, gy.v)
			same(t, "Axpy", gy.v, want)
			same(t, "x", gx.v, x)
			gx.check(t, "x")
			gy.check(t, "y")
		}
	}
}

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

// Dot and Axpy stay within the bound of a sum of n products.
func TestVectorsAccurate(t *testing.T) {
	s := fuzz.New(3)
	for _, n := range lengths {
		for name, p := range inputs(s, 1, n, 1) {
			x, y := p[0], p[1]
			got := mat.NewDense(1, 1, []float64{asm.Dot(x.Data, y.Data)})
			if r := fuzz.MulError(got, 1, x, y, 0, mat.Matrix{}); !(r <= 1) {
				t.Errorf("Dot of %d %s numbers: %.3g of the bound", n, name, r)
			}
			sum := slices.Clone(y.Data)
			asm.Axpy(-1.3, x.Data, sum)
			// Element by element a product of 1×1 matrices.
			if r := fuzz.MulError(mat.Vector(sum), -1.3, x.T(), mat.Identity(1), 1, y); !(r <= 1) {
				t.Errorf("Axpy of %d %s numbers: %.3g of the bound", n, name, r)
			}
		}
	}
}

// One NaN or infinity reaches a sum from every place, also against a zero, and
// only its own element of a vector.
func TestVectorsNonFinite(t *testing.T) {
	for _, n := range lengths[1:] {
		for at := range n {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				x, zero := make([]float64, n), make([]float64, n)
				x[at] = v
				if a, b := asm.Dot(x, zero), asm.Dot(zero, x); a == a || b == b {
					t.Fatalf("Dot of %d numbers with %g at %d and zeros: %g and %g, want NaN", n, v, at, a, b)
				}
				asm.Axpy(1, x, zero)
				for i, z := range zero {
					if (z-z != 0) != (i == at) {
						t.Fatalf("Axpy of %d numbers with %g at %d: element %d is %g", n, v, at, i, z)
					}
				}
			}
		}
	}
}

// packed returns the panels that GemmTile expects of a, MR×k, and b, k×NR.
func packed(a, b mat.Matrix) (pa, pb []float64) {
	mr, nr := asm.Tile()
	for l := range a.Cols {
		for i := range mr {
			pa = append(pa, a.At(i, l))
		}
		for j := range nr {
			pb = append(pb, b.At(l, j))
		}
	}
	return pa, pb
}

var depths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257}

// tile is an MR×NR matrix with rows gap apart, between canaries.
func tile(c mat.Matrix, offset, gap int) fuzz.Guarded {
	return fuzz.Guard(c, fuzz.Layout{Offset: 16 + offset, Gap: gap})
}

// The register tile is exact on integers, at every depth, alignment and
// leading dimension, and writes nothing but its tile.
func TestGemmTileExact(t *testing.T) {
	mr, nr := asm.Tile()
	s := fuzz.New(4)
	for _, k := range depths {
		for offset := range 8 {
			for _, gap := range []int{0, 1, 7} {
				alpha := []float64{1, -1, 2, 0.5}[offset%4]
				a, b := fuzz.Integers(s, mr, k, 8), fuzz.Integers(s, k, nr, 8)
				c := fuzz.Integers(s, mr, nr, 8)
				pa, pb := packed(a, b)
				ga, gb, gc := guard(pa, (offset+1)%8), guard(pb, (offset+2)%8), tile(c, offset, gap)
				asm.GemmTile(k, alpha, ga.v, gb.v, gc.Data, gc.RowStride, mr, nr)
				if err := fuzz.SameBits(gc.Matrix, fuzz.NaiveMul(alpha, a, b, 1, c)); err != nil {
					t.Errorf("k=%d, ldc=%d, alpha %g: %v", k, gc.RowStride, alpha, err)
				}
				if err := gc.Check(); err != nil {
					t.Errorf("k=%d: %v", k, err)
				}
				same(t, "a", ga.v, pa)
				same(t, "b", gb.v, pb)
				ga.check(t, "a")
				gb.check(t, "b")
			}
		}
	}
}

// The register tile stays within the bound of each element.
func TestGemmTileAccurate(t *testing.T) {
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
			asm.GemmTile(k, -1.3, pa, pb, got.Data, nr, mr, nr)
			if r := fuzz.MulError(got, -1.3, p[0], p[1], 1, c); !(r <= 1) {
				t.Errorf("k=%d, %s: %.3g of the bound", k, name, r)
			}
		}
	}
}

// A NaN or an infinity at one place of a panel makes its row or its column of
// the tile non-finite, and nothing else.
func TestGemmTileNonFinite(t *testing.T) {
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
}

// A destination or a second operand that is too short panics, although the
// array behind it may be long enough.
func TestShortSlices(t *testing.T) {
	mr, nr := asm.Tile()
	long, short := make([]float64, 9), make([]float64, 9)[:8]
	panel := func(r, k int) []float64 { return make([]float64, r*k) }
	less := func(x []float64) []float64 { return x[:len(x)-1] } // the capacity would do
	a, b, c := panel(mr, 3), panel(nr, 3), panel(mr, nr)
	for name, f := range map[string]func(){
		"Dot":         func() { asm.Dot(long, short) },
		"Axpy":        func() { asm.Axpy(1, long, short) },
		"Scale":       func() { asm.Scale(short, 1, long) },
		"MulTo dst":   func() { asm.MulTo(short, long, long) },
		"MulTo y":     func() { asm.MulTo(long, long, short) },
		"Exp":         func() { asm.Exp(short, long) },
		"GemmTile a":  func() { asm.GemmTile(3, 1, less(a), b, c, nr, mr, nr) },
		"GemmTile b":  func() { asm.GemmTile(3, 1, a, less(b), c, nr, mr, nr) },
		"GemmTile c":  func() { asm.GemmTile(3, 1, a, b, less(c), nr, mr, nr) },
		"GemmTile c0": func() { asm.GemmTile(0, 1, nil, nil, less(c), nr, mr, nr) },
	} {
		panicked := func() (yes bool) {
			defer func() { yes = recover() != nil }()
			f()
			return false
		}()
		if !panicked {
			t.Errorf("%s: a slice that is too short is accepted", name)
		}
	}
}

// Subnormal numbers are not flushed, by any kernel or after it.
func TestSubnormal(t *testing.T) {
	mr, nr := asm.Tile()
	const tiny = math.SmallestNonzeroFloat64
	for _, n := range lengths[1:] {
		x, y := slices.Repeat([]float64{tiny}, n), slices.Repeat([]float64{1.}, n)
		if got, want := asm.Dot(x, y), float64(n)*tiny; got != want {
			t.Errorf("Dot of %d numbers is %g, want %g", n, got, want)
		}
		dst := make([]float64, n)
		asm.Axpy(3, x, dst)
		same(t, "Axpy", dst, slices.Repeat([]float64{3 * tiny}, n))
		asm.Scale(dst, 5, x)
		same(t, "Scale", dst, slices.Repeat([]float64{5 * tiny}, n))
		asm.MulTo(dst, x, y)
		same(t, "MulTo", dst, x)
		pa, pb := slices.Repeat([]float64{tiny}, mr*n), slices.Repeat([]float64{1.}, nr*n)
		c := make([]float64, mr*nr)
		asm.GemmTile(n, 2, pa, pb, c, nr, mr, nr)
		same(t, "GemmTile", c, slices.Repeat([]float64{2 * float64(n) * tiny}, len(c)))
		if half := dst[0] * 2; half != 2*tiny {
			t.Errorf("after the kernels 2·%g is %g", tiny, half)
		}
	}
}
