package motion_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A pattern that sways: how far it is to the right, in pixels, at a time without a frame.
func Example() {
	const width, height, frames = 48, 36, 12
	sway := func(t float64) float64 { return 3 * math.Sin(t/2) }
	var film, times []float64
	for t := range frames {
		times = append(times, float64(t))
		for i := range width * height {
			x, y := float64(i%width)-sway(float64(t)), float64(i/width)
			film = append(film, math.Sin(0.6*x+0.2*y)+math.Cos(0.5*y-0.2*x))
		}
	}
	source := data.NewSource(film, frames, width*height, 1)
	m, err := motion.Fit(context.Background(), source, times, nil, motion.Options{Width: width, Height: height, Nodes: []int{3}, Gain: -1})
	if err != nil {
		log.Fatal(err)
	}
	registered := m.Register(source) // what a model learns
	pair := make([]float64, 2*width*height)
	if err := registered.ReadExamples(pair, 3, 5); err != nil {
		log.Fatal(err)
	}
	const size = width * height
	change := func(a, b []float64) (rms float64) {
		for i, v := range a {
			rms += (v - b[i]) * (v - b[i]) / size
		}
		return math.Sqrt(rms)
	}
	fmt.Printf("from frame 3 to 4 pixels change by %.2f, registered by %.2f\n",
		change(film[3*size:4*size], film[4*size:5*size]), change(pair[:size], pair[size:]))

	fields, err := m.Fields(0, []float64{3, 6.5})
	if err != nil {
		log.Fatal(err)
	}
	node := len(fields[0].Mean) / 4 // in the middle of the frame
	moved := width * (fields[1].Mean[node] - fields[0].Mean[node])
	fmt.Printf("moved by %.1f pixels from time 3 to 6.5, truly %.1f\n", moved, sway(6.5)-sway(3))

	mean := mat.NewDense(width*height, 1, pair[:size])
	at := frame.Frame{Width: width, Height: height, Mean: mean}
	fields[1].Warp(at, at) // a frame at time 6.5
	// Output:
	// from frame 3 to 4 pixels change by 0.12, registered by 0.04
	// moved by -3.5 pixels from time 3 to 6.5, truly -3.3
}
