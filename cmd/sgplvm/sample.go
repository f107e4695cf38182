package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func sample(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "sample", `sgplvm sample -model MODEL -out FIELDS.npy [flags]

Draws whole pictures from a model: with latent variables from their prior, or with
-example from the posterior of a training example; on the training grid, in another
resolution, or at any points.`)
	fields := engine.NewFieldFlags(f, "draw")
	count := f.Whole("count", 16, 1, cli.MaxFields, "`number` of pictures")
	seed := f.Seed("seed", 0, "the `number` that decides everything random")
	example := f.Whole("example", -1, -1, math.MaxInt32, "`number` of the training example, from 0, whose latent variables are drawn (-1: none, the prior)")
	noise := f.Toggle("noise", "add the noise that data have")
	out := f.String("out", "", "the `file` for the pictures, .npy")
	latents := f.String("latent", "", "the `file` for their latent points, .npy")
	if err := f.Read(args); err != nil {
		return err
	}
	m, g, err := fields.Open(nil, []string{"latent"})
	if err != nil {
		return err
	}
	l := m.PriorLatent()
	if *example >= m.Examples() {
		return f.Usagef("-example %d, expected at most %d, the last of the model's", *example, m.Examples()-1)
	}
	if *example >= 0 {
		l = m.TrainingLatent(*example)
	}
	values, err := g.Room("sample", *count)
	if err != nil {
		return err
	}
	drawn, err := m.Sample(ctx, l, g.Points, sgplvm.SampleOptions{Count: *count, Seed: *seed, Noise: *noise})
	if err != nil {
		return fmt.Errorf("%s: %w", *fields.Model, err)
	}
	for i, y := range drawn.Y {
		copy(values[i*g.Size():], y.Data)
	}
	if err := engine.SaveArray(*out, g.Shape(*count), values); err != nil {
		return err
	}
	if err := engine.SaveArray(*latents, []int{drawn.X.Rows, drawn.X.Cols}, drawn.X.Data); err != nil {
		return err
	}
	return g.DrawFields(*fields.Sheet, "sample", values)
}
