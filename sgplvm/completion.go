package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Completion is examples some of whose values were missing, filled in by what the others say.
type Completion struct {
	// Mean and Variance are (n_ξ·n_s)×d_y, rows as those of Data.Y, in the user's units, noise included.
	// Observed values are as they were, with variance 0.
	Mean, Variance mat.Matrix

	Model  *Model // of the completed examples
	Report Report // of its training

	// Check tells how well observed values were filled in that were hidden from all that bore on them, the way others are missing.
	Check FillCheck
}

// FillCheck tells how well values were filled in that were hidden on purpose.
type FillCheck struct {
	Values   int     // how many
	RMSE     float64 // root mean square error, in the user's units
	NLP      float64 // mean negative log density, nats a value
	Coverage float64 // the share of them within central intervals of 90 %
	Factor   float64 // by which variances, also theirs, were multiplied as these values ask, at least 1; 0: nothing was chosen, or factors were given
}

// Complete learns from examples of which values are missing, NaN in the data, and fills them in. What cfg leaves open is chosen by
// what was observed, as by Select, where validation hides values the way others are missing.
//
// The model is learned from completed examples. They are completed in rounds: all examples with holes are divided into
// folds, and those of each fold filled in by a model of all others as they are by then, so that no
// value that was filled in confirms itself. The first round begins with a matrix of low rank. At last the model of
// all completed examples is trained. An example without a value gets what the prior says, or its time.
//
// Values with known errors (Data.Errors) are learned from by the bound on observed values instead, as NewTrainer does, with white
// noise and nothing chosen. Errors: those of Fit; *ConfigError where nothing was observed.
func Complete(ctx context.Context, d Data, cfg Config) (done *Completion, err error) {
	d, err = d.checked()
	if err != nil {
		return nil, err
	}
	cfg, end, err := cfg.keeping(d)
	if err != nil {
		return nil, err
	}
	defer func() {
		var told Report
		err = end(&told, err)
		if done != nil {
			done.Report.Warnings = append(done.Report.Warnings, told.Warnings...)
		}
	}()
	if some, err := checkErrors(d.Errors, d.Source); err != nil {
		return nil, err
	} else if some {
		return completeByBound(ctx, d, cfg)
	}
	c, err := newCompleter(d, cfg)
	if err != nil {
		return nil, err
	}
	if len(c.incomplete) > 0 {
		if cfg, err = c.learn(ctx, cfg); err != nil {
			return nil, c.tooLittle(err)
		}
	}
	done = &Completion{Mean: c.matrix(c.y), Variance: c.matrix(c.variance), Check: c.check}
	done.Model, done.Report, err = fitWhole(ctx, c.d, cfg)
	if done.Model == nil {
		return nil, err
	}
	done.Report.Missing = c.holes.count()
	if c.how != nil {
		done.Model.selection = &c.how.selection
		done.Report.Searched, done.Report.Forecast = c.how.searched, c.how.forecast
	}
	return done, err
}

// tooLittle returns an error, or, where it says that completed data are none, that all examples are the same or too little was observed.
func (c *completer) tooLittle(err error) error {
	if value := (*ValueError)(nil); !errors.As(err, &value) {
		return err
	}
	if c.same() {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("all %d examples are the same where they were observed, expected examples that differ", c.y.Rows)}
	}
	size := len(c.holes.missing)
	return &ConfigError{Field: "Data", Err: fmt.Errorf("%d of %d values were observed, too few to tell how examples differ", size-c.holes.count(), size)}
}

// same reports whether some values were observed in two examples, and all of them are the same there.
func (c *completer) same() (twice bool) {
	first := make([]float64, c.y.Cols)
	for k := range first {
		first[k] = math.NaN()
	}
	for i := range c.y.Rows {
		row := c.y.Row(i)
		for k, missing := range c.holes.of(i) {
			switch {
			case missing:
			case math.IsNaN(first[k]):
				first[k] = row[k]
			case first[k] != row[k]:
				return false
			default:
				twice = true
			}
		}
	}
	return twice
}

