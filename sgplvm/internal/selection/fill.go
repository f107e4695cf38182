package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Folds hold examples out, fold by fold, train on the others, and score how well hidden values of the held-out ones are filled in.
type Folds struct {
	folds  []fold
	Cases  []Case // in the order of folds
	kinds  int    // of patterns of what is missing
	rounds int    // of a blend's search
	many   bool   // examples, of which a model learns more than the search does

	inflated bool // variances will be multiplied as is best for each pattern
	scored   recent[[]caseScore]
	journal  *journal.Journal
}

// scoresKept is the number of configurations whose scores a validator remembers: two of the first stage, and one with a blend.
const scoresKept = 3

// A caseScore has means over the hidden values of a case: the negative log density, the squared error over
// its variance, and the squared error in standard deviations of the data.
type caseScore struct{ Loss, Chi, Square float64 }

// thinnedFolds hold examples out, each under at least so many patterns. Of too many points it keeps some, missing and seen ones alike.
func (s *Search) thinnedFolds(fewest int) (*Folds, error) {
	rng := s.validationRandom()
	points, grid, scale := s.validationPoints(rng)
	plan := s.plan
	n, _, channels := s.data.Source.Dims()
	if len(points)*channels > maxValidation { // filling in takes longer, and says more
		plan.HeldOut, plan.Patterns = max(minHeldOut, plan.HeldOut*maxValidation/(len(points)*channels)), 1
	}
	if len(points) > manyPoints && s.data.Times == nil {
		plan.Folds = 1
	}
	if s.data.Holes != nil {
		plan.Patterns = 1
	}
	if s.quick() && n < manyExamples { // whose learning takes no longer than filling them in
		plan.HeldOut = min(plan.HeldOut, minHeldOut)
	}
	switch {
	case plan.Patterns < fewest && len(points)*channels <= smallSecond:
		plan.HeldOut = maxSecond
	case plan.Patterns < fewest && s.quick():
		plan.HeldOut = minSecond
	}
	plan.Patterns = max(plan.Patterns, fewest)
	return s.foldsAt(rng, plan, points, grid, scale)
}

// wholeFolds are thinnedFolds at all points. It holds out so many examples, each under so many patterns in turn, or under the one that is known.
func (s *Search) wholeFolds(heldOut, under int) (*Folds, error) {
	if s.data.Holes != nil {
		under = 1
	}
	return s.foldsAt(s.validationRandom(), Plan{HeldOut: heldOut, Folds: 1, Patterns: under}, work.AllBut(s.data.Grid.Len(), nil), s.data.Grid, 1)
}

func (s *Search) validationRandom() *rand.Rand {
	return rand.New(rand.NewPCG(s.given.Seed, 0x63686f6f7365))
}

// foldsAt returns folds at some points; scale is their spacing, in that of all points.
func (s *Search) foldsAt(rng *rand.Rand, plan Plan, points []int, grid field.Grid, scale float64) (*Folds, error) {
	_, _, channels := s.data.Source.Dims()
	x, kinds := data.Joined(grid), 1
	if len(s.data.Hide) == 0 && s.data.Holes == nil {
		kinds = len(completion.Patterns)
	}
	next := 0
	j, err := s.foldsWithout(s.heldOut(rng, plan), points, grid, func(fold, example int, values []float64) (cases []Case) {
		for range plan.Patterns {
			c := s.nextCase(rng, fold, example, next, values, x, points, channels)
			c.kind = next % kinds
			cases = append(cases, c)
			next++
		}
		return cases
	})
	if err != nil {
		return nil, err
	}
	j.kinds, j.inflated = kinds, (s.data.Times == nil || s.data.Holes != nil) && s.data.Grid.Len() > 1 && s.given.Infer.Blends == nil
	for k := range j.folds {
		j.folds[k].scale = scale
	}
	return j, nil
}

