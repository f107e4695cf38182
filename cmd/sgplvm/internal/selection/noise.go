package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// A Setup is how a model is set up, trained and used.
type Setup struct {
	Model sgplvm.Config
	Fit   sgplvm.FitOptions
	Infer sgplvm.InferOptions
}

// A parameter is something about the learned noise, with its candidates in the order in which they
// lead away from the default.
type parameter struct {
	relearn    bool // it changes what is learned, not only how that is used
	candidates []func(s *Setup, pictures int)
}

// parameters are selected one after the other. Tests change them.
var parameters = []parameter{
	{true, candidates(tapers, func(s *Setup, pictures int, v float64) { s.Fit.ResidualTaper = v * sgplvm.DefaultTaper(pictures) })},
	{true, candidates(strengths, func(s *Setup, _ int, v float64) { s.Fit.ResidualStrength = v })},
	{false, candidates(bandwidths, func(s *Setup, _ int, v float64) { s.Infer.LocalBandwidth = v })},
	{false, candidates(fewDegrees, func(s *Setup, _ int, v float64) { s.Infer.Freedom = v })},
	{false, candidates(manyDegrees, func(s *Setup, _ int, v float64) { s.Infer.Freedom = v })},
}

var (
	tapers      = []float64{1.4, 2, 2.8, 4, 5.6} // times the default
	strengths   = []float64{1, 0.1}              // pictures
	bandwidths  = []float64{-1}                  // −1: the noise of all
	fewDegrees  = []float64{10, 2}               // degrees of freedom
	manyDegrees = []float64{250, -1}
)

// candidates are functions that set a number to one of the values each.
func candidates(values []float64, set func(s *Setup, pictures int, v float64)) (f []func(*Setup, int)) {
	for _, v := range values {
		f = append(f, func(s *Setup, pictures int) { set(s, pictures, v) })
	}
	return f
}

// Sizes of a validation.
const (
	leastTraining  = 20   // pictures to learn from, for one
	heldOutShare   = 5    // one picture in so many is held out,
	mostHeldOut    = 40   // but no more than this
	mostValidation = 1000 // points
)

// noiseErrors is by how many standard errors another candidate must be better. Tests lower it.
var noiseErrors = 4.0

// Pictures are what [Noise] selects by.
type Pictures struct {
	Complete mat.Matrix // to learn from, n×(n_s·d_y)
	Seen     mat.Matrix // to be filled in, NaN where missing, N×(n_s·d_y)
	Channels int        // d_y
}

// Noise returns a setup with other parameters of the learned noise, where these fill in held-out
// pictures better: with a mean negative log density lower by more than noiseErrors standard errors.
// With few pictures, or without a covariance that is learned, nothing is changed.
func Noise(ctx context.Context, p Pictures, s Setup, w Watcher) (Setup, error) {
	if s.Fit.ResidualRounds == 0 || p.Complete.Rows < leastTraining {
		return s, nil
	}
	v, err := newValidation(ctx, p, s, w)
	if err != nil {
		return s, err
	}
	m, least, err := v.try(ctx, s, nil)
	if err != nil {
		return s, err
	}
	for _, p := range parameters {
		for _, set := range p.candidates {
			other, from := s, m
			set(&other, v.pictures.Complete.Rows)
			if p.relearn {
				from = nil
			}
			model, scores, err := v.try(ctx, other, from)
			if ctx.Err() != nil {
				return s, ctx.Err()
			}
			if err != nil || better(least, scores, noiseErrors) {
				break // what lies beyond is worse
			}
			if better(scores, least, noiseErrors) {
				s, m, least = other, model, scores
			}
		}
	}
	return s, nil
}

// A validation is some pictures to learn from and others to fill in, under masks of those that are
// to be filled in, at all points or, of large pictures, at those that one mask calls observed and
// some others: what has been seen near a missing value is what it will be.
type validation struct {
	pictures    Pictures
	watcher     Watcher
	training    sgplvm.Data
	space       []sgplvm.SpatialFactor
	truth, seen mat.Matrix // of the pictures held out, k×(points·channels)
	start       *sgplvm.Params
}

