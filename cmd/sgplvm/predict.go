package main

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func predict(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "predict", `sgplvm predict -model MODEL -out MEAN.npy [flags]

Predicts the training examples, with -times what is at any times, or with -data examples
whose latent variables are inferred from what was seen of them, from the latent variables
alone: on the training grid, in another resolution, or at any points.`)
	fields := engine.NewFieldFlags(f, "predict")
	data := f.String("data", "", "partly seen examples, as impute takes them: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	observed := f.String("observed", "", "the mask `file`, .npy: 1 where a value of -data was observed, 0 where not")
	f.String("data-points", "", "the `file` with the coordinates of the values of -data, .npy, points×dimensions, where these are not the training points")
	times := engine.NewTimeFlags(f, "the `file` with the times to predict at, .npy, for a model that knows times; with -data those of its examples")
	mixture := f.Whole("mixture", 0, 0, cli.MaxFields, "`number` of latent points whose Gaussians are mixed (0: none, exact moments)")
	seed := f.Seed("seed", 0, "the `number` that decides which latent points -mixture takes")
	out := f.String("out", "", "the `file` for the means, .npy")
	variance := f.String("variance", "", "the `file` for the variances, noise included, .npy")
	if err := f.Read(args); err != nil {
		return err
	}
	if *data == "" {
		if err := f.Without("-data, expected both", "observed", "data-points"); err != nil {
			return err
		}
	}
	m, g, err := fields.Open([]string{"data", "observed", "data-points", "times"}, []string{"variance"})
	if err != nil {
		return err
	}
	l := engine.Latents{Name: *fields.Model, Count: m.Examples(), Of: func(i int) (sgplvm.Latent, error) { return m.TrainingLatent(i), nil }}
	switch {
	case *data != "":
		seen, err := engine.LoadObserved(f, *fields.Model, m, *data, *observed, "", "data-points")
		if err != nil {
			return err
		}
		if seen.Priors, err = times.Priors(m, seen.Count); err != nil {
			return err
		}
		l = engine.Latents{Name: *data, Count: seen.Count, Of: func(i int) (sgplvm.Latent, error) {
			return m.Infer(ctx, seen.Observed(i), sgplvm.InferOptions{})
		}}
	case times.InFile():
		at, err := times.Priors(m, 0)
		if err != nil {
			return err
		}
		l = engine.Latents{Name: *fields.Model, Count: len(at), Of: func(i int) (sgplvm.Latent, error) { return at[i], nil }}
	default:
		if err := f.Without("-times", "sequence"); err != nil {
			return err
		}
	}
	if *mixture == 0 {
		return predictFields(ctx, e, m, l, g, fields, *out, *variance)
	}
	r, err := engine.Mix(ctx, e, m, l, g, sgplvm.MixtureOptions{Components: *mixture, Seed: *seed})
	if err != nil {
		return err
	}
	if err := engine.SaveArray(*out, g.Shape(l.Count), r.Mean); err != nil {
		return err
	}
	if err := engine.SaveArray(*variance, g.Shape(l.Count), r.Variance); err != nil {
		return err
	}
	return g.DrawFields(*fields.Sheet, "mean", r.Mean)
}

// predictFields writes exact moments, of which only some are in memory at a time.
func predictFields(ctx context.Context, e *cli.Environment, m *sgplvm.Model, l engine.Latents, g engine.OutputGrid, fields engine.FieldFlags, out, variance string) error {
	latents, err := l.All(ctx, e, "inferred")
	if err != nil {
		return err
	}
	frames := engine.NewFrames(e, "predicted", m, latents, g)
	var drawn []float64
	if err := files.StreamNPY(out, g.Shape(l.Count), npy.Float64, func(put func([]float64) error) error {
		return frames.Run(ctx, variance, func(first int, means []float64) error {
			if most := picture.SheetRows * g.Size(); *fields.Sheet != "" && len(drawn) < most {
				drawn = append(drawn, means[:min(len(means), most-len(drawn))]...)
			}
			return put(means)
		})
	}); err != nil {
		return err
	}
	return g.DrawFields(*fields.Sheet, "mean", drawn)
}
