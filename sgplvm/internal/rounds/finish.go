package rounds

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// finish fills in the examples that were not learned from, then each kind of missing values by what has a share in it, reports the errors, and returns the kind of each value.
// Examples for which the limit left the model no time are filled in by the best method that needs none; where most are, all.
func (c *completer) finish(ctx context.Context, s training.Settings, done *Completion) (kinds []completion.Kind, err error) {
	for k, i := range c.rows {
		copy(c.all.Y.Row(i), c.Y.Row(k))
		copy(c.all.Variance.Row(i), c.Variance.Row(k))
	}
	kinds = c.all.Kinds()
	late, err := c.imputeOthers(ctx, done.Model, kinds)
	if err != nil {
		return nil, err
	}
	byModel, simpler := slices.Clone(kinds), slices.Repeat([]completion.Kind{completion.KindCount}, len(kinds))
	for _, i := range late {
		for j := i * c.all.Holes.Size; j < (i+1)*c.all.Holes.Size; j++ {
			byModel[j], simpler[j] = simpler[j], byModel[j]
		}
	}
	methods := completion.Once(c.all.Fillers(nil, s.Seed))
	if c.still != nil {
		methods = append(methods, completion.Filler{Name: withoutMotion, Fill: func(context.Context) (mean, variance mat.Matrix, err error) { return c.still.Y, c.still.Variance, nil }})
	}
	count, lateCount := completion.CountKinds(kinds), completion.CountKinds(simpler)
	done.Report.Missing = 0
	for k := range completion.KindCount {
		done.Report.Missing += count[k]
		t := c.contest
		if c.whole != nil && k == completion.KindWhole {
			t = c.whole
		}
		if t == nil || count[k] == 0 {
			continue
		}
		if len(late) > 0 {
			w := t.Without("").Shares[k]
			if err := t.Fill(ctx, w, k, simpler, c.all.Y, c.all.Variance, methods); err != nil {
				return nil, err
			}
			if 2*lateCount[k] > count[k] {
				t.Shares[k] = w
			}
		}
		if err := t.Fill(ctx, t.Shares[k], k, byModel, c.all.Y, c.all.Variance, methods); err != nil {
			return nil, err
		}
		done.Kinds = append(done.Kinds, t.Check(k, count[k]))
	}
	done.Mean, done.Variance = matrix(c.all.Y, c.Channels), matrix(c.all.Variance, c.Channels)
	return kinds, nil
}

// matrix returns values, an example a row, as Data.Y has them.
func matrix(v mat.Matrix, channels int) mat.Matrix {
	return mat.NewDense(len(v.Data)/channels, channels, v.Data)
}

// unlearned returns the examples with missing values that are not learned from.
func (c *completer) unlearned() []int {
	return slices.DeleteFunc(work.AllBut(c.all.Y.Rows, c.rows), func(i int) bool { return !c.all.Holes.Any(i) })
}

// imputeOthers fills in the examples that were not learned from, if the model has a part in it. It returns those for which the limit left no time.
func (c *completer) imputeOthers(ctx context.Context, m Model, kinds []completion.Kind) (late []int, err error) {
	list := slices.DeleteFunc(c.unlearned(), func(i int) bool {
		return !slices.ContainsFunc(kinds[i*c.all.Holes.Size:(i+1)*c.all.Holes.Size], func(k completion.Kind) bool {
			return k < completion.KindCount && (k == completion.KindWhole || c.contest == nil || c.contest.Shares[k].Need(""))
		})
	})
	failures, left := make([]error, len(list)), make([]bool, len(list))
	mat.Parallel(len(list), func(k int) {
		left[k] = c.contest != nil && c.d.Clock.Over(limit.LeavingShare)
		if failures[k] = ctx.Err(); failures[k] != nil || left[k] {
			return
		}
		var p field.Prediction
		if p, failures[k] = imputeAt(ctx, m, m.Posterior(), c.all.Observed(list[k]), c.all.At, list[k]); failures[k] == nil {
			c.all.SetMissing(list[k], p.Mean.Data, p.Variance.Data)
		}
	})
	for k, i := range list {
		if left[k] {
			late = append(late, i)
		}
	}
	if len(late) > 0 {
		c.d.Clock.Late += len(late)
	}
	return late, cmp.Or(failures...)
}

// foresee tells the clock how long the work after the search will take. It scales the time of the first round, and counts the second completion without times
// and the search for whole examples if there will be any.
func (c *completer) foresee(s training.Settings, spent time.Duration) {
	clock := c.d.Clock
	if clock == nil {
		return
	}
	longer := time.Duration(selection.Plans[s.Effort].Steps / selection.Plans[field.EffortQuick].Steps)
	clock.After = time.Duration(1+c.roundsToCome(s)) * (longer*c.took.trained + c.took.imputed)
	clock.Searches = 1
	if len(c.d.Absent) > 0 {
		clock.Searches++
		clock.After += c.wholeTime(s, false)
	}
	if clock.Twice && c.doing == "" {
		clock.Searches++
		clock.After = 2*clock.After + spent
	}
}

// wholeTime returns how long it takes to fill in the examples that are not learned from, the simplest methods to fill in what is missing and, beside the model, examples that
// are missing as a whole, and with searched how long the search and the trainings for these take, each as long as one of a fold.
func (c *completer) wholeTime(s training.Settings, searched bool) time.Duration {
	others := c.took.imputed * time.Duration(len(c.unlearned())) / time.Duration(max(1, len(c.Incomplete())))
	if len(c.d.Absent) == 0 {
		return c.simple + others
	}
	folds, trainings := 1+selection.Plans[s.Effort].Folds, 0
	if searched {
		trainings = folds*c.d.Search(s).TimeCandidates() + 2
	}
	return others + time.Duration(1+folds)*c.simple + time.Duration(trainings)*c.took.trained/time.Duration(c.folds())
}

// restore puts back the outliers that their predictions explain after all, which were missing in the ways of kind, and reports the others.
func (done *Completion) restore(found []field.Outlier, points int, kind func(v field.Outlier) completion.Kind) {
	var list []field.Outlier
	for _, v := range found {
		row := v.Example*points + v.Point
		score, far := outlier.Score(v.Value, done.Mean.At(row, v.Channel), done.Variance.At(row, v.Channel))
		if far {
			v.Score = score
			list = append(list, v)
			continue
		}
		done.Mean.Set(row, v.Channel, v.Value)
		done.Variance.Set(row, v.Channel, 0)
		done.Report.Missing--
		if i := slices.IndexFunc(done.Kinds, func(f field.FillCheck) bool { return f.Kind == completion.KindNames[kind(v)] }); i >= 0 {
			done.Kinds[i].Missing--
		}
	}
	done.Kinds = slices.DeleteFunc(done.Kinds, func(f field.FillCheck) bool { return f.Missing == 0 })
	outlier.Report(&done.Report, list)
}
