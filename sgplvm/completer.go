package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A completer fills in missing values round by round.
type completer struct {
	d          trainingSet      // completed
	holes      *completion.Mask // of them
	y          mat.Matrix       // the completed values, n_ξ×(n_s·d_y), which d has too
	variance   mat.Matrix       // of them, noise included; 0 where observed
	incomplete []int            // examples
	points     mat.Matrix       // of the grid, in mean spacings
	channels   int
	rng        *rand.Rand
	watch      Watcher
	check      FillCheck
	scores     validation.Scores // on each example of which something was held out
	rounds     int               // so far
	took       roundTime         // the last one
	simple     time.Duration     // that the simplest methods took to fill in held-out values
	doing      string            // what it is doing, before the name of a round
	how        *choice
	times      []float64 // of the examples, also where the search found that they tell nothing
	sequences  []int
	all        completion.Filled   // also of the examples that are not learned from
	rows       []int               // which of all the examples are
	hopeless   bool                // the model is much worse than the simplest methods
	contest    *completion.Contest // of the model and the simplest methods; nil: there was none
	simplest   *completion.Contest // of the simplest methods; nil: these have not filled in anything
	still      *completer          // of the frames of a film as examples in no order; nil: there is none
}

func newCompleter(d trainingSet, cfg Config) (*completer, error) {
	n, points, channels := d.Source.Dims()
	c := &completer{d: d, channels: channels, times: d.Times, sequences: d.Sequences, points: data.InSpacings(d.Grid), rng: rand.New(completionRandom(cfg)), watch: d.run.watcher()}
	if _, err := data.Check(d.Source); err != nil {
		return nil, err
	}
	var err error
	if c.y, c.holes, err = completion.Read(d.Source); err != nil {
		return nil, err
	}
	c.listIncomplete()
	c.variance = mat.New(n, c.y.Cols)
	c.d.Source = NewSource(c.y.Data, n, points, channels)
	if len(c.incomplete) > 0 {
		c.d.holes, c.d.observed = c.holes, d.Source
	}
	return c, nil
}

func completionRandom(cfg Config) rand.Source { return completion.Random(cfg.Seed) }

// observedVariance returns the mean square of what was observed about its mean, 1 where that is 0.
func (c *completer) observedVariance() float64 {
	var sum, squares, n float64
	for i := range c.y.Rows {
		for k, missing := range c.holes.Of(i) {
			if !missing {
				v := c.y.Row(i)[k]
				n++
				delta := v - sum
				sum += delta / n // the mean
				squares += delta * (v - sum)
			}
		}
	}
	if !(squares > 0) {
		return 1
	}
	return squares / n
}

// matrix returns values, an example a row, as Data.Y has them.
func (c *completer) matrix(v mat.Matrix) mat.Matrix {
	return mat.NewDense(len(v.Data)/c.channels, c.channels, v.Data)
}

// at returns the times of the examples, even after the search decided not to use them; nil if the data have none.
func (c *completer) at() []Instant { return data.Instants(c.times, c.sequences) }

// chosen holds out some observed values, chooses the configuration, and fills in missing and held-out values with it.
func (c *completer) chosen(ctx context.Context, cfg Config) (Config, error) {
	given, begin, clock := cfg.Infer.Blends, time.Now(), c.d.run.clock
	work := c.folds()*(1+c.roundsAfter(cfg, selection.Plans[cfg.Effort])) + 1
	clock.Expects(work + c.folds() + 1)
	if c.holes.HeldOut == nil {
		c.holdOutSome(selection.Plans[cfg.Effort].HeldOut)
	}
	if err := c.censor(ctx); err != nil {
		return cfg, err
	}
	if err := c.firstCompletion(ctx); err != nil {
		return cfg, err
	}
	if open := cfg.Effort != EffortNone && cfg.Start == nil; open && c.y.Cols == 1 && c.d.Times == nil {
		cfg = cfg.or(selection.Series(c.y.Rows))
		cfg.Effort, cfg.Training.Uncalibrated = EffortNone, true
	} else if open {
		first, err := c.first(cfg)
		if err != nil {
			return cfg, err
		}
		if lost, err := c.probe(ctx, first, cfg); err != nil || lost {
			return first, err
		}
		if err := c.round(ctx, first); err != nil { // the search scores candidates by examples that are not of few components
			return cfg, err
		}
		if clock.Over(limit.SearchShare) {
			c.how = &choice{selection: Selection{Effort: cfg.Effort, Ended: clock.Text()}}
			c.compare()
			return first, nil
		}
		clock.Expects(work)
		c.foresee(cfg, time.Since(begin))
		if cfg, c.how, err = choose(ctx, c.d, cfg); err != nil {
			return cfg, err
		}
	}
	if c.took.trained > 0 {
		clock.Tell(clock.After+c.took.trained/time.Duration(c.folds())+c.whole(cfg, true), true)
	}
	if err := c.round(ctx, cfg); err != nil {
		return cfg, err
	}
	clock.Tell(time.Duration(c.roundsAfter(cfg, selection.Plans[cfg.Effort]))*(c.took.trained+c.took.imputed)+c.took.trained/time.Duration(c.folds())+c.whole(cfg, true), true)
	if c.how != nil && given == nil {
		cfg.Infer.Blends = c.rescaled(cfg.Infer.Blends)
	}
	c.compare()
	return cfg, nil
}

