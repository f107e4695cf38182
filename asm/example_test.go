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
	mr, nr := asm.Tile()
	a, b := make([]float64, mr*k), make([]float64, k*nr)
	for l := range k {
		for i := range mr {
			a[l*mr+i] = float64(10*i + l)
		}
		for j := range nr {
			b[l*nr+j] = float64(j + 1)
		}
	}
	c := make([]float64, mr*nr)
	asm.GemmTile(k, 1, a, b, c, nr, mr, nr)
	fmt.Println(c[0*nr+1], c[3*nr+1]) // (0+1)·2 and (30+31)·2
	// Output: 2 122
}
