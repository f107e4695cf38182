package sgplvm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/update"
)

// More examples for a model. Package field declares it, but for Shard.
type (
	UpdateReport = field.UpdateReport // how new examples fit a model
	ShardPart    = field.ShardPart    // one of several parts of the examples
	PartError    = field.PartError    // a part that cannot be used, or that is missing

	// A Shard is the file of a part, as Model.Shard wrote it.
	Shard = update.Shard
)

// grower returns what takes in examples for the model.
func (m *Model) grower() *update.Model {
	strength := float64(training.ResidualStrength)
	if m.config != nil && m.config.Residual.Strength > 0 {
		strength = m.config.Residual.Strength
	}
	own := *m
	own.partly = nil // which has other latent variables
	return &update.Model{Posterior: m.posterior, Seed: m.seed, Strength: strength, Digest: func() (string, error) {
		sum := sha256.New()
		err := m.Save(sum)
		return fmt.Sprintf("%x", sum.Sum(nil)), err
	}, Impute: func(ctx context.Context, obs Observed) (Prediction, Latent, error) {
		return own.Impute(ctx, obs, InferOptions{})
	}}
}

// grown returns the model with another posterior.
func (m *Model) grown(q *predict.Posterior) *Model {
	c := *m
	c.posterior, c.joined = q, new(atomic.Pointer[joinedGrid])
	return &c
}

// Update returns the model with more examples, without training again (docs/math.md, "Sums over examples"). Kernels and inducing points stay. The latent
// variables of the new examples are inferred, and fields, noise and, where the model keeps residuals, the examples that it compares others with are then those of
// all examples. Each new example makes all earlier ones count forget times as much, 0 < forget ≤ 1. Missing values are filled in first, and so are those far outside what the model can explain. Of a model of one
// sequence in time the new examples follow the last one at the median spacing, as rows in order do (UpdateAt has other times). Models of data with known errors are refused. Errors: *ConfigError, *ValueError, *ReadError, *FactorizationError,
// ctx.Err().
func (m *Model) Update(ctx context.Context, examples Source, forget float64) (*Model, UpdateReport, error) {
	trained, n := m.Times(), 0
	if trained == nil {
		return m.grow(ctx, examples, nil, forget)
	}
	last := slices.MaxFunc(trained, data.CompareInstants)
	if last.Sequence != slices.MinFunc(trained, data.CompareInstants).Sequence {
		return nil, UpdateReport{}, &ConfigError{Field: "Update", Err: errors.New("a model of several sequences, expected the times of the new examples (UpdateAt)")}
	}
	n, _, _ = examples.Dims()
	at, step := make([]Instant, n), data.MedianSpacing(trained)
	for i := range at {
		at[i] = Instant{Sequence: last.Sequence, Time: last.Time + step*float64(i+1)}
	}
	return m.UpdateAt(ctx, examples, at, forget)
}

// UpdateAt is Update of a model whose examples have times, at those of the new ones: of new sequences, or of those that there are, which they continue as a rule. What is known of the latent variables of earlier
// examples is held, as sites of a Gaussian process, and so new ones tell of those before them too. A second model for examples seen in part (Config.Partly) takes them in as well. Refused are models without times, with a part of time in the latent kernel, which tells nothing of other times, and
// films with motion. Errors: those of Update.
func (m *Model) UpdateAt(ctx context.Context, examples Source, at []Instant, forget float64) (*Model, UpdateReport, error) {
	n, _, _ := examples.Dims()
	err := data.CheckTimes(timesOf(at))
	switch {
	case m.film != nil:
		err = errors.New("a film with motion, expected a model of examples of one grid: train again with all")
	case len(at) != n:
		err = fmt.Errorf("%d times, expected %d, one for each example", len(at), n)
	}
	if err != nil {
		return nil, UpdateReport{}, &ConfigError{Field: "Update", Err: err}
	}
	return m.grow(ctx, examples, at, forget)
}

