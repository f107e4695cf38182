package film_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// A film that sways, with a frame in between predicted in pixels half as large.
func Example() {
	ctx, times := context.Background(), evenTimes(16)
	frames := sgplvm.NewSource(scene(times, 1), len(times), width*height, 1)
	d := sgplvm.Data{Source: frames, Grid: sgplvm.Grid{column(height), column(width)}, Times: times}
	f, err := film.New(ctx, d, width, height, nil)
	if err != nil {
		log.Fatal(err)
	}
	var moves bool
	d.Source, moves = f.Register(frames)
	cfg := sgplvm.Config{LatentDims: 2, LatentKernel: "rbf+time", Training: sgplvm.TrainingConfig{Iterations: 25}}
	t, err := sgplvm.NewTrainer(d, cfg)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := t.Fit(ctx); err != nil {
		log.Fatal(err)
	}
	if err := f.Calibrate(ctx, t, frames, nil); err != nil {
		log.Fatal(err)
	}
	m, err := t.Model()
	if err != nil {
		log.Fatal(err)
	}
	if m, err = f.Keep(m); err != nil {
		log.Fatal(err)
	}
	fmt.Println("something moves:", moves)

	latents, err := m.LatentAt(0, []float64{6.5})
	if err != nil {
		log.Fatal(err)
	}
	if err := f.Predict(ctx, latents, 2*width, 2*height, func(_ int, p film.Frame) error {
		before, after := scene([]float64{6}, 2), scene([]float64{7}, 2)
		for i, v := range after {
			before[i] = (before[i] + v) / 2
		}
		truth := scene([]float64{6.5}, 2)
		fmt.Println("better than the mean of the frames before and after:", distance(p.Mean.Data, truth) < 0.8*distance(before, truth))
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// something moves: true
	// better than the mean of the frames before and after: true
}
