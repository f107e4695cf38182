package psi_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// One example under a kernel of two parts: where x is certain ψ1 is the kernel itself, and
// Ψ2 its square; uncertainty lowers the one and raises the other.
func Example() {
	names, err := psi.Parse("rbf+bias")
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := psi.Start(names, psi.Setting{Fractions: []float64{1}, Common: 0.5, Spatial: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(k.Describe())

	var st psi.Statistics
	st.Set(k, psi.Inducing{Z: mat.NewDense(1, 1, []float64{0})})
	psi1, psi2 := mat.New(1, 1), mat.New(1, 1)
	for _, s := range []float64{0, 1} {
		st.Forward(psi1, psi2, psi.One([]float64{0}, []float64{s}, nil))
		fmt.Printf("S = %v: ψ1 %.3f, Ψ2 %.3f, Ψ2 − ψ1² %.3f\n", s, psi1.At(0, 0), psi2.At(0, 0), psi2.At(0, 0)-psi1.At(0, 0)*psi1.At(0, 0))
	}
	// Output:
	// rbf, variance 1 + bias 0.5
	// S = 0: ψ1 1.500, Ψ2 2.250, Ψ2 − ψ1² 0.000
	// S = 1: ψ1 1.207, Ψ2 1.534, Ψ2 − ψ1² 0.077
}
