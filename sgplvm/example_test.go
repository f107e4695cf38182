package sgplvm_test

import (
	"bytes"
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
	ctx := context.Background()
	m, _, err := sgplvm.Fit(ctx, sgplvm.Data{Examples: examples, Y: y, Grid: sgplvm.Grid{x}},
		sgplvm.Config{LatentDims: 3, Training: sgplvm.TrainingConfig{Iterations: 150}})
	if err != nil {
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

// Training that was interrupted is saved, and goes on in another trainer of the same data and configuration
// as if nothing had been.
func ExampleTrainer_Resume() {
	x := mat.New(10, 1)
	y := mat.New(8*10, 1)
	for j := range 10 {
		x.Set(j, 0, float64(j))
		for i := range 8 {
			y.Set(i*10+j, 0, math.Sin(float64(i+j)/3))
		}
	}
	data := sgplvm.Data{Examples: 8, Y: y, Grid: sgplvm.Grid{x}}
	config := sgplvm.Config{LatentDims: 2, Training: sgplvm.TrainingConfig{Iterations: 40}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t, err := sgplvm.NewTrainer(data, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	t.Progress = func(p sgplvm.Progress) bool {
		if p.Iteration == 25 {
			cancel()
		}
		return true
	}
	report, err := t.Fit(ctx)
	fmt.Println(report.Iterations, "steps:", err)
	var file bytes.Buffer
	if err := t.Checkpoint(&file); err != nil {
		fmt.Println(err)
		return
	}

	t, err = sgplvm.NewTrainer(data, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := t.Resume(&file); err != nil {
		fmt.Println(err)
		return
	}
	report, err = t.Fit(context.Background())
	fmt.Println(report.Iterations, "steps:", err)
	// Output:
	// 25 steps: context canceled
	// 40 steps: <nil>
}