// probeExamples is the number of examples from which probe trains its model.
const probeExamples = 500

// minProbed is the least number of held-out examples for which probe compares anything. Tests raise it.
var minProbed = validation.MinValidated

// probe trains a first model and reports whether the simplest methods fill in the held-out values so much better that no search is worth its time.
func (c *completer) probe(ctx context.Context, first, cfg Config) (lost bool, err error) {
	out := c.holes.HeldExamples()
	in := work.AllBut(c.y.Rows, out)
	if c.d.Film || len(out) < minProbed || len(in) < selection.MinTraining {
		return false, nil
	}
	if len(in) > probeExamples {
		rng := rand.New(completionRandom(cfg))
		rng.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
		in = in[:probeExamples]
		slices.Sort(in)
	}
	y, variance := work.Gather(c.y, out), work.Gather(c.variance, out)
	if _, err := c.fold(ctx, first, in, out, "first look: "); err != nil {
		return false, err
	}
	t, err := c.againstSimple(ctx, cfg)
	lost = err == nil && t != nil
	if lost && cfg.Effort == EffortQuick { // which tries hardly anything else
		lost = t.Lost(validation.SureErrors)
	} else if lost { // local regression may be far ahead of a first model and behind one that was searched for
		lost = t.Without(simple.Local).Lost(validation.StopErrors)
	}
	if !lost {
		for k, i := range out {
			copy(c.y.Row(i), y.Row(k))
			copy(c.variance.Row(i), variance.Row(k))
		}
		return false, err
	}
	c.contest, c.hopeless = t.Without(""), true
	if err := c.againstOthers(ctx, cfg, c.contest); err != nil {
		return false, err
	}
	if clock := c.d.run.clock; len(c.d.absent) == 0 {
		clock.Tell(c.took.trained+c.took.imputed+c.simple, true)
	} else if clock != nil { // whose search tells more
		clock.After += c.whole(cfg, false)
	}
	c.how = &choice{selection: Selection{Effort: cfg.Effort, Task: "values put aside: the way that others are missing"}}
	return true, nil
}

// withoutMotion is the name of the model that takes the frames of a film as examples in no order.
const withoutMotion = "a model without motion"

// newContest begins a contest on values of the data.
func (c *completer) newContest() *completion.Contest {
	t := completion.NewContest(c.y, c.holes, c.channels, c.table())
	if c.d.by != nil {
		t.By, t.Scale = c.d.by, c.d.scale
	}
	return t
}

// compete compares on the held-out values the model with the simplest methods, with what other views say, and for a film with a model without motion. It returns nil if
// nothing was held out of examples with times, or less than two frames of a film were.
func (c *completer) compete(ctx context.Context, cfg Config) (*completion.Contest, error) {
	t, err := c.againstSimple(ctx, cfg)
	if err == nil && t != nil {
		err = c.againstOthers(ctx, cfg, t)
	}
	return t, err
}

