package main

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func predict(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "predict", `sgplvm predict -model MODEL -out MEAN.npy [flags]

Predicts the training examples, or with -data examples whose latent variables are
inferred from what was seen of them, from the latent variables alone: on the
training grid, in another resolution, or at any points.`)
	model := f.String("model", "", "the model `file`")
	data := f.String("data", "", "partly seen examples, as impute takes them: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	observed := f.String("observed", "", "the mask `file`, .npy: 1 where a value of -data was observed, 0 where not")
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of the predicted pictures, from the first to the last row and column of the training grid; of scattered points the first coordinate runs down the rows")
	points := f.String("points", "", "the `file` with coordinates to predict at, .npy, points×dimensions")
	mixture := f.whole("mixture", 0, 0, maxFields, "`number` of latent points whose Gaussians are mixed (0: none, exact moments)")
	seed := f.seed("seed", 0, "the `number` that decides which latent points -mixture takes")
	out := f.String("out", "", "the `file` for the means, .npy")
	variance := f.String("variance", "", "the `file` for the variances, noise included, .npy")
	sheet := f.String("sheet", "", "the PNG `file` with the first means")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("model", "out"); err != nil {
		return err
	}
	if err := f.onePlace(*points, *grid); err != nil {
		return err
	}
	if *observed != "" && *data == "" {
		return usagef("predict: -observed without -data, expected both")
	}
	if err := f.apart([]string{"model", "data", "observed", "points"}, []string{"out", "variance", "sheet"}); err != nil {
		return err
	}
	if err := allWritable(*out, *variance, *sheet); err != nil {
		return err
	}
	m, err := loadModel(*model)
	if err != nil {
		return err
	}
	if err := refuseFilm("predict", m); err != nil {
		return err
	}
	at, err := placesOf("predict", *model, m, *points, *grid)
	if err != nil {
		return err
	}
	if err := at.drawable("predict", *sheet); err != nil {
		return err
	}
	count, name := m.Examples(), *model
	latent := func(i int) (sgplvm.Latent, error) { return m.TrainingLatent(i), nil }
	if *data != "" {
		frames, err := observedFrames("predict", *model, m, *data, "", *observed)
		if err != nil {
			return err
		}
		count, name = frames.Count, *data
		latent = func(i int) (sgplvm.Latent, error) { return m.Infer(ctx, frames.Observed(i), sgplvm.InferOptions{}) }
	}
	means, err := at.room("predict", count)
	if err != nil {
		return err
	}
	variances := make([]float64, len(means))
	if err := each(ctx, e, "predicted", name, count, func(i int) error {
		l, err := latent(i)
		if err != nil {
			return err
		}
		p, err := predictOne(m, l, at.grid, *mixture, *seed)
		if err == nil {
			err = check(p, allMissing(p.Mean))
		}
		if err != nil {
			return err
		}
		copy(means[i*at.size():], p.Mean.Data)
		copy(variances[i*at.size():], p.Variance.Data)
		return nil
	}); err != nil {
		return err
	}
	if err := dataset.SaveNPY(*out, at.of(count), means, npy.Float64); err != nil {
		return err
	}
	if *variance != "" {
		if err := dataset.SaveNPY(*variance, at.of(count), variances, npy.Float64); err != nil {
			return err
		}
	}
	if *sheet != "" {
		return at.drawFields(*sheet, "mean", means)
	}
	return nil
}

// predictOne returns exact moments, or those of a mixture of some Gaussians.
func predictOne(m *sgplvm.Model, l sgplvm.Latent, g sgplvm.Grid, components int, seed uint64) (sgplvm.Prediction, error) {
	if components == 0 {
		return m.Predict(l, g)
	}
	r, err := m.PredictMixture(l, g, sgplvm.MixtureOptions{Components: components, Seed: seed})
	if err != nil {
		return sgplvm.Prediction{}, err
	}
	return r.Moments(), nil
}

// allMissing returns NaN in the shape of a matrix.
func allMissing(a mat.Matrix) mat.Matrix {
	nan := mat.New(a.Rows, a.Cols)
	nan.Fill(math.NaN())
	return nan
}
