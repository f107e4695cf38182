package inflation_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/inflation"
)

// Errors of frames that were left out are twice as large as expected, everywhere and at all times.
func Example() {
	const width, height = 8, 6
	at := data.Instants([]float64{0, 1, 2, 3}, []int{0, 0, 0, 0})
	law := inflation.New(width, height, at)
	truth, predicted := frame.New(width, height, 1), frame.New(width, height, 1)
	predicted.Variance.Fill(1)
	truth.Mean.Fill(2)
	for i := range at {
		law.Set(i, truth, predicted)
	}
	law.Choose()
	law.Apply(predicted, data.Instant{Time: 1.5})
	fmt.Printf("%.2f\n", predicted.Variance.Data[0])
	// Output: 4.00
}
