package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// fit trains the model of all views on all examples, of which missing values are filled in first, and the model of each view alone.
func (s *viewSet) fit(ctx context.Context, r Run) (m *MultiView, reports []Report, err error) {
	s.joint = s.clock.Part(jointShare)
	s.joint.Parts = viewParts + viewFewer
	state, err := s.complete(ctx, nil, 0)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.train(ctx, state, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	models, err := s.models(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	m = new(MultiView)
	for u, w := range s.views {
		models[u].attributes = w.attributes
		d := w.set.Data
		d.Times, d.Sequences = nil, nil
		cfg := s.cfg
		cfg.Attributes = w.attributes
		r.clock = s.clock.Part(fitShare / float64(len(s.views)-u))
		begin := time.Now()
		r.clock.Watch = viewTeller{tell: func(took time.Duration) {
			s.foretell(begin, u, took, viewFolds*(viewSteps/viewFewer*s.step+s.own))
		}}
		alone, report, err := r.Fit(ctx, d, cfg)
		if err != nil {
			return nil, nil, fmt.Errorf("view %s: %w", w.name, err)
		}
		reports = append(reports, report)
		m.views = append(m.views, modelView{name: w.name, model: models[u], alone: alone})
	}
	err = s.check(ctx, state, all, m)
	reports[0].Warnings = append(reports[0].Warnings, s.clock.Warnings()...)
	return m, reports, err
}

// A viewTally adds up squared errors of a view, example by example.
type viewTally struct{ whole, mean, part, alone validation.Scores }

// check compares on examples left out of training what predicts each view.
func (s *viewSet) check(ctx context.Context, state *viewState, all *trainedViews, m *MultiView) error {
	rng := rand.New(rand.NewPCG(s.cfg.Seed, 0x636865636b))
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
		var out []int
		for k := f; k < len(order); k += folds {
			out = append(out, order[k])
		}
		t, err := s.train(ctx, state, all, out)
		if err != nil {
			return err
		}
		s.clock.Ended(s.joint)
		models, err := s.models(ctx, t)
		if err != nil {
			return err
		}
		for u := range s.views {
			if err := s.checkView(ctx, u, state, out, models, m.views[u].alone, &tallies[u], rng); err != nil {
				return err
			}
		}
	}
	for u := range m.views {
		t, v := &tallies[u], &m.views[u]
		root := func(v validation.Scores) float64 {
			var sum float64
			for _, e := range v.Errors {
				sum += e * e
			}
			return math.Sqrt(sum / float64(max(1, len(v.Errors))))
		}
		v.check = ViewCheck{Name: v.name, Whole: root(t.whole), ByMean: root(t.mean), Part: root(t.part), Alone: root(t.alone)}
		v.check.FromOther, v.check.Together = v.check.Whole < v.check.ByMean, v.check.Part < v.check.Alone
	}
	return nil
}

// checkView predicts the examples out of view u.
func (s *viewSet) checkView(ctx context.Context, u int, state *viewState, out []int, models []*Model, whole *Model, t *viewTally, rng *rand.Rand) error {
	w := s.views[u]
	var in []int
	for k, i := range w.rows {
		if !slices.Contains(out, i) && slices.Contains(state.masks[u].Of(k), false) {
			in = append(in, k)
		}
	}
	d := w.set.quiet()
	d.Times, d.Sequences, d.Source = nil, nil, viewOf(work.Gather(state.y[u], in), w.channels)
	d.run.clock = s.joint.Part(1 / float64(len(s.views)-u))
	cfg, ok := whole.Config()
	if !ok {
		cfg = w.config
	}
	cfg.Effort, cfg.Inducing = EffortNone, min(cfg.Inducing, len(in))
	alone, _, err := fitWhole(ctx, d, cfg, "")
	if err != nil {
		return err
	}
	s.clock.Ended(d.run.clock)
	mean, x := make([]float64, w.y.Cols), data.InSpacings(w.set.Grid)
	for _, k := range in {
		for j, v := range state.y[u].Row(k) {
			mean[j] += v / float64(len(in))
		}
	}
	for _, i := range out {
		at := slices.Index(w.rows, i)
		if at < 0 || !slices.Contains(state.masks[u].Of(at), false) {
			continue
		}
		hide := state.masks[u].Borrow(rng, at, x, w.channels)
		if hide == nil {
			hide = state.masks[u].SomeOf(rng, at)
		}
		if err := s.checkExample(ctx, u, state, i, at, hide, models, alone, mean, t); err != nil {
			return err
		}
	}
	return nil
}

// checkExample predicts example i, which is that of number at in view u, as a whole and from a part.
func (s *viewSet) checkExample(ctx context.Context, u int, state *viewState, i, at int, hide []bool, models []*Model, alone *Model, mean []float64, t *viewTally) error {
	seen, o := s.seen(state, i), InferOptions{KeepOutliers: true}
	own := seen[u].Values
	prior, err := latentOfOthers(ctx, models, seen, u, o)
	if err != nil || prior == nil {
		return err
	}
	score := func(into *validation.Scores, p []float64, of func(j int) bool) {
		var sum, count float64
		for j, v := range own.Data {
			if v == v && of(j) {
				sum += (v - p[j]) * (v - p[j])
				count++
			}
		}
		if count > 0 {
			into.Errors = append(into.Errors, math.Sqrt(sum/count))
		}
	}
	every := func(int) bool { return true }
	p, _, err := models[u].Impute(ctx, Observed{Values: nothingOf(own.Rows, own.Cols), Prior: prior}, o)
	if err != nil {
		return err
	}
	score(&t.whole, p.Mean.Data, every)
	score(&t.mean, mean, every)
	if hide == nil || !slices.Contains(hide, true) {
		return nil
	}
	part := mat.NewDense(own.Rows, own.Cols, slices.Clone(own.Data))
	for j, h := range hide {
		if h {
			part.Data[j] = math.NaN()
		}
	}
	if !anySeen(Observed{Values: part}) {
		return nil
	}
	for _, by := range []struct {
		model *Model
		prior *Latent
		into  *validation.Scores
	}{{models[u], prior, &t.part}, {alone, nil, &t.alone}} {
		p, _, err := by.model.Impute(ctx, Observed{Values: part, Prior: by.prior}, o)
		if err != nil {
			return err
		}
		score(by.into, p.Mean.Data, func(j int) bool { return hide[j] })
	}
	return nil
}
