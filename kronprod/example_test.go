package kronprod_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A product of two small matrices acts on the numbers of a 2×3 table, one
// matrix along each side.
func ExampleOperator_Mul() {
	sum := mat.NewDense(1, 2, []float64{1, 1})                      // adds the rows
	difference := mat.NewDense(2, 3, []float64{-1, 1, 0, 0, -1, 1}) // of neighbours in a row
	o := kronprod.Of(sum, difference)
	table := []float64{
		1, 2, 4,
		8, 16, 32,
	}
	dst := mat.New(o.Rows(), 1)
	o.Mul(dst, mat.Vector(table), nil)
	fmt.Printf("%d×%d\n%v", o.Rows(), o.Cols(), dst)
	// Output:
	// 2×6
	// 9
	// 18
}

// The covariance of a field on a 2×2 grid is the Kronecker product of those
// along its axes; it is solved with and never formed.
func ExampleFactorize() {
	rows := mat.NewDense(2, 2, []float64{2, 1, 1, 2})
	columns := mat.NewDense(2, 2, []float64{4, 0, 0, 1})
	f, err := kronprod.Factorize(kronprod.Of(rows, columns))
	if err != nil {
		panic(err)
	}
	b := mat.Vector([]float64{12, 3, 0, 0})
	f.Solve(b)
	fmt.Printf("%.6g %.6g\n", b.Data, f.LogDet()) // |rows|²·|columns|² = 144
	// Output:
	// [2 2 -1 -1] 4.96981
}

func ExampleEigen() {
	e, err := kronprod.Eigen(kronprod.Of(
		mat.NewDense(2, 2, []float64{2, 1, 1, 2}),
		mat.NewDense(2, 2, []float64{0, 1, 1, 0})))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4g\n", e.Values)
	// Output:
	// [-1 1 -3 3]
}

// Marginal sums a tensor over all modes but one, here with weights along the
// last.
func ExampleMarginal() {
	x := kronprod.Shaped([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	sums := make([]float64, 2)
	kronprod.Marginal(sums, x, 0, [][]float64{nil, {1, 10, 100}})
	fmt.Println(sums)
	// Output:
	// [321 654]
}
