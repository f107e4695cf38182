package sgplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// A Blend says how much what training examples say directly counts beside the latent variables.
type Blend = predict.Blend

// A BlendTrial is a model that keeps its training residuals, and examples that it has not seen, N×(n_s·d_y), in truth
// and as they are to be filled in, NaN where missing.
type BlendTrial struct {
	Model       *Model
	Truth, Seen mat.Matrix
	Priors      []*Latent // Observed.Prior of each; nil: none has one
}

// A blendParameter is something about a blend, with its candidates in order.
type blendParameter struct {
	values []float64
	start  int
	set    func(b *Blend, v float64)
}

// blendParameters of the direct prediction, and how missing points are divided. Tests change them.
var blendParameters = []blendParameter{
	{[]float64{4, 8, 16, 32, 64}, 2, func(b *Blend, v float64) { b.Neighbours = v }},
	{[]float64{0.1, 0.3, 0.5, 0.7, 0.9}, 2, func(b *Blend, v float64) { b.Shrinkage = v }},
	{[]float64{2.8, 4, 5.6, 8, 11, 22}, 2, func(b *Blend, v float64) { b.Taper = v }},
	{[]float64{0, 22, 11, 5.6}, 0, func(b *Blend, v float64) { b.WideTaper = v }},
}

// blendParts are the divisions of missing points that are tried, and how near to a part observed values count.
var blendParts = []struct {
	parts int
	reach float64
}{{2, 6}, {4, 6}}

const (
	blendGain     = 0.002 // nats a value by which a blend must be better than a simpler one
	blendPictures = 2     // weight, in examples, of variances as they are
)

// SelectBlend returns the blend with which the examples of the trials are filled in best, by their mean negative log
// density with variances multiplied as is best. Errors: those of Model.Impute, trials that cannot be filled in.
func SelectBlend(ctx context.Context, trials []BlendTrial, o InferOptions) (Blend, error) {
	s := blendSearch{trials: trials, o: o}
	for _, t := range trials {
		if t.Truth.Rows != t.Seen.Rows || t.Priors != nil && len(t.Priors) != t.Seen.Rows || t.Truth.Cols != t.Seen.Cols || t.Truth.Cols != t.Model.Grid().Len()*t.Model.Channels() {
			return Blend{}, &ConfigError{Field: "BlendTrial", Err: fmt.Errorf("truth is %d×%d and seen %d×%d for %d values", t.Truth.Rows, t.Truth.Cols, t.Seen.Rows, t.Seen.Cols, t.Model.Grid().Len()*t.Model.Channels())}
		}
		for i := range t.Seen.Rows {
			gap, err := t.Model.posterior.Gap(mat.NewDense(t.Model.Grid().Len(), t.Model.Channels(), t.Seen.Row(i)))
			if err != nil {
				return Blend{}, err
			}
			s.gap += gap
			s.count++
		}
	}
	if s.count == 0 {
		return Blend{}, &ConfigError{Field: "BlendTrial", Err: fmt.Errorf("no examples, expected some to fill in")}
	}
	if err := s.infer(ctx); err != nil {
		return Blend{}, err
	}
	return s.search(ctx)
}

// blendSearch is the state of SelectBlend.
type blendSearch struct {
	trials []BlendTrial
	o      InferOptions
	gap    float64 // sum over examples
	count  int
	latent []Latent     // of every example
	with   []Prediction // by the latent variables
}

// search walks along the parameters of the direct prediction of all points together, then divides them.
func (s *blendSearch) search(ctx context.Context) (Blend, error) {
	best := Blend{Gap: s.gap / float64(s.count), Parts: 1, Inflation: 1}
	index := make([]int, len(blendParameters))
	for k, p := range blendParameters {
		index[k] = p.start
		p.set(&best, p.values[p.start])
	}
	var err error
	if s.with, err = s.fill(ctx, best); err != nil {
		return best, err
	}
	best, least, err := s.share(ctx, best)
	if err == nil {
		best, least, err = s.walk(ctx, best, least, index)
	}
	for _, division := range blendParts {
		if err != nil || best.Share == 0 {
			return best, err
		}
		b, score := best, 0.0
		b.Parts, b.Reach = division.parts, division.reach
		if b, score, err = s.share(ctx, b); err == nil && score < least-blendGain {
			best, least = b, score
		}
	}
	return best, err
}

