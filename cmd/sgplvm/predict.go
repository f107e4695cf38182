package main

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func predict(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "predict", `sgplvm predict -model MODEL -out MEAN.npy [flags]

Predicts the training examples, or with -data examples whose latent variables are
inferred from what was seen of them, from the latent variables alone: on the
training grid, in another resolution, or at any points.`)
	w := f.placement("predict")
	data := f.String("data", "", "partly seen examples, as impute takes them: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	observed := f.String("observed", "", "the mask `file`, .npy: 1 where a value of -data was observed, 0 where not")
	f.String("data-points", "", "the `file` with the coordinates of the values of -data, .npy, points×dimensions, where these are not the training points")
	mixture := f.whole("mixture", 0, 0, maxFields, "`number` of latent points whose Gaussians are mixed (0: none, exact moments)")
	seed := f.seed("seed", 0, "the `number` that decides which latent points -mixture takes")
	out := f.String("out", "", "the `file` for the means, .npy")
	variance := f.String("variance", "", "the `file` for the variances, noise included, .npy")
	if err := f.parse(args); err != nil {
		return err
	}
	if *data == "" {
		if err := f.without("-data, expected both", "observed", "data-points"); err != nil {
			return err
		}
	}
	m, at, err := w.open([]string{"data", "observed", "data-points"}, []string{"variance"})
	if err != nil {
		return err
	}
	count, name := m.Examples(), *w.model
	latent := func(i int) (sgplvm.Latent, error) { return m.TrainingLatent(i), nil }
	if *data != "" {
		seen, err := loadObserved(f, *w.model, m, *data, *observed, "", "data-points")
		if err != nil {
			return err
		}
		count, name = seen.Count, *data
		latent = func(i int) (sgplvm.Latent, error) { return m.Infer(ctx, seen.Observed(i), sgplvm.InferOptions{}) }
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
	if err := saveArray(*out, at.of(count), means); err != nil {
		return err
	}
	if err := saveArray(*variance, at.of(count), variances); err != nil {
		return err
	}
	return at.drawFields(*w.sheet, "mean", means)
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
