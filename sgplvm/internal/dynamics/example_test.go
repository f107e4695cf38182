package dynamics_test

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A wave is known at every whole second but two; what training would start from says what it is
// there.
func Example() {
	prior := dynamics.Prior{Kernel: kernel.Kernel{Kind: kernel.Matern52}}
	var scores []float64
	for t := range 40 {
		if t != 10 && t != 20 {
			prior.Times, scores = append(prior.Times, float64(t)), append(scores, math.Sin(float64(t)/4))
		}
	}
	p, err := dynamics.Start(prior, mat.NewDense(len(scores), 1, scores), []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	posterior, err := dynamics.NewPosterior(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, variance, err := posterior.Marginals(0, []float64{10, 20, 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, t := range []float64{10, 20} {
		fmt.Printf("at %v: %.1f, expected %.1f\n", t, mean.At(i, 0), math.Sin(t/4))
	}
	fmt.Println("less is known long after:", variance.At(2, 0) > variance.At(0, 0))
	// Output:
	// at 10: 0.6, expected 0.6
	// at 20: -0.9, expected -1.0
	// less is known long after: true
}
