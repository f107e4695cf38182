package asm_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// Factors of the kernels that take numbers besides slices.
const (
	alpha  = -1.3
	cosine = 0.8
	sine   = -0.6000000000000001
	gap    = 3 // between the rows of a matrix
	turns  = 5 // rotations of RotateRows
	rows   = 7 // of DotRows and AxpyRows: a group of four and a remainder
	group  = 4 // of them, without a remainder
)

// A vectorKernel is a kernel that goes through slices of about n numbers, and
// its model: what the documentation promises, bit for bit, in plain Go.
type vectorKernel struct {
	name   string
	sizes  func(n int) []int // how long its slices are
	writes int               // it writes the first of them, so many
	do     func(v [][]float64) float64
	model  func(v [][]float64) float64
	alias  [][2]int // pairs of slices that may be the same one
}

// times returns k slices of n numbers.
func times(k int) func(n int) []int {
	return func(n int) []int { return slices.Repeat([]int{n}, k) }
}

// spread is the length of a matrix of m rows of n numbers, gap apart.
func spread(m, n int) int {
	if n == 0 || m == 0 {
		return 0
	}
	return (m-1)*(n+gap) + n
}

// row is row i of a matrix of rows of n numbers, gap apart.
func row(a []float64, i, n int) []float64 {
	if n == 0 {
		return nil
	}
	return a[i*(n+gap):][:n]
}

var vectors = []vectorKernel{
	dotRows("DotRows", rows), dotRows("DotRows of a group", group),
	axpyRows("AxpyRows", rows), axpyRows("AxpyRows of a group", group),
	{
		name: "Dot", sizes: times(2),
		do:    func(v [][]float64) float64 { return asm.Dot(v[0], v[1]) },
		model: func(v [][]float64) float64 { return modelDot(v[0], v[1]) },
		alias: [][2]int{{0, 1}},
	}, {
		name: "SumSquares", sizes: times(1),
		do:    func(v [][]float64) float64 { return asm.SumSquares(v[0]) },
		model: func(v [][]float64) float64 { return modelDot(v[0], v[0]) },
	}, {
		name: "MaxAbs", sizes: times(1),
		do: func(v [][]float64) float64 { return asm.MaxAbs(v[0]) },
		model: func(v [][]float64) float64 {
			var largest float64
			for _, x := range v[0] {
				largest = max(largest, math.Abs(x))
			}
			return largest
		},
	}, {
		name: "Axpy", sizes: times(2), writes: 1,
		do: func(v [][]float64) float64 { asm.Axpy(alpha, v[1], v[0]); return 0 },
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i] = mulAdd(alpha, v[1][i], v[0][i])
			}
			return 0
		},
		alias: [][2]int{{0, 1}},
	}, {
		name: "AddScaled", sizes: times(3), writes: 1,
		do: func(v [][]float64) float64 { asm.AddScaled(v[0], v[1], alpha, v[2]); return 0 },
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i] = mulAdd(alpha, v[2][i], v[1][i])
			}
			return 0
		},
		alias: [][2]int{{0, 1}, {0, 2}, {1, 2}},
	}, {
		name: "Scale", sizes: times(2), writes: 1,
		do: func(v [][]float64) float64 { asm.Scale(v[0], alpha, v[1]); return 0 },
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i] = alpha * v[1][i]
			}
			return 0
		},
		alias: [][2]int{{0, 1}},
	}, {
		name: "MulTo", sizes: times(3), writes: 1,
		do: func(v [][]float64) float64 { asm.MulTo(v[0], v[1], v[2]); return 0 },
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i] = v[1][i] * v[2][i]
			}
			return 0
		},
		alias: [][2]int{{0, 1}, {0, 2}, {1, 2}},
	}, {
		name: "Rotate", sizes: times(2), writes: 2,
		do: func(v [][]float64) float64 { asm.Rotate(v[0], v[1], cosine, sine); return 0 },
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i], v[1][i] = modelRotate(v[0][i], v[1][i], cosine, sine)
			}
			return 0
		},
	}, {
		name: "RotateRows", sizes: func(n int) []int { return []int{spread(turns+1, n), turns, turns} }, writes: 1,
		do: func(v [][]float64) float64 {
			n := width(len(v[0]), turns+1)
			asm.RotateRows(v[0], n+gap, n, v[1], v[2])
			return 0
		},
		model: func(v [][]float64) float64 {
			n := width(len(v[0]), turns+1)
			for i := turns - 1; i >= 0; i-- {
				upper, lower := row(v[0], i, n), row(v[0], i+1, n)
				for j := range upper {
					lower[j], upper[j] = modelRotate(lower[j], upper[j], v[1][i], v[2][i])
				}
			}
			return 0
		},
	}, {
		name: "SymvRows", sizes: func(n int) []int { return []int{n, 4, 4, n, spread(4, n)} }, writes: 2,
		do: func(v [][]float64) float64 {
			asm.SymvRows(v[0], v[3], (*[4]float64)(v[1]), (*[4]float64)(v[2]), v[4], len(v[0])+gap)
			return 0
		},
		model: func(v [][]float64) float64 {
			n := len(v[0])
			count := 8
			if asm.Level() == "generic" {
				count = 4
			}
			for from := 0; from < n; from += block {
				to := min(from+block, n)
				for i := range 4 {
					a := row(v[4], i, n)[from:to]
					for j := range a {
						v[0][from+j] = mulAdd(v[2][i], a[j], v[0][from+j])
					}
					v[1][i] += lanes(v[3][from:to], a, count)
				}
			}
			return 0
		},
	},
}

