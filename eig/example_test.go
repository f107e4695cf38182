package eig_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

func Example() {
	a := mat.NewDense(3, 3, []float64{ // the lower triangle is read
		4, 0, 0,
		1, 3, 0,
		0, 1, 2,
	})
	sp, err := eig.Sym(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	for j, w := range sp.Values {
		v := sp.Vectors
		fmt.Printf("%.4f  (%7.4f %7.4f %7.4f)\n", w, v.At(0, j), v.At(1, j), v.At(2, j))
	}
	// Output:
	// 1.2679  ( 0.2113 -0.5774  0.7887)
	// 3.0000  ( 0.5774 -0.5774 -0.5774)
	// 4.7321  ( 0.7887  0.5774  0.2113)
}

func ExampleNonFiniteError() {
	a := mat.Identity(4)
	a.Set(2, 1, 1/a.At(0, 1)) // 1/0
	_, err := eig.Sym(a)
	fmt.Println(err)
	// Output: eig: element (2, 1) of the matrix is +Inf, not a finite number
}