func timesOf(at []Instant) []float64 {
	times := make([]float64, len(at))
	for i, v := range at {
		times[i] = v.Time
	}
	return times
}

func (m *Model) grow(ctx context.Context, examples Source, at []Instant, forget float64) (*Model, UpdateReport, error) {
	q, r, err := m.grower().Update(ctx, examples, at, forget)
	if err != nil {
		return nil, r, err
	}
	next := m.grown(q)
	if m.partly != nil {
		next.partly, _, err = m.partly.grow(ctx, examples, at, forget)
	}
	if err != nil {
		return nil, r, err
	}
	return next, r, nil
}

// Shard infers the latent variables of a part of the examples and writes what Reduce needs of them, one of the files for a round: m_ξ·(m_ξ + n_s·d_y) numbers, n_s² more
// where the noise has structure, and up to six times as many where the parts are no power of two; beside them the values of examples that are kept. The bits of a round do not depend on the number of parts.
// data names the data: parts of data with other names do not go together. What a part takes of memory does not depend on the number of examples.
// progress, if not nil, is told how many examples are done.
// Errors: *ConfigError for what Update refuses, *ValueError, *ReadError, ctx.Err() and those of w.
func (m *Model) Shard(ctx context.Context, examples Source, part ShardPart, data string, w io.Writer, progress func(done, of int)) error {
	return m.grower().Shard(ctx, examples, part, data, w, progress)
}

// ShardSize returns how many bytes Shard writes at most, but for a header, where so many examples are divided into count parts.
func (m *Model) ShardSize(examples, count int) (most int64) {
	return m.grower().ShardSize(examples, count)
}

// OpenShard reads the header of a part's file, and its checksum; the file must not change while the Shard is used. Errors: *PartError.
func OpenShard(file interface {
	io.ReadSeeker
	io.ReaderAt
}) (*Shard, error) {
	return update.Open(file)
}

// RoundReport tells of a round of Shard and Reduce.
type RoundReport struct {
	Examples int     `json:"examples"`
	Rounds   int     `json:"rounds"` // in a row with so many examples
	Bound    float64 `json:"bound"`  // on the log density of all examples
	Rise     float64 `json:"rise"`   // of the bound since the round before, in nats an example; 0 in the first round
}

// Reduce returns the model with the examples of all parts in place of those that it has, without training: kernels and inducing points stay, fields and noise are those of all
// examples. A model that keeps residuals keeps those of all examples, or of as many as 64 MiB hold, spread evenly. What was chosen stays. Round after round,
// each with the model of the one before, raises the bound. Errors: *PartError for parts that are missing, there twice, or of another model or other data; *ConfigError, *FactorizationError, those of reading, ctx.Err().
func (m *Model) Reduce(ctx context.Context, shards []*Shard) (*Model, RoundReport, error) {
	q, n, bound, err := m.grower().Reduce(ctx, shards)
	if err != nil {
		return nil, RoundReport{}, err
	}
	next, r := m.grown(q), RoundReport{Examples: n, Bound: bound}
	next.note(&r)
	return next, r, nil
}

// note keeps the bound of a round in place of the phases of training, whose bounds are those of other examples, and completes the report by the round before.
func (m *Model) note(r *RoundReport) {
	p := PhaseReport{Name: fmt.Sprintf("sums of %d examples", r.Examples), Status: "reduced", Every: 1}
	if last := len(m.phases) - 1; last >= 0 && m.phases[last].Name == p.Name && len(m.phases[last].Bounds) > 0 {
		p = m.phases[last]
		r.Rise = (r.Bound - p.Bounds[len(p.Bounds)-1]) / float64(r.Examples)
	}
	p.Bounds = append(slices.Clone(p.Bounds), r.Bound)
	p.Bounds = p.Bounds[max(0, len(p.Bounds)-training.MaxBounds+1):]
	p.Steps++
	r.Rounds, p.Bound = p.Steps, r.Bound
	m.phases = []PhaseReport{p}
}
