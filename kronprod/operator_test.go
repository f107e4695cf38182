package kronprod_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

func TestShape(t *testing.T) {
	s := fuzz.New(2)
	for _, shape := range shapes {
		o := operator(shape, func(r, c int) mat.Matrix { return fuzz.Integers(s, r, c, 3) })
		k := dense(o)
		if o.Rows() != k.Rows || o.Cols() != k.Cols {
			t.Errorf("%v: %d×%d, want %d×%d", shape, o.Rows(), o.Cols(), k.Rows, k.Cols)
		}
		if err := fuzz.SameBits(dense(o.T()), k.T()); err != nil {
			t.Errorf("%v transposed: %v", shape, err)
		}
	}
}

func TestTraceAndDiag(t *testing.T) {
	s := fuzz.New(3)
	for _, order := range orders {
		var o kronprod.Operator
		for _, n := range order {
			o.Factors = append(o.Factors, fuzz.Guard(fuzz.Integers(s, n, n, 5), s.Layout()).Matrix)
		}
		k := dense(o)
		if got, want := o.Trace(), mat.Trace(k); got != want {
			t.Errorf("%v: trace %v, want %v", order, got, want)
		}
		bits(t, fmt.Sprintf("diagonal of %v", order), o.Diag(), k.Diag().Clone().Data)
	}
}

func TestMulTensorAbsentFactors(t *testing.T) {
	s := fuzz.New(5)
	dims := []int{2, 3, 1, 4}
	x := kronprod.Tensor{Dims: dims, Data: fuzz.Integers(s, 24, 1, 9).Data}
	for _, rows := range [][]int{nil, {-1}, {5}, {-1, 2}, {2, -1, 3}, {-1, -1, -1, 1}, {1, 2, 3, 4}, {-1, 0}, {3, 1, -1, 2}} {
		var o kronprod.Operator
		var full []mat.Matrix
		want := append([]int(nil), dims...)
		for f, r := range rows {
			a := mat.Matrix{}
			if r >= 0 {
				a = fuzz.Integers(s, r, dims[f], 3)
				want[f] = r
			}
			o.Factors = append(o.Factors, a)
			if r < 0 {
				a = mat.Identity(dims[f])
			}
			full = append(full, a)
		}
		for _, d := range dims[len(rows):] {
			full = append(full, mat.Identity(d))
		}
		k := fuzz.NaiveKron(full...)
		storage := make([]float64, k.Rows+1)
		storage[k.Rows] = fuzz.Canary()
		got := o.MulTensor(storage, x, nil)
		if fmt.Sprint(got.Dims) != fmt.Sprint(want) {
			t.Errorf("factors %v: dimensions %v, want %v", rows, got.Dims, want)
		}
		bits(t, fmt.Sprintf("factors %v", rows), got.Data, naiveMul(k, mat.Vector(x.Data)).Data)
		if math.Float64bits(storage[k.Rows]) != math.Float64bits(fuzz.Canary()) {
			t.Errorf("factors %v: wrote beyond the result", rows)
		}
		if len(got.Data) > 0 && &got.Data[0] != &storage[0] {
			t.Errorf("factors %v: the result is not in dst", rows)
		}
	}
}

