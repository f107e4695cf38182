package sgplvm_test

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A bump moves along a line, and is seen at every second of a film in which the seconds
// 10 and 20 are missing. They follow from those before and after.
func ExampleModel_LatentAt() {
	const points = 16
	bump := func(t, s float64) float64 {
		centre := 8 + 5*math.Sin(t/6)
		return 10 * math.Exp(-0.1*(s-centre)*(s-centre))
	}
	x := mat.New(points, 1)
	for j := range points {
		x.Set(j, 0, float64(j))
	}
	var times, values []float64
	for t := range 30 {
		if t == 10 || t == 20 {
			continue
		}
		times = append(times, float64(t))
		for j := range points {
			values = append(values, bump(float64(t), float64(j)))
		}
	}
	k, err := kernel.Parse("matern52")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _, err := sgplvm.Fit(context.Background(),
		sgplvm.Data{Examples: len(times), Y: mat.NewDense(len(values), 1, values), Grid: sgplvm.Grid{x}, Times: times},
		sgplvm.Config{Effort: sgplvm.EffortQuick, LatentDims: 3, TimeKernel: k, Training: sgplvm.TrainingConfig{Iterations: 60}})
	if err != nil {
		fmt.Println(err)
		return
	}
	missing := []float64{10, 20}
	latents, err := m.LatentAt(0, missing)
	if err != nil {
		fmt.Println(err)
		return
	}
	var worst float64
	for i, l := range latents {
		p, err := m.Predict(l, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		for j := range points {
			worst = max(worst, math.Abs(p.Mean.At(j, 0)-bump(missing[i], float64(j))))
		}
	}
	fmt.Println("largest error below 0.5:", worst < 0.5)
	// Output: largest error below 0.5: true
}
