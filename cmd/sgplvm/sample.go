package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func sample(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "sample", `sgplvm sample -model MODEL -out FIELDS.npy [flags]

Draws whole pictures from a model: with latent variables from their prior, or with
-example from the posterior of a training example; on the training grid, in another
resolution, or at any points.`)
	model := f.String("model", "", "the model `file`")
	count := f.whole("count", 16, 1, maxFields, "`number` of pictures")
	seed := f.seed("seed", 0, "the `number` that decides everything random")
	example := f.whole("example", -1, -1, math.MaxInt32, "`number` of the training example, from 0, whose latent variables are drawn (-1: none, the prior)")
	noise := f.toggle("noise", "add the noise that data have")
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of the pictures, from the first to the last row and column of the training grid; of scattered points the first coordinate runs down the rows")
	points := f.String("points", "", "the `file` with coordinates to draw at, .npy, points×dimensions")
	out := f.String("out", "", "the `file` for the pictures, .npy")
	latents := f.String("latent", "", "the `file` for their latent points, .npy")
	sheet := f.String("sheet", "", "the PNG `file` with the first pictures")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("model", "out"); err != nil {
		return err
	}
	if err := f.onePlace(*points, *grid); err != nil {
		return err
	}
	if err := f.apart([]string{"model", "points"}, []string{"out", "latent", "sheet"}); err != nil {
		return err
	}
	if err := allWritable(*out, *latents, *sheet); err != nil {
		return err
	}
	m, err := loadModel(*model)
	if err != nil {
		return err
	}
	if err := refuseFilm("sample", m); err != nil {
		return err
	}
	at, err := placesOf("sample", *model, m, *points, *grid)
	if err != nil {
		return err
	}
	if err := at.drawable("sample", *sheet); err != nil {
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
		return fmt.Errorf("%s: %w", *model, err)
	}
	for i, y := range drawn.Y {
		copy(fields[i*at.size():], y.Data)
	}
	if err := dataset.SaveNPY(*out, at.of(*count), fields, npy.Float64); err != nil {
		return err
	}
	if *latents != "" {
		if err := dataset.SaveNPY(*latents, []int{drawn.X.Rows, drawn.X.Cols}, drawn.X.Data, npy.Float64); err != nil {
			return err
		}
	}
	if *sheet != "" {
		return at.drawFields(*sheet, "sample", fields)
	}
	return nil
}
