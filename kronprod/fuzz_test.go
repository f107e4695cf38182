package kronprod_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

func FuzzOperator(f *testing.F) {
	fuzz.Target(f, fuzz.Library{
		KronMul: func(factors []mat.Matrix, x mat.Matrix) mat.Matrix {
			o := kronprod.Of(factors...)
			y := mat.New(o.Rows(), x.Cols)
			o.Mul(y, x, nil)
			return y
		},
		KronSolve: func(factors []mat.Matrix, b mat.Matrix) (mat.Matrix, error) {
			f, err := kronprod.Factorize(kronprod.Of(factors...))
			if err != nil {
				return mat.Matrix{}, err
			}
			x := b.Clone()
			f.Solve(x)
			return x, nil
		},
		KronEig: func(factors []mat.Matrix) ([]float64, []mat.Matrix, error) {
			sp, err := kronprod.Eigen(kronprod.Of(factors...))
			return sp.Values, sp.Vectors.Factors, err
		},
	})
}
