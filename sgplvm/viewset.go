package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/views"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A viewSet are several views of n examples, with what each has learned by itself.
type viewSet struct {
	n     int
	cfg   Config
	views []*viewData
	clock *limit.Clock // of the run
	joint *limit.Clock // of what all views are trained for now

	completed *viewState // of all that is missing; nil: not yet

	// How long a step of training on all views takes, a completion by them, and training on each view by itself.
	step, completes, own time.Duration
}

// A viewData is one of them.
type viewData struct {
	name       string
	set        trainingSet
	end        func(*Report, error) error // of its run
	rows       []int                      // the examples that it has
	y          mat.Matrix                 // their values, 0 where missing
	holes      *completion.Mask
	channels   int
	attributes map[string]string

	alone  *Model        // of the view by itself, without times, from values that all views filled in
	config Config        // that it was trained with
	joint  *limit.Clock  // of all views, for its contest
	spent  time.Duration // of joint
}

// What a completion by all views takes: rounds of so many folds, and steps of each training.
const (
	viewRounds, viewFolds = 2, 4
	viewSteps             = 200 // from principal components
	viewFewer             = 5   // part of the steps of a fold, which go on from the training on all examples
	viewDims              = 20  // latent dimensions at most
	viewInducing          = 30  // latent inducing points of a view at most

	viewParts   = viewFewer + viewRounds*viewFolds  // trainings of a fold that a completion takes the time of
	viewAllowed = viewParts * viewSteps / viewFewer // steps of a completion
)

// How many steps those are that measure one, about, and how many examples measure how long one takes to fill in.
const pacedSteps, pacedExamples = 4, 8

// Shares of what is left of a limit: the first model of a view; what all views take together before they are compared; the last models of single views.
const (
	aloneShare, jointShare, fitShare = .1, .5, .7
)

