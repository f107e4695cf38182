package asm_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
)

// The Matérn covariance of order 3/2, (1 + √3·r)·exp(−√3·r), of squared
// distances.
func ExampleExpSqrt() {
	k := []float64{0, 1, 4}
	asm.ExpSqrt(k, k, 3, 1, 1, 0)
	fmt.Printf("%.4f\n", k)
	// Output: [1.0000 0.4834 0.1397]
}
