package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A diagonal that is a smooth function of the product of two eigenvalues is a sum of few terms, 0 of none, and any of as many as its shorter side.
func TestTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 62))
	const rows, cols = 60, 90
	smooth, any := mat.New(rows, cols), normal(rng, rows, cols)
	for i := range rows {
		for j := range cols {
			k := math.Exp2(-float64(i+j) / 4)
			smooth.Set(i, j, k/(1e-3+k)+k/(0.1+k))
		}
	}
	for _, c := range []struct {
		name string
		h    mat.Matrix
		most int
	}{{"smooth", smooth, 35}, {"random", any, rows}, {"random, transposed", any.T().Clone(), rows}, {"nought", mat.New(3, 4), 0}} {
		terms := termsOf(nil, c.h.Data, c.h.Rows, c.h.Cols)
		if n := terms.first.Cols; n > c.most || terms.second.Cols != n {
			t.Errorf("%s: %d and %d terms, expected at most %d", c.name, n, terms.second.Cols, c.most)
		}
		sum := mat.New(c.h.Rows, c.h.Cols)
		mat.Mul(sum, 1, terms.first, terms.second.T(), 0)
		if d := difference(sum, c.h); !(d <= 1e-12*mat.NormMax(c.h)) {
			t.Errorf("%s: the terms leave %g", c.name, d)
		}
	}
}
