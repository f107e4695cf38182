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
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A fillValidator holds examples out, fold by fold, trains on the others, and scores how well hidden values of the held-out ones are filled in.
type fillValidator struct {
	folds  []fold
	cases  []fillCase // in the order of folds
	kinds  int        // of patterns of what is missing
	rounds int        // of a blend's search
	many   bool       // examples, of which a model learns more than the search does

	inflated bool // variances will be multiplied as is best for each pattern
	scored   recent[caseScores]
	journal  *journal.Journal
}

// scoresKept is the number of configurations whose scores a validator remembers: two of the first stage, and one with a blend.
const scoresKept = 3

// caseScores are means over the hidden values of each case: the negative log density, the squared error over
// its variance, and the squared error in standard deviations of the data.
type caseScores struct{ Losses, Chi, Squares []float64 }

func newCaseScores(cases int) caseScores {
	return caseScores{make([]float64, cases), make([]float64, cases), make([]float64, cases)}
}

func (c caseScores) and(more caseScores) caseScores {
	return caseScores{append(c.Losses, more.Losses...), append(c.Chi, more.Chi...), append(c.Squares, more.Squares...)}
}

// newFillValidator holds examples out, each under at least one pattern of missing values.
func newFillValidator(s *search) (*fillValidator, error) { return s.thinnedValidator(1) }

// thinnedValidator holds examples out, each under at least so many patterns. Of too many points it keeps some, missing and seen ones alike.
func (s *search) thinnedValidator(fewest int) (*fillValidator, error) {
	rng := s.validationRandom()
	points, grid, scale := s.validationPoints(rng)
	plan := s.plan
	n, _, channels := s.data.Source.Dims()
	if len(points)*channels > maxValidation { // filling in takes longer, and says more
		plan.heldOut, plan.patterns = max(minHeldOut, plan.heldOut*maxValidation/(len(points)*channels)), 1
	}
	if len(points) > manyPoints && s.data.Times == nil {
		plan.folds = 1
	}
	if s.data.holes != nil {
		plan.patterns = 1
	}
	if s.quick() && n < manyExamples { // whose learning takes no longer than filling them in
		plan.heldOut = min(plan.heldOut, minHeldOut)
	}
	switch {
	case plan.patterns < fewest && len(points)*channels <= smallSecond:
		plan.heldOut = maxSecond
	case plan.patterns < fewest && s.quick():
		plan.heldOut = minSecond
	}
	plan.patterns = max(plan.patterns, fewest)
	return s.fillValidator(rng, plan, points, grid, scale)
}

// newWholeValidator is newFillValidator at all points. It holds out so many examples, each under so many patterns in turn, or under the one that is known.
func newWholeValidator(s *search, heldOut, under int) (*fillValidator, error) {
	if s.data.holes != nil {
		under = 1
	}
	return s.fillValidator(s.validationRandom(), plan{heldOut: heldOut, folds: 1, patterns: under}, allBut(s.data.Grid.Len(), nil), s.data.Grid, 1)
}

func (s *search) validationRandom() *rand.Rand {
	return rand.New(rand.NewPCG(s.given.Seed, 0x63686f6f7365))
}

// fillValidator returns the validator at some points; scale is their spacing, in that of all points.
func (s *search) fillValidator(rng *rand.Rand, plan plan, points []int, grid Grid, scale float64) (*fillValidator, error) {
	_, _, channels := s.data.Source.Dims()
	x, kinds := joined(grid), 1
	if len(s.data.Hide) == 0 && s.data.holes == nil {
		kinds = len(completion.Patterns)
	}
	next := 0
	j, err := s.validatorWithout(s.heldOut(rng, plan), points, grid, func(fold, example int, values []float64) (cases []fillCase) {
		for range plan.patterns {
			c := s.newCase(rng, fold, example, next, values, x, points, channels)
			c.kind = next % kinds
			cases = append(cases, c)
			next++
		}
		return cases
	})
	if err != nil {
		return nil, err
	}
	j.kinds, j.inflated = kinds, (s.data.Times == nil || s.data.holes != nil) && s.data.Grid.Len() > 1 && s.given.Infer.Blends == nil
	for k := range j.folds {
		j.folds[k].scale = scale
	}
	return j, nil
}

