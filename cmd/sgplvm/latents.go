package main

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func latents(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "latents", `sgplvm latents -model MODEL -out L.npy|L.csv [flags]

Writes the latent variables of the training examples, with -times those at any times, or with -data
those inferred from what is seen of other examples: a row for each example, with the means of its latent
variables, their standard deviations and, for a model that knows times, its time and the label of its
sequence (NaN where they are not known). The first line of a .csv file has the names of the columns.`)
	model := f.Input("model", "the model `file`")
	source := engine.NewLatentFlags(f, "the `file` with times, .npy, for a model that knows times; with -data those of its examples")
	f.Result("out", "the `file` for the table, .npy or .csv", append([]string{".npy"}, dataset.TableEndings...)...)
	f.Parts()
	f.Need("model", "out")
	f.Everyday("model", "out", "data", "observed", "times")
	f.Examples(
		"sgplvm latents -model faces.model -out latents.csv",
		"sgplvm latents -model faces.model -data damaged.npy -observed mask.npy -out latents.npy",
	)
	if err := f.Read(args); err != nil {
		return err
	}
	if err := source.Check(); err != nil {
		return err
	}
	out, err := engine.NewOutput(f, "out")
	if err != nil {
		return err
	}
	m, err := engine.LoadOnly(*model)
	if err != nil {
		return err
	}
	l, err := source.Latents(ctx, *model, m)
	if err != nil {
		return err
	}
	all, err := l.All(ctx, e)
	if err != nil {
		return err
	}
	columns, values, err := engine.LatentTable(all, engine.Timed(m))
	if err != nil {
		return fmt.Errorf("%s: %w", l.Name, err)
	}
	form := dataset.Form{Name: l.Name, Count: len(all), Layout: dataset.Layout{Width: 1, Height: 1, Channels: len(columns)},
		Table: true, Columns: columns, Shape: []int{len(all), len(columns)}}
	if err := out.Holding(form, picture.Levels{}); err != nil {
		return err
	}
	return out.Save(values)
}
