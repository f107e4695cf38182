package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func sample(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "sample", `sgplvm sample -model MODEL -out FIELDS.npy [flags]

Draws whole pictures from a model: with latent variables from their prior, or with
-example from the posterior of a training example; on the training grid, in another
resolution, or at any points.`)
	w := f.placement("draw")
	count := f.whole("count", 16, 1, maxFields, "`number` of pictures")
	seed := f.seed("seed", 0, "the `number` that decides everything random")
	example := f.whole("example", -1, -1, math.MaxInt32, "`number` of the training example, from 0, whose latent variables are drawn (-1: none, the prior)")
	noise := f.toggle("noise", "add the noise that data have")
	out := f.String("out", "", "the `file` for the pictures, .npy")
	latents := f.String("latent", "", "the `file` for their latent points, .npy")
	if err := f.parse(args); err != nil {
		return err
	}
	m, at, err := w.open(nil, []string{"latent"})
	if err != nil {
		return err
	}
	l := m.PriorLatent()
	if *example >= m.Examples() {
		return usagef("sample: -example %d, expected at most %d, the last of the model's", *example, m.Examples()-1)
	}
	if *example >= 0 {
		l = m.TrainingLatent(*example)
	}
	fields, err := at.room("sample", *count)
	if err != nil {
		return err
	}
	drawn, err := m.Sample(ctx, l, at.grid, sgplvm.SampleOptions{Count: *count, Seed: *seed, Noise: *noise})
	if err != nil {
		return fmt.Errorf("%s: %w", *w.model, err)
	}
	for i, y := range drawn.Y {
		copy(fields[i*at.size():], y.Data)
	}
	if err := saveArray(*out, at.of(*count), fields); err != nil {
		return err
	}
	if err := saveArray(*latents, []int{drawn.X.Rows, drawn.X.Cols}, drawn.X.Data); err != nil {
		return err
	}
	return at.drawFields(*w.sheet, "sample", fields)
}
