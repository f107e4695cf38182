package engine

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Latents are latent posteriors, found one by one: name says where their examples are from.
type Latents struct {
	Name  string
	Count int
	Of    func(i int) (sgplvm.Latent, error)
}

// Predict predicts a field for each of the latent posteriors, several at a time: exact moments, or
// those of a mixture where it has components.
func Predict(ctx context.Context, e *cli.Environment, m *sgplvm.Model, l Latents, g OutputGrid, o sgplvm.MixtureOptions) (*Result, error) {
	means, err := g.Room("predict", l.Count)
	if err != nil {
		return nil, err
	}
	r := &Result{means, make([]float64, len(means)), g.Size()}
	err = e.Each(ctx, "predicted", l.Name, l.Count, func(i int) error {
		latent, err := l.Of(i)
		if err != nil {
			return err
		}
		p, err := predictOne(m, latent, g.Points, o)
		if err == nil {
			err = check(p, mat.Matrix{})
		}
		if err != nil {
			return err
		}
		copy(r.Mean[i*r.Size:], p.Mean.Data)
		copy(r.Variance[i*r.Size:], p.Variance.Data)
		return nil
	})
	return r, err
}

func predictOne(m *sgplvm.Model, l sgplvm.Latent, g sgplvm.Grid, o sgplvm.MixtureOptions) (sgplvm.Prediction, error) {
	if o.Components == 0 {
		return m.Predict(l, g)
	}
	r, err := m.PredictMixture(l, g, o)
	if err != nil {
		return sgplvm.Prediction{}, err
	}
	return r.Moments(), nil
}