// A NaN or an infinity in a factor reaches the rows that use it, one in x the
// column it is in, and nothing else changes by a bit.
func TestNaNStaysInItsRows(t *testing.T) {
	s := fuzz.New(6)
	o := operator([][2]int{{3, 2}, {2, 4}, {4, 3}}, func(r, c int) mat.Matrix { return fuzz.Integers(s, r, c, 3) })
	x := fuzz.Integers(s, o.Cols(), 3, 9)
	clean := mul(o, x)
	check := func(what string, poisoned func(row []int, column int) bool) {
		got := mul(o, x)
		for i := range got.Rows {
			row := []int{i / 8, i / 4 % 2, i % 4}
			for c := range got.Cols {
				switch v := got.At(i, c); {
				case poisoned(row, c) && v-v == 0:
					t.Errorf("%s: row %v, column %d is %v, want it poisoned", what, row, c, v)
				case !poisoned(row, c) && v != clean.At(i, c):
					t.Errorf("%s: row %v, column %d is %v, want %v", what, row, c, v, clean.At(i, c))
				}
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for f, a := range o.Factors {
			for i := range a.Rows {
				for j := range a.Cols {
					keep := a.At(i, j)
					a.Set(i, j, bad)
					check(fmt.Sprintf("%v at (%d, %d) of factor %d", bad, i, j, f), func(row []int, _ int) bool { return row[f] == i })
					a.Set(i, j, keep)
				}
			}
		}
	}
	for i := range x.Rows {
		for j := range x.Cols {
			keep := x.At(i, j)
			x.Set(i, j, math.NaN())
			check(fmt.Sprintf("NaN at (%d, %d) of x", i, j), func(_ []int, c int) bool { return c == j })
			x.Set(i, j, keep)
		}
	}
}

// large is a product of order n^d with one column to multiply.
func large(s *fuzz.Source, n, d int) (kronprod.Operator, mat.Matrix) {
	var o kronprod.Operator
	order := 1
	for range d {
		o.Factors = append(o.Factors, fuzz.Normal(s, n, n))
		order *= n
	}
	return o, fuzz.Normal(s, order, 1)
}

func TestSameBitsAtAnyWidth(t *testing.T) {
	s := fuzz.New(8)
	for _, shape := range [][][2]int{{{70, 70}, {70, 70}}, {{4, 300}, {30, 20}, {5, 6}}, {{20, 21}, {22, 19}, {17, 18}}, {{3, 3}, {2000, 2}}} {
		o := operator(shape, func(r, c int) mat.Matrix { return fuzz.Normal(s, r, c) })
		x := fuzz.Normal(s, o.Cols(), 3)
		dims := make([]int, len(shape)+1)
		for f, a := range o.Factors {
			dims[f] = a.Cols
		}
		dims[len(shape)] = 3
		tensor := kronprod.Shaped(x.Data, dims...)
		var want [32]byte
		atEveryWidth(func(procs int) {
			results := []mat.Matrix{mul(o, x), mul(o.T(), mul(o, x))}
			for mode, n := range dims {
				gram := mat.New(n, n)
				kronprod.Gram(gram, tensor, mode, nil)
				marginal := make([]float64, n)
				kronprod.Marginal(marginal, tensor, mode, nil)
				results = append(results, gram, mat.Vector(marginal))
			}
			got := fuzz.Digest(results...)
			if procs == 1 {
				want = got
			}
			if got != want {
				t.Errorf("%v: other bits at GOMAXPROCS %d than at 1", shape, procs)
			}
		})
	}
	spd := definite(s, []int{12, 40, 9})
	b := fuzz.Normal(s, 12*40*9, 2)
	var want [32]byte
	atEveryWidth(func(procs int) {
		f, err := kronprod.Factorize(spd)
		if err != nil {
			t.Fatal(err)
		}
		e, err := kronprod.Eigen(spd)
		if err != nil {
			t.Fatal(err)
		}
		x := b.Clone()
		f.Solve(x)
		got := fuzz.Digest(x, mat.Vector(e.Values), e.Vectors.Factors[0], e.Vectors.Factors[1], e.Vectors.Factors[2])
		if procs == 1 {
			want = got
		}
		if got != want {
			t.Errorf("solve or eigen: other bits at GOMAXPROCS %d than at 1", procs)
		}
	})
}

// The product is never formed: it would be 10⁸ to 10¹² numbers.
func TestMemory(t *testing.T) {
	cases := []struct{ n, d int }{{100, 2}, {46, 3}, {18, 4}}
	if !testing.Short() {
		cases = append(cases, struct{ n, d int }{10, 6})
	}
	for _, c := range cases {
		o, x := large(fuzz.New(9), c.n, c.d)
		dst := mat.New(x.Rows, 1)
		limit := uint64(4*8*len(x.Data) + 8*c.d*c.n*c.n + 64<<10)
		if got := allocated(func() { o.Mul(dst, x, nil) }); got > limit {
			t.Errorf("%d factors of order %d: %d bytes allocated, at most %d expected", c.d, c.n, got, limit)
		}
	}
	// Contracting first, in whatever place, keeps the intermediate tensor small:
	// the other order makes one of 4·10⁶ numbers.
	s := fuzz.New(10)
	row, column := fuzz.Normal(s, 1, 2000), fuzz.Normal(s, 2000, 1)
	for _, o := range []kronprod.Operator{kronprod.Of(row, column), kronprod.Of(column, row)} {
		x, dst := fuzz.Normal(s, 2000, 1), mat.New(2000, 1)
		if got := allocated(func() { o.Mul(dst, x, nil) }); got > 4*8*2000+64<<10 {
			t.Errorf("%d bytes allocated for a row and a column", got)
		}
	}
}

// allocated returns how many bytes f allocates: the less of two runs, since a
// pool may lose a buffer at any moment.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

func TestOperatorPanics(t *testing.T) {
	o := kronprod.Of(mat.New(3, 2), mat.New(4, 4))
	square := kronprod.Of(mat.New(2, 2), mat.New(3, 3))
	x := mat.New(8, 2)
	square12 := mat.New(12, 2)
	tier.PanicsWith(t, func() { o.Mul(mat.New(12, 2), mat.New(7, 2), nil) }, "Mul", "12×2", "3×2 ⊗ 4×4", "7×2")
	tier.PanicsWith(t, func() { o.Mul(mat.New(11, 2), x, nil) }, "Mul", "11×2", "3×2 ⊗ 4×4", "8×2")
	tier.PanicsWith(t, func() { o.Mul(mat.New(12, 1), x, nil) }, "Mul", "12×1", "3×2 ⊗ 4×4", "8×2")
	tier.PanicsWith(t, func() { square.Mul(square12.Slice(0, 6, 0, 2), square12.Slice(5, 11, 0, 2), nil) }, "Mul", "overlaps", "6×2")
	tier.PanicsWith(t, func() { o.MulTensor(make([]float64, 24), kronprod.NewTensor(3, 4, 2), nil) }, "MulTensor", "3×2 ⊗ 4×4", "[3 4 2]")
	tier.PanicsWith(t, func() { o.MulTensor(make([]float64, 24), kronprod.NewTensor(2), nil) }, "MulTensor", "3×2 ⊗ 4×4", "[2]")
	tier.PanicsWith(t, func() { o.MulTensor(make([]float64, 23), kronprod.NewTensor(2, 4, 2), nil) }, "23", "[3 4 2]")
	tier.PanicsWith(t, func() { o.Diag() }, "Diag", "3×2 ⊗ 4×4")
	tier.PanicsWith(t, func() { o.Trace() }, "Trace", "3×2")
	tier.PanicsWith(t, func() { kronprod.Factorize(o) }, "Factorize", "3×2 ⊗ 4×4")
	tier.PanicsWith(t, func() { kronprod.Eigen(o) }, "Eigen", "3×2 ⊗ 4×4")
}
