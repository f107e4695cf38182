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

// All returns the posteriors, several of which are found at once; verb is what they are to be.
func (l Latents) All(ctx context.Context, e *cli.Environment, verb string) ([]sgplvm.Latent, error) {
	all := make([]sgplvm.Latent, l.Count)
	err := e.Each(ctx, verb, l.Name, l.Count, func(i int) (err error) {
		all[i], err = l.Of(i)
		return err
	})
	return all, err
}

// Mix predicts a field for each of some latent posteriors by mixtures of Gaussians, several at a time.
func Mix(ctx context.Context, e *cli.Environment, m *sgplvm.Model, l Latents, g OutputGrid, o sgplvm.MixtureOptions) (*Result, error) {
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
		mixture, err := m.PredictMixture(latent, g.Points, o)
		if err != nil {
			return err
		}
		p := mixture.Moments()
		if err := check(p, mat.Matrix{}); err != nil {
			return err
		}
		copy(r.Mean[i*r.Size:], p.Mean.Data)
		copy(r.Variance[i*r.Size:], p.Variance.Data)
		return nil
	})
	return r, err
}
