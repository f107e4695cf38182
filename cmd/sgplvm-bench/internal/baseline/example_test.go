package baseline_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Thirty curves with a bump at different places; of another one, every third
// point was seen.
func Example() {
	const n, points = 30, 12
	bump := func(centre float64, j int) float64 {
		d := float64(j) - centre
		return 10 * math.Exp(-0.1*d*d)
	}
	x, curves := mat.New(points, 1), mat.New(n, points)
	for j := range points {
		x.Set(j, 0, float64(j))
		for i := range n {
			curves.Set(i, j, bump(2+0.25*float64(i), j))
		}
	}
	seen := mat.New(1, points)
	for j := range points {
		seen.Set(0, j, math.NaN()) // missing
		if j%3 == 1 {
			seen.Set(0, j, bump(5.1, j))
		}
	}
	for _, kind := range []baseline.Kind{baseline.Nearest, baseline.LocalGaussian} {
		m, err := baseline.Fit(context.Background(), kind, baseline.Data{Points: x, Pictures: curves}, baseline.Options{})
		if err != nil {
			log.Fatal(err)
		}
		filled, err := m.Fill(context.Background(), seen)
		if err != nil {
			log.Fatal(err)
		}
		var worst float64
		for j := range points {
			worst = max(worst, math.Abs(filled.Mean.At(0, j)-bump(5.1, j)))
		}
		fmt.Printf("%s: largest error below 0.1: %v\n", kind, worst < 0.1)
	}
	// Output:
	// nearest: largest error below 0.1: false
	// local-gaussian: largest error below 0.1: true
}