func dotRows(name string, m int) vectorKernel {
	return vectorKernel{
		name: name, sizes: func(n int) []int { return []int{m, spread(m, n), n} }, writes: 1,
		do: func(v [][]float64) float64 {
			asm.DotRows(v[0], v[1], len(v[2])+gap, v[2])
			return 0
		},
		model: func(v [][]float64) float64 {
			for i := range v[0] {
				v[0][i] = modelDot(row(v[1], i, len(v[2])), v[2])
			}
			return 0
		},
	}
}

func axpyRows(name string, m int) vectorKernel {
	return vectorKernel{
		name: name, sizes: func(n int) []int { return []int{n, spread(m, n), m} }, writes: 1,
		do: func(v [][]float64) float64 {
			asm.AxpyRows(v[2], v[1], len(v[0])+gap, v[0])
			return 0
		},
		model: func(v [][]float64) float64 {
			for i, f := range v[2] {
				for j, a := range row(v[1], i, len(v[0])) {
					v[0][j] = mulAdd(f, a, v[0][j])
				}
			}
			return 0
		},
	}
}

// width is the n of which spread(m, n) = length.
func width(length, m int) int {
	if length == 0 {
		return 0
	}
	return (length - (m-1)*gap) / m
}

// kinds of numbers that go through the kernels.
var kinds = map[string]func(s *fuzz.Source, n int) []float64{
	"integer": func(s *fuzz.Source, n int) []float64 { return fuzz.Integers(s, n, 1, 8).Data },
	"normal":  func(s *fuzz.Source, n int) []float64 { return fuzz.Normal(s, n, 1).Data },
	"wide":    func(s *fuzz.Source, n int) []float64 { return fuzz.Wide(s, n, 1, 300).Data },
	"special": samples,
	"tiny":    tiny,
	"vanishing": func(s *fuzz.Source, n int) []float64 { // products are zeros of one sign
		return slices.Repeat([]float64{[]float64{1e-300, -1e-300, 0, math.Copysign(0, -1)}[s.IntN(4)]}, n)
	},
}

// clones copies slices.
func clones(v [][]float64) [][]float64 {
	c := make([][]float64, len(v))
	for i := range v {
		c[i] = slices.Clone(v[i])
	}
	return c
}

// Every vector kernel gives the bits of its model on every level, at every
// alignment, on any numbers, and touches neither what is outside its slices, nor
// the gaps between rows, nor what it only reads.
func TestVectors(t *testing.T) {
	sizes := slices.Clone(lengths)
	for n := 10; n < 70 && !testing.Short(); n++ {
		sizes = append(sizes, n)
	}
	eachLevel(t, func(t *testing.T) {
		for _, k := range vectors {
			s := fuzz.New(1)
			for at, n := range sizes {
				for kind, numbers := range kinds {
					repeat := 1
					if kind == "vanishing" {
						repeat = 20 // the signs of several slices must meet
					}
					for range repeat {
						checkVector(t, s, k, n, at, fmt.Sprintf("%s of %d %s numbers", k.name, n, kind), numbers)
					}
				}
				if t.Failed() {
					return
				}
			}
			for offset := range 8 {
				checkVector(t, s, k, 37+offset, offset, fmt.Sprintf("%s, offset %d", k.name, offset), kinds["normal"])
			}
		}
	})
}

