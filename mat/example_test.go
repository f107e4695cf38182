package mat_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A view shares its matrix: slices and transposes cost nothing, and a solve
// from the right is one from the left of the transposes.
func Example() {
	l := mat.NewDense(2, 2, []float64{
		2, 0,
		1, 4,
	})
	b := mat.NewDense(1, 2, []float64{10, 8})
	mat.SolveUpper(l.T(), b.T()) // x·l = b reads lᵀ·xᵀ = bᵀ
	fmt.Print(b)

	x := mat.New(1, 2)
	mat.Mul(x, 1, b, l, 0)
	fmt.Print(x)
	// Output:
	// 4 2
	// 10 8
}

func ExampleMul() {
	a := mat.NewDense(2, 3, []float64{
		1, 2, 3,
		4, 5, 6,
	})
	dst := mat.Identity(2)
	mat.Mul(dst, 1, a, a.T(), 100) // dst = a·aᵀ + 100·dst
	fmt.Print(dst)
	// Output:
	// 114 32
	// 32 177
}

func ExampleMatrix_Slice() {
	m := mat.New(3, 4)
	m.Slice(1, 3, 1, 3).Fill(7)
	m.Diag().Fill(1)
	fmt.Print(m)
	// Output:
	// 1 0 0 0
	// 0 1 7 0
	// 0 7 1 0
}

func ExampleSyrk() {
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	dst := mat.New(2, 2)
	mat.Syrk(dst, 1, a, 0) // the lower triangle of a·aᵀ
	fmt.Print(dst)
	mat.MirrorLower(dst)
	fmt.Print(dst)
	// Output:
	// 5 0
	// 11 25
	// 5 11
	// 11 25
}

func ExampleParallel() {
	squares := make([]int, 5)
	mat.Parallel(len(squares), func(i int) { squares[i] = i * i })
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

// Room that is lent, and a norm of what is seen in parts.
func ExampleBorrow() {
	room := mat.Borrow(6)
	defer mat.GiveBack(room)
	part := mat.NewDense(2, 3, *room)
	var norm mat.Frobenius
	for i := range 2 {
		part.Fill(float64(i + 1))
		norm.Add(part)
	}
	fmt.Printf("%.4f\n", norm.Norm())
	// Output: 5.4772
}
