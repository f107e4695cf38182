package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func latents(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "latents", `sgplvm latents -model MODEL -out L.npy|L.csv [flags]

Writes the latent variables of the training examples, with -times those at any times, or with -data
those inferred from what is seen of other examples: a row for each example, with the means of its latent
variables, their standard deviations and, for a model that knows times, its time and the label of its
sequence (NaN where they are not known). The first line of a .csv file has the names of the columns.`)
	model := f.String("model", "", "the model `file`")
	source := engine.NewLatentFlags(f, "the `file` with times, .npy, for a model that knows times; with -data those of its examples")
	f.String("out", "", "the `file` for the table, .npy or .csv")
	f.Parts()
	f.Everyday("model", "out", "data", "observed", "times")
	f.Examples(
		"sgplvm latents -model faces.model -out latents.csv",
		"sgplvm latents -model faces.model -data damaged.npy -observed mask.npy -out latents.npy",
	)
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("model", "out"); err != nil {
		return err
	}
	if err := source.Check(); err != nil {
		return err
	}
	if err := f.Apart(append(source.Inputs(), "model"), []string{"out"}); err != nil {
		return err
	}
	out, err := engine.NewTable(f, "out")
	if err != nil {
		return err
	}
	m, err := engine.Load(*model)
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
	columns, values, err := latentTable(all, engine.Timed(m))
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

// latentTable returns the names of the columns and the rows, one after the other. Examples whose latent variables are of different parts of the
// model, of which one is for those seen in part, are refused.
func latentTable(all []sgplvm.Latent, timed bool) (columns []string, values []float64, err error) {
	for _, name := range []string{"mean", "deviation"} {
		for k := range all[0].Mu {
			columns = append(columns, fmt.Sprint(name, k+1))
		}
	}
	if timed {
		columns = append(columns, "time", "sequence")
	}
	for i, l := range all {
		if l.Partly != all[0].Partly {
			return nil, nil, fmt.Errorf("examples 0 and %d have latent variables of the two models in the file, of which one is for examples seen in part, expected all of one: take them apart", i)
		}
		values = append(values, l.Mu...)
		for _, s := range l.S {
			values = append(values, math.Sqrt(s))
		}
		switch {
		case timed && l.At != nil:
			values = append(values, l.At.Time, float64(l.At.Sequence))
		case timed:
			values = append(values, math.NaN(), math.NaN())
		}
	}
	return columns, values, nil
}
