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

// Operands are read where they lie, here as the rows of matrices.
func ExampleGemmPanel() {
	a := []float64{
		1, 2, 3,
		4, 5, 6,
	}
	b := []float64{
		1, -1,
		2, 0,
		0, 1,
	}
	c := []float64{
		10, 10,
		10, 10,
	}
	mr, _ := asm.Tile()
	asm.GemmPanel(3, 2, a, 3, 1, 3*mr, b, 2, 0.5, c, 2, 2, 2) // 2·A·B + C/2
	fmt.Println(c[:2])
	fmt.Println(c[2:])
	// Output:
	// [15 9]
	// [33 9]
}