// againstSimple is compete without other views, and without whole examples.
func (c *completer) againstSimple(ctx context.Context, cfg Config) (*completion.Contest, error) {
	if len(c.holes.HeldOut) == 0 && c.all.At != nil || c.d.Film && len(c.holes.HeldOut) < 2 {
		return nil, nil
	}
	t := c.newContest()
	list := c.heldValues()
	c.all.SetKinds(list, c.holes.HeldOut)
	t.Add("", list)
	if c.still != nil {
		still := c.still.heldValues()
		for i := range still {
			still[i].Kind = list[i].Kind
		}
		t.Add(withoutMotion, still)
	}
	if !c.simplest.About(list) {
		defer c.watch.Timing("the simplest methods beside the model")()
		begin := time.Now()
		own := c.all
		own.Beside = nil // which takes long
		c.simplest = c.newContest()
		if err := c.simplest.Try(ctx, list, inTime(c.d.run.clock, own.Fillers(list, cfg.Seed))); err != nil {
			return nil, err
		}
		c.simple = time.Since(begin)
	}
	t.Join(c.simplest)
	t.Decide()
	return t, nil
}

// againstOthers adds to a contest what other views say, and decides what fills in whole examples, which are missing in no held-out values.
func (c *completer) againstOthers(ctx context.Context, cfg Config, t *completion.Contest) error {
	if c.all.Beside != nil {
		list := t.Held[""]
		if err := t.Try(ctx, list, c.all.Beside(c.all.Hiding(list).Missing)); err != nil {
			return err
		}
		t.Decide()
	}
	if c.all.At != nil {
		return nil
	}
	whole := c.wholeHeld() // which nothing tells from others but another view
	methods := c.all.Fillers(whole, cfg.Seed)
	if err := t.Try(ctx, whole, methods[:1]); err != nil || c.all.Beside == nil {
		t.Shares[completion.KindWhole] = completion.Alone(simple.Mean)
		return err
	}
	w := c.newContest()
	if err := w.Try(ctx, whole, append(methods[:1], c.all.Beside(c.all.Hiding(whole).Missing)...)); err != nil {
		return err
	}
	t.Shares[completion.KindWhole] = w.SharesOf(completion.KindWhole)
	for _, name := range w.Names[1:] {
		t.Add(name, w.Held[name])
	}
	return nil
}

// heldValues returns the held-out values with what was filled in for them.
func (c *completer) heldValues() (list []completion.HeldValue) {
	for _, r := range c.holes.HeldOut {
		for k, truth := range r.Values() {
			list = append(list, completion.HeldValue{Example: c.rows[r.Example], Value: k, Group: r.Group, Truth: truth,
				Mean: c.y.Row(r.Example)[k], Variance: c.variance.Row(r.Example)[k]})
		}
	}
	return list
}

// wholeHeld returns the observed values of every WholeShare-th example.
func (c *completer) wholeHeld() (list []completion.HeldValue) {
	for k := 0; k < len(c.rows); k += completion.WholeShare {
		i := c.rows[k]
		for j, missing := range c.holes.Of(k) {
			if !missing {
				list = append(list, completion.HeldValue{Example: i, Value: j, Kind: completion.KindWhole, Group: i, Truth: c.y.At(k, j)})
			}
		}
	}
	return list
}

// again makes the rounds that follow the choice of the configuration.
func (c *completer) again(ctx context.Context, chosen Config, p selection.Plan) error {
	rounds, clock := c.roundsAfter(chosen, p), c.d.run.clock
	clock.Expects(c.folds()*rounds + 1)
	for k := range rounds {
		if clock.Over(limit.RoundsShare) {
			clock.Rounds += rounds - k
			break
		}
		if err := c.round(ctx, chosen); err != nil {
			return err
		}
	}
	return nil
}

// roundsAfter returns how many rounds follow the choice of the configuration.
func (c *completer) roundsAfter(chosen Config, p selection.Plan) int {
	rounds := completions(chosen, p)
	if c.d.Film {
		rounds++ // what moves is found in completed frames
	}
	return rounds
}

// folds returns how many trainings a round has.
func (c *completer) folds() int {
	if c.d.Film {
		return max(1, min(filmFolds, len(c.incomplete)))
	}
	return max(1, min(completionFolds, len(c.incomplete)))
}

// A roundTime says how long a round took to train its models, and to fill in with them.
type roundTime struct{ trained, imputed time.Duration }

// foresee tells the clock how long the work after the search will take. It scales the time of the first round, and counts the second completion without times
// and the search for whole examples if there will be any.
func (c *completer) foresee(cfg Config, spent time.Duration) {
	clock := c.d.run.clock
	if clock == nil {
		return
	}
	longer := time.Duration(selection.Plans[cfg.Effort].Steps / selection.Plans[EffortQuick].Steps)
	clock.After = time.Duration(1+c.roundsAfter(cfg, selection.Plans[cfg.Effort])) * (longer*c.took.trained + c.took.imputed)
	clock.Searches = 1
	if len(c.d.absent) > 0 {
		clock.Searches++
		clock.After += c.whole(cfg, false)
	}
	if clock.Twice && c.doing == "" {
		clock.Searches++
		clock.After = 2*clock.After + spent
	}
}

