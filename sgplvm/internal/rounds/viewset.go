package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// NewViews reads the views, fills in what is missing by principal components of all of them side by side, and trains a model of each view by itself, with white noise
// unless settings say otherwise. Errors: *field.ConfigError, *field.ReadError, *field.ValueError, those of Learner.Fit.
func NewViews(ctx context.Context, clock *limit.Clock, given []View, settings training.Settings, o Options, l Learner) (*Views, error) {
	s := &Views{settings: settings, options: Options{Fixed: o.Fixed}, learner: l, clock: clock, joint: clock} // until a part of the time is set apart
	count := map[int]int{}
	for _, g := range given {
		w := &view{View: g}
		_, err := w.Set.Check()
		if err == nil {
			w.Set, err = w.Set.transformed(ctx, settings, o)
		}
		if err == nil {
			w.Y, w.Holes, err = completion.Read(w.Set.Source)
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		_, _, w.Channels = w.Set.Source.Dims()
		w.Points = data.InSpacings(w.Set.Grid)
		if w.Rows == nil {
			w.Rows = work.AllBut(w.Y.Rows, nil)
		}
		for _, i := range w.Rows {
			s.n = max(s.n, i+1)
			count[i]++
		}
		s.views = append(s.views, w)
	}
	shared := false
	for _, c := range count {
		shared = shared || c > 1
	}
	if !shared {
		return nil, &field.ConfigError{Field: "Views", Err: errors.New("no example is in two views, expected some that are")}
	}
	filled, err := s.components(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	for v, w := range s.views {
		d := w.untimed(filled[v].Y)
		own := settings
		own.Effort = field.EffortNone
		if n := w.Y.Rows; own.Inducing == 0 {
			own.Inducing = min(n, viewInducing, 10*(w.Y.Cols+1))
		}
		if own.Training.Iterations == 0 {
			own.Training.Iterations = viewSteps
		}
		if own.LatentKernel == "" {
			own.LatentKernel = "rbf+linear"
		}
		d.Clock = s.clock.Part(aloneShare)
		if w.alone, _, err = s.learner.Fit(ctx, d, own, w.Name+": "); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.Name, err)
		}
		s.clock.Ended(d.Clock)
		w.settings, _ = w.alone.Settings()
	}
	s.own = time.Since(begin)
	s.pace(ctx, filled)
	return s, ctx.Err()
}

// pace measures what a completion by all views takes: steps of training, models of the views, and some examples that are filled in.
func (s *Views) pace(ctx context.Context, state []completion.Filled) {
	order := s.incomplete(state)
	some := order[:min(len(order), pacedExamples)]
	begin := time.Now()
	s.joint = limit.New(1) // which is over: a step of each kind is made
	t, err := s.train(ctx, state, nil, nil)
	s.joint = s.clock
	if err != nil {
		return
	}
	s.step = time.Since(begin) / pacedSteps
	begin = time.Now()
	models, err := s.models(ctx, t)
	if err != nil {
		return
	}
	for _, i := range order[:min(len(order), 1)] { // makes what all have in common
		s.impute(ctx, models, state, i)
	}
	s.completes = viewSteps*s.step + time.Since(begin)
	begin = time.Now()
	mat.Parallel(len(some), func(k int) { s.impute(ctx, models, state, some[k]) })
	s.completes += time.Since(begin) * time.Duration(len(order)) / time.Duration(max(1, len(some)))
}

// A teller hears how long the part of a run takes that works on one view by itself.
type teller func(took time.Duration)

// Forecast tells it.
func (t teller) Forecast(took time.Duration, _ bool) { t(took) }

// foretell has the clock of view v by itself tell how long the run takes: work on those after it takes as much a value, regressions on other views as much again each time, and more is
// what the work on all views takes.
func (s *Views) foretell(clock *limit.Clock, v int, more time.Duration) {
	begin := time.Now()
	clock.Watch = teller(func(took time.Duration) {
		total := more
		for _, w := range s.views[v:] {
			if w.Holes.Count() == 0 {
				continue
			}
			total += time.Duration(float64(took) * float64((2+s.contests(w))*len(w.Y.Data)) / float64(len(s.views[v].Y.Data)))
		}
		s.clock.Tell(total-time.Since(begin), true)
	})
}