// Vectors longer than the piece that one call of assembly takes.
func TestLongVectors(t *testing.T) {
	sizes := []int{block - 1, block, block + 1, block + 33, 2*block + 5}
	if testing.Short() {
		sizes = sizes[2:3]
	}
	eachLevel(t, func(t *testing.T) {
		for _, k := range vectors {
			for at, n := range sizes {
				checkVector(t, fuzz.New(2), k, n, at, fmt.Sprintf("%s of %d numbers", k.name, n), kinds["normal"])
			}
		}
		for _, at := range []int{0, block - 1, block, 2 * block} { // the largest of blocks is NaN where one of them is
			x := fuzz.Normal(fuzz.New(4), 2*block+1, 1).Data
			if x[at] = math.NaN(); asm.MaxAbs(x) == asm.MaxAbs(x) {
				t.Errorf("MaxAbs of %d numbers with a NaN at %d is %g", len(x), at, asm.MaxAbs(x))
			}
		}
		s := fuzz.New(3) // rotations longer than a sweep of one call
		c, sn := fuzz.Normal(s, 2500, 1).Data, fuzz.Normal(s, 2500, 1).Data
		for i := range c {
			r := math.Hypot(c[i], sn[i])
			c[i], sn[i] = c[i]/r, sn[i]/r
		}
		const n = 33
		z := fuzz.Normal(s, len(c)+1, n)
		want := z.Clone()
		for i := len(c) - 1; i >= 0; i-- {
			upper, lower := want.Row(i), want.Row(i+1)
			for j := range upper {
				lower[j], upper[j] = modelRotate(lower[j], upper[j], c[i], sn[i])
			}
		}
		asm.RotateRows(z.Data, n, n, c, sn)
		same(t, "RotateRows of 2500 rotations", z.Data, want.Data)
	})
}

func checkVector(t *testing.T, s *fuzz.Source, k vectorKernel, n, offset int, name string, numbers func(*fuzz.Source, int) []float64) {
	t.Helper()
	sizes := k.sizes(n)
	in := make([][]float64, len(sizes))
	for i, size := range sizes {
		in[i] = numbers(s, size)
	}
	want := clones(in)
	wantSum := k.model(want)
	guarded := make([]vector, len(in))
	v := make([][]float64, len(in))
	for i := range in {
		guarded[i] = guard(in[i], (offset+3*i)%8)
		v[i] = guarded[i].v
	}
	sum := k.do(v)
	equal(t, name+", result", []float64{sum}, []float64{wantSum})
	for i := range v {
		if i < k.writes {
			equal(t, fmt.Sprintf("%s, slice %d", name, i), v[i], want[i])
		} else {
			same(t, fmt.Sprintf("%s, slice %d, which it reads", name, i), v[i], in[i])
		}
		guarded[i].check(t, fmt.Sprintf("%s, slice %d", name, i))
	}
	for _, pair := range k.alias {
		p, q := clones(in), clones(in)
		copy(q[pair[0]], in[pair[1]])
		p[pair[0]] = p[pair[1]]
		wantSum := k.model(q)
		equal(t, fmt.Sprintf("%s, slices %v the same", name, pair), append([]float64{k.do(p)}, p[0]...), append([]float64{wantSum}, q[0]...))
	}
}

// One NaN or infinity reaches a sum from every place, also against a zero, and a
// NaN the largest number.
func TestVectorsNonFinite(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths[1:] {
			for at := range n {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					x, zero := make([]float64, n), make([]float64, n)
					x[at] = v
					if a, b := asm.Dot(x, zero), asm.Dot(zero, x); a == a || b == b {
						t.Fatalf("Dot of %d numbers with %g at %d and zeros: %g and %g, want NaN", n, v, at, a, b)
					}
					if got := asm.SumSquares(x); !(got == math.Inf(1) || v != v && got != got) {
						t.Fatalf("SumSquares of %d numbers with %g at %d: %g", n, v, at, got)
					}
					x[n/2], x[0], x[at] = math.Inf(-1), math.Inf(1), v
					if got := asm.MaxAbs(x); !(got == math.Inf(1) || v != v && got != got) {
						t.Fatalf("MaxAbs of %d numbers with %g at %d: %g", n, v, at, got)
					}
				}
			}
		}
	})
}

// Numbers and their negatives are found, however small, in every place.
func TestMaxAbs(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range append([]int{2*block + 1}, lengths[1:]...) {
			x := slices.Repeat([]float64{-5e-324}, n)
			for at := 0; at < n; at += 1 + n/300 {
				for _, v := range []float64{-1e-323, 1, -math.MaxFloat64} {
					former := x[at]
					x[at] = v
					if got := asm.MaxAbs(x); got != -v && got != v {
						t.Fatalf("MaxAbs of %d numbers with %g at %d: %g", n, v, at, got)
					}
					x[at] = former
				}
			}
		}
		if got := asm.MaxAbs([]float64{math.Copysign(0, -1)}); math.Float64bits(got) != 0 {
			t.Errorf("MaxAbs of -0 is %g", got)
		}
	})
}