// completeByBound is Complete by the bound on observed values.
func completeByBound(ctx context.Context, d Data, cfg Config) (*Completion, error) {
	if cfg.Effort != EffortNone && cfg.Start == nil {
		var err error
		if cfg, err = cfg.checkedOpen(d); err != nil {
			return nil, err
		}
		s := &search{data: d, given: cfg, plan: plans[cfg.Effort]}
		preset := s.whiteNoise()
		if d.Times != nil {
			preset = plainTime.preset(s)
		}
		cfg = filled(cfg, preset)
		cfg.Effort = EffortNone
	}
	step, stop := watcherOf(cfg.Watch).Training("")
	cfg.Training.Progress = step
	defer stop()
	t, report, err := trainKept(ctx, d, cfg, false)
	if err != nil {
		return nil, err
	}
	n, points, channels := d.Source.Dims()
	done := &Completion{Mean: mat.New(n*points, channels), Variance: mat.New(n*points, channels), Report: report}
	if err := d.Source.ReadExamples(done.Mean.Data, 0, n); err != nil {
		return nil, &ReadError{From: 0, To: n, Err: err}
	}
	if err := t.Complete(ctx, InferOptions{}, func(i int, p Prediction) error {
		copy(done.Mean.Data[i*points*channels:], p.Mean.Data)
		copy(done.Variance.Data[i*points*channels:], p.Variance.Data)
		return nil
	}); err != nil {
		return nil, err
	}
	done.Model, err = t.Model()
	return done, err
}

// A completer fills the holes of data round by round.
type completer struct {
	d          Data       // completed
	holes      *holes     // of them
	y          mat.Matrix // the completed values, n_ξ×(n_s·d_y), which d has too
	variance   mat.Matrix // of them, noise included; 0 where observed
	incomplete []int      // examples
	points     mat.Matrix // of the grid, in mean spacings
	channels   int
	rng        *rand.Rand
	watch      Watcher
	check      FillCheck
	rounds     int // so far
	how        *search
}

func newCompleter(d Data, cfg Config) (*completer, error) {
	n, points, channels := d.Source.Dims()
	c := &completer{d: d, channels: channels, points: data.InSpacings(d.Grid), rng: rand.New(rand.NewPCG(cfg.Seed, 0x66696c6c)), watch: watcherOf(cfg.Watch)}
	if _, err := data.Check(d.Source); err != nil {
		return nil, err
	}
	var err error
	if c.y, c.holes, err = readHoles(d.Source); err != nil {
		return nil, err
	}
	c.listIncomplete()
	c.variance = mat.New(n, c.y.Cols)
	c.d.Source = NewSource(c.y.Data, n, points, channels)
	if len(c.incomplete) > 0 {
		c.d.holes = c.holes
	}
	return c, nil
}

// matrix returns values, an example a row, as Data.Y has them.
func (c *completer) matrix(v mat.Matrix) mat.Matrix {
	return mat.NewDense(len(v.Data)/c.channels, c.channels, v.Data)
}