// newViewSet reads the views, fills in what is missing by principal components of all of them side by side, and trains a model of each view by itself, with white noise
// unless cfg says otherwise. Errors: *ConfigError, *ReadError, *ValueError, those of Fit.
func newViewSet(ctx context.Context, r Run, given []View, cfg Config) (*viewSet, error) {
	if err := checkViews(given); err != nil {
		return nil, err
	}
	s := &viewSet{cfg: cfg, clock: r.newClock()}
	s.joint = s.clock // until a part of the time is set apart
	count := map[int]int{}
	for _, g := range given {
		set, end, err := r.begin(g.Data, cfg)
		if err == nil {
			_, err = set.check()
		}
		if err == nil {
			set, err = set.transformed(ctx, cfg)
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		w := &viewData{name: g.Name, set: set, end: end, rows: g.Rows, attributes: g.Attributes}
		if w.y, w.holes, err = completion.Read(set.Source); err != nil {
			return nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		_, _, w.channels = set.Source.Dims()
		if w.rows == nil {
			w.rows = work.AllBut(w.y.Rows, nil)
		}
		for _, i := range w.rows {
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
		return nil, &ConfigError{Field: "Views", Err: errors.New("no example is in two views, expected some that are")}
	}
	filled, _, err := s.components(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	for v, w := range s.views {
		d := w.set.quiet()
		d.Times, d.Sequences, d.Source = nil, nil, viewOf(filled[v], w.channels)
		own := cfg
		own.Effort, own.Fold, own.Transform = EffortNone, Off, Off
		if n := w.y.Rows; own.Inducing == 0 {
			own.Inducing = min(n, viewInducing, 10*(w.y.Cols+1))
		}
		if own.Training.Iterations == 0 {
			own.Training.Iterations = viewSteps
		}
		if own.LatentKernel == "" {
			own.LatentKernel = "rbf+linear"
		}
		d.run.clock = s.clock.Part(aloneShare)
		if w.alone, _, err = fitWhole(ctx, d, own, w.name+": "); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
		s.clock.Ended(d.run.clock)
		w.config, _ = w.alone.Config()
	}
	s.own = time.Since(begin)
	s.pace(ctx, filled)
	return s, ctx.Err()
}

// pace measures what a completion by all views takes: steps of training, models of the views, and some examples that are filled in.
func (s *viewSet) pace(ctx context.Context, y []mat.Matrix) {
	state := &viewState{y: y}
	for _, w := range s.views {
		state.masks = append(state.masks, w.holes)
	}
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
	s.completes = viewAllowed*s.step + viewRounds*viewFolds*time.Since(begin)
	begin = time.Now()
	mat.Parallel(len(some), func(k int) { s.impute(ctx, models, state, some[k]) })
	s.completes += viewRounds * time.Since(begin) * time.Duration(len(order)) / time.Duration(max(1, len(some)))
}

// A viewTeller hears how long the part of a run takes that works on one view by itself.
type viewTeller struct {
	unwatched
	tell func(took time.Duration)
}

func (t viewTeller) Forecast(took time.Duration, _ bool) { t.tell(took) }

// foretell tells how long the run takes, of which the work on view v by itself takes some time, since its beginning; that on those after it takes as much a value. more is
// what the work on all views takes.
func (s *viewSet) foretell(begin time.Time, v int, took, more time.Duration) {
	total := took + more
	for _, w := range s.views[v+1:] {
		total += time.Duration(float64(took) * float64(len(w.y.Data)) / float64(len(s.views[v].y.Data)))
	}
	s.clock.Tell(total-time.Since(begin), true)
}

// completions returns how many completions by all views there will be: for each view in the contest, where whole examples are missing again for each fold, and one to fill in.
func (s *viewSet) completions() int {
	runs := 1
	for _, w := range s.views {
		switch {
		case w.holes.Count() == 0:
		case w.set.Times == nil:
			runs += 2
		default:
			runs++
			if slices.ContainsFunc(work.AllBut(w.y.Rows, nil), func(i int) bool { return !slices.Contains(w.holes.Of(i), false) }) {
				runs += 1 + selection.Plans[s.cfg.Effort].Folds
			}
		}
	}
	return runs
}

// hiding returns the mask of view u, where it is v with more values missing.
func (s *viewSet) hiding(u, v int, missing []bool) *completion.Mask {
	if h := s.views[u].holes; u != v || missing == nil {
		return h
	}
	return &completion.Mask{Size: s.views[v].holes.Size, Missing: missing}
}

// components fills in the missing values of all views, of v as a mask says, by principal components of all side by side.
func (s *viewSet) components(ctx context.Context, missing []bool, v int) (y, variance []mat.Matrix, err error) {
	all := make([]views.Incomplete, len(s.views))
	for u, w := range s.views {
		all[u] = views.Incomplete{Y: w.y, Holes: s.hiding(u, v, missing), Rows: w.rows, Channels: w.channels}
	}
	return views.ByComponents(ctx, s.n, all, s.cfg.Seed)
}

// A viewState is what all views are completed to.
type viewState struct {
	y, variance []mat.Matrix
	masks       []*completion.Mask
}

// allViews is the name of the model of all views in a contest.
const allViews = "all views together"

// fillers returns the methods that fill in view v, of which values are missing, by all views.
func (s *viewSet) fillers(v int, missing []bool) []completion.Filler {
	own, contest := s.views[v].set.run.clock, !slices.Equal(missing, s.views[v].holes.Missing)
	components := func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		if contest && own.Over(limit.MethodsShare) {
			own.Untried++
			return mean, variance, errors.New("out of time")
		}
		y, of, err := s.components(ctx, missing, v)
		if err != nil {
			return mean, variance, err
		}
		return y[v], of[v], nil
	}
	var state *viewState // once it is known
	if !contest {
		state = s.completed // the same for all views
	}
	model := func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		if state == nil {
			w := s.views[v]
			defer w.set.run.watcher().Timing(allViews)()
			begin := time.Now()
			s.joint = w.joint // which runs here alone, and the view's own elsewhere
			s.joint.Begin = begin.Add(-w.spent)
			defer func() { w.spent, own.Begin = w.spent+time.Since(begin), own.Begin.Add(time.Since(begin)) }()
			if contest && s.joint.Spent() {
				s.joint.Without = true
				return mean, variance, errors.New("out of time")
			}
			if s.joint.Parts = viewParts; contest {
				s.joint.Parts *= 2 // as many follow
			}
			if state, err = s.complete(ctx, missing, v); err != nil {
				if ctx.Err() == nil {
					s.views[v].set.run.watcher().Tell(fmt.Sprintf("view %s is filled in without the model of all views: %v", s.views[v].name, err))
				}
				return mean, variance, err
			}
			if !contest {
				s.completed = state
			}
		}
		return state.y[v], state.variance[v], nil
	}
	return []completion.Filler{{Name: simple.Components + " of all views", Sure: true, Fill: components}, {Name: allViews, Sure: true, Fill: model}}
}

// complete fills in the missing values of all views, of v as a mask says, in rounds: examples are divided into folds, and those of each fold filled in by a model of
// all others.
func (s *viewSet) complete(ctx context.Context, missing []bool, v int) (*viewState, error) {
	state := new(viewState)
	var err error
	if state.y, state.variance, err = s.components(ctx, missing, v); err != nil {
		return nil, err
	}
	for u := range s.views {
		state.masks = append(state.masks, s.hiding(u, v, missing))
	}
	order := s.incomplete(state)
	folds := min(viewFolds, len(order))
	all, err := s.train(ctx, state, nil, nil)
	if err != nil {
		return nil, err
	}
	for k := range viewRounds {
		if k > 0 && s.joint.Over(limit.RoundsShare) {
			s.joint.Rounds += viewRounds - k
			break
		}
		for f := range folds {
			var out []int
			for k := f; k < len(order); k += folds {
				out = append(out, order[k])
			}
			if err := s.fold(ctx, state, all, out); err != nil {
				return nil, err
			}
		}
	}
	return state, nil
}

// incomplete returns the examples of which values are missing in a view.
func (s *viewSet) incomplete(state *viewState) (order []int) {
	is := make([]bool, s.n)
	for u, w := range s.views {
		for k, i := range w.rows {
			is[i] = is[i] || state.masks[u].Any(k)
		}
	}
	for i, missing := range is {
		if missing {
			order = append(order, i)
		}
	}
	return order
}

// fold fills in some examples by a model of all others.
func (s *viewSet) fold(ctx context.Context, state *viewState, all *trainedViews, out []int) error {
	t, err := s.train(ctx, state, all, out)
	if err != nil {
		return err
	}
	models, err := s.models(ctx, t)
	if err != nil {
		return err
	}
	failures, filled := make([]error, len(out)), make([][]Prediction, len(out))
	mat.Parallel(len(out), func(k int) {
		if s.joint.Spent() {
			filled[k] = make([]Prediction, len(models))
		} else if failures[k] = ctx.Err(); failures[k] == nil {
			filled[k], failures[k] = s.impute(ctx, models, state, out[k])
		}
	})
	s.joint.AsItIs = s.joint.AsItIs || s.joint.Spent()
	if err := cmp.Or(failures...); err != nil {
		return err
	}
	for k, i := range out {
		for u, w := range s.views {
			at := slices.Index(w.rows, i)
			if at < 0 || filled[k][u].Mean.Rows == 0 {
				continue
			}
			for j, hidden := range state.masks[u].Of(at) {
				if hidden {
					state.y[u].Row(at)[j], state.variance[u].Row(at)[j] = filled[k][u].Mean.Data[j], filled[k][u].Variance.Data[j]
				}
			}
		}
	}
	return nil
}

// impute fills in what is missing of example i in each view.
func (s *viewSet) impute(ctx context.Context, models []*Model, state *viewState, i int) ([]Prediction, error) {
	seen, all, o := s.seen(state, i), make([]Prediction, len(models)), InferOptions{KeepOutliers: true}
	for u, w := range s.views {
		if at := slices.Index(w.rows, i); at < 0 || !state.masks[u].Any(at) {
			continue
		}
		obs := seen[u]
		var err error
		if obs.Prior, err = latentOfOthers(ctx, models, seen, u, o); err != nil {
			return nil, err
		}
		if all[u], _, err = models[u].Impute(ctx, obs, o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// seen returns what was observed of example i in each view.
func (s *viewSet) seen(state *viewState, i int) []Observed {
	seen := make([]Observed, len(s.views))
	for u, w := range s.views {
		seen[u].Values = nothingOf(w.y.Cols/w.channels, w.channels)
		if at := slices.Index(w.rows, i); at >= 0 {
			for j, hidden := range state.masks[u].Of(at) {
				if !hidden {
					seen[u].Values.Data[j] = w.y.Row(at)[j]
				}
			}
		}
	}
	return seen
}

// trainedViews is a model of all views and what it was trained on.
type trainedViews struct {
	joint *views.Joint
	list  []views.View
	sets  []trainingSet
	seen  []float64 // share of the values of each view that was observed
}

// train trains the model of all views on all examples but some, from one of all examples if there is one.
func (s *viewSet) train(ctx context.Context, state *viewState, from *trainedViews, out []int) (*trainedViews, error) {
	var all []int // examples learned from
	place := make([]int, s.n)
	for i := range place {
		if place[i] = len(all); slices.Contains(out, i) && len(out) < s.n {
			place[i] = -1
		} else {
			all = append(all, i)
		}
	}
	t, dims := new(trainedViews), 0
	for u, w := range s.views {
		var in, rows []int
		for k, i := range w.rows {
			if place[i] >= 0 && slices.Contains(state.masks[u].Of(k), false) {
				in, rows = append(in, k), append(rows, place[i])
			}
		}
		d := w.set.quiet()
		d.Times, d.Sequences, d.Source = nil, nil, viewOf(work.Gather(state.y[u], in), w.channels)
		d, err := d.checked()
		if err != nil {
			return nil, err
		}
		if d.Grid, err = training.Points(d.Grid, w.config.Factors); err != nil {
			return nil, err
		}
		y, err := data.NewScaled(d.Source)
		if err != nil {
			return nil, err
		}
		own := w.alone.posterior.Params()
		dims += own.X.Mu.Cols
		t.sets = append(t.sets, d)
		t.list = append(t.list, views.View{Data: y, Grid: d.Grid, Rows: rows, Own: own, Jitter: max(0, w.config.Jitter), Strength: w.config.Residual.Strength})
		t.seen = append(t.seen, 1-float64(countHoles(state.masks[u], in))/float64(len(in)*w.y.Cols))
	}
	o := views.Options{Dims: min(viewDims, dims, len(all)-1), Steps: viewSteps, Seed: s.cfg.Seed}
	if from != nil {
		o.From, o.In, o.Steps = from.joint, all, viewSteps/viewFewer
	}
	var err error
	parts := 1
	if from == nil {
		parts = viewFewer
	}
	o.Until = s.joint.Takes(limit.TrainShare, parts)
	for _, again := range []views.Options{o, {Dims: o.Dims, Steps: viewSteps, Seed: o.Seed, Until: o.Until}, {Dims: o.Dims, Steps: viewSteps, Seed: o.Seed, Plain: true, Until: o.Until}} { // until the bound keeps its digits
		if t.joint, err = views.Train(ctx, len(all), t.list, again); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err == nil && t.joint.Late {
		s.joint.Cut++
	}
	return t, err
}

// models returns the model of each view.
func (s *viewSet) models(ctx context.Context, t *trainedViews) (models []*Model, err error) {
	models = make([]*Model, len(s.views))
	for u, w := range s.views {
		if models[u], err = modelAt(ctx, t.list[u].Data, t.sets[u], w.config, t.joint.Params[u], t.seen[u]); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
	}
	return models, nil
}

// countHoles returns how many values of some examples are missing.
func countHoles(h *completion.Mask, examples []int) (n int) {
	for _, i := range examples {
		for _, hidden := range h.Of(i) {
			if hidden {
				n++
			}
		}
	}
	return n
}

// modelAt returns the model of data at parameters that were trained elsewhere. A share of the values was observed: the others leave no residual, and the noise is as much larger.
func modelAt(ctx context.Context, y *data.Scaled, d trainingSet, cfg Config, p *bound.Params, seen float64) (*Model, error) {
	p = p.Clone()
	p.Noise.Beta *= seen
	mat.Scale(p.Noise.Covariance, 1/seen, p.Noise.Covariance)
	kept := cfg.kept()
	n, _, channels := d.Source.Dims()
	cfg.Inducing = min(cfg.Inducing, n)
	s, err := cfg.open().Complete(n, d.Grid, channels)
	if err != nil {
		return nil, err
	}
	inner, err := training.At(y, d.learned(), s, "Views", p)
	if err != nil {
		return nil, err
	}
	if err := inner.Finish(ctx); err != nil {
		return nil, err
	}
	m, err := (&Trainer{inner: inner, config: cfg}).Model()
	if err == nil {
		kept.Infer.Blends = nil // which were chosen without what other views say
		m.config = kept
	}
	return m, err
}
