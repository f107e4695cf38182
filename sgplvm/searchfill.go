package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// A fillJudge holds some examples out, fold by fold, has the others learned and judges how well the values
// hidden of those held out are filled in.
type fillJudge struct {
	folds  []fold
	cases  []fillCase
	kinds  int // of patterns of what is missing
	rounds int // of a blend's search

	trained recent[[]*bound.Params] // of all folds, but for the covariance of the noise
	learned recent[[]*Model]
	judged  recent[[2][]float64]
}

// newFillJudge divides the examples. Points of one factor of too many are thinned out: all that is seen near
// a missing value thins out with it.
func newFillJudge(s *search) (*fillJudge, error) {
	n, _, channels := s.data.Source.Dims()
	rng := rand.New(rand.NewPCG(s.given.Seed, 0x63686f6f7365))
	points, x, err := s.validationPoints(rng)
	if err != nil {
		return nil, err
	}
	complete := mat.New(n, len(points)*channels)
	if err := readPoints(complete, s.data.Source, points); err != nil {
		return nil, err
	}
	j := &fillJudge{kinds: 1, rounds: s.plan.rounds}
	if len(s.data.Hide) == 0 {
		j.kinds = len(patterns)
	}
	next, plan := 0, s.plan
	if size := len(points) * channels; size > mostValidation { // filling in takes longer, and says more
		plan.heldOut, plan.patterns = max(leastHeldOut, plan.heldOut*mostValidation/size), 1
	}
	if len(points) > manyPoints && s.data.Times == nil {
		plan.folds = 1
	}
	for f, out := range divide(rng, n, plan, s.data.Times != nil) {
		in := allBut(n, out)
		learned := mat.New(len(in), complete.Cols)
		for k, i := range in {
			copy(learned.Row(k), complete.Row(i))
		}
		d := Data{Source: NewSource(learned.Data, len(in), len(points), channels), Grid: s.data.Grid}
		share := 1.0
		if len(points) < s.data.Grid.Len() {
			d.Grid, share = Grid{x}, float64(len(points))/float64(s.data.Grid.Len())
		}
		d.Times, d.Sequences = instantsOf(s.data, in)
		j.folds = append(j.folds, fold{d, share})
		for _, i := range out {
			for range plan.patterns {
				missing := s.missing(rng, next, x, points, channels)
				c := newFillCase(f, i, complete.Row(i), missing, s.data)
				c.kind = next % j.kinds
				j.cases = append(j.cases, c)
				next++
			}
		}
	}
	return j, nil
}

// judge implements the interface.
func (j *fillJudge) judge(ctx context.Context, cfg Config) (scores []float64, rmse float64, err error) {
	losses, squares, err := j.losses(ctx, cfg)
	if err != nil {
		return nil, 0, err
	}
	each := len(j.cases) / j.examples()
	for i := 0; i < len(losses); i += each {
		scores = append(scores, mean(losses[i:i+each]))
	}
	return scores, math.Sqrt(mean(squares)), nil
}