// walk moves along one parameter after the other as long as that helps, twice.
func (s *blendSearch) walk(ctx context.Context, best Blend, least float64, index []int) (Blend, float64, error) {
	for range 2 {
		moved := false
		for k, p := range blendParameters {
			for _, step := range []int{1, -1} {
				for {
					next := index[k] + step
					if next < 0 || next >= len(p.values) {
						break
					}
					b := best
					p.set(&b, p.values[next])
					b, score, err := s.share(ctx, b)
					if err != nil {
						return best, least, err
					}
					if !(score < least-blendGain/4) {
						break
					}
					best, least, index[k], moved = b, score, next, true
				}
			}
		}
		if !moved {
			break
		}
	}
	return best, least, nil
}

// share returns a blend with the best share and inflation, and its score.
func (s *blendSearch) share(ctx context.Context, b Blend) (Blend, float64, error) {
	b.Share, b.Inflation = 1, 1
	direct, err := s.fill(ctx, b)
	if err != nil {
		return b, 0, err
	}
	best, least := b, math.Inf(1)
	for k := range 11 {
		b.Share = float64(k) / 10
		score, inflation := s.score(direct, b.Share)
		if score < least {
			best, least = b, score
			best.Inflation = inflation
		}
	}
	return best, least, nil
}

// score returns the mean negative log density of the mixture with s.with, and the factor of all variances that it takes.
func (s *blendSearch) score(direct []Prediction, share float64) (score, inflation float64) {
	var logs, chi, values float64
	at := 0
	for _, t := range s.trials {
		channels := t.Model.Channels()
		for i := range t.Seen.Rows {
			a, b := s.with[at], direct[at]
			at++
			for j, y := range t.Seen.Row(i) {
				if !math.IsNaN(y) {
					continue
				}
				p, c := j/channels, j%channels
				d := b.Mean.At(p, c) - a.Mean.At(p, c)
				v := (1-share)*a.Variance.At(p, c) + share*(b.Variance.At(p, c)+(1-share)*d*d)
				r := t.Truth.At(i, j) - a.Mean.At(p, c) - share*d
				logs += 0.5 * math.Log(v)
				chi += r * r / v
				values++
			}
		}
	}
	if values == 0 {
		return 0, 1
	}
	inflation = (chi/values*float64(s.count) + blendPictures) / (float64(s.count) + blendPictures)
	return logs/values + 0.5*math.Log(2*math.Pi*inflation) + 0.5*chi/values/inflation, inflation
}

// infer finds the latent posteriors of all examples.
func (s *blendSearch) infer(ctx context.Context) error {
	s.latent = make([]Latent, s.count)
	return s.each(ctx, func(t BlendTrial, obs Observed, k int) (err error) {
		s.latent[k], err = t.Model.Infer(ctx, obs, s.o)
		return err
	})
}

// fill predicts all examples.
func (s *blendSearch) fill(ctx context.Context, b Blend) ([]Prediction, error) {
	o := s.o
	o.Blends = []Blend{b}
	all := make([]Prediction, s.count)
	return all, s.each(ctx, func(t BlendTrial, obs Observed, k int) (err error) {
		all[k], err = t.Model.posterior.ImputeGiven(ctx, obs, s.latent[k], o)
		return err
	})
}

// each calls body for all examples of all trials, several at once; k is the example's number.
func (s *blendSearch) each(ctx context.Context, body func(t BlendTrial, obs Observed, k int) error) error {
	first := 0
	for _, t := range s.trials {
		failures := make([]error, t.Seen.Rows)
		mat.Parallel(t.Seen.Rows, func(i int) {
			if ctx.Err() == nil {
				obs := Observed{Values: mat.NewDense(t.Model.Grid().Len(), t.Model.Channels(), t.Seen.Row(i))}
				if t.Priors != nil {
					obs.Prior = t.Priors[i]
				}
				failures[i] = body(t, obs, first+i)
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if i := slices.IndexFunc(failures, func(err error) bool { return err != nil }); i >= 0 {
			return fmt.Errorf("choice of a blend, example %d: %w", first+i, failures[i])
		}
		first += t.Seen.Rows
	}
	return nil
}
