package rounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A round divides examples with missing values into completionFolds folds, frames of a film into filmFolds: a frame is filled in from those beside it,
// and those farther away add little.
const completionFolds, filmFolds = 4, 2

// folds returns how many trainings a round has.
func (c *completer) folds() int {
	most := completionFolds
	if c.d.Film {
		most = filmFolds
	}
	return max(1, min(most, len(c.Incomplete())))
}

// again makes the rounds that follow when held-out values are back.
func (c *completer) again(ctx context.Context, chosen training.Settings) error {
	rounds, clock := c.roundsAfter(), c.d.Clock
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

// hidden returns how many rounds converge makes at most.
func hidden(chosen training.Settings, p selection.Plan) int {
	if r := chosen.Residual; r.Kernel.Kind != "" && r.Kernel.Kind != kernel.White && r.Rounds <= 0 {
		return 0
	}
	return p.Completions
}

// roundsAfter returns how many rounds follow when held-out values are back: two of a film, since what moves is found in completed frames.
func (c *completer) roundsAfter() int {
	if c.d.Film {
		return 2
	}
	return 1
}

// roundsToCome returns how many rounds follow the first one with chosen settings, as far as can be foreseen.
func (c *completer) roundsToCome(s training.Settings) int {
	return min(1, hidden(s, selection.Plans[s.Effort])) + c.roundsAfter()
}

// round fills in all missing values once, fold by fold.
func (c *completer) round(ctx context.Context, s training.Settings) error {
	c.rounds++
	c.took = roundTime{}
	order, folds := c.Incomplete(), c.folds()
	c.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if c.d.Times != nil { // neighbours in time in different folds
		slices.Sort(order)
	}
	var lower []float64
	for f := range folds {
		out := foldOf(order, f, folds)
		slices.Sort(out)
		more, err := c.fold(ctx, s, c.learnedFrom(out), out, fmt.Sprintf("%sround %d, fold %d of %d: ", c.doing, c.rounds, f+1, folds))
		if err != nil {
			return err
		}
		lower = plus(lower, more)
	}
	c.d.Imputed = c.imputationErrors(lower)
	return nil
}

// foldOf returns every folds-th of some examples, from the f-th on.
func foldOf(order []int, f, folds int) (out []int) {
	for k := f; k < len(order); k += folds {
		out = append(out, order[k])
	}
	return out
}

// learnedFrom returns from which examples a model is learned that fills in others: all but these, and of a film those of which something was observed, since what
// was filled in of a whole frame shows nothing. Of too few it is all examples.
func (c *completer) learnedFrom(out []int) []int {
	n := c.Y.Rows
	in, least := work.AllBut(n, out), 2
	if c.d.Film {
		in = slices.DeleteFunc(in, func(i int) bool { return !slices.Contains(c.Holes.Of(i), false) })
		least = 1 // a frame shows what the one beside it misses
	}
	if len(in) < min(least, n) {
		return work.AllBut(n, nil)
	}
	return in
}

// filledValues are the moments of the missing values of some examples, one after the other, and the sum of their covariances, a lower triangle.
type filledValues struct{ Mean, Variance, Covariance []float64 }

// fold fills in the examples out with a model of the examples in. It returns the sum of their imputation covariances, a lower triangle.
func (c *completer) fold(ctx context.Context, s training.Settings, in, out []int, doing string) ([]float64, error) {
	filled, err := journal.Within(c.d.Run.Journal, doing, func() (filledValues, error) { return c.filled(ctx, s, in, out, doing) })
	if err != nil {
		return nil, err
	}
	at := 0
	for _, i := range out {
		y, v := c.Y.Row(i), c.Variance.Row(i)
		for j, missing := range c.Holes.Of(i) {
			if missing {
				y[j], v[j] = filled.Mean[at], filled.Variance[at]
				at++
			}
		}
	}
	return filled.Covariance, nil
}

// imputedAtOnce is the number of examples whose covariances are in memory at a time.
const imputedAtOnce = 16

// filled returns the filled values of a fold.
func (c *completer) filled(ctx context.Context, s training.Settings, in, out []int, doing string) (all filledValues, err error) {
	d := c.d.of(c.d.Source, in)
	s = d.Fitted(s)
	s.Effort = field.EffortNone
	if d.Film && s.Training.Iterations == 0 { // the model of all frames is trained for longer
		s.Training.Iterations = 2 * selection.Plans[field.EffortQuick].Steps
	}
	begin := time.Now()
	m, _, err := c.learner.Fit(ctx, d, s, doing)
	c.took.trained += time.Since(begin)
	if err != nil {
		return all, err
	}
	begin = time.Now()
	defer func() { c.took.imputed += time.Since(begin) }()
	for k := 0; k < len(out); k += imputedAtOnce {
		some := out[k:min(len(out), k+imputedAtOnce)]
		filled, covariances, failures := make([]filledValues, len(some)), make([]mat.Matrix, len(some)), make([]error, len(some))
		mat.Parallel(len(some), func(k int) {
			if c.d.Clock.Over(limit.LeavingShare) {
				filled[k] = c.asItIs(some[k])
			} else if failures[k] = ctx.Err(); failures[k] == nil {
				filled[k], covariances[k], failures[k] = c.impute(ctx, m, s.Infer, some[k])
			}
		})
		if c.d.Clock.Over(limit.LeavingShare) {
			c.d.Clock.AsItIs = true
		}
		if err := cmp.Or(failures...); err != nil {
			return all, err
		}
		for k, f := range filled {
			all.Mean, all.Variance = append(all.Mean, f.Mean...), append(all.Variance, f.Variance...)
			all.Covariance = c.plusOf(all.Covariance, covariances[k], some[k])
		}
	}
	return all, nil
}

// add adds the missing values of an example, of which all means and variances are given.
func (f *filledValues) add(missing []bool, mean, variance []float64) {
	for j, m := range missing {
		if m {
			f.Mean, f.Variance = append(f.Mean, mean[j]), append(f.Variance, variance[j])
		}
	}
}

// asItIs returns what was filled in before. What the first completion filled in gets the variance of its channel.
func (c *completer) asItIs(i int) (f filledValues) {
	variance := slices.Clone(c.Variance.Row(i))
	_, deviation := completion.Moments(c.Y, c.Holes, c.Channels)
	for k, v := range variance {
		if v == 0 {
			variance[k] = deviation[k%c.Channels] * deviation[k%c.Channels]
		}
	}
	f.add(c.Holes.Of(i), c.Y.Row(i), variance)
	return f
}

// impute fills in an example with a model. The covariance is that of Model.ImputeUnsure.
func (c *completer) impute(ctx context.Context, m Model, o field.InferOptions, i int) (f filledValues, cov mat.Matrix, err error) {
	obs := field.Observed{Values: c.Observed(i)}
	if c.d.Times != nil {
		if obs.Prior, err = m.Posterior().PriorAt(data.Instants(c.d.Times, c.d.Sequences)[i]); err != nil {
			return f, cov, err
		}
	}
	o.KeepOutliers = true
	p, cov, err := m.ImputeUnsure(ctx, obs, o)
	if err != nil {
		return f, cov, err
	}
	for k, v := range p.Mean.Data {
		if s := p.Variance.Data[k]; v-v != 0 || s-s != 0 {
			return f, cov, errors.New("predicted a value that is no number")
		}
	}
	f.add(c.Holes.Of(i), p.Mean.Data, p.Variance.Data)
	return f, cov, nil
}

// What was filled in is less varied than what was missing. The covariance of the noise that is learned of completed examples is
// therefore that of their residuals and, on average over examples, that of what was missing given what was observed
// (docs/math.md, "Completion in rounds"): the expectation of an EM algorithm. Where no covariance is learned, the white noise has what of that is white. Sums of such covariances are kept as lower triangles, row by row.

// imputationErrors returns what the next models are told about the errors of imputed values, from the sum of the imputation covariances.
func (c *completer) imputationErrors(lower []float64) completion.Errors {
	if lower == nil {
		return completion.Errors{}
	}
	n := c.Points.Rows
	cov, scale := mat.New(n, n), 1/float64(c.Y.Rows*c.Channels)
	for i := range n {
		row := cov.Row(i)[:i+1]
		asm.Scale(row, scale, lower[:i+1])
		lower = lower[i+1:]
	}
	mat.MirrorLower(cov)
	return completion.Errors{Covariance: cov, Variance: c.Variance}
}

// plusOf returns sum, a lower triangle or nil, plus the covariance between the points of which anything is missing of example i; 0×0: none.
func (c *completer) plusOf(sum []float64, cov mat.Matrix, i int) []float64 {
	if cov.Rows == 0 {
		return sum
	}
	n, missing := c.Points.Rows, c.Holes.Of(i)
	var points []int
	for k := range n {
		if slices.Contains(missing[k*c.Channels:(k+1)*c.Channels], true) {
			points = append(points, k)
		}
	}
	if sum == nil {
		sum = make([]float64, n*(n+1)/2)
	}
	for k, a := range points {
		row := sum[a*(a+1)/2:]
		for l, v := range cov.Row(k)[:k+1] {
			row[points[l]] += v
		}
	}
	return sum
}

// plus returns the sum of two lower triangles, either of which may be nil; a is overwritten.
func plus(a, b []float64) []float64 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	asm.Axpy(1, b, a)
	return a
}
