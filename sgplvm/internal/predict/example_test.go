package predict_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Twelve waves that differ by their phase, of which the latent variables know: a new one is
// filled in from a quarter of its points.
func Example() {
	const examples, points = 12, 16
	phase := func(i float64) float64 { return 2 * math.Pi * i / examples }
	wave := func(phase float64, j int) float64 { return 20 + 5*math.Sin(phase+2*math.Pi*float64(j)/points) }
	x, y := mat.New(points, 1), mat.New(examples*points, 1)
	q := bound.Latents{Mu: mat.New(examples, 2), S: mat.New(examples, 2)}
	q.S.Fill(1e-3)
	for i := range examples {
		sin, cos := math.Sincos(phase(float64(i)))
		copy(q.Mu.Row(i), []float64{cos, sin})
		for j := range points {
			x.Set(j, 0, float64(j))
			y.Set(i*points+j, 0, wave(phase(float64(i)), j))
		}
	}
	p := &bound.Params{
		Noise:  bound.Noise{Beta: 1e3},
		Latent: psi.Kernel{Parts: []psi.Part{&psi.Linear{Variance: []float64{1, 1}}}},
		X:      q,
		Z:      q.Mu.Slice(0, 4, 0, 2).Clone(),
		Space:  []bound.Spatial{{Kernel: kernel.Kernel{Kind: kernel.Matern52, Variance: 1, LengthScale: []float64{5}}}},
	}
	grid := field.Grid{x}
	seen, err := data.NewScaled(field.MatrixSource(y, examples))
	if err != nil {
		log.Fatal(err)
	}
	const jitter = 1e-6
	ctx := context.Background()
	alpha, err := bound.NewEvaluator(seen, grid, jitter).Alpha(ctx, p)
	if err != nil {
		log.Fatal(err)
	}
	says, err := predict.New(p, grid, seen.Scaler, alpha, jitter, predict.Options{})
	if err != nil {
		log.Fatal(err)
	}

	values := mat.New(points, 1)
	for j := range points {
		values.Set(j, 0, math.NaN())
		if j%4 == 0 {
			values.Set(j, 0, wave(phase(2.5), j))
		}
	}
	filled, latent, err := says.Impute(ctx, field.Observed{Values: values}, field.InferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("phase %.2f, want %.2f\n", math.Atan2(latent.Mu[1], latent.Mu[0]), phase(2.5))
	for j := range 5 {
		fmt.Printf("point %d: %.1f ± %.1f, want %.1f\n", j, filled.Mean.At(j, 0), math.Sqrt(filled.Variance.At(j, 0)), wave(phase(2.5), j))
	}
	// Output:
	// phase 1.31, want 1.31
	// point 0: 24.8 ± 0.0, want 24.8
	// point 1: 25.0 ± 0.1, want 25.0
	// point 2: 24.3 ± 0.1, want 24.3
	// point 3: 23.0 ± 0.1, want 23.0
	// point 4: 21.3 ± 0.0, want 21.3
}