// whole returns how long it takes to fill in the examples that are not learned from, the simplest methods to fill in what is missing and, beside the model, examples that
// are missing as a whole, and with searched how long the search and the trainings for these take, each as long as one of a fold.
func (c *completer) whole(cfg Config, searched bool) time.Duration {
	others := c.took.imputed * time.Duration(len(c.unlearned())) / time.Duration(max(1, len(c.incomplete)))
	if len(c.d.absent) == 0 {
		return c.simple + others
	}
	folds, trainings := 1+selection.Plans[cfg.Effort].Folds, 0
	if searched {
		trainings = folds*c.d.newSearch(cfg).TimeCandidates() + 2
	}
	return others + time.Duration(1+folds)*c.simple + time.Duration(trainings)*c.took.trained/time.Duration(c.folds())
}

// completions returns the number of rounds after the choice. It is one if the noise has a parametric covariance: that ignores the errors of imputed values, so it
// would shrink with each round.
func completions(cfg Config, p selection.Plan) int {
	if r := cfg.Residual; r.Kernel.Kind != "" && r.Kernel.Kind != kernel.White && r.Rounds <= 0 {
		return 1
	}
	return max(1, p.Completions)
}

// holdOut returns what hides observed values of the data. Films have no gaps in time, but whole frames that are missing.
func (c *completer) holdOut() completion.HoldOut {
	h := completion.HoldOut{Mask: c.holes, Y: c.y, Points: c.points, Channels: c.channels, Rand: c.rng}
	switch {
	case c.d.Film:
		h.Frames = c.at()
	case c.times != nil:
		h.At = c.at()
	}
	return h
}

// holdOutSome marks observed values of some examples as missing, until takeBack.
func (c *completer) holdOutSome(examples int) {
	c.holdOut().Some(examples)
	c.listIncomplete()
}

// takeBack restores the held-out values.
func (c *completer) takeBack() {
	for _, r := range c.holes.HeldOut {
		y, variance := c.y.Row(r.Example), c.variance.Row(r.Example)
		for k, v := range r.Values() {
			y[k], variance[k] = v, 0
		}
	}
	c.holes.HeldOut = nil
	c.listIncomplete()
}

func (c *completer) listIncomplete() {
	c.incomplete = nil
	for i := range c.y.Rows {
		if c.holes.Any(i) {
			c.incomplete = append(c.incomplete, i)
		}
	}
}

// firstCompletion fills in all missing values by principal components; by the mean of each point where these take more than limit.FirstShare of the limit.
func (c *completer) firstCompletion(ctx context.Context) error {
	defer c.watch.Timing("first completion by principal components")()
	inTime, cancel := c.d.run.clock.InTime(ctx, limit.FirstShare)
	defer cancel()
	err := completion.ByComponents(inTime, c.y, c.holes, c.points, c.channels)
	if err == nil || inTime.Err() == nil || ctx.Err() != nil {
		return err
	}
	c.d.run.clock.Untried++
	f := completion.Filled{Y: c.y, Holes: c.holes, Points: c.points, Channels: c.channels}
	mean, _, err := f.Fillers(nil, 0)[0].Fill(ctx)
	if err != nil {
		return err
	}
	for k, v := range mean.Data {
		if c.holes.Missing[k] {
			if c.y.Data[k] = v; v != v {
				c.y.Data[k] = 0
			}
		}
	}
	return nil
}

// rescaled multiplies the variances of all blends by the inflation that the held-out values ask for, since a search on some of the points does not see how rough
// values are between them. Without blends it returns one that does nothing else. The factor is at least 1: the search has fitted variances to the same values,
// which lie nearer to observed values than missing ones do. The variances of the held-out values are multiplied too.
func (c *completer) rescaled(list []Blend) []Blend {
	var chi float64 // squared errors over variances, their mean over each example added up
	for _, r := range c.holes.HeldOut {
		var sum, count float64
		for k, y := range r.Values() {
			e := y - c.y.Row(r.Example)[k]
			sum += e * e / c.variance.Row(r.Example)[k]
			count++
		}
		chi += sum / count
	}
	factor := max(1, (chi+selection.WholeExamples)/float64(len(c.holes.HeldOut)+selection.WholeExamples))
	if list = slices.Clone(list); list == nil {
		list = []Blend{{Parts: 1, Inflation: 1}}
	}
	for i := range list {
		list[i].Inflation *= factor
	}
	for _, r := range c.holes.HeldOut {
		for k := range r.Values() {
			c.variance.Row(r.Example)[k] *= factor
		}
	}
	c.check.Factor = factor
	return list
}

