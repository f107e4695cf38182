package fuzz_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// An eigensolver is judged by what is known of the matrix, and by residuals in
// units of rounding error.
func Example() {
	s := fuzz.New(1)
	d := fuzz.Spectrum(s, fuzz.Geometric, 20, 1e12)
	c := fuzz.WithSpectrum(s, "geometric", d)
	w, v := fuzz.NaiveEig(c.A)
	fmt.Println(c.Name)
	fmt.Println("residual below 10:", fuzz.EigResidual(c.A, w, v) < 10)
	fmt.Println("orthogonality below 10:", fuzz.Orthogonality(v) < 10)
	fmt.Println("eigenvalue error below 1:", fuzz.EigenvalueError(c, w) < 1)
	// Output:
	// geometric n=20
	// residual below 10: true
	// orthogonality below 10: true
	// eigenvalue error below 1: true
}

// Integers leave no room for rounding: the factor comes back to the bit.
func ExampleSPD() {
	c := fuzz.SPD(fuzz.New(4), 3)
	l, _ := fuzz.NaiveCholesky(c.A)
	fmt.Print(c.A, "\n", l)
	fmt.Println(fuzz.SameBits(l, c.Factor))
	// Output:
	// 1 -1 -3
	// -1 17 -9
	// -3 -9 34
	//
	// 1 0 0
	// -1 4 0
	// -3 -3 4
	// <nil>
}

// A law says what an implementation gets wrong, and where.
func ExampleCheckMul() {
	forgetful := func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		mat.Mul(dst, alpha, a, b, 0)
	}
	for seed := range uint64(100) {
		if err := fuzz.CheckMul(fuzz.New(seed), forgetful); err != nil {
			fmt.Println("refused")
			return
		}
	}
	// Output:
	// refused
}
