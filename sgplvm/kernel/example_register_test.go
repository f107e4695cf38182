package kernel_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// quadratic is the rational quadratic covariance function 1/(1 + r²/2), of order α = 1
// (Rasmussen and Williams, 2006, equation 4.19).
type quadratic struct{}

func (quadratic) Values(r2 []float64, variance float64) {
	for j, v := range r2 {
		r2[j] = variance / (1 + v/2)
	}
}

// Slopes are −k′(r)/r = 1/(1 + r²/2)².
func (quadratic) Slopes(r2 []float64, variance float64) {
	for j, v := range r2 {
		c := 1 / (1 + v/2)
		r2[j] = variance * c * c
	}
}

func init() { kernel.Register("quadratic", quadratic{}) }

// A caller's own kernel, registered as "quadratic", is used like the others.
func Example() {
	k, err := kernel.Parse("0.5*quadratic(2)+0.5*matern12(4)")
	if err != nil {
		fmt.Println(err)
		return
	}
	k.Variance = 3
	x := mat.NewDense(2, 1, []float64{0, 2})
	gram := mat.New(2, 2)
	k.Matrix(gram, x, x)
	fmt.Printf("%.4f\n", gram.Data)
	// Output:
	// [3.0000 1.9098 1.9098 3.0000]
}