// table reports whether examples are rows of several columns.
func (c *completer) table() bool {
	points := c.points.Rows
	if c.all.Series != nil {
		points /= c.all.Series.Steps
	}
	return points == 1 && c.channels > 1
}

// compare scores what was filled in for the held-out values.
func (c *completer) compare() {
	var squares, losses, covered float64
	factor, scale := c.check.Factor, math.Sqrt(c.observedVariance())
	c.check, c.scores = FillCheck{Factor: factor, Deviations: c.table()}, validation.Scores{}
	units := make([]float64, c.channels)
	for k := range units {
		units[k] = 1
	}
	if c.table() {
		_, units = completion.Moments(c.y, c.holes, c.channels)
	}
	for _, r := range c.holes.HeldOut {
		var square, own, loss, count float64
		for k, y := range r.Values() {
			r, v := y-c.y.Row(r.Example)[k], c.variance.Row(r.Example)[k]
			square += r * r
			loss += 0.5 * (math.Log(2*math.Pi*v) + r*r/v)
			if r*r < v*validation.Normal90*validation.Normal90 {
				covered++
			}
			count++
			own += r * r / (units[k%c.channels] * units[k%c.channels])
		}
		c.check.Values += int(count)
		squares, losses = squares+own, losses+loss
		c.scores.Losses = append(c.scores.Losses, loss/count)
		c.scores.Errors = append(c.scores.Errors, math.Sqrt(square/count)/scale)
	}
	if n := float64(c.check.Values); n > 0 {
		c.check.RMSE, c.check.NLP, c.check.Coverage = math.Sqrt(squares/n), losses/n, covered/n
	}
}

// first returns the configuration of the first round, which is that from which a quick search starts.
func (c *completer) first(cfg Config) (Config, error) {
	cfg.Effort = EffortQuick
	cfg, err := cfg.checkedOpen(c.d)
	if err != nil {
		return cfg, err
	}
	cfg = cfg.having(c.d.newSearch(cfg).First())
	cfg.Effort = EffortNone
	return cfg, nil
}

// A round divides examples with missing values into completionFolds folds, frames of a film into filmFolds: a frame is filled in from those beside it,
// and those farther away add little.
const completionFolds, filmFolds = 4, 2

// round fills in all missing values once, fold by fold.
func (c *completer) round(ctx context.Context, cfg Config) error {
	c.rounds++
	c.took = roundTime{}
	order := slices.Clone(c.incomplete)
	c.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if c.d.Times != nil { // neighbours in time in different folds
		slices.Sort(order)
	}
	folds := c.folds()
	var lower []float64
	for f := range folds {
		var out []int
		for k := f; k < len(order); k += folds {
			out = append(out, order[k])
		}
		slices.Sort(out)
		more, err := c.fold(ctx, cfg, c.learnedFrom(out), out, fmt.Sprintf("%sround %d, fold %d of %d: ", c.doing, c.rounds, f+1, folds))
		if err != nil {
			return err
		}
		lower = plus(lower, more)
	}
	c.d.imputationErrors = c.imputationErrors(lower)
	return nil
}

// learnedFrom returns from which examples a model is learned that fills in others: all but these, and of a film those of which something was observed, since what
// was filled in of a whole frame shows nothing. Of too few it is all examples.
func (c *completer) learnedFrom(out []int) []int {
	n := c.y.Rows
	in, least := work.AllBut(n, out), 2
	if c.d.Film {
		in = slices.DeleteFunc(in, func(i int) bool { return !slices.Contains(c.holes.Of(i), false) })
		least = 1 // a frame shows what the one beside it misses
	}
	if len(in) < min(least, n) {
		return work.AllBut(n, nil)
	}
	return in
}