// contests returns how often all views fill in held-out values of a view: where whole examples are missing again for each fold.
func (s *Views) contests(w *view) int {
	switch {
	case w.Holes.Count() == 0:
		return 0
	case w.Set.Times == nil:
		return 2
	case slices.ContainsFunc(w.Incomplete(), func(i int) bool { return !slices.Contains(w.Holes.Of(i), false) }):
		return 2 + selection.Plans[s.settings.Effort].Folds
	}
	return 1
}

// Complete completes view v by itself, with all views as one more method of its contest. There is no model of a view of which nothing is missing. Errors: those of Complete.
func (s *Views) Complete(ctx context.Context, v int) (*Completion, error) {
	w := s.views[v]
	if w.Holes.Count() == 0 {
		done := &Completion{Mean: matrix(w.Y, w.Channels), Variance: matrix(mat.New(w.Y.Rows, w.Y.Cols), w.Channels)}
		return done, done.natural(w.Set)
	}
	w.Set.beside = func(missing []bool) []completion.Filler { return s.fillers(v, missing) }
	share := s.clock.Part(1 / float64(len(s.views)-v))
	w.joint = share.Part(jointShare)
	*w.Set.Clock = *share.Part(1 - jointShare)
	completions := 1 // to fill in
	for _, w := range s.views {
		completions += s.contests(w)
	}
	s.foretell(w.Set.Clock, v, time.Duration(completions)*s.completes)
	done, err := Complete(ctx, w.Set, s.settings, s.options, s.learner)
	w.Set.Clock.Ended(w.joint)
	if err != nil {
		err = fmt.Errorf("view %s: %w", w.Name, err)
	}
	return done, err
}

// allViews is the name of the model of all views in a contest.
const allViews = "all views together"

// fillers returns the methods that fill in view v, of which values are missing, by all views.
func (s *Views) fillers(v int, missing []bool) []completion.Filler {
	w := s.views[v]
	own, contest := w.Set.Clock, !slices.Equal(missing, w.Holes.Missing)
	var filled []completion.Filled // by components, once it is known
	components := func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		if contest && own.Over(limit.MethodsShare) {
			own.Untried++
			return mean, variance, errors.New("out of time")
		}
		if filled == nil {
			if filled, err = s.components(ctx, missing, v); err != nil {
				return mean, variance, err
			}
		}
		return filled[v].Y, filled[v].Variance, nil
	}
	places := func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		if _, _, err = components(ctx); err != nil {
			return mean, variance, err
		}
		defer w.Set.Run.Timing(samePlaces)()
		some, cancel := ctx, func() {}
		if contest {
			some, cancel = own.InTime(ctx, limit.MethodsShare)
		}
		defer cancel()
		if mean, variance, err = s.atPlaces(some, v, filled); some.Err() != nil && ctx.Err() == nil {
			own.Untried++
		}
		return mean, variance, err
	}
	var state []completion.Filled // once it is known
	if !contest {
		state = s.completed // the same for all views
	}
	model := func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		if state == nil {
			defer w.Set.Run.Timing(allViews)()
			begin := time.Now()
			s.joint = w.joint // which runs here alone, and the view's own elsewhere
			s.joint.Begin = begin.Add(-w.spent)
			defer func() { w.spent, own.Begin = w.spent+time.Since(begin), own.Begin.Add(time.Since(begin)) }()
			if contest && s.joint.Spent() {
				s.joint.Without = true
				return mean, variance, errors.New("out of time")
			}
			if s.joint.Parts = viewFewer; contest {
				s.joint.Parts *= 2 // as many follow
			}
			if state, _, err = s.Fill(ctx, missing, v); err != nil {
				if ctx.Err() == nil {
					w.Set.Run.Tell(fmt.Sprintf("view %s is filled in without the model of all views: %v", w.Name, err))
				}
				return mean, variance, err
			}
			if !contest {
				s.completed = state
			}
		}
		return state[v].Y, state[v].Variance, nil
	}
	return []completion.Filler{{Name: simple.Components + " of all views", Sure: true, Fill: components}, {Name: samePlaces, Fill: places}, {Name: allViews, Sure: true, Fill: model}}
}
