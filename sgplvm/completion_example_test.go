package sgplvm_test

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Values that are missing, NaN, come from the examples that have them.
func ExampleComplete() {
	const n, side = 12, 5
	line := mat.New(side, 1)
	for i := range side {
		line.Set(i, 0, float64(i))
	}
	d := sgplvm.Data{Examples: n, Y: mat.New(n*side*side, 1), Grid: sgplvm.Grid{line, line}}
	truth := make([]float64, len(d.Y.Data))
	for k := range truth {
		i, row, column := k/(side*side), k/side%side, k%side
		truth[k] = 10 + math.Sin(float64(i))*float64(row) + math.Cos(2*float64(i))*float64(column)
		if d.Y.Data[k] = truth[k]; (i*i+3*row+column)%7 == 0 {
			d.Y.Data[k] = math.NaN()
		}
	}
	c, err := sgplvm.Complete(context.Background(), d, sgplvm.Config{Effort: sgplvm.EffortQuick})
	if err != nil {
		panic(err)
	}
	worst := 0.0
	for k, y := range truth {
		worst = max(worst, math.Abs(c.Mean.Data[k]-y))
	}
	fmt.Printf("the worst error is less than 1: %v\n", worst < 1)
	// Output:
	// the worst error is less than 1: true
}