// fold fills in the examples out with a model of the examples in. It returns the sum of their imputation covariances, a lower triangle.
func (c *completer) fold(ctx context.Context, cfg Config, in, out []int, doing string) ([]float64, error) {
	filled, err := journal.Within(c.d.run.journal, doing, func() (filledValues, error) { return c.filled(ctx, cfg, in, out, doing) })
	if err != nil {
		return nil, err
	}
	at := 0
	for _, i := range out {
		y, v := c.y.Row(i), c.variance.Row(i)
		for j, missing := range c.holes.Of(i) {
			if missing {
				y[j], v[j] = filled.Mean[at], filled.Variance[at]
				at++
			}
		}
	}
	return filled.Covariance, nil
}

// filledValues are the moments of the missing values of some examples, one after the other, and the sum of their covariances, a lower triangle.
type filledValues struct{ Mean, Variance, Covariance []float64 }

// filled returns the filled values of a fold.
func (c *completer) filled(ctx context.Context, cfg Config, in, out []int, doing string) (all filledValues, err error) {
	d := c.d
	d.Source, d.holes, d.imputationErrors = SourceOf(c.d.Source, in), nil, c.d.imputationErrors.Of(in)
	d.Times, d.Sequences = data.TimesOf(c.d.Times, c.d.Sequences, in)
	cfg = cfg.having(d.candidates().Fitted(cfg.open()))
	cfg.Effort = EffortNone
	if d.Film && cfg.Training.Iterations == 0 { // the model of all frames is trained for longer
		cfg.Training.Iterations = 2 * selection.Plans[EffortQuick].Steps
	}
	begin := time.Now()
	m, _, err := fitWhole(ctx, d, cfg, doing)
	c.took.trained += time.Since(begin)
	if err != nil {
		return all, err
	}
	begin = time.Now()
	defer func() { c.took.imputed += time.Since(begin) }()
	for k := 0; k < len(out); k += imputedAtOnce {
		some := out[k:min(len(out), k+imputedAtOnce)]
		filled, failures := make([]imputed, len(some)), make([]error, len(some))
		mat.Parallel(len(some), func(k int) {
			if c.d.run.clock.Over(limit.LeavingShare) {
				filled[k] = c.asItIs(some[k])
			} else if failures[k] = ctx.Err(); failures[k] == nil {
				filled[k], failures[k] = c.impute(ctx, m, cfg.Infer, some[k])
			}
		})
		if c.d.run.clock.Over(limit.LeavingShare) {
			c.d.run.clock.AsItIs = true
		}
		if err := cmp.Or(failures...); err != nil {
			return all, err
		}
		for k, i := range some {
			for j, missing := range c.holes.Of(i) {
				if missing {
					all.Mean, all.Variance = append(all.Mean, filled[k].mean.Data[j]), append(all.Variance, filled[k].variance.Data[j])
				}
			}
			all.Covariance = plus(all.Covariance, filled[k].covariance)
		}
	}
	return all, nil
}

// imputedAtOnce is the number of examples whose covariances are in memory at a time.
const imputedAtOnce = 16

// imputed are the moments of an example given its observed values, and its imputation covariance.
type imputed struct {
	mean, variance mat.Matrix
	covariance     []float64
}

// asItIs returns what was filled in before. What the first completion filled in gets the variance of its channel.
func (c *completer) asItIs(i int) imputed {
	f := imputed{mean: mat.NewDense(c.y.Cols, 1, slices.Clone(c.y.Row(i))), variance: mat.NewDense(c.y.Cols, 1, slices.Clone(c.variance.Row(i)))}
	_, deviation := completion.Moments(c.y, c.holes, c.channels)
	for k, v := range f.variance.Data {
		if v == 0 {
			f.variance.Data[k] = deviation[k%c.channels] * deviation[k%c.channels]
		}
	}
	return f
}

// impute fills in an example with a model.
func (c *completer) impute(ctx context.Context, m *Model, o InferOptions, i int) (f imputed, err error) {
	points := c.y.Cols / c.channels
	obs := Observed{Values: mat.NewDense(points, c.channels, slices.Clone(c.y.Row(i)))}
	for k, missing := range c.holes.Of(i) {
		if missing {
			obs.Values.Data[k] = math.NaN()
		}
	}
	if c.d.Times != nil {
		if obs.Prior, err = m.posterior.PriorAt(data.Instants(c.d.Times, c.d.Sequences)[i]); err != nil {
			return f, err
		}
	}
	p, unsure, err := m.imputeWithErrors(ctx, obs, o)
	if err != nil {
		return f, err
	}
	for k, v := range p.Mean.Data {
		if s := p.Variance.Data[k]; v-v != 0 || s-s != 0 {
			return f, errors.New("predicted a value that is no number")
		}
	}
	return imputed{p.Mean, p.Variance, unsure}, nil
}

