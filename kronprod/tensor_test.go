package kronprod_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// tensors lists dimensions so that each mode meets few joint indices before it
// and many after, the reverse, and more columns than are weighted at a time.
var tensors = [][]int{
	{4}, {1}, {0}, {3, 5}, {5, 3}, {2, 3, 4}, {4, 3, 2}, {6, 2, 1}, {1, 2, 6}, {2, 0, 3},
	{2, 3, 1, 4}, {3, 2, 2, 2, 3}, {3, 2, 2500}, {2500, 2, 3}, {5, 2049}, {2, 2048},
}

// unfolded is the matrix whose rows are the mode's indices and whose columns
// are the joint indices of the others, by division and remainder.
func unfolded(x kronprod.Tensor, mode int) mat.Matrix {
	after := 1
	for _, d := range x.Dims[mode+1:] {
		after *= d
	}
	n := x.Dims[mode]
	if n == 0 || len(x.Data) == 0 {
		others := 1
		for g, d := range x.Dims {
			if g != mode {
				others *= d
			}
		}
		return mat.New(n, others)
	}
	u := mat.New(n, len(x.Data)/n)
	for at, v := range x.Data {
		u.Set(at/after%n, at/(n*after)*after+at%after, v)
	}
	return u
}

// jointWeights is the product of the other modes' weights for every column of
// the unfolding.
func jointWeights(dims []int, mode int, weights [][]float64) []float64 {
	var columns []mat.Matrix
	for g, d := range dims {
		if g == mode {
			continue
		}
		w := mat.New(d, 1)
		w.Fill(1)
		if weights != nil && weights[g] != nil {
			w = mat.Vector(weights[g])
		}
		columns = append(columns, w)
	}
	return fuzz.NaiveKron(columns...).Data
}

// weightings are none, ones, weights for a single mode, and weights for all
// modes, the unfolded one among them, which must not be used.
func weightings(s *fuzz.Source, dims []int) [][][]float64 {
	all := make([][]float64, len(dims))
	list := [][][]float64{nil, make([][]float64, len(dims)), all}
	for g, d := range dims {
		all[g] = fuzz.Integers(s, d, 1, 3).Data
		single := make([][]float64, len(dims))
		single[g] = all[g]
		list = append(list, single)
	}
	return list
}

func integers(s *fuzz.Source, dims []int) kronprod.Tensor {
	x := kronprod.NewTensor(dims...)
	copy(x.Data, fuzz.Integers(s, len(x.Data), 1, 9).Data)
	return x
}

func TestMulMode(t *testing.T) {
	s := fuzz.New(31)
	for _, dims := range tensors {
		x := integers(s, dims)
		for mode, n := range dims {
			for _, rows := range []int{0, 1, n, n + 2} {
				if rows*len(x.Data) > 1<<16 {
					continue
				}
				a := fuzz.Integers(s, rows, n, 3)
				to := append([]int(nil), dims...)
				to[mode] = rows
				dst := kronprod.NewTensor(to...)
				for i := range dst.Data {
					dst.Data[i] = math.NaN()
				}
				kronprod.MulMode(dst, a, x, mode)
				want := naiveMul(a, unfolded(x, mode))
				if err := fuzz.SameBits(unfolded(dst, mode), want); err != nil {
					t.Errorf("%v, mode %d, %d rows: %v", dims, mode, rows, err)
				}
			}
		}
	}
}

