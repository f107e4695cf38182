package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// A setting is something about the learned noise that cross-validation chooses.
type setting struct {
	refit  bool                     // it changes what is learned, not only how it is used
	values []func(c *configuration) // in the order in which they lead away from the default
}

// settings are what is chosen, one after the other. Tests change them.
var settings = []setting{
	{true, choices(tapers, func(c *configuration, v float64) { c.fit.ResidualTaper = v * sgplvm.DefaultTaper(c.pictures) })},
	{true, choices(strengths, func(c *configuration, v float64) { c.fit.ResidualStrength = v })},
	{false, choices(bandwidths, func(c *configuration, v float64) { c.infer.LocalBandwidth = v })},
	{false, choices(lessFree, func(c *configuration, v float64) { c.infer.Freedom = v })},
	{false, choices(freer, func(c *configuration, v float64) { c.infer.Freedom = v })},
}

var (
	tapers     = []float64{1.4, 2, 2.8, 4, 5.6} // times the default
	strengths  = []float64{1, 0.1}              // pictures
	bandwidths = []float64{-1}                  // −1: the noise of all
	lessFree   = []float64{10, 2}               // degrees of freedom
	freer      = []float64{250, -1}
)

// choices are functions that set a number to one of the values each.
func choices(values []float64, set func(c *configuration, v float64)) (f []func(*configuration)) {
	for _, v := range values {
		f = append(f, func(c *configuration) { set(c, v) })
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

// preference is by how many standard errors another setting must be better. Tests lower it.
var preference = 4.0

// A validation is some training pictures to learn from and others to fill in, under masks of
// those that are to be filled in, at all points or, of large pictures, at those that one mask
// calls observed and some others: what has been seen near a missing value is what it will be.
type validation struct {
	x           *experiment
	training    sgplvm.Data
	space       []sgplvm.SpatialFactor
	truth, seen mat.Matrix // of the pictures held out, k×(points·channels)
	start       *sgplvm.Params
}

// choose returns c with settings that fill in held-out training pictures better than its
// own: with a mean negative log density lower by more than preference standard errors. With
// few pictures held out, chance would otherwise choose.
func (x *experiment) choose(ctx context.Context, c configuration) (configuration, error) {
	if c.fit.ResidualRounds == 0 || x.training.Count < leastTraining {
		return c, nil
	}
	v, err := x.validation(ctx, c)
	if err != nil {
		return c, err
	}
	m, best, err := v.try(ctx, c, nil)
	if err != nil {
		return c, err
	}
	for _, s := range settings {
		for _, set := range s.values {
			other, from := c, m
			set(&other)
			if s.refit {
				from = nil
			}
			model, scores, err := v.try(ctx, other, from)
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
			if err != nil || better(best, scores) {
				break // what lies beyond is worse
			}
			if better(scores, best) {
				c, m, best = other, model, scores
			}
		}
	}
	return c, nil
}

// try scores a configuration; m is a model that has learned what it learns, or nil.
func (v *validation) try(ctx context.Context, c configuration, m *sgplvm.Model) (model *sgplvm.Model, scores []float64, err error) {
	if m == nil {
		if m, err = v.learn(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	scores, err = v.measure(ctx, m, c)
	return m, scores, err
}

// better reports whether scores are lower than others of the same pictures by more than
// chance makes them.
func better(scores, others []float64) bool { return betterBy(preference, scores, others) }

// betterBy is better by a number of standard errors.
func betterBy(preference float64, scores, others []float64) bool {
	n := float64(len(scores))
	var mean, square float64
	for k, s := range scores {
		mean += (others[k] - s) / n
	}
	for k, s := range scores {
		square += (others[k] - s - mean) * (others[k] - s - mean)
	}
	return n > 1 && mean > preference*math.Sqrt(square/(n*(n-1)))
}

// validation divides the training pictures and trains, without learning the covariance of
// the noise.
func (x *experiment) validation(ctx context.Context, c configuration) (*validation, error) {
	pictures, seen := values(x.training), values(x.seen)
	n, channels := x.training.Count, x.training.Channels
	rng := rand.New(rand.NewPCG(x.seed, 0x63686f6f7365))
	order := rng.Perm(n)
	out := order[:min(mostHeldOut, n/heldOutShare)]
	in := order[len(out):]
	slices.Sort(in)

	masks := 1
	points := somePoints(rng, seen.Row(0), channels)
	if len(points) == x.training.Points() {
		masks = seen.Rows
	}
	v := &validation{x: x, truth: mat.New(len(out), len(points)*channels), seen: mat.New(len(out), len(points)*channels)}
	for k, i := range out {
		copyPoints(v.truth.Row(k), pictures.Row(i), points, channels)
		copyPoints(v.seen.Row(k), seen.Row(k%masks), points, channels)
		for j, s := range v.seen.Row(k) {
			if !math.IsNaN(s) {
				v.seen.Set(k, j, v.truth.At(k, j))
			}
		}
	}
	learned := mat.New(len(in), len(points)*channels)
	for k, i := range in {
		copyPoints(learned.Row(k), pictures.Row(i), points, channels)
	}
	v.training.Source = sgplvm.NewSource(learned.Data, len(in), len(points), channels)
	all := c.model.Space[0].X
	at := mat.New(len(points), all.Cols)
	for k, j := range points {
		copy(at.Row(k), all.Row(j))
	}
	v.space = slices.Clone(c.model.Space)
	v.space[0].X = at

	config := c.model
	config.Space = v.space
	config.LatentDims, config.Inducing = min(config.LatentDims, len(in)-1), min(config.Inducing, len(in))
	m, err := sgplvm.New(v.training, config)
	if err != nil {
		return nil, err
	}
	o := c.fit
	o.Iterations = (o.Iterations + 1) / 2 // settings compare alike after half of the steps
	o.CoarsePoints, o.ResidualRounds, o.LocalResiduals = 0, 0, false
	if _, err := m.Fit(ctx, o); err != nil {
		return nil, err
	}
	v.start = m.Params()
	return v, nil
}

// somePoints returns the points of a picture at which validation takes place, ascending:
// three quarters of those observed at most, and others.
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

// learn returns the model with the covariance of its noise learned.
func (v *validation) learn(ctx context.Context, c configuration) (*sgplvm.Model, error) {
	m, err := sgplvm.New(v.training, sgplvm.Config{Space: v.space, Start: v.start, Seed: v.x.seed})
	if err != nil {
		return nil, err
	}
	o := c.fit
	o.CoarsePoints, o.Iterations, o.Warmup = 0, 1, 1
	o.ResidualTaper *= math.Sqrt(float64(v.space[0].X.Rows) / float64(v.x.training.Points())) // of fewer points, further apart
	_, err = m.Fit(ctx, o)
	return m, err
}

// measure returns the mean negative log density of each picture that was held out.
func (v *validation) measure(ctx context.Context, m *sgplvm.Model, c configuration) ([]float64, error) {
	channels := m.Channels()
	scores := make([]float64, v.seen.Rows)
	err := each(ctx, v.x.e, "validated", v.x.source, v.seen.Rows, func(i int) error {
		p, _, err := m.Impute(ctx, sgplvm.Observed{Values: mat.NewDense(v.seen.Cols/channels, channels, v.seen.Row(i))}, c.infer)
		if err != nil {
			return err
		}
		count := 0.0
		for j, s := range v.seen.Row(i) {
			if math.IsNaN(s) {
				scores[i] += evaluate.NegativeLogDensity(v.truth.At(i, j), p.Mean.At(j/channels, j%channels), p.Variance.At(j/channels, j%channels))
				count++
			}
		}
		scores[i] /= max(1, count)
		return nil
	})
	return scores, err
}
