package sgplvm_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A film that sways: a frame in between is predicted in pixels half as large.
func Example_film() {
	const width, height, frames = 32, 24, 16
	draw := func(time float64, scale int) (v []float64) {
		for i := range width * height * scale * scale {
			x := (float64(i%(width*scale))+0.5)/float64(scale) - 3*math.Sin(time/2)
			y := (float64(i/(width*scale))+0.5)/float64(scale) - 2*math.Cos(time/3)
			v = append(v, 100+40*math.Sin(x/2)*math.Cos(y/2.5)+10*math.Sin(1.3*x+y))
		}
		return v
	}
	pixels := func(n, scale int) mat.Matrix { // centres
		x := mat.New(n*scale, 1)
		for i := range x.Data {
			x.Data[i] = (float64(i)+0.5)/float64(scale) - 0.5
		}
		return x
	}
	d := sgplvm.Data{Examples: frames, Y: mat.New(frames*width*height, 1), Grid: sgplvm.Grid{pixels(height, 1), pixels(width, 1)}, Film: true}
	for i := range frames {
		d.Times = append(d.Times, float64(i))
		copy(d.Y.Data[i*width*height:], draw(float64(i), 1))
	}
	cfg := sgplvm.Config{Effort: sgplvm.EffortQuick, LatentDims: 2, LatentKernel: "rbf+time", Training: sgplvm.TrainingConfig{Iterations: 25}}
	m, _, err := sgplvm.Fit(context.Background(), d, cfg)
	if err != nil {
		log.Fatal(err)
	}

	latents, err := m.LatentAt(0, []float64{6.5})
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Predict(latents[0], sgplvm.Grid{pixels(height, 2), pixels(width, 2)})
	if err != nil {
		log.Fatal(err)
	}
	var square, blended float64
	before, after := draw(6, 2), draw(7, 2)
	for i, truth := range draw(6.5, 2) {
		square += (p.Mean.Data[i] - truth) * (p.Mean.Data[i] - truth)
		blended += (before[i]/2 + after[i]/2 - truth) * (before[i]/2 + after[i]/2 - truth)
	}
	fmt.Println("better than the mean of the frames before and after:", square < 0.6*blended)
	// Output:
	// better than the mean of the frames before and after: true
}