func TestContractions(t *testing.T) {
	s := fuzz.New(32)
	for _, dims := range tensors {
		x := integers(s, dims)
		for mode, n := range dims {
			if n > 300 {
				continue
			}
			other := append([]int(nil), dims...)
			other[mode] = n + 2
			y := integers(s, other)
			for i, weights := range weightings(s, dims) {
				what := fmt.Sprintf("%v, mode %d, weights %d", dims, mode, i)
				ux, uy, w := unfolded(x, mode), unfolded(y, mode), jointWeights(dims, mode, weights)
				scaled := mat.New(ux.Rows, ux.Cols)
				mat.ScaleCols(scaled, ux, w)

				squares := make([][]float64, len(weights)) // of integers, so that their roots are exact
				for g, v := range weights {
					if v != nil {
						squares[g] = make([]float64, len(v))
					}
					for j, x := range v {
						squares[g][j] = x * x
					}
				}
				if weights == nil {
					squares = nil
				}
				twice := mat.New(ux.Rows, ux.Cols)
				mat.ScaleCols(twice, scaled, w)
				gram := fuzz.Guard(fuzz.Normal(s, n, n), s.Layout())
				kronprod.Gram(gram.Matrix, x, mode, squares)
				if d := difference(gram.Matrix, naiveMul(twice, ux.T())); d != 0 {
					t.Errorf("%s: Gram differs by %g", what, d)
				}
				if err := gram.Check(); err != nil {
					t.Errorf("%s: Gram: %v", what, err)
				}
				cross := fuzz.Guard(fuzz.Normal(s, n, n+2), s.Layout())
				kronprod.Cross(cross.Matrix, x, y, mode, weights)
				if d := difference(cross.Matrix, naiveMul(scaled, uy.T())); d != 0 {
					t.Errorf("%s: Cross differs by %g", what, d)
				}
				if err := cross.Check(); err != nil {
					t.Errorf("%s: Cross: %v", what, err)
				}
				marginal := fuzz.Normal(s, n, 1)
				kronprod.Marginal(marginal.Data, x, mode, weights)
				if d := difference(marginal, naiveMul(ux, mat.Vector(w))); d != 0 {
					t.Errorf("%s: Marginal differs by %g", what, d)
				}
			}
		}
	}
}

func TestTensorPanics(t *testing.T) {
	x := kronprod.NewTensor(2, 3, 4)
	short := kronprod.Tensor{Dims: []int{2, 3, 4}, Data: make([]float64, 23)}
	tier.PanicsWith(t, func() { kronprod.Shaped(make([]float64, 5), 2, 3) }, "Shaped", "5", "[2 3]")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 5, 4), mat.New(5, 2), x, 1) }, "MulMode", "[2 5 4]", "5×2", "[2 3 4]", "mode 1")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 5, 5), mat.New(5, 3), x, 1) }, "MulMode", "[2 5 5]", "5×3", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 5), mat.New(5, 3), x, 1) }, "MulMode", "[2 5]", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 3, 4), mat.New(3, 3), x, 3) }, "MulMode", "mode 3", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 3, 4), mat.New(3, 3), x, -1) }, "MulMode", "mode -1", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.MulMode(kronprod.NewTensor(2, 3, 4), mat.New(3, 3), short, 1) }, "MulMode", "23", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.MulMode(x, mat.New(3, 3), x, 1) }, "overlap")
	tier.PanicsWith(t, func() { kronprod.Gram(mat.New(2, 2), x, 1, nil) }, "Gram", "2×2", "[2 3 4]", "mode 1")
	tier.PanicsWith(t, func() { kronprod.Gram(mat.New(3, 3), short, 1, nil) }, "Gram", "23", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.Gram(mat.New(3, 3), x, 1, make([][]float64, 2)) }, "Gram", "2 modes", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.Gram(mat.New(3, 3), x, 1, [][]float64{{1}, nil, nil}) }, "Gram", "1 weights", "mode 0", "[2 3 4]")
	tier.PanicsWith(t, func() { kronprod.Gram(mat.New(3, 3), x, 1, [][]float64{{1, -0.5}, nil, nil}) }, "Gram", "-0.5")
	tier.PanicsWith(t, func() { kronprod.Cross(mat.New(3, 5), x, kronprod.NewTensor(2, 5, 3), 1, nil) }, "Cross", "3×5", "[2 3 4]", "[2 5 3]")
	tier.PanicsWith(t, func() { kronprod.Cross(mat.New(5, 3), x, kronprod.NewTensor(2, 5, 4), 1, nil) }, "Cross", "5×3", "[2 3 4]", "[2 5 4]")
	tier.PanicsWith(t, func() { kronprod.Cross(mat.New(3, 5), x, kronprod.NewTensor(2, 5), 1, nil) }, "Cross", "3×5", "[2 3 4]", "[2 5]")
	tier.PanicsWith(t, func() { kronprod.Marginal(make([]float64, 2), x, 1, nil) }, "Marginal", "2", "[2 3 4]", "mode 1")
	tier.PanicsWith(t, func() { kronprod.Marginal(make([]float64, 3), x, 1, [][]float64{nil, nil, {1, 2}}) }, "Marginal", "2 weights", "mode 2", "[2 3 4]")
}
