package kronprod_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The factors have condition 100 each, so the product of d has 100^d.
func TestSolve(t *testing.T) {
	s := fuzz.New(11)
	for _, order := range orders {
		o := definite(s, order)
		k := dense(o)
		for _, a := range o.Factors { // only the lower triangles may be read
			fuzz.PoisonUpper(a)
		}
		f, err := kronprod.Factorize(o)
		if err != nil {
			t.Fatal(err)
		}
		l, failed := fuzz.NaiveCholesky(k)
		if failed < k.Rows {
			t.Fatalf("%v: the dense product fails at pivot %d", order, failed)
		}
		cond := math.Pow(100, float64(len(order)))
		for _, columns := range []int{0, 1, 3} {
			for _, layout := range fuzz.Layouts {
				what := fmt.Sprintf("%v, %d columns, %+v", order, columns, layout)
				b := fuzz.Normal(s, k.Rows, columns)
				half := fuzz.NaiveSolveLower(l, b)
				want := fuzz.NaiveSolveUpper(l.T(), half)

				got := fuzz.Guard(b, layout)
				f.Solve(got.Matrix)
				if d := difference(got.Matrix, want); !(d <= 1e-12*cond*max(1, mat.NormMax(want))) {
					t.Errorf("%s: solve differs by %g of %g", what, d, mat.NormMax(want))
				}
				// LAPACK's gate for solvers is 30 units of rounding.
				if r := fuzz.SolveResidual(k, got.Matrix, b); !(r <= 30) {
					t.Errorf("%s: residual %g", what, r)
				}
				if err := got.Check(); err != nil {
					t.Errorf("%s: solve: %v", what, err)
				}

				got = fuzz.Guard(b, layout)
				f.SolveHalf(got.Matrix)
				if d := difference(got.Matrix, half); !(d <= 1e-12*cond*max(1, mat.NormMax(half))) {
					t.Errorf("%s: half solve differs by %g of %g", what, d, mat.NormMax(half))
				}
				if err := got.Check(); err != nil {
					t.Errorf("%s: half solve: %v", what, err)
				}
			}
		}
		var logdet float64
		for i := range l.Rows {
			logdet += 2 * math.Log(l.At(i, i))
		}
		if d := math.Abs(f.LogDet() - logdet); !(d <= 1e-12*max(1, math.Abs(logdet))) {
			t.Errorf("%v: log-determinant %v, want %v", order, f.LogDet(), logdet)
		}
	}
}

func TestFactorizeErrors(t *testing.T) {
	s := fuzz.New(13)
	good := fuzz.SPD(s, 3).A
	for at := range 3 {
		factors := []mat.Matrix{good, good, good}
		factors[at] = fuzz.FailingPivot(s, 5, 3, -1).A
		_, err := kronprod.Factorize(kronprod.Of(factors...))
		var where *kronprod.FactorError
		var pivot *chol.NotPositiveDefiniteError
		if !errors.As(err, &where) || where.Factor != at || !errors.As(err, &pivot) || pivot.Index != 3 {
			t.Errorf("an indefinite factor %d: error %v", at, err)
		}

		factors[at] = good.Clone()
		factors[at].Set(2, 1, math.NaN())
		var cholNaN *chol.NonFiniteError
		if _, err = kronprod.Factorize(kronprod.Of(factors...)); !errors.As(err, &where) || where.Factor != at ||
			!errors.As(err, &cholNaN) || cholNaN.Row != 2 || cholNaN.Col != 1 {
			t.Errorf("a NaN in factor %d: Factorize: error %v", at, err)
		}
		var eigNaN *eig.NonFiniteError
		if _, err = kronprod.Eigen(kronprod.Of(factors...)); !errors.As(err, &where) || where.Factor != at ||
			!errors.As(err, &eigNaN) || eigNaN.Row != 2 || eigNaN.Col != 1 {
			t.Errorf("a NaN in factor %d: Eigen: error %v", at, err)
		}
	}
}

func TestSolvePanics(t *testing.T) {
	f, err := kronprod.Factorize(kronprod.Of(mat.Identity(2), mat.Identity(3)))
	if err != nil {
		t.Fatal(err)
	}
	tier.PanicsWith(t, func() { f.Solve(mat.New(5, 2)) }, "Solve", "5×2", "order 6")
	tier.PanicsWith(t, func() { f.SolveHalf(mat.New(7, 1)) }, "SolveHalf", "7×1", "order 6")
}
