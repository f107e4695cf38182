package chol_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

func Example() {
	a := mat.NewDense(3, 3, []float64{ // the lower triangle is read
		4, 0, 0,
		2, 10, 0,
		-2, 5, 6,
	})
	f, err := chol.Factorize(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{2, 37, 26}
	f.Solve(mat.Vector(x))
	fmt.Print(f.L())
	fmt.Println("x =", x)
	fmt.Printf("log|A| = %.6f\n", f.LogDet())
	// Output:
	// 2 0 0
	// 1 3 0
	// -1 2 1
	// x = [1 2 3]
	// log|A| = 3.583519
}

func ExampleNotPositiveDefiniteError() {
	a := mat.NewDense(2, 2, []float64{
		1, 0,
		2, 1,
	})
	_, err := chol.Factorize(a)
	var failed *chol.NotPositiveDefiniteError
	fmt.Println(errors.As(err, &failed), failed.Index, failed.Pivot)
	fmt.Println(err)
	// Output:
	// true 1 -3
	// chol: the matrix is not positive definite: pivot 1 is -3, not a positive number
}

func ExampleFactorizeJitter() {
	a := mat.NewDense(2, 2, []float64{ // the same point twice
		1, 1,
		1, 1,
	})
	_, jitter, err := chol.FactorizeJitter(a, nil)
	fmt.Println(jitter, err)
	// Output: 1e-10 <nil>
}

func ExampleFactor_Downdate() {
	a := mat.NewDense(2, 2, []float64{
		2, 1,
		1, 2,
	})
	f, err := chol.Factorize(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{1, 1}
	fmt.Println(f.Update(x)) // 3 2 2 3
	fmt.Printf("|A + x·xᵀ| = %.3f\n", math.Exp(f.LogDet()))
	fmt.Println(f.Downdate(x))
	var failed *chol.NotPositiveDefiniteError
	if errors.As(f.Downdate([]float64{1, -1}), &failed) { // 1 2 2 1
		fmt.Printf("pivot %d would be %.3f\n", failed.Index, failed.Pivot)
	}
	fmt.Printf("|A| = %.3f\n", math.Exp(f.LogDet()))
	// Output:
	// <nil>
	// |A + x·xᵀ| = 5.000
	// <nil>
	// pivot 1 would be -3.000
	// |A| = 3.000
}