// imputationErrors returns what the next models are told about the errors of imputed values, from the sum of the imputation covariances.
func (c *completer) imputationErrors(lower []float64) completion.Errors {
	if lower == nil {
		return completion.Errors{}
	}
	n := c.points.Rows
	cov, scale := mat.New(n, n), 1/float64(c.y.Rows*c.channels)
	for i := range n {
		row := cov.Row(i)[:i+1]
		asm.Scale(row, scale, lower[:i+1])
		lower = lower[i+1:]
	}
	mat.MirrorLower(cov)
	return completion.Errors{Covariance: cov, Variance: c.variance}
}

// inTime returns the methods of a contest, which end where limit.MethodsShare of the limit has passed: what they fill in stays open. The first, the mean, goes on, and what
// has a clock of its own: methods that must be surely better.
func inTime(c *limit.Clock, methods []completion.Filler) []completion.Filler {
	if !c.Limited() {
		return methods
	}
	for i := range methods {
		m := &methods[i]
		if fill := m.Fill; i > 0 && !m.Sure {
			m.Fill = func(ctx context.Context) (mean, variance mat.Matrix, err error) {
				some, cancel := c.InTime(ctx, limit.MethodsShare)
				defer cancel()
				if mean, variance, err = fill(some); some.Err() != nil && ctx.Err() == nil {
					c.Untried++
				}
				return mean, variance, err
			}
		}
	}
	return methods
}

// What was filled in is less varied than what was missing. The covariance of the noise that is learned of completed examples is
// therefore that of their residuals and, on average over examples, that of what was missing given what was observed
// (docs/math.md, "Completion in rounds"): the expectation of an EM algorithm. Where no covariance is learned, the white noise has what of that is white. Sums of such covariances are kept as lower triangles, row by row.

// maxUnsure is of how many points a covariance is formed that is not learned, but for its mean variance.
const maxUnsure = 2048

// imputeWithErrors returns the moments of Impute, and what the example adds to such a sum, scaled, over channels; nil of films, and of many points of which no covariance is learned.
func (m *Model) imputeWithErrors(ctx context.Context, obs Observed, o InferOptions) (p Prediction, lower []float64, err error) {
	o.KeepOutliers = true
	by, given, err := m.seen(obs)
	if err != nil {
		return p, nil, err
	}
	q := by.posterior
	n, learned := q.Grid().Len(), q.Params().Noise.Learned()
	if by.film != nil || n > maxUnsure && !learned {
		p, _, err = m.Impute(ctx, obs, o)
		return p, nil, err
	}
	cov := mat.New(n, n)
	given.Grid = by.on(given.Grid)
	if p, _, err = q.ImputeUnsure(ctx, cov, !learned, given, by.inferOptions(o)); err != nil {
		return p, nil, err
	}
	lower = cov.Data[:0]
	for i := range n {
		lower = append(lower, cov.Row(i)[:i+1]...)
	}
	return p, lower, nil
}

// plus returns the sum of two lower triangles, either of which may be nil; a is overwritten.
func plus(a, b []float64) []float64 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	asm.Axpy(1, b, a)
	return a
}

// unlearned returns the examples with missing values that are not learned from.
func (c *completer) unlearned() []int {
	return slices.DeleteFunc(work.AllBut(c.all.Y.Rows, c.rows), func(i int) bool { return !c.all.Holes.Any(i) })
}

// censor replaces values at a limit, of which nothing else is known, by what principal components of the others expect of t, as far as there is time.
func (c *completer) censor(given context.Context) error {
	limits, some := make([]float64, len(c.d.by)), false
	for k, l := range c.d.by {
		limits[k], some = l.Least(), some || l.Limited
	}
	if !some {
		return nil
	}
	ctx, cancel := c.d.run.clock.InTime(given, limit.FirstShare)
	defer cancel()
	err := completion.Censor(ctx, c.y, c.holes, c.points, c.channels, limits)
	if ctx.Err() != nil {
		return given.Err()
	}
	return err
}
