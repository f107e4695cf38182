package sgplvm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A long run keeps what it has done, is stopped, and goes on later to the same model.
func ExampleCheckpoints() {
	const examples, points = 20, 12
	x, y := mat.New(points, 1), mat.New(examples*points, 1)
	for j := range points {
		x.Set(j, 0, float64(j))
		for i := range examples {
			y.Set(i*points+j, 0, math.Sin(0.5*float64(j)+0.3*float64(i)))
		}
	}
	data := sgplvm.Data{Examples: examples, Y: y, Grid: sgplvm.Grid{x}}
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: 2, Training: sgplvm.TrainingConfig{Iterations: 40}}
	whole, _, err := sgplvm.Fit(context.Background(), data, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, stop := context.WithCancel(context.Background())
	var kept []byte // a program would replace a file
	save := func(write func(w io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		kept = b.Bytes()
		return nil
	}
	run := sgplvm.Run{Checkpoints: &sgplvm.Checkpoints{Save: save}}
	run.Watch = sgplvm.OnStep(func(p sgplvm.Progress) bool {
		if p.Iteration == 17 {
			stop()
		}
		return true
	})
	_, _, err = run.Fit(ctx, data, cfg)
	fmt.Println("stopped:", errors.Is(err, context.Canceled))

	run = sgplvm.Run{Checkpoints: &sgplvm.Checkpoints{Save: save, Resume: bytes.NewReader(kept)}}
	resumed, _, err := run.Fit(context.Background(), data, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var a, b bytes.Buffer
	if err := errors.Join(whole.Save(&a), resumed.Save(&b)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the same model:", bytes.Equal(a.Bytes(), b.Bytes()))
	// Output:
	// stopped: true
	// the same model: true
}
