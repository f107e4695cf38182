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
	d := sgplvm.Dynamics{Times: times, Kernel: sgplvm.TimeKernel{Kind: sgplvm.Matern32}}
	f, err := film.New(ctx, frames, d, width, height, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := sgplvm.New(sgplvm.Data{Source: f.Register(frames)}, sgplvm.Config{
		Space:      []sgplvm.SpatialFactor{{X: column(height)}, {X: column(width)}},
		LatentDims: 2, Inducing: len(times), Dynamics: d, LatentKernel: sgplvm.LatentRBF | sgplvm.LatentTime,
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, sgplvm.FitOptions{Iterations: 25, Calibrate: true}); err != nil {
		log.Fatal(err)
	}
	if err := f.Keep(m); err != nil {
		log.Fatal(err)
	}
	if err := f.Calibrate(ctx, frames, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println("nothing moves:", f.Still())

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
	// nothing moves: false
	// better than the mean of the frames before and after: true
}
