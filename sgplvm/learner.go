package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// A learner trains the models of rounds of completion: with what its configuration has beside settings.
type learner struct{ Config }

// options are those of a completion.
func (c Config) options() rounds.Options {
	return rounds.Options{Fixed: c.Start != nil, Fold: c.Fold != Off, Transform: c.Transform != Off}
}

// Fit is fitWhole.
func (l learner) Fit(ctx context.Context, d rounds.Set, s training.Settings, doing string) (rounds.Model, Report, error) {
	m, report, err := fitWhole(ctx, d, l.having(s), doing)
	if m == nil {
		return nil, report, err
	}
	return learned{m}, report, err
}

// At returns the model of a view at parameters that were trained elsewhere.
func (l learner) At(ctx context.Context, y *data.Scaled, d rounds.Set, s training.Settings, p *bound.Params) (rounds.Model, error) {
	cfg := l.having(s)
	kept := cfg.kept()
	kept.Infer.Blends = nil // which were chosen without what other views say
	n, _, channels := d.Source.Dims()
	s.Inducing = min(s.Inducing, n)
	s, err := s.Complete(n, d.Grid, channels)
	if err != nil {
		return nil, err
	}
	inner, err := training.At(y, d.Data.Data, s, "Views", p)
	if err != nil {
		return nil, err
	}
	if err := inner.Finish(ctx); err != nil {
		return nil, err
	}
	m, err := (&Trainer{inner: inner, config: cfg, given: kept}).Model()
	if err != nil {
		return nil, err
	}
	return learned{m}, nil
}

// A learned is a model as rounds of completion know it.
type learned struct{ *Model }

func (m learned) Posterior() *predict.Posterior { return m.posterior }

// Settings returns what the model was trained with.
func (m learned) Settings() (training.Settings, bool) {
	cfg, ok := m.Config()
	return cfg.open(), ok
}

// InferTogether is Infer with the covariance of the latent variables.
func (m learned) InferTogether(ctx context.Context, obs Observed, o InferOptions) (Latent, error) {
	obs.Grid = m.on(obs.Grid)
	return m.posterior.InferTogether(ctx, obs, m.inferOptions(o))
}

// maxUnsure is of how many points a covariance is formed that is not learned, but for its mean variance.
const maxUnsure = 2048

// ImputeUnsure is Impute, and returns the covariance of what is missing, as Posterior.ImputeUnsure does, scaled; 0×0 of films, and of many points of which no
// covariance is learned.
func (m learned) ImputeUnsure(ctx context.Context, obs Observed, o InferOptions) (p Prediction, cov mat.Matrix, err error) {
	by, given, err := m.seen(obs)
	if err != nil {
		return p, cov, err
	}
	q := by.posterior
	known := q.Params().Noise.Learned()
	if by.film != nil || q.Grid().Len() > maxUnsure && !known {
		p, _, err = m.Impute(ctx, obs, o)
		return p, cov, err
	}
	given.Grid = by.on(given.Grid)
	p, _, cov, err = q.ImputeUnsure(ctx, !known, given, by.inferOptions(o))
	return p, cov, err
}
