package asm_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
)

func Example() {
	x, y := []float64{1, 2, 3}, []float64{10, 20, 30}
	fmt.Println(asm.Dot(x, y))
	asm.Axpy(2, x, y)
	fmt.Println(y)
	// Output:
	// 140
	// [12 24 36]
}

// Panels hold the columns of A and the rows of B one after the other.
func ExampleGemmTile() {
	const k = 2
	a, b := make([]float64, asm.MR*k), make([]float64, k*asm.NR)
	for l := range k {
		for i := range asm.MR {
			a[l*asm.MR+i] = float64(10*i + l)
		}
		for j := range asm.NR {
			b[l*asm.NR+j] = float64(j + 1)
		}
	}
	c := make([]float64, asm.MR*asm.NR)
	asm.GemmTile(k, 1, a, b, c, asm.NR)
	fmt.Println(c[0*asm.NR+1], c[3*asm.NR+1]) // (0+1)·2 and (30+31)·2
	// Output: 2 122
}
