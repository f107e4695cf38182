package kronprod_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

func TestEigen(t *testing.T) {
	s := fuzz.New(21)
	for _, order := range orders {
		var o kronprod.Operator
		for _, n := range order {
			o.Factors = append(o.Factors, fuzz.WithSpectrum(s, "", fuzz.RandomSigns(s, fuzz.Spectrum(s, fuzz.Geometric, n, 100))).A)
		}
		e, err := kronprod.Eigen(o)
		if err != nil {
			t.Fatal(err)
		}
		k := dense(o)
		n := k.Rows
		v := dense(e.Vectors)
		if len(e.Values) != n || v.Rows != n || v.Cols != n {
			t.Errorf("%v: %d values, %d×%d vectors", order, len(e.Values), v.Rows, v.Cols)
			continue
		}
		// LAPACK's gate is 10 units of rounding for each of the two factors that
		// make an entry; there are up to 4.
		if r := fuzz.EigResidual(k, e.Values, v); !(r <= 40) {
			t.Errorf("%v: residual %g", order, r)
		}
		if r := fuzz.Orthogonality(v); !(r <= 40) {
			t.Errorf("%v: the vectors are not orthonormal: residual %g", order, r)
		}
		want, _ := fuzz.NaiveEig(k)
		got := slices.Clone(e.Values)
		slices.Sort(got)
		for i, w := range want {
			if !(math.Abs(got[i]-w) <= 1e-12*mat.NormMax(mat.Vector(want))) {
				t.Errorf("%v: eigenvalue %d is %v, want %v", order, i, got[i], w)
			}
		}
	}
}

// Diagonal factors fix the order: the product's own, not sorted.
func TestEigenOrder(t *testing.T) {
	e, err := kronprod.Eigen(kronprod.Of(mat.NewDense(2, 2, []float64{3, 0, 0, 1}), mat.NewDense(3, 3, []float64{-5, 0, 0, 0, 2, 0, 0, 0, 7})))
	if err != nil {
		t.Fatal(err)
	}
	bits(t, "values", e.Values, []float64{-5, 2, 7, -15, 6, 21})
	// Column (j₁, j₂) is the unit vector of the place where the value stood.
	v := dense(e.Vectors)
	for j, at := range []int{3, 4, 5, 0, 1, 2} {
		for i := range 6 {
			if got := math.Abs(v.At(i, j)); (got == 1) != (i == at) {
				t.Errorf("vector %d has %v at %d", j, v.At(i, j), i)
			}
		}
	}
}

func TestVectors(t *testing.T) {
	s := fuzz.New(22)
	for _, order := range orders {
		var vectors [][]float64
		var columns []mat.Matrix
		for _, n := range order {
			v := fuzz.Integers(s, n, 1, 9)
			vectors = append(vectors, v.Data)
			columns = append(columns, v)
		}
		bits(t, fmt.Sprint(order), kronprod.Vectors(vectors...), fuzz.NaiveKron(columns...).Data)
	}
}