// losses returns the mean negative log density and the mean square of every case.
func (j *fillJudge) losses(ctx context.Context, cfg Config) (losses, squares []float64, err error) {
	if known, ok := j.judged.get(text(cfg)); ok {
		return known[0], known[1], nil
	}
	models, err := j.models(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	infer := cfg.Infer
	infer.Blends = atSpacing(infer.Blends, 1/j.scale())
	losses, squares = make([]float64, len(j.cases)), make([]float64, len(j.cases))
	failures := make([]error, len(j.cases))
	mat.Parallel(len(j.cases), func(i int) {
		if ctx.Err() == nil {
			c := &j.cases[i]
			losses[i], squares[i], failures[i] = c.judge(ctx, models[c.fold], infer)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for i, err := range failures {
		if err != nil {
			return nil, nil, fmt.Errorf("model selection, held-out example %d: %w", j.cases[i].example, err)
		}
	}
	j.judged.put(text(cfg), [2][]float64{losses, squares})
	return losses, squares, nil
}

// examples returns how many are held out.
func (j *fillJudge) examples() (n int) {
	for i := range j.cases {
		if i == 0 || j.cases[i].example != j.cases[i-1].example || j.cases[i].fold != j.cases[i-1].fold {
			n++
		}
	}
	return n
}

// judge returns the mean negative log density of what is hidden, and the mean of its squares in standard
// deviations of the training data.
func (c *fillCase) judge(ctx context.Context, m *Model, o InferOptions) (loss, square float64, err error) {
	channels := m.Channels()
	obs, err := c.observed(m)
	if err != nil {
		return 0, 0, err
	}
	p, _, err := m.Impute(ctx, obs, o)
	if err != nil {
		return 0, 0, err
	}
	scale := m.posterior.Scaler().Scale
	var hidden float64
	for k, y := range c.seen {
		if math.IsNaN(y) {
			r, v := c.truth[k]-p.Mean.At(k/channels, k%channels), p.Variance.At(k/channels, k%channels)
			loss += 0.5 * (math.Log(2*math.Pi*v) + r*r/v)
			square += (r / scale[k%channels]) * (r / scale[k%channels])
			hidden++
		}
	}
	return loss / max(1, hidden), square / max(1, hidden), nil
}

// values are what is seen, for a model.
func (c *fillCase) values(m *Model) mat.Matrix {
	return mat.NewDense(len(c.seen)/m.Channels(), m.Channels(), c.seen)
}

// observed returns what is seen, with what a model knows of its time.
func (c *fillCase) observed(m *Model) (Observed, error) {
	obs := Observed{Values: c.values(m)}
	if c.at == nil || !m.knows(c.at.Sequence) {
		return obs, nil
	}
	priors, err := m.LatentAt(c.at.Sequence, []float64{c.at.Time})
	if err == nil {
		obs.Prior = &priors[0]
	}
	return obs, err
}

// knows reports whether the model was trained on a sequence.
func (m *Model) knows(sequence int) bool {
	return slices.ContainsFunc(m.Times(), func(at Instant) bool { return at.Sequence == sequence })
}

// models returns what a configuration learns from each fold. What candidates share is learned once.
func (j *fillJudge) models(ctx context.Context, cfg Config) ([]*Model, error) {
	cfg.Infer = InferOptions{}
	key := text(cfg)
	if m, ok := j.learned.get(key); ok {
		return m, nil
	}
	base := cfg
	base.Residual.Rounds, base.Residual.Strength, base.Residual.Taper, base.Residual.Local = -1, 0, 0, Off
	params, ok := j.trained.get(text(base))
	if !ok {
		params = make([]*bound.Params, len(j.folds))
		if err := j.eachFold(func(k int, f *fold) (err error) {
			params[k], err = f.train(ctx, base)
			return err
		}); err != nil {
			return nil, err
		}
		j.trained.put(text(base), params)
	}
	models := make([]*Model, len(j.folds))
	if err := j.eachFold(func(k int, f *fold) (err error) {
		models[k], err = f.learn(ctx, cfg, params[k].Clone())
		return err
	}); err != nil {
		return nil, err
	}
	j.learned.put(key, models)
	return models, nil
}

// eachFold calls body for all folds at once, which do not bear on one another. It returns the first fold's error.
func (j *fillJudge) eachFold(body func(k int, f *fold) error) error {
	failures := make([]error, len(j.folds))
	var all sync.WaitGroup
	for k := range j.folds {
		all.Go(func() { failures[k] = body(k, &j.folds[k]) })
	}
	all.Wait()
	return cmp.Or(failures...)
}

// recent keeps what was made last, by what it was made from: two of them, as candidates are variations of
// the best one so far.
type recent[T any] struct {
	keys   [2]string
	values [2]T
}

func (r *recent[T]) get(key string) (value T, ok bool) {
	for i, k := range r.keys {
		if k == key {
			r.keys[0], r.keys[i] = r.keys[i], r.keys[0]
			r.values[0], r.values[i] = r.values[i], r.values[0]
			return r.values[0], true
		}
	}
	return value, false
}

func (r *recent[T]) put(key string, value T) {
	r.keys[1], r.values[1] = r.keys[0], r.values[0]
	r.keys[0], r.values[0] = key, value
}
