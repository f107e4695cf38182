package rounds

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A FitAlone trains the last model of view v by itself, by a clock.
type FitAlone func(v int, clock *limit.Clock) (Model, error)

// Fit trains the model of all views on all examples, of which missing values are filled in first, and that of each view alone, and compares them on examples left out.
func (s *Views) Fit(ctx context.Context, alone FitAlone) (models []Model, checks []field.ViewCheck, err error) {
	s.joint = s.clock.Part(jointShare)
	s.joint.Parts = viewFewer
	state, all, err := s.Fill(ctx, nil, 0)
	if err != nil {
		return nil, nil, err
	}
	if models, err = s.models(ctx, all); err != nil {
		return nil, nil, err
	}
	settings := make([]training.Settings, len(s.views)) // of each view alone
	for u, w := range s.views {
		clock := s.clock.Part(fitShare / float64(len(s.views)-u))
		s.foretell(clock, u, viewFolds*(viewSteps/viewFewer*s.step+s.own))
		m, err := alone(u, clock)
		if err != nil {
			return nil, nil, err
		}
		var known bool
		if settings[u], known = m.Settings(); !known {
			settings[u] = w.settings
		}
		settings[u].Effort = field.EffortNone
	}
	checks, err = s.check(ctx, state, all, settings)
	return models, checks, err
}

// A viewTally adds up squared errors of a view, example by example.
type viewTally struct{ whole, mean, part, alone meanSquare }

// A meanSquare is that of examples.
type meanSquare struct{ sum, count float64 }

func (m meanSquare) root() float64 { return math.Sqrt(m.sum / max(1, m.count)) }

// add adds the values of an example that are of a kind.
func (m *meanSquare) add(truth, predicted []float64, of func(j int) bool) {
	var sum, count float64
	for j, v := range truth {
		if v == v && of(j) {
			sum += (v - predicted[j]) * (v - predicted[j])
			count++
		}
	}
	if count > 0 {
		e := math.Sqrt(sum / count)
		m.sum += e * e
		m.count++
	}
}

// check compares on examples left out of training what predicts each view.
func (s *Views) check(ctx context.Context, state []completion.Filled, all *trainedViews, settings []training.Settings) (checks []field.ViewCheck, err error) {
	rng := rand.New(rand.NewPCG(s.settings.Seed, 0x636865636b))
	order := rng.Perm(s.n)[:min(s.n, completion.MaxChecked)]
	tallies, folds := make([]viewTally, len(s.views)), min(viewFolds, len(order))
	s.clock.Ended(s.joint)
	for f := range folds {
		if f > 0 && s.clock.Spent() {
			s.clock.Checked = folds - f
			break
		}
		s.joint = s.clock.Part(1 / float64(folds-f))
		s.joint.Parts = 1 + len(s.views)
		out := foldOf(order, f, folds)
		t, err := s.train(ctx, state, all, out)
		if err != nil {
			return nil, err
		}
		s.clock.Ended(s.joint)
		models, err := s.models(ctx, t)
		if err != nil {
			return nil, err
		}
		for u := range s.views {
			if err := s.checkView(ctx, u, state, out, models, settings[u], &tallies[u], rng); err != nil {
				return nil, err
			}
		}
	}
	for u, t := range tallies {
		c := field.ViewCheck{Name: s.views[u].Name, Whole: t.whole.root(), ByMean: t.mean.root(), Part: t.part.root(), Alone: t.alone.root()}
		c.FromOther, c.Together = c.Whole < c.ByMean, c.Part < c.Alone
		checks = append(checks, c)
	}
	return checks, nil
}

// checkView predicts the examples out of view u.
func (s *Views) checkView(ctx context.Context, u int, state []completion.Filled, out []int, models []Model, own training.Settings, t *viewTally, rng *rand.Rand) error {
	w := s.views[u]
	in := w.learned(state[u], func(i int) bool { return !slices.Contains(out, i) })
	d := w.untimed(work.Gather(state[u].Y, in))
	d.Clock = s.joint.Part(1 / float64(len(s.views)-u))
	own.Inducing = min(own.Inducing, len(in))
	alone, _, err := s.learner.Fit(ctx, d, own, "")
	if err != nil {
		return err
	}
	s.clock.Ended(d.Clock)
	mean, x := make([]float64, w.Y.Cols), data.InSpacings(w.Set.Grid)
	for _, k := range in {
		for j, v := range state[u].Y.Row(k) {
			mean[j] += v / float64(len(in))
		}
	}
	for _, i := range out {
		at := slices.Index(w.Rows, i)
		if at < 0 || !slices.Contains(state[u].Holes.Of(at), false) {
			continue
		}
		hide := state[u].Holes.Borrow(rng, at, x, w.Channels)
		if hide == nil {
			hide = state[u].Holes.SomeOf(rng, at)
		}
		if err := checkExample(ctx, u, s.seen(state, i), hide, models, alone, mean, t); err != nil {
			return err
		}
	}
	return nil
}

// checkExample predicts an example of view u as a whole and from a part.
func checkExample(ctx context.Context, u int, seen []field.Observed, hide []bool, models []Model, alone Model, mean []float64, t *viewTally) error {
	own, o := seen[u].Values, field.InferOptions{KeepOutliers: true}
	prior, err := LatentOfOthers(ctx, models, seen, u, o)
	if err != nil || prior == nil {
		return err
	}
	every, hidden := func(int) bool { return true }, func(j int) bool { return hide[j] }
	p, _, err := models[u].Impute(ctx, field.Observed{Values: NothingOf(own.Rows, own.Cols), Prior: prior}, o)
	if err != nil {
		return err
	}
	t.whole.add(own.Data, p.Mean.Data, every)
	t.mean.add(own.Data, mean, every)
	if hide == nil || !slices.Contains(hide, true) {
		return nil
	}
	part := mat.NewDense(own.Rows, own.Cols, slices.Clone(own.Data))
	for j, h := range hide {
		if h {
			part.Data[j] = math.NaN()
		}
	}
	if !work.AnySeen(part) {
		return nil
	}
	for _, by := range []struct {
		model Model
		prior *field.Latent
		into  *meanSquare
	}{{models[u], prior, &t.part}, {alone, nil, &t.alone}} {
		p, _, err := by.model.Impute(ctx, field.Observed{Values: part, Prior: by.prior}, o)
		if err != nil {
			return err
		}
		by.into.add(own.Data, p.Mean.Data, hidden)
	}
	return nil
}
