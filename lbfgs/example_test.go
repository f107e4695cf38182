package lbfgs_test

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// Rosenbrock's valley (1960): f(x, y) = 100·(y − x²)² + (1 − x)².
func Example() {
	valley := func(x, grad []float64) float64 {
		a, b := x[1]-x[0]*x[0], 1-x[0]
		grad[0] = -400*a*x[0] - 2*b
		grad[1] = 200 * a
		return 100*a*a + b*b
	}
	r, err := lbfgs.Minimize(context.Background(), valley, []float64{-1.2, 1}, lbfgs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v at (%.4f, %.4f)\n", r.Status, r.X[0], r.X[1])
	// Output: gradient converged at (1.0000, 1.0000)
}

// Many small problems of one size, in one memory: the minimum of cosh(x − c) for each c.
// An infeasible point is simply declared: here everything beyond x = 2.5.
func ExampleMinimizer() {
	var (
		m lbfgs.Minimizer
		c float64
	)
	f := func(x, grad []float64) float64 {
		if x[0] > 2.5 {
			return math.NaN()
		}
		grad[0] = math.Sinh(x[0] - c)
		return math.Cosh(x[0] - c)
	}
	x0 := []float64{0}
	for c = 0; c < 3; c++ {
		r, err := m.Minimize(context.Background(), f, x0, lbfgs.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.4f %v\n", r.X[0], r.Status)
	}
	// Output:
	// 0.0000 gradient converged
	// 1.0000 gradient converged
	// 2.0000 gradient converged
}

// A run that is stopped and continued from its state.
func ExampleState() {
	f := func(x, grad []float64) float64 {
		grad[0] = 4 * x[0] * x[0] * x[0]
		return x[0] * x[0] * x[0] * x[0]
	}
	first, err := lbfgs.Minimize(context.Background(), f, []float64{3}, lbfgs.Options{MaxIterations: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := lbfgs.Minimize(context.Background(), f, nil, lbfgs.Options{InitialState: first.State})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Status, "then", second.Status)
	// Output: iteration limit then gradient converged
}
