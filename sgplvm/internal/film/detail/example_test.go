package detail_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Pixels twice as fine are less sure where there is texture than where there is none.
func Example() {
	const width, height = 64, 48
	texture := func(x, y float64) float64 { // on the right
		return max(0, x-width/2) * (math.Sin(1.9*x) + math.Sin(0.8*x+1.3*y) + math.Sin(0.5*y))
	}
	film := make([]float64, width*height)
	for k := range film {
		film[k] = texture(float64(k%width), float64(k/width))
	}
	d, err := detail.Measure(context.Background(), data.NewSource(film, 1, width*height, 1), width, height)
	if err != nil {
		log.Fatal(err)
	}
	fine := frame.New(2*width, 2*height, 1)
	for k := range fine.Mean.Data {
		fine.Mean.Data[k] = texture(float64(k%fine.Width)/2, float64(k/fine.Width)/2)
	}
	d.AddTo(fine)
	row := fine.Variance.Data[height*fine.Width:]
	fmt.Println(row[110] > 100*row[20])
	// Output: true
}
