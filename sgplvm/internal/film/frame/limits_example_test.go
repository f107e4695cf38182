package frame_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A window is brighter than the camera can show. What is predicted to be brighter still is as bright as it can show, and surer.
func ExampleLimits() {
	values := []float64{90, 120, 96, 131}
	for range 28 {
		values = append(values, 255)
	}
	frames := data.NewSource(values, 2, 16, 1)
	l, err := frame.FindLimits(context.Background(), frames)
	if err != nil {
		log.Fatal(err)
	}
	f := frame.New(2, 1, 1)
	copy(f.Mean.Data, []float64{125, 270})
	copy(f.Variance.Data, []float64{25, 25})
	l.Clip(f)
	fmt.Printf("%.0f %.2f\n", f.Mean.Data, f.Variance.Data)
	// Output: [125 255] [25.00 2.58]
}
