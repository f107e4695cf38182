package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// NoiseSelection says by what SelectNoise selects.
type NoiseSelection struct {
	// Seen are examples that are to be filled in, NaN where missing, N×(n_s·d_y): training examples that
	// are held out are hidden in the same way.
	Seen mat.Matrix

	// Watch, if not nil, shows what is being done.
	Watch Watcher
}

// noiseSettings are what SelectNoise changes.
type noiseSettings struct {
	config Config
	infer  InferOptions
}

// A noiseParameter is something about the learned noise, with its candidates in the order in which they
// lead away from the default.
type noiseParameter struct {
	relearn    bool // it changes what is learned, not only how that is used
	candidates []float64
	set        func(s *noiseSettings, examples int, v float64)
}

// noiseParameters are selected one after the other. Tests change them.
var noiseParameters = []noiseParameter{
	{true, []float64{1.4, 2, 2.8, 4, 5.6}, func(s *noiseSettings, examples int, v float64) {
		s.config.Residual.Taper = v * bound.DefaultTaper(examples)
	}},
	{true, []float64{1, 0.1}, func(s *noiseSettings, _ int, v float64) { s.config.Residual.Strength = v }},
	{false, []float64{-1}, func(s *noiseSettings, _ int, v float64) { s.infer.LocalBandwidth = v }},
	{false, []float64{10, 2}, func(s *noiseSettings, _ int, v float64) { s.infer.DegreesOfFreedom = v }},
	{false, []float64{250, -1}, func(s *noiseSettings, _ int, v float64) { s.infer.DegreesOfFreedom = v }},
}

// Sizes of a validation.
const (
	leastTraining  = 20   // examples to learn from, for one
	heldOutShare   = 5    // one example in so many is held out,
	mostHeldOut    = 40   // but no more than this
	mostValidation = 1000 // points
)

// noiseErrors is by how many standard errors another candidate must be better. Tests lower it.
var noiseErrors = 4.0

// SelectNoise returns cfg and o with other parameters of the learned noise (taper and prior strength,
// locality, degrees of freedom) where these fill in held-out examples better: with a mean negative log
// density lower by more than four standard errors. With local residuals o gets a blend, that of SelectBlend. With fewer than 20 examples, or without a covariance
// that is learned, only a default taper is filled in. It needs one spatial factor. Errors: those of NewTrainer,
// Trainer.Fit and Model.Impute.
func SelectNoise(ctx context.Context, d Data, cfg Config, o InferOptions, by NoiseSelection) (Config, InferOptions, error) {
	d, err := d.checked()
	if err != nil {
		return cfg, o, err
	}
	n, points, channels := d.Source.Dims()
	if cfg.Residual.Rounds > 0 && cfg.Residual.Taper == 0 {
		cfg.Residual.Taper = bound.DefaultTaper(n) // of all examples, also where some are held out
	}
	if cfg.Residual.Rounds == 0 || n < leastTraining {
		return cfg, o, nil
	}
	if by.Seen.Rows < 1 || by.Seen.Cols != points*channels || len(d.Grid) != 1 {
		return cfg, o, &ConfigError{Field: "NoiseSelection", Err: fmt.Errorf("%d examples of %d values and %d spatial factors, expected at least one of %d and one factor", by.Seen.Rows, by.Seen.Cols, len(d.Grid), points*channels)}
	}
	s := noiseSettings{cfg, o}
	v, err := newValidation(ctx, d, s, by, 0)
	if err != nil {
		return cfg, o, err
	}
	m, least, err := v.try(ctx, s, nil)
	if err != nil {
		return cfg, o, err
	}
	for _, p := range noiseParameters {
		for _, value := range p.candidates {
			other, from := s, m
			p.set(&other, n, value)
			if p.relearn {
				from = nil
			}
			model, scores, err := v.try(ctx, other, from)
			if ctx.Err() != nil {
				return cfg, o, ctx.Err()
			}
			if err != nil || better(least, scores, noiseErrors) {
				break // what lies beyond is worse
			}
			if better(scores, least, noiseErrors) {
				s, m, least = other, model, scores
			}
		}
	}
	s.infer.Blends, err = v.blend(ctx, d, s, by, m)
	return s.config, s.infer, err
}

