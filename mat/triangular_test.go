package mat_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// upper returns a copy of the upper triangle, zeros below.
func upper(m mat.Matrix) mat.Matrix { return fuzz.Lower(m.T()).T() }

var triangular = []struct {
	name  string
	lower bool
	do    func(t, b mat.Matrix)
	naive func(t, b mat.Matrix) mat.Matrix
}{
	{"SolveLower", true, mat.SolveLower, fuzz.NaiveSolveLower},
	{"SolveUpper", false, mat.SolveUpper, fuzz.NaiveSolveUpper},
	{"MulLower", true, mat.MulLower, func(l, b mat.Matrix) mat.Matrix {
		return fuzz.NaiveMul(1, fuzz.Lower(l), b, 0, mat.Matrix{})
	}},
	{"MulUpper", false, mat.MulUpper, func(u, b mat.Matrix) mat.Matrix {
		return fuzz.NaiveMul(1, upper(u), b, 0, mat.Matrix{})
	}},
}

// Triangles with powers of two on the diagonal and integers elsewhere are
// exact: the bits of the definition at every size around the cut-overs.
func TestTriangularExact(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(30)
		at := 0
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 63, 64, 65, 287, 288, 289} {
			for _, k := range []int{0, 1, 2, 5, 7, 8, 9, 25} {
				if n > 100 && (testing.Short() || k < 7 || k > 9) {
					continue
				}
				for _, op := range triangular {
					at++
					l, x := fuzz.IntegerFactor(s, n), fuzz.Integers(s, n, k, 8)
					p, q, _ := layoutsOf(at)
					if !op.lower {
						l = l.T()
					}
					want := op.naive(l, x)
					b := x
					if op.name == "SolveLower" || op.name == "SolveUpper" {
						// Large integers would not stay exact: solve for x instead.
						want, b = x, fuzz.NaiveMul(1, l, x, 0, mat.Matrix{})
					}
					poisoned := l.Clone()
					if op.lower {
						fuzz.PoisonUpper(poisoned)
					} else {
						fuzz.PoisonUpper(poisoned.T())
					}
					gt, gb := fuzz.Guard(poisoned, p), fuzz.Guard(b, q)
					op.do(gt.Matrix, gb.Matrix)
					for _, err := range []error{
						fuzz.SameBits(gb.Matrix, want), fuzz.SameBits(gt.Matrix, poisoned), gt.Check(), gb.Check(),
					} {
						if err != nil {
							t.Errorf("%s, n=%d, k=%d: %v", op.name, n, k, err)
						}
					}
				}
			}
		}
	})
}

// Elements on the diagonal whose reciprocals overflow or are subnormal are divided
// by as well as any; zeros, infinities and NaN do what division does.
func TestSolveExtremeDiagonal(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(31)
		for _, d := range []float64{0x1p-1074, 0x1p-1040, 0x1p-1022, 0x1p-1020, 0x1p1019, 0x1p1020, 0x1p1023, 0, math.Inf(1), math.NaN()} {
			for _, n := range []int{1, 8, 20, 40} {
				for _, k := range []int{1, 30} {
					at, x := n/2, fuzz.Integers(s, n, k, 8)
					l := mat.Identity(n)
					l.Set(at, at, d)
					want := x.Clone()
					for j := range k {
						want.Set(at, j, x.At(at, j)/d)
					}
					got := x.Clone()
					mat.SolveLower(l, got)
					sameNumbers(t, "lower", d, got, want)
					mat.SolveUpper(l, x)
					sameNumbers(t, "upper", d, x, want)
				}
			}
		}
	})
}

// sameNumbers compares row by row what depends on the row alone: in a NaN's or an
// infinity's column others become NaN too.
func sameNumbers(t *testing.T, name string, d float64, got, want mat.Matrix) {
	t.Helper()
	for i := range got.Rows {
		for j := range got.Cols {
			g, w := got.At(i, j), want.At(i, j)
			finite := true // all of the column
			for l := range got.Rows {
				finite = finite && want.At(l, j)-want.At(l, j) == 0
			}
			if (finite || w-w != 0) && g != w && (g == g || w == w) {
				t.Errorf("%s, n=%d, %d right-hand sides, %g on the diagonal: element (%d, %d) is %g, want %g", name, got.Rows, got.Cols, d, i, j, g, w)
			}
		}
	}
}

// The laws of package fuzz.
func TestSolveLaws(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	eachVariant(t, func(t *testing.T) {
		draws := 450
		if testing.Short() {
			draws = 90
		}
		for seed := range uint64(draws) {
			for _, x := range []fuzz.Library{{SolveLower: mat.SolveLower}, {SolveUpper: mat.SolveUpper}} {
				if broken := x.Try(fuzz.New(seed)); broken != nil {
					t.Errorf("seed %d: %v", seed, broken)
				}
			}
		}
	})
}
