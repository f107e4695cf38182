package main

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func predict(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "predict", `sgplvm predict -model MODEL -out MEAN.npy [flags]

Predicts the training examples, with -times what is at any times, or with -data examples
whose latent variables are inferred from what was seen of them, from the latent variables
alone: on the training grid, in another resolution, or at any points.`)
	fields := engine.NewFieldFlags(f, "predict")
	source := engine.NewLatentFlags(f, "the `file` with the times to predict at (.npy, .npz, .nc, .csv), for a model that knows times; with -data those of its examples")
	f.Input("inputs", engine.InputsUsage+", of the outputs that an emulator predicts")
	f.Output("out", "the `file` for the means: "+engine.OutputUsage)
	f.Output("variance", "the `file` for the variances, noise included: "+engine.VarianceUsage)
	f.Parts()
	f.Need("model", "out")
	f.Everyday("model", "out", "variance", "grid", "data", "observed", "times", "inputs", "sheet")
	f.Examples(
		"sgplvm predict -model faces.model -grid 40x56 -out finer.npy -sheet finer.png",
		"sgplvm predict -model film.model -times times.npy -out between",
		"sgplvm predict -model emulator -inputs new.csv -out predicted.npy -variance variances.npy",
		"sgplvm predict -model faces.model -data damaged.npy -out means.npy -variance variances.npy",
	)
	if err := f.Read(args); err != nil {
		return err
	}
	if f.Given("inputs") && e.Work != nil {
		return f.Usagef("-part with -inputs, expected one of the two: an emulator has no parts")
	}
	if f.Given("inputs") {
		return predictEmulated(ctx, e, f)
	}
	if err := source.Check(); err != nil {
		return err
	}
	opened, err := fields.Open("variance")
	if err != nil {
		return err
	}
	l, err := source.Latents(ctx, *fields.Model, opened.Model)
	if err != nil {
		return err
	}
	if err := opened.Holding(l.Count); err != nil {
		return err
	}
	g := opened.Grid
	latents := func(from, to int) ([]sgplvm.Latent, error) { return l.Between(ctx, e, from, to) }
	if err := opened.Write(ctx, e, "predicted", l.Count, latents); err != nil || *fields.Sheet == "" {
		return err
	}
	first := engine.NewFrames(e, "drawn", opened.Model, min(l.Count, picture.SheetRows), latents, g)
	means, variances, err := first.All(ctx)
	if err != nil {
		return err
	}
	return g.DrawFields(*fields.Sheet, "mean", means, variances)
}