// validatorWithout returns a validator at some points. Its folds learn from all examples but those held out, and casesOf makes cases of these.
func (s *search) validatorWithout(heldOut [][]int, points []int, grid Grid, casesOf func(fold, example int, values []float64) []fillCase) (*fillValidator, error) {
	n, _, channels := s.data.Source.Dims()
	complete := mat.New(n, len(points)*channels)
	if err := readPoints(complete, s.data.Source, points); err != nil {
		return nil, err
	}
	j := &fillValidator{kinds: 1, rounds: s.plan.rounds, many: n >= manyExamples, journal: s.run.journal}
	j.scored.limit = scoresKept
	for f, out := range heldOut {
		in := s.learnedBy(n, out)
		learned := mat.New(len(in), complete.Cols)
		for k, i := range in {
			copy(learned.Row(k), complete.Row(i))
		}
		d := trainingSet{Data: Data{Source: NewSource(learned.Data, len(in), len(points), channels), Grid: grid}}
		d.Times, d.Sequences = instantsOf(s.data, in)
		d.imputationErrors = s.data.imputationErrors.of(in, points, channels)
		j.folds = append(j.folds, fold{data: d, scale: 1})
		for _, i := range out {
			j.cases = append(j.cases, casesOf(f, i, complete.Row(i))...)
		}
	}
	return j, nil
}

// validate implements validator: the first fold alone if that may be enough, then the others.
func (j *fillValidator) validate(ctx context.Context, cfg Config, hopeless func(validation.Scores) bool) (v validation.Scores, err error) {
	all, known := j.scored.get(text(cfg))
	if !known {
		if all, err = j.fill(ctx, cfg, 0, 1); err != nil {
			return v, err
		}
		if len(j.folds) > 1 {
			if v = j.scores(all); hopeless(v) {
				return v, nil
			}
			var rest caseScores
			if rest, err = j.fill(ctx, cfg, 1, len(j.folds)); err != nil {
				return v, err
			}
			all = all.and(rest)
		}
		j.scored.put(text(cfg), all)
	}
	return j.scores(all), nil
}

// scores returns the scores of the examples from those of their cases. If variances will be inflated pattern by pattern, the scores are those after it.
func (j *fillValidator) scores(c caseScores) (v validation.Scores) {
	each := len(j.cases) / j.examples()
	inflations := make([]float64, j.kinds)
	for kind := range inflations {
		var chi, count float64
		for i, x := range c.Chi {
			if j.cases[i].kind == kind {
				chi += x
				count++
			}
		}
		if inflations[kind] = 1; j.inflated {
			inflations[kind] = validation.Inflation(chi/max(1, count), count)
		}
	}
	for i := 0; i < len(c.Losses); i += each {
		var loss, e float64
		for k := i; k < i+each; k++ {
			f := inflations[j.cases[k].kind]
			loss += (c.Losses[k] + 0.5*(math.Log(f)-c.Chi[k]*(1-1/f))) / float64(each)
			e += math.Sqrt(c.Squares[k]) / float64(each)
		}
		v.Losses, v.Errors = append(v.Losses, loss), append(v.Errors, e)
	}
	return v
}

// losses returns the scores of every case.
func (j *fillValidator) losses(ctx context.Context, cfg Config) (caseScores, error) {
	_, err := j.validate(ctx, cfg, func(validation.Scores) bool { return false })
	all, _ := j.scored.get(text(cfg))
	return all, err
}

// fill fills in the cases of the folds from ≤ k < to, or returns their scores of an earlier run.
func (j *fillValidator) fill(ctx context.Context, cfg Config, from, to int) (caseScores, error) {
	key := fmt.Sprintf("folds %d to %d filled in by %s", from, to, text(cfg))
	return validatedOnce(ctx, j.journal, key, func() (caseScores, error) { return j.filled(ctx, cfg, from, to) })
}

