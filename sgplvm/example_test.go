package sgplvm_test

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Twenty curves share one hidden cause, the place of a bump. The model learns
// it, and then completes a curve of which it sees four points of twelve.
func Example() {
	const examples, points = 20, 12
	bump := func(centre, s float64) float64 { return 10 * math.Exp(-0.1*(s-centre)*(s-centre)) }

	x := mat.New(points, 1)
	for j := range points {
		x.Set(j, 0, float64(j))
	}
	y := mat.New(examples*points, 1)
	for i := range examples {
		for j := range points {
			y.Set(i*points+j, 0, bump(2+0.4*float64(i), float64(j)))
		}
	}
	m, err := sgplvm.New(sgplvm.Data{Examples: examples, Y: y},
		sgplvm.Config{Space: []sgplvm.SpatialFactor{{X: x}}, LatentDims: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if _, err := m.Fit(ctx, sgplvm.FitOptions{Iterations: 150}); err != nil {
		fmt.Println(err)
		return
	}

	seen := mat.New(points, 1)
	seen.Fill(math.NaN()) // missing
	for _, j := range []int{1, 4, 7, 10} {
		seen.Set(j, 0, bump(5.3, float64(j)))
	}
	filled, _, err := m.Impute(ctx, sgplvm.Observed{Values: seen}, sgplvm.InferOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var worst float64
	for j := range points {
		worst = max(worst, math.Abs(filled.Mean.At(j, 0)-bump(5.3, float64(j))))
	}
	fmt.Println("largest error below 0.5:", worst < 0.5)
	// Output: largest error below 0.5: true
}
