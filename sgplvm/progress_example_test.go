package sgplvm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// waves are n examples of one channel at ten points.
func waves(n int) sgplvm.Data {
	x, y := mat.New(10, 1), mat.New(n*10, 1)
	for j := range 10 {
		x.Set(j, 0, float64(j))
		for i := range n {
			y.Set(i*10+j, 0, math.Sin(float64(i+j)/3))
		}
	}
	return sgplvm.Data{Examples: n, Y: y, Grid: sgplvm.Grid{x}}
}

// Training tells of every step. It ends when that function says so, with what was learned by then, or when the context does, with
// an error; a trainer is whole after both.
func Example_progress() {
	steps := 0
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: 2}
	run := sgplvm.Run{Watch: sgplvm.OnStep(func(p sgplvm.Progress) (goOn bool) {
		steps++ // p has the step, the bound, the noise and the time that is left
		return p.Iteration < 20
	})}
	m, report, err := run.Fit(context.Background(), waves(8), cfg)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ended by itself:", report.Converged, "- told of every step:", steps == report.Iterations, "- a model of", m.Examples(), "examples")

	ctx, cancel := context.WithCancel(context.Background())
	run.Watch = sgplvm.OnStep(func(p sgplvm.Progress) bool {
		if p.Iteration == 5 {
			cancel()
		}
		return true
	})
	_, report, err = run.Fit(ctx, waves(8), cfg)
	fmt.Println("cancelled:", errors.Is(err, context.Canceled), "after", report.Iterations, "steps")
	// Output:
	// ended by itself: false - told of every step: true - a model of 8 examples
	// cancelled: true after 5 steps
}

// A model does not change: any number of goroutines use one, each with the same results as alone.
func Example_goroutines() {
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: 2}
	cfg.Training.Iterations = 10
	m, _, err := sgplvm.Fit(context.Background(), waves(8), cfg)
	if err != nil {
		log.Fatal(err)
	}
	predicted := make([]sgplvm.Prediction, m.Examples())
	failures := make([]error, m.Examples())
	var group sync.WaitGroup
	for i := range predicted {
		group.Go(func() { predicted[i], failures[i] = m.Predict(m.TrainingLatent(i), nil) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		log.Fatal(err)
	}
	alone, err := m.Predict(m.TrainingLatent(3), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same bits:", alone.Mean.At(4, 0) == predicted[3].Mean.At(4, 0))
	// Output: the same bits: true
}