// newValidation divides the pictures and trains, without learning the covariance of the noise.
func newValidation(ctx context.Context, p Pictures, s Setup, w Watcher) (*validation, error) {
	n, channels := p.Complete.Rows, p.Channels
	rng := rand.New(rand.NewPCG(s.Model.Seed, 0x63686f6f7365))
	order := rng.Perm(n)
	out := order[:min(mostHeldOut, n/heldOutShare)]
	in := order[len(out):]
	slices.Sort(in)

	masks := 1
	points := somePoints(rng, p.Seen.Row(0), channels)
	if len(points)*channels == p.Complete.Cols {
		masks = p.Seen.Rows
	}
	v := &validation{pictures: p, watcher: w, truth: mat.New(len(out), len(points)*channels), seen: mat.New(len(out), len(points)*channels)}
	for k, i := range out {
		copyPoints(v.truth.Row(k), p.Complete.Row(i), points, channels)
		copyPoints(v.seen.Row(k), p.Seen.Row(k%masks), points, channels)
		for j, y := range v.seen.Row(k) {
			if !math.IsNaN(y) {
				v.seen.Set(k, j, v.truth.At(k, j))
			}
		}
	}
	learned := mat.New(len(in), len(points)*channels)
	for k, i := range in {
		copyPoints(learned.Row(k), p.Complete.Row(i), points, channels)
	}
	v.training.Source = sgplvm.NewSource(learned.Data, len(in), len(points), channels)
	all := s.Model.Space[0].X
	x := mat.New(len(points), all.Cols)
	for k, j := range points {
		copy(x.Row(k), all.Row(j))
	}
	v.space = slices.Clone(s.Model.Space)
	v.space[0].X = x
	return v, v.train(ctx, s, len(in))
}

// train trains on n pictures.
func (v *validation) train(ctx context.Context, s Setup, n int) error {
	cfg, o := s.Model, s.Fit
	cfg.Space = v.space
	cfg.LatentDims, cfg.Inducing = min(cfg.LatentDims, n-1), min(cfg.Inducing, n)
	m, err := sgplvm.New(v.training, cfg)
	if err != nil {
		return err
	}
	o.Iterations = (o.Iterations + 1) / 2 // candidates compare alike after half of the steps
	o.CoarsePoints, o.ResidualRounds, o.LocalResiduals = 0, 0, false
	if _, err := m.Fit(ctx, o); err != nil {
		return err
	}
	v.start = m.Params()
	return nil
}

// somePoints returns the points of a picture at which validation takes place, ascending: three
// quarters of those observed at most, and others.
func somePoints(rng *rand.Rand, picture []float64, channels int) []int {
	n := len(picture) / channels
	var observed, rest []int
	for _, j := range rng.Perm(n) {
		if math.IsNaN(picture[j*channels]) {
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

// copyPoints sets dst to the values of a picture at some points.
func copyPoints(dst, picture []float64, points []int, channels int) {
	for k, j := range points {
		copy(dst[k*channels:(k+1)*channels], picture[j*channels:])
	}
}

// try scores a setup; m is a model that has learned what it learns with it, or nil.
func (v *validation) try(ctx context.Context, s Setup, m *sgplvm.Model) (model *sgplvm.Model, scores []float64, err error) {
	if m == nil {
		if m, err = v.learn(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	scores, err = v.measure(ctx, m, s)
	return m, scores, err
}

// learn returns the model with the covariance of its noise learned.
func (v *validation) learn(ctx context.Context, s Setup) (*sgplvm.Model, error) {
	m, err := sgplvm.New(v.training, sgplvm.Config{Space: v.space, Start: v.start, Seed: s.Model.Seed})
	if err != nil {
		return nil, err
	}
	o := s.Fit
	o.CoarsePoints, o.Iterations, o.Warmup = 0, 1, 1
	points := v.pictures.Complete.Cols / v.pictures.Channels
	o.ResidualTaper *= math.Sqrt(float64(v.space[0].X.Rows) / float64(points)) // of fewer points, further apart
	_, err = m.Fit(ctx, o)
	return m, err
}

// measure returns the mean negative log density of each picture that was held out.
func (v *validation) measure(ctx context.Context, m *sgplvm.Model, s Setup) ([]float64, error) {
	count, stop := v.watcher.Counting("validated", v.seen.Rows)
	defer stop()
	var done atomic.Int64
	scores, failures := make([]float64, v.seen.Rows), make([]error, v.seen.Rows)
	mat.Parallel(v.seen.Rows, func(i int) {
		if ctx.Err() != nil {
			return
		}
		if scores[i], failures[i] = v.score(ctx, m, s, i); failures[i] == nil {
			count(int(done.Add(1)))
		}
	})
	if err := ctx.Err(); err != nil {
		return scores, err
	}
	for i, err := range failures {
		if err != nil {
			return scores, fmt.Errorf("model selection, held-out picture %d: %w", i, err)
		}
	}
	return scores, nil
}

// score returns the mean negative log density of the missing values of a picture.
func (v *validation) score(ctx context.Context, m *sgplvm.Model, s Setup, i int) (score float64, err error) {
	channels := v.pictures.Channels
	p, _, err := m.Impute(ctx, sgplvm.Observed{Values: mat.NewDense(v.seen.Cols/channels, channels, v.seen.Row(i))}, s.Infer)
	if err != nil {
		return 0, err
	}
	missing := 0.0
	for j, y := range v.seen.Row(i) {
		if math.IsNaN(y) {
			score += evaluate.NegativeLogDensity(v.truth.At(i, j), p.Mean.At(j/channels, j%channels), p.Variance.At(j/channels, j%channels))
			missing++
		}
	}
	return score / max(1, missing), nil
}