// foldsWithout returns folds at some points. They learn from all examples but those held out, and casesOf makes cases of these.
func (s *Search) foldsWithout(heldOut [][]int, points []int, grid field.Grid, casesOf func(fold, example int, values []float64) []Case) (*Folds, error) {
	n, _, channels := s.data.Source.Dims()
	complete := mat.New(n, len(points)*channels)
	if err := readPoints(complete, s.data.Source, points); err != nil {
		return nil, err
	}
	j := &Folds{kinds: 1, rounds: s.plan.Rounds, many: n >= manyExamples, journal: s.run.Journal}
	j.scored.limit = scoresKept
	for f, out := range heldOut {
		in := s.learnedBy(n, out)
		learned := mat.New(len(in), complete.Cols)
		for k, i := range in {
			copy(learned.Row(k), complete.Row(i))
		}
		var d Data
		d.Source, d.Grid = field.NewSource(learned.Data, len(in), len(points), channels), grid
		d.Times, d.Sequences = data.TimesOf(s.data.Times, s.data.Sequences, in)
		d.Imputed = s.data.Imputed.At(in, points, channels)
		j.folds = append(j.folds, fold{data: d, trainers: s.trainers, scale: 1})
		for _, i := range out {
			j.Cases = append(j.Cases, casesOf(f, i, complete.Row(i))...)
		}
	}
	return j, nil
}

// validate implements validator: the first fold alone if that may be enough, then the others.
func (j *Folds) validate(ctx context.Context, cfg training.Settings, hopeless func(validation.Scores) bool) (v validation.Scores, err error) {
	all, known := j.scored.get(cfg.String())
	if !known {
		if all, err = j.fill(ctx, cfg, 0, 1); err == nil && len(j.folds) > 1 {
			if v = j.scores(all); hopeless(v) {
				return v, nil
			}
		}
		if err == nil || errors.Is(err, field.ErrTask) { // which does not wait for the first fold
			rest, failure := j.others(ctx, cfg)
			all, err = append(all, rest...), cmp.Or(err, failure)
		}
		if err != nil {
			return v, err
		}
		j.scored.put(cfg.String(), all)
	}
	return j.scores(all), nil
}

// scores returns the scores of the examples from those of their cases. If variances will be inflated pattern by pattern, the scores are those after it.
func (j *Folds) scores(all []caseScore) (v validation.Scores) {
	each := len(j.Cases) / j.examples()
	inflations := make([]float64, j.kinds)
	for kind := range inflations {
		var chi, count float64
		for i, c := range all {
			if j.Cases[i].kind == kind {
				chi += c.Chi
				count++
			}
		}
		if inflations[kind] = 1; j.inflated {
			inflations[kind] = validation.Inflation(chi/max(1, count), count)
		}
	}
	for i := 0; i < len(all); i += each {
		var loss, e float64
		for k := i; k < i+each; k++ {
			c, f := all[k], inflations[j.Cases[k].kind]
			loss += (c.Loss + 0.5*(math.Log(f)-c.Chi*(1-1/f))) / float64(each)
			e += math.Sqrt(c.Square) / float64(each)
		}
		v.Losses, v.Errors = append(v.Losses, loss), append(v.Errors, e)
	}
	return v
}

// losses returns the scores of every case.
func (j *Folds) losses(ctx context.Context, cfg training.Settings) ([]caseScore, error) {
	_, err := j.validate(ctx, cfg, func(validation.Scores) bool { return false })
	all, _ := j.scored.get(cfg.String())
	return all, err
}

// others fills in the cases of all folds but the first, at once, or each for itself where processes share them.
func (j *Folds) others(ctx context.Context, cfg training.Settings) (all []caseScore, err error) {
	each := len(j.folds) - 1
	if j.journal.Shared() {
		each = 1
	}
	for from := 1; from < len(j.folds); from += each {
		some, failure := j.fill(ctx, cfg, from, from+each)
		all, err = append(all, some...), cmp.Or(err, failure)
	}
	return all, err
}

// fill fills in the cases of the folds from ≤ k < to, or returns their scores of an earlier run.
func (j *Folds) fill(ctx context.Context, cfg training.Settings, from, to int) ([]caseScore, error) {
	key := fmt.Sprintf("folds %d to %d filled in by %s", from, to, cfg.String())
	return validatedOnce(ctx, j.journal, key, func() ([]caseScore, error) { return j.filled(ctx, cfg, from, to) })
}

