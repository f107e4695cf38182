package fuzz_test

import (
	"fmt"
	"math"
	"time"

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

// Families are found by what they have and what they have not.
func ExampleCases() {
	for _, c := range fuzz.Cases(fuzz.New(1), 6, fuzz.Definite|fuzz.Toeplitz, fuzz.DiagonalOnly) {
		fmt.Println(c.Name)
	}
	// Output:
	// KMS n=6
	// Pei n=6
	// second difference n=6
}

// A case says what is known of it, and what follows.
func ExampleCase_Properties() {
	c := fuzz.Arrow([]float64{2, -1})
	p := c.Properties()
	fmt.Println("definite:", p.Has(fuzz.Definite), "of integers:", p.Has(fuzz.Integer))
	fmt.Print(c.A, "times\n", c.Inverse, "is the identity, log-determinant ", c.LogDet, "\n")
	// Output:
	// definite: true of integers: true
	// 1 0 2
	// 0 1 -1
	// 2 -1 6
	// times
	// 5 -2 -2
	// -2 2 1
	// -2 1 1
	// is the identity, log-determinant 0
}

// Closed forms.
func ExampleFamilyNamed() {
	fmt.Print(fuzz.FamilyNamed("KMS").Make(nil, 4).A)
	// Output:
	// 1 0.5 0.25 0.125
	// 0.5 1 0.5 0.25
	// 0.25 0.5 1 0.5
	// 0.125 0.25 0.5 1
}

// Graphs.
func ExampleFamilyNamed_graph() {
	c := fuzz.FamilyNamed("star").Make(nil, 4)
	fmt.Print(c.A)
	fmt.Println(c.Eigenvalues)
	// Output:
	// 3 -1 -1 -1
	// -1 1 0 0
	// -1 0 1 0
	// -1 0 0 1
	// [0 1 1 4]
}

// Wilkinson's matrices, glued, have eigenvalues that agree to many digits.
func ExampleGluedWilkinson() {
	c := fuzz.GluedWilkinson(3, 2, 1e-14)
	w, _ := fuzz.NaiveEig(c.A)
	fmt.Print(c.A)
	fmt.Println("they agree:", w[5]-w[4] < 1e-12)
	// Output:
	// 1 1 0 0 0 0
	// 1 0 1 0 0 0
	// 0 1 1 1e-14 0 0
	// 0 0 1e-14 1 1 0
	// 0 0 0 1 0 1
	// 0 0 0 0 1 1
	// they agree: true
}

// Constant diagonals have eigenvalues in closed form.
func ExampleFamilyNamed_spectrum() {
	c := fuzz.FamilyNamed("second difference").Make(nil, 3)
	fmt.Printf("%.4f\n", c.Eigenvalues)
	// Output:
	// [0.5858 2.0000 3.4142]
}

// What no algorithm can decompose is to be refused.
func ExampleWithEntry() {
	c := fuzz.WithEntry(2, 1, 0, math.Inf(1))
	fmt.Print(c.A)
	fmt.Println(c.Properties().Has(fuzz.NonFinite))
	// Output:
	// 3 +Inf
	// +Inf 3
	// true
}

// Kronecker products know what their factors know.
func Example_kronecker() {
	c := fuzz.Kronecker(fuzz.Hadamard([]float64{1, 3}), fuzz.CompleteGraph(3))
	fmt.Println(c.A.Rows, c.Eigenvalues)
	// Output:
	// 6 [0 0 3 3 9 9]
}

// General matrices have singular values, a rank or a determinant.
func ExampleRankDeficient() {
	c := fuzz.RankDeficient(fuzz.New(2), 5, 4, 2)
	_, s, _ := fuzz.NaiveSVD(c.A)
	fmt.Println("rank", c.Rank, "singular values above rounding:", s[1] > 1e-10, s[2] > 1e-10)
	// Output:
	// rank 2 singular values above rounding: true false
}

// Reports of other libraries.
func ExampleRegressions() {
	for _, c := range fuzz.Regressions()[:3] {
		fmt.Println(c.Name)
	}
	// Output:
	// eigenvalues made up from NaN (numpy #20280)
	// eigenvalues made up from NaN (LinearAlgebra.jl #1504)
	// eigenvalues of NaN never end (julia #38346)
}

// A counterexample is made as small and as simple as the fault allows.
func ExampleLaw_Try() {
	forgetful := fuzz.Library{Mul: func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		mat.Mul(dst, alpha, a, b, 0)
	}}
	v := fuzz.LawNamed("product: integers").Try(forgetful, fuzz.Options{Shrink: time.Minute})
	fmt.Println("order", v.Failure.Order, "instead of", v.Failure.First)
	for _, m := range v.Failure.Operands {
		fmt.Println(m)
	}
	// Output:
	// order 1 instead of 31
	// a := mat.NewDense(1, 1, []float64{0})
	// b := mat.NewDense(1, 1, []float64{0})
	// c := mat.NewDense(1, 1, []float64{1})
}

// A library on plain slices, row after row.
func ExampleSlices() {
	x := fuzz.Slices{Mul: func(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
		for i := range m {
			for j := range n {
				var sum float64
				for l := range k {
					sum += a[i*lda+l] * b[l*ldb+j]
				}
				c[i*ldc+j] = alpha*sum + beta*c[i*ldc+j]
			}
		}
	}}.Library()
	for _, name := range []string{"product: integers", "product: beta 0", "product: alpha 0"} {
		fmt.Println(name, "holds:", fuzz.LawNamed(name).Try(x, fuzz.Options{}).Failure == nil)
	}
	// Output:
	// product: integers holds: true
	// product: beta 0 holds: false
	// product: alpha 0 holds: false
}