// blendExamples is how many held-out examples a blend is chosen by: where one validation has fewer, more
// of them train, on other examples.
const blendExamples, mostValidations = 40, 4

// blend returns the blend of the settings that were selected; m is the model of v with these.
func (v *validation) blend(ctx context.Context, d Data, s noiseSettings, by NoiseSelection, m *Model) ([]Blend, error) {
	if s.config.Residual.Local != On {
		return nil, nil
	}
	trials := []BlendTrial{{Model: m, Truth: v.truth, Seen: v.seen}}
	for count := v.truth.Rows; count < blendExamples && len(trials) < mostValidations; count += v.truth.Rows {
		w, err := newValidation(ctx, d, s, by, len(trials))
		if err != nil {
			return nil, err
		}
		m, err := w.learn(ctx, s)
		if err != nil {
			return nil, err
		}
		trials = append(trials, BlendTrial{Model: m, Truth: w.truth, Seen: w.seen})
	}
	b, err := SelectBlend(ctx, trials, s.infer)
	if err != nil {
		return nil, err
	}
	scale := math.Sqrt(v.share) // spacings of all points are smaller
	b.Gap, b.Taper, b.WideTaper, b.Reach = b.Gap/scale, b.Taper/scale, b.WideTaper/scale, b.Reach/scale
	return []Blend{b}, nil
}

// A validation is some examples to learn from and others to fill in, under masks of those that are
// to be filled in, at all points or, of many, at those that one mask calls observed and
// some others: what has been seen near a missing value is what it will be.
type validation struct {
	watcher     Watcher
	share       float64 // of the points that there are
	training    Data
	truth, seen mat.Matrix    // of the examples held out, k×(points·channels)
	start       *bound.Params // trained, but for the covariance of the noise
}

// newValidation divides the examples and trains, without learning the covariance of the noise. Folds hold out
// different examples, as long as there are such.
func newValidation(ctx context.Context, d Data, s noiseSettings, by NoiseSelection, fold int) (*validation, error) {
	n, all, channels := d.Source.Dims()
	complete := mat.New(n, all*channels)
	if err := d.Source.ReadExamples(complete.Data, 0, n); err != nil {
		return nil, &ReadError{From: 0, To: n, Err: err}
	}
	rng := rand.New(rand.NewPCG(s.config.Seed, 0x63686f6f7365))
	order := rng.Perm(n)
	held := min(mostHeldOut, n/heldOutShare)
	from := fold * held % (n - held + 1)
	out := order[from : from+held]
	in := slices.Concat(order[:from], order[from+held:])
	slices.Sort(in)

	masks := 1
	points := somePoints(rng, by.Seen.Row(0), channels)
	if len(points) == all {
		masks = by.Seen.Rows
	}
	v := &validation{watcher: watcherOf(by.Watch), share: float64(len(points)) / float64(all),
		truth: mat.New(len(out), len(points)*channels), seen: mat.New(len(out), len(points)*channels)}
	for k, i := range out {
		copyPoints(v.truth.Row(k), complete.Row(i), points, channels)
		copyPoints(v.seen.Row(k), by.Seen.Row(k%masks), points, channels)
		for j, y := range v.seen.Row(k) {
			if !math.IsNaN(y) {
				v.seen.Set(k, j, v.truth.At(k, j))
			}
		}
	}
	learned := mat.New(len(in), len(points)*channels)
	for k, i := range in {
		copyPoints(learned.Row(k), complete.Row(i), points, channels)
	}
	v.training = Data{Source: NewSource(learned.Data, len(in), len(points), channels), Grid: Grid{work.Gather(d.Grid[0], points)}}
	return v, v.train(ctx, s, len(in))
}

