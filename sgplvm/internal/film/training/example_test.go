package training_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Whole numbers, as pictures have them, come back as they were.
func Example() {
	ctx, times := context.Background(), []float64{0, 1}
	source := data.NewSource([]float64{7, 8, 9, 10, 250, 8, 9, 10}, 2, 4, 1)
	m, err := motion.Fit(ctx, source, times, nil, motion.Options{Width: 2, Height: 2})
	if err != nil {
		log.Fatal(err)
	}
	frames, err := training.Keep(ctx, m, source)
	if err != nil {
		log.Fatal(err)
	}
	second := make([]float64, 4)
	if err := frames.ReadExamples(second, 1, 2); err != nil {
		log.Fatal(err)
	}
	fmt.Println(second)
	// Output: [250 8 9 10]
}