// filled is fill without the journal.
func (j *Folds) filled(ctx context.Context, cfg training.Settings, from, to int) (all []caseScore, err error) {
	models, err := j.models(ctx, cfg, from, to)
	if err != nil {
		return all, err
	}
	infer := cfg.Infer
	infer.Blends = atSpacing(infer.Blends, 1/j.scale())
	first, _ := slices.BinarySearchFunc(j.Cases, from, byFold)
	last, _ := slices.BinarySearchFunc(j.Cases, to, byFold)
	cases := j.Cases[first:last]
	all = make([]caseScore, len(cases))
	failures := make([]error, len(cases))
	mat.Parallel(len(cases), func(i int) {
		if ctx.Err() == nil {
			all[i], failures[i] = cases[i].score(ctx, models[cases[i].Fold-from], infer)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, err := range failures {
		if err != nil {
			return nil, fmt.Errorf("model selection, held-out example %d: %w", cases[i].Example, err)
		}
	}
	return all, nil
}

func byFold(c Case, fold int) int { return cmp.Compare(c.Fold, fold) }

// examples returns the number of held-out examples.
func (j *Folds) examples() (n int) {
	for i := range j.Cases {
		if i == 0 || j.Cases[i].Example != j.Cases[i-1].Example || j.Cases[i].Fold != j.Cases[i-1].Fold {
			n++
		}
	}
	return n
}

// score scores what a model makes of the hidden values.
func (c *Case) score(ctx context.Context, m *predict.Posterior, o field.InferOptions) (s caseScore, err error) {
	obs, err := c.observed(m)
	if err != nil {
		return s, err
	}
	o.KeepOutliers = true // which the search has left out
	p, _, err := m.Impute(ctx, obs, o)
	if err != nil {
		return s, err
	}
	scale := m.Scaler().Scale
	channels := len(scale)
	var all validation.Tally
	for k := range c.seen {
		if c.hidden(k) {
			all.Add(c.truth[k]-p.Mean.At(k/channels, k%channels), p.Variance.At(k/channels, k%channels), scale[k%channels])
		}
	}
	s.Loss, s.Chi, s.Square = all.Means()
	return s, nil
}

// hidden reports whether a value was hidden. Other unseen values are missing in the data.
func (c *Case) hidden(value int) bool {
	return math.IsNaN(c.seen[value]) && !math.IsNaN(c.truth[value])
}

// values returns the seen values on the points of a model.
func (c *Case) values(m *predict.Posterior) mat.Matrix {
	channels := len(m.Scaler().Mean)
	return mat.NewDense(len(c.seen)/channels, channels, c.seen)
}

// observed returns the seen values, with the prior that a model has at their time.
func (c *Case) observed(m *predict.Posterior) (obs field.Observed, err error) {
	obs.Values = c.values(m)
	if c.At != nil {
		obs.Prior, err = m.PriorAt(*c.At)
	}
	return obs, err
}

// Models trains settings on each of the folds by trainers of its own.
func (j *Folds) Models(ctx context.Context, cfg training.Settings, of []Trainers) ([]*predict.Posterior, error) {
	for k := range j.folds {
		j.folds[k].trainers = of[k]
	}
	return j.models(ctx, cfg, 0, len(j.folds))
}

// Count returns the number of folds.
func (j *Folds) Count() int { return len(j.folds) }

// models trains a configuration on each of the folds from ≤ k < to.
func (j *Folds) models(ctx context.Context, cfg training.Settings, from, to int) ([]*predict.Posterior, error) {
	models := make([]*predict.Posterior, to-from)
	return models, eachOf(to-from, func(k int) (err error) {
		models[k], err = j.folds[from+k].model(ctx, cfg)
		return err
	})
}

// eachOf calls body for 0 ≤ k < n, in parallel. It returns the error with the least k.
func eachOf(n int, body func(k int) error) error {
	failures := make([]error, n)
	var all sync.WaitGroup
	for k := range n {
		all.Go(func() { failures[k] = body(k) })
	}
	all.Wait()
	return cmp.Or(failures...)
}

// scale returns the spacing of the validation's points, in that of all points.
func (j *Folds) scale() float64 { return j.folds[0].scale }
