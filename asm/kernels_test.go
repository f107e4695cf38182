package asm_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// eachLevel runs f on every level that runs here. The environment variable
// KRONFIELD_REQUIRE names a level that must be among them.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if want := os.Getenv("KRONFIELD_REQUIRE"); want != "" && !slices.Contains(asm.Levels(), want) {
		t.Fatalf("KRONFIELD_REQUIRE=%s, but this program has only %v here", want, asm.Levels())
	}
	for _, level := range asm.Levels() {
		t.Run(level, func(t *testing.T) {
			defer asm.SetLevel(level)()
			f(t)
		})
	}
}

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
		if inside := i >= first && i < first+len(g.v); !inside && math.Float64bits(x) != math.Float64bits(fuzz.Canary()) {
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

// tiny returns n negative and positive numbers whose products underflow, most
// of them to a zero.
func tiny(s *fuzz.Source, n int) []float64 {
	x := fuzz.Normal(s, n, 1).Data
	for i := range x {
		x[i] = math.Ldexp(x[i], -530-s.IntN(60))
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

// mulAdd is a·b + c as the level in use rounds it.
func mulAdd(a, b, c float64) float64 {
	if asm.Level() == "generic" {
		return float64(a*b) + c
	}
	return math.FMA(a, b, c)
}

// addMultiple adds a·x[j] to sum[j] as the level in use rounds it.
func addMultiple(sum []float64, a float64, x []float64) {
	if asm.Level() == "generic" {
		for j, v := range x {
			sum[j] += float64(a * v)
		}
		return
	}
	for j, v := range x {
		sum[j] = math.FMA(a, v, sum[j])
	}
}

// lanes is Σ x[i]·y[i] as the documentation of Dot says, for one block: in 32
// lanes, or 4 on the generic level. Numbers behind the last full step of the
// generic level go to its first lane.
func lanes(x, y []float64, count int) float64 {
	lane := make([]float64, count)
	for i := range x {
		j := i % count
		if asm.Level() == "generic" && i >= len(x)/count*count {
			j = 0
		}
		lane[j] = mulAdd(x[i], y[i], lane[j])
	}
	if asm.Level() == "generic" {
		return (lane[0] + lane[1]) + (lane[2] + lane[3])
	}
	for apart := count / 2; apart > 0; apart /= 2 {
		for j := range apart {
			lane[j] += lane[j+apart]
		}
	}
	return lane[0]
}

// block is the number of products that Dot sums before it adds them to others.
const block = 16384

// modelDot is Σ x[i]·y[i] as the documentation of Dot says.
func modelDot(x, y []float64) float64 {
	count := 32
	if asm.Level() == "generic" {
		count = 4
	}
	if len(x) <= block {
		return lanes(x, y, count)
	}
	var sum float64
	for i := 0; i < len(x); i += block {
		to := min(i+block, len(x))
		sum += lanes(x[i:to], y[i:to], count)
	}
	return sum
}

// modelRotate is what Rotate makes of one pair.
func modelRotate(x, y, c, s float64) (float64, float64) {
	if asm.Level() == "generic" {
		return float64(c*x) + float64(s*y), float64(c*y) - float64(s*x)
	}
	return math.FMA(c, x, float64(s*y)), math.FMA(c, y, -float64(s*x))
}