// filled is fill without the journal.
func (j *fillValidator) filled(ctx context.Context, cfg Config, from, to int) (all caseScores, err error) {
	models, err := j.models(ctx, cfg, from, to)
	if err != nil {
		return all, err
	}
	infer := cfg.Infer
	infer.Blends = atSpacing(infer.Blends, 1/j.scale())
	first, _ := slices.BinarySearchFunc(j.cases, from, byFold)
	last, _ := slices.BinarySearchFunc(j.cases, to, byFold)
	cases := j.cases[first:last]
	all = newCaseScores(len(cases))
	failures := make([]error, len(cases))
	mat.Parallel(len(cases), func(i int) {
		if ctx.Err() == nil {
			all.Losses[i], all.Chi[i], all.Squares[i], failures[i] = cases[i].score(ctx, models[cases[i].fold-from], infer)
		}
	})
	if err := ctx.Err(); err != nil {
		return caseScores{}, err
	}
	for i, err := range failures {
		if err != nil {
			return caseScores{}, fmt.Errorf("model selection, held-out example %d: %w", cases[i].example, err)
		}
	}
	return all, nil
}

func byFold(c fillCase, fold int) int { return cmp.Compare(c.fold, fold) }

// examples returns the number of held-out examples.
func (j *fillValidator) examples() (n int) {
	for i := range j.cases {
		if i == 0 || j.cases[i].example != j.cases[i-1].example || j.cases[i].fold != j.cases[i-1].fold {
			n++
		}
	}
	return n
}

// score returns means over the hidden values: of the negative log density, the squared error over its variance, and the squared error in standard
// deviations of the training data.
func (c *fillCase) score(ctx context.Context, m *Model, o InferOptions) (loss, chi, square float64, err error) {
	channels := m.Channels()
	obs, err := c.observed(m)
	if err != nil {
		return 0, 0, 0, err
	}
	o.KeepOutliers = true // which the search has left out
	p, _, err := m.Impute(ctx, obs, o)
	if err != nil {
		return 0, 0, 0, err
	}
	scale := m.posterior.Scaler().Scale
	var all validation.Tally
	for k := range c.seen {
		if c.hidden(k) {
			all.Add(c.truth[k]-p.Mean.At(k/channels, k%channels), p.Variance.At(k/channels, k%channels), scale[k%channels])
		}
	}
	loss, chi, square = all.Means()
	return loss, chi, square, nil
}

// hidden reports whether a value was hidden. Other unseen values are missing in the data.
func (c *fillCase) hidden(value int) bool {
	return math.IsNaN(c.seen[value]) && !math.IsNaN(c.truth[value])
}

// values returns the seen values on the points of a model.
func (c *fillCase) values(m *Model) mat.Matrix {
	return mat.NewDense(len(c.seen)/m.Channels(), m.Channels(), c.seen)
}

// observed returns the seen values, with the prior that a model has at their time.
func (c *fillCase) observed(m *Model) (obs Observed, err error) {
	obs.Values = c.values(m)
	if c.at != nil {
		obs.Prior, err = m.priorAt(*c.at)
	}
	return obs, err
}

// priorAt returns the prior of an example at its time; nil in a sequence that the model was not trained on.
func (m *Model) priorAt(at Instant) (*Latent, error) {
	if !m.knows(at.Sequence) {
		return nil, nil
	}
	priors, err := m.LatentAt(at.Sequence, []float64{at.Time})
	if err != nil {
		return nil, err
	}
	return &priors[0], nil
}

// knows reports whether the model was trained on a sequence.
func (m *Model) knows(sequence int) bool {
	return slices.ContainsFunc(m.Times(), func(at Instant) bool { return at.Sequence == sequence })
}

// models trains a configuration on each of the folds from ≤ k < to.
func (j *fillValidator) models(ctx context.Context, cfg Config, from, to int) ([]*Model, error) {
	models := make([]*Model, to-from)
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
func (j *fillValidator) scale() float64 { return j.folds[0].scale }
