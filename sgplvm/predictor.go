package sgplvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// A predictor is what predicts examples with a model: its posterior by itself or, where the examples are the
// frames of a film, with their motion put back.
type predictor interface {
	Infer(ctx context.Context, obs Observed, o InferOptions) (Latent, error)
	ImputeTo(ctx context.Context, p *Prediction, l *Latent, obs Observed, o InferOptions) error
	PredictTo(p *Prediction, l Latent, g Grid) error
	PredictCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error)
	PredictDataCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error)
	PredictMixture(l Latent, g Grid, o MixtureOptions) (*Mixture, error)
	PredictSlabs(ctx context.Context, latents []Latent, g Grid, o SlabOptions, body func(s Slab) error) error
	Sample(ctx context.Context, l Latent, g Grid, o SampleOptions) (Samples, error)
	SampleFilm(ctx context.Context, sequence int, times []float64, g Grid, o SampleOptions, body func(f SampledFrame) error) error
}

// examples returns what predicts the examples of a model.
func (m *Model) examples() predictor {
	if m.film == nil {
		return m.posterior
	}
	return m.film
}

// on returns a grid as the model sees its points: where training has joined those of several factors to one, it
// joins those of the grid. What does not fit stays, to be refused.
func (m *Model) on(g Grid) Grid {
	own := m.Grid()
	if m.film != nil || len(own) != 1 || len(g) < 2 {
		return g
	}
	if last := m.joined.Load(); last != nil && last.of.Equal(g) {
		return last.as
	}
	var factors Grid
	dims := 0
	for _, x := range g {
		if x.Rows < 1 {
			return g
		}
		dims += x.Cols
		factors = append(factors, x.Clone())
	}
	if dims != own[0].Cols {
		return g
	}
	last := &joinedGrid{factors, Grid{data.Joined(factors)}}
	m.joined.Store(last)
	return last.as
}

// A joinedGrid is the last grid whose factors were joined to one, and what it became.
type joinedGrid struct{ of, as Grid }

// checkReserved panics where a caller attaches what a film is kept as.
func checkReserved(name string) {
	if slices.Contains(film.Parts(), name) {
		panic(fmt.Sprintf("sgplvm: Model.With: the name %q, expected none of %q, which are those of a film", name, film.Parts()))
	}
}

// takeFilm takes the parts of a film out of what a file has attached.
func takeFilm(q *predict.Posterior, attached map[string][]byte) (*film.Film, error) {
	names := film.Parts()
	if attached[names[0]] == nil {
		return nil, nil
	}
	parts := map[string][]byte{}
	for _, name := range names {
		parts[name] = attached[name]
		delete(attached, name)
	}
	return film.Decode(parts, q.Grid(), len(q.Scaler().Mean), q.Params().X.At())
}
