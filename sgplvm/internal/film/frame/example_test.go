package frame_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Four pixels become one: their mean, and the mean of their variances.
func ExampleDownsample() {
	fine, coarse := frame.New(4, 2, 1), frame.New(2, 1, 1)
	for k := range fine.Mean.Data {
		fine.Mean.Data[k], fine.Variance.Data[k] = float64(k), 0.5
	}
	frame.Downsample(coarse, fine)
	fmt.Println(coarse.Mean.Data, coarse.Variance.Data)
	// Output: [2.5 4.5] [0.5 0.5]
}