// learn chooses the configuration, completes the data with it and returns it, with nothing open.
func (c *completer) learn(ctx context.Context, cfg Config) (Config, error) {
	observed, given, plan := slices.Clone(c.holes.missing), cfg.Infer.Blends, plans[cfg.Effort]
	c.putAside(plan.heldOut)
	if err := c.lowRank(ctx); err != nil {
		return cfg, err
	}
	if cfg.Effort != EffortNone && cfg.Start == nil {
		first, err := c.first(cfg)
		if err != nil {
			return cfg, err
		}
		if err := c.round(ctx, first); err != nil { // the search judges by examples that are not of low rank
			return cfg, err
		}
		if cfg, c.how, err = choose(ctx, c.d, cfg); err != nil {
			return cfg, err
		}
	}
	if err := c.round(ctx, cfg); err != nil {
		return cfg, err
	}
	if c.how != nil && given == nil {
		cfg.Infer.Blends = c.rescaled(cfg.Infer.Blends)
	}
	c.compare()
	c.holes.missing = observed
	c.takeBack()
	rounds := completions(cfg, plan)
	if c.d.Film {
		rounds++ // what moves is found in completed frames
	}
	for range rounds {
		if err := c.round(ctx, cfg); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// completions returns how many rounds there are after the choice: one where noise has a covariance that is not learned freely, which knows
// nothing of what is unsure of filled values and becomes narrower with each round.
func completions(cfg Config, p plan) int {
	if r := cfg.Residual; r.Kernel.Kind != "" && r.Kernel.Kind != kernel.White && r.Rounds <= 0 {
		return 1
	}
	return max(1, p.completions)
}

// Of how many examples something is put aside: of so many at least where there are so many, of a share of all at most, and of more than a
// plan holds out of many, as values that are hidden to judge by are few in each, and cost no training.
const (
	leastReserve = 4
	mostReserve  = 1. / 3
	tenthReserve = 100 // examples: of one in ten up to so many
)

// putAside treats some values as missing until takeBack.
func (c *completer) putAside(examples int) {
	n := c.y.Rows
	examples = min(max(examples, leastReserve, min(n/10, tenthReserve)), max(1, int(mostReserve*float64(n))))
	for _, i := range c.rng.Perm(n) {
		if len(c.holes.reserve) == examples {
			break
		}
		hide := c.holes.borrow(c.rng, i, c.points, c.channels)
		if hide == nil {
			hide = c.holes.here(c.rng, i)
		}
		if hide == nil {
			continue
		}
		r := aside{i, slices.Clone(c.y.Row(i))}
		for k, hidden := range hide {
			if !hidden {
				r.truth[k] = math.NaN()
			}
		}
		c.holes.reserve = append(c.holes.reserve, r)
	}
	slices.SortFunc(c.holes.reserve, func(a, b aside) int { return cmp.Compare(a.example, b.example) })
	for _, r := range c.holes.reserve {
		missing := c.holes.of(r.example)
		for k := range r.values() {
			missing[k] = true
		}
	}
	c.listIncomplete()
}

// takeBack puts what was in reserve into its place.
func (c *completer) takeBack() {
	for _, r := range c.holes.reserve {
		y, variance := c.y.Row(r.example), c.variance.Row(r.example)
		for k, v := range r.values() {
			y[k], variance[k] = v, 0
		}
	}
	c.holes.reserve = nil
	c.listIncomplete()
}

func (c *completer) listIncomplete() {
	c.incomplete = nil
	for i := range c.y.Rows {
		if c.holes.some(i) {
			c.incomplete = append(c.incomplete, i)
		}
	}
}

// lowRank fills in all holes for a start.
func (c *completer) lowRank(ctx context.Context) error {
	defer c.watch.Timing("first completion by low rank")()
	return lowRank(ctx, c.y, c.holes, c.points, c.channels)
}

// rescaled multiplies the variances of all blends, or of one without similar examples where there is none, as what is in reserve asks for: where
// the search has seen some points only, it does not know how rough values are between those. They only grow: that they are too large the search has
// said of the same reserve, and it is nearer to what was observed than what is missing. The variances in place of the reserve follow.
func (c *completer) rescaled(list []Blend) []Blend {
	var chi float64 // squared errors over variances, their mean over each example added up
	for _, r := range c.holes.reserve {
		var sum, count float64
		for k, y := range r.values() {
			e := y - c.y.Row(r.example)[k]
			sum += e * e / c.variance.Row(r.example)[k]
			count++
		}
		chi += sum / count
	}
	factor := max(1, (chi+wholeExamples)/float64(len(c.holes.reserve)+wholeExamples))
	if list = slices.Clone(list); list == nil {
		list = []Blend{{Parts: 1, Inflation: 1}}
	}
	for i := range list {
		list[i].Inflation *= factor
	}
	for _, r := range c.holes.reserve {
		for k := range r.values() {
			c.variance.Row(r.example)[k] *= factor
		}
	}
	c.check.Factor = factor
	return list
}

// compare compares what is in reserve with what was filled in in its place.
func (c *completer) compare() {
	var squares, losses, covered float64
	for _, r := range c.holes.reserve {
		for k, y := range r.values() {
			r, v := y-c.y.Row(r.example)[k], c.variance.Row(r.example)[k]
			c.check.Values++
			squares += r * r
			losses += 0.5 * (math.Log(2*math.Pi*v) + r*r/v)
			if r*r < v*normal90*normal90 {
				covered++
			}
		}
	}
	if n := float64(c.check.Values); n > 0 {
		c.check.RMSE, c.check.NLP, c.check.Coverage = math.Sqrt(squares/n), losses/n, covered/n
	}
}

// normal90 is how many standard deviations the central 90 % of a normal distribution reach.
const normal90 = 1.6448536269514722

// first returns the configuration of the first round: that from which a quick search starts.
func (c *completer) first(cfg Config) (Config, error) {
	cfg.Effort = EffortQuick
	cfg, err := cfg.checkedOpen(c.d)
	if err != nil {
		return cfg, err
	}
	s := &search{data: c.d, given: cfg, plan: plans[EffortQuick]}
	if c.d.Times != nil {
		cfg = filled(cfg, plainTime.preset(s))
	} else {
		cfg, _ = s.structures()
	}
	cfg.Effort = EffortNone
	return cfg, nil
}

// completionFolds is into how many folds a round divides the examples with holes, and filmFolds the frames of a film: the frames on either side
// of one that is filled in teach it, and those beyond say little more.
const completionFolds, filmFolds = 4, 2

// round fills in all examples with holes once, fold by fold.
func (c *completer) round(ctx context.Context, cfg Config) error {
	c.rounds++
	order := slices.Clone(c.incomplete)
	c.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if c.d.Times != nil { // neighbours in time in different folds
		slices.Sort(order)
	}
	n := c.y.Rows
	folds := min(completionFolds, len(order))
	if c.d.Film {
		folds = min(filmFolds, len(order))
	}
	var lower []float64
	for f := range folds {
		var out []int
		for k := f; k < len(order); k += folds {
			out = append(out, order[k])
		}
		slices.Sort(out)
		in := allBut(n, out)
		if len(in) < min(2, n) { // too few to learn from without those
			in = allBut(n, nil)
		}
		more, err := c.fold(ctx, cfg, in, out, fmt.Sprintf("round %d, fold %d of %d: ", c.rounds, f+1, folds))
		if err != nil {
			return err
		}
		lower = plus(lower, more)
	}
	c.d.unsure = c.unsure(lower)
	return nil
}

// fold fills in some examples by a model of others, and returns what their covariance adds up to (unsure).
func (c *completer) fold(ctx context.Context, cfg Config, in, out []int, doing string) ([]float64, error) {
	filled, err := within(cfg.run(), doing, func() (filledValues, error) { return c.filled(ctx, cfg, in, out, doing) })
	if err != nil {
		return nil, err
	}
	at := 0
	for _, i := range out {
		y, v := c.y.Row(i), c.variance.Row(i)
		for j, missing := range c.holes.of(i) {
			if missing {
				y[j], v[j] = filled.Mean[at], filled.Variance[at]
				at++
			}
		}
	}
	return filled.Unsure, nil
}

// filledValues are the moments of the missing values of some examples, one after the other, and the sum of their
// covariances (unsure).
type filledValues struct{ Mean, Variance, Unsure []float64 }

// filled returns those of a fold.
func (c *completer) filled(ctx context.Context, cfg Config, in, out []int, doing string) (all filledValues, err error) {
	d := c.d
	d.Source, d.holes, d.unsure = SourceOf(c.d.Source, in), nil, c.d.unsure.examples(in)
	d.Times, d.Sequences = instantsOf(c.d, in)
	f := fold{data: d, scale: 1}
	cfg = f.fitted(cfg)
	step, stop := c.watch.Training(doing)
	cfg.Training.Progress, cfg.Effort = step, EffortNone
	if d.Film && cfg.Training.Iterations == 0 { // the model of all frames is trained for longer
		cfg.Training.Iterations = 2 * plans[EffortQuick].steps
	}
	m, _, err := fitWhole(ctx, d, cfg)
	stop()
	if err != nil {
		return all, err
	}
	for k := 0; k < len(out); k += imputedAtOnce {
		some := out[k:min(len(out), k+imputedAtOnce)]
		filled, failures := make([]imputed, len(some)), make([]error, len(some))
		mat.Parallel(len(some), func(k int) {
			if failures[k] = ctx.Err(); failures[k] == nil {
				filled[k], failures[k] = c.impute(ctx, m, cfg.Infer, some[k])
			}
		})
		if err := cmp.Or(failures...); err != nil {
			return all, err
		}
		for k, i := range some {
			for j, missing := range c.holes.of(i) {
				if missing {
					all.Mean, all.Variance = append(all.Mean, filled[k].mean.Data[j]), append(all.Variance, filled[k].variance.Data[j])
				}
			}
			all.Unsure = plus(all.Unsure, filled[k].unsure)
		}
	}
	return all, nil
}

// imputedAtOnce is of how many examples covariances are there at a time.
const imputedAtOnce = 16

// imputed are the moments of an example given what was observed of it.
type imputed struct {
	mean, variance mat.Matrix
	unsure         []float64
}

// impute returns the moments of an example given what was observed of it.
func (c *completer) impute(ctx context.Context, m *Model, o InferOptions, i int) (f imputed, err error) {
	points := c.y.Cols / c.channels
	obs := Observed{Values: mat.NewDense(points, c.channels, slices.Clone(c.y.Row(i)))}
	for k, missing := range c.holes.of(i) {
		if missing {
			obs.Values.Data[k] = math.NaN()
		}
	}
	if c.d.Times != nil {
		if obs.Prior, err = m.priorAt(data.Instants(c.d.Times, c.d.Sequences)[i]); err != nil {
			return f, err
		}
	}
	p, l, err := m.Impute(ctx, obs, o)
	if err != nil {
		return f, err
	}
	for k, v := range p.Mean.Data {
		if s := p.Variance.Data[k]; v-v != 0 || s-s != 0 {
			return f, errors.New("predicted a value that is no number")
		}
	}
	f.mean, f.variance = p.Mean, p.Variance
	f.unsure, err = unsureOf(m, obs, l, o)
	return f, err
}