// A slice that is too short panics with the operation, the slice and both
// lengths, although the array behind it may be long enough.
func TestShortSlices(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		long, short := make([]float64, 9), make([]float64, 9)[:8]
		four := new([4]float64)
		matrix := make([]float64, 3*11+9) // four rows of nine, eleven apart
		for _, c := range []struct {
			f    func()
			text string
		}{
			{func() { asm.Dot(long, short) }, "asm: Dot: y has 8 numbers, want at least 9"},
			{func() { asm.Axpy(1, long, short) }, "asm: Axpy: y has 8 numbers, want at least 9"},
			{func() { asm.AddScaled(long, short, 1, long) }, "asm: AddScaled: x has 8 numbers, want at least 9"},
			{func() { asm.AddScaled(long, long, 1, short) }, "asm: AddScaled: y has 8 numbers, want at least 9"},
			{func() { asm.Scale(short, 1, long) }, "asm: Scale: dst has 8 numbers, want at least 9"},
			{func() { asm.MulTo(short, long, long) }, "asm: MulTo: dst has 8 numbers, want at least 9"},
			{func() { asm.MulTo(long, long, short) }, "asm: MulTo: y has 8 numbers, want at least 9"},
			{func() { asm.Rotate(long, short, 1, 0) }, "asm: Rotate: y has 8 numbers, want at least 9"},
			{func() { asm.RotateRows(matrix, 11, 9, four[:3], four[:2]) }, "asm: RotateRows: s has 2 numbers, want at least 3"},
			{func() { asm.RotateRows(matrix[:41], 11, 9, four[:3], four[:3]) }, "asm: RotateRows: z has 41 numbers, which are no 4×9 matrix with rows 11 apart"},
			{func() { asm.RotateRows(matrix, 8, 9, four[:3], four[:3]) }, "asm: RotateRows: z has 42 numbers, which are no 4×9 matrix with rows 8 apart"},
			{func() { asm.RotateRows(matrix, 11, -1, four[:3], four[:3]) }, "asm: RotateRows: -1 columns"},
			{func() { asm.DotRows(four[:], matrix[:41], 11, long) }, "asm: DotRows: a has 41 numbers, which are no 4×9 matrix with rows 11 apart"},
			{func() { asm.DotRows(four[:], matrix, -1, long) }, "asm: DotRows: a has 42 numbers, which are no 4×9 matrix with rows -1 apart"},
			{func() { asm.DotRows(four[:1], long[:8], 0, long) }, "asm: DotRows: a has 8 numbers, which are no 1×9 matrix with rows 0 apart"},
			{func() { asm.AxpyRows(four[:], matrix[:41], 11, long) }, "asm: AxpyRows: a has 41 numbers, which are no 4×9 matrix with rows 11 apart"},
			{func() { asm.AxpyRows(four[:], matrix, 8, long) }, "asm: AxpyRows: a has 42 numbers, which are no 4×9 matrix with rows 8 apart"},
			{func() { asm.SymvRows(long, short, four, four, matrix, 11) }, "asm: SymvRows: x has 8 numbers, want at least 9"},
			{func() { asm.SymvRows(long, long, four, four, matrix[:41], 11) }, "asm: SymvRows: a has 41 numbers, which are no 4×9 matrix with rows 11 apart"},
			{func() { asm.SymvRows(long, long, four, four, matrix, math.MaxInt) }, "asm: SymvRows: a has 42 numbers, which are no 4×9 matrix with rows"},
		} {
			if got := tier.Panic(c.f); len(got) < len(c.text) || got[:len(c.text)] != c.text {
				t.Errorf("panic %q, want %q", got, c.text)
			}
		}
	})
}

// Subnormal numbers are not flushed, by any kernel or after it.
func TestSubnormal(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths[1:] {
			x, one := slices.Repeat([]float64{least}, n), slices.Repeat([]float64{1.}, n)
			for _, k := range vectors {
				v := make([][]float64, 0, 5)
				for _, size := range k.sizes(n) {
					v = append(v, slices.Repeat([]float64{least}, size))
				}
				k.do(v)
				if double := one[0] * least * 2; double != 2*least {
					t.Fatalf("after %s of %d numbers 2·%g is %g", k.name, n, least, double)
				}
			}
			if got, want := asm.Dot(x, one), float64(n)*least; got != want {
				t.Errorf("Dot of %d numbers is %g, want %g", n, got, want)
			}
		}
	})
}