// train trains on n examples.
func (v *validation) train(ctx context.Context, s noiseSettings, n int) error {
	cfg := s.config
	cfg.LatentDims, cfg.Inducing = min(cfg.LatentDims, n-1), min(cfg.Inducing, n)
	cfg.Training.Iterations = (cfg.Training.Iterations + 1) / 2 // candidates compare alike after half of the steps
	cfg.Training.CoarsePoints, cfg.Residual.Rounds, cfg.Residual.Local = 0, 0, Off
	step, stop := v.watcher.Training("to select the noise: ")
	defer stop()
	cfg.Training.Progress = step
	t, err := NewTrainer(v.training, cfg)
	if err != nil {
		return err
	}
	if _, err := t.Fit(ctx); err != nil {
		return err
	}
	v.start = t.params
	return nil
}

// somePoints returns the points of an example at which validation takes place, ascending: three
// quarters of those observed at most, and others.
func somePoints(rng *rand.Rand, example []float64, channels int) []int {
	n := len(example) / channels
	var observed, rest []int
	for _, j := range rng.Perm(n) {
		if math.IsNaN(example[j*channels]) {
			rest = append(rest, j)
		} else {
			observed = append(observed, j)
		}
	}
	if n > 2*mostValidation {
		observed = observed[:min(len(observed), mostValidation*3/4)]
		rest = rest[:min(len(rest), mostValidation-len(observed))]
	}
	points := append(observed, rest...)
	slices.Sort(points)
	return points
}

// copyPoints sets dst to the values of an example at some points.
func copyPoints(dst, example []float64, points []int, channels int) {
	for k, j := range points {
		copy(dst[k*channels:(k+1)*channels], example[j*channels:])
	}
}

// try scores settings; m is a model that has learned what it learns with them, or nil.
func (v *validation) try(ctx context.Context, s noiseSettings, m *Model) (model *Model, scores []float64, err error) {
	if m == nil {
		if m, err = v.learn(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	scores, err = v.measure(ctx, m, s)
	return m, scores, err
}

// learn returns the model with the covariance of its noise learned.
func (v *validation) learn(ctx context.Context, s noiseSettings) (*Model, error) {
	cfg := Config{Seed: s.config.Seed, Residual: s.config.Residual, Training: s.config.Training}
	cfg.Training.CoarsePoints, cfg.Training.Iterations, cfg.Training.Warmup, cfg.Training.Progress = 0, 1, 1, nil
	cfg.Residual.Taper *= math.Sqrt(v.share) // of fewer points, further apart
	t, err := trainerAt(v.training, cfg, v.start.Clone())
	if err != nil {
		return nil, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return nil, err
	}
	return t.Model()
}

// measure returns the mean negative log density of each example that was held out.
func (v *validation) measure(ctx context.Context, m *Model, s noiseSettings) ([]float64, error) {
	count, stop := v.watcher.Counting("validated", v.seen.Rows)
	defer stop()
	var done atomic.Int64
	scores, failures := make([]float64, v.seen.Rows), make([]error, v.seen.Rows)
	channels := m.Channels()
	mat.Parallel(v.seen.Rows, func(i int) {
		if ctx.Err() != nil {
			return
		}
		p, _, err := m.Impute(ctx, Observed{Values: mat.NewDense(v.seen.Cols/channels, channels, v.seen.Row(i))}, s.infer)
		if failures[i] = err; err == nil {
			scores[i] = hiddenDensity(v.truth.Row(i), v.seen.Row(i), p)
			count(int(done.Add(1)))
		}
	})
	if err := ctx.Err(); err != nil {
		return scores, err
	}
	for i, err := range failures {
		if err != nil {
			return scores, fmt.Errorf("model selection, held-out example %d: %w", i, err)
		}
	}
	return scores, nil
}
