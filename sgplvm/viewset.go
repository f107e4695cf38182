package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/views"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A viewSet are several views of n examples, with what each has learned by itself.
type viewSet struct {
	n     int
	cfg   Config
	views []*viewData
}

// A viewData is one of them.
type viewData struct {
	name     string
	set      trainingSet
	rows     []int      // the examples that it has
	y        mat.Matrix // their values, 0 where missing
	holes    *completion.Mask
	channels int

	alone  *Model // of the view by itself, without times, from values that all views filled in
	config Config // that it was trained with
}

// What a completion by all views takes: rounds of so many folds, and steps of each training.
const (
	viewRounds, viewFolds = 2, 4
	viewDims              = 40 // latent dimensions at most
)

// newViewSet reads the views, fills in what is missing by a matrix of low rank of all of them side by side, and learns from each view by itself what a
// quick search finds. Errors: *ConfigError, *ReadError, *ValueError, those of Fit.
func newViewSet(ctx context.Context, r Run, given []View, cfg Config) (*viewSet, error) {
	if err := checkViews(given); err != nil {
		return nil, err
	}
	s := &viewSet{cfg: cfg}
	count := map[int]int{}
	for _, g := range given {
		set, end, err := r.begin(g.Data, cfg)
		if err == nil {
			_, err = set.check()
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		_ = end
		w := &viewData{name: g.Name, set: set, rows: g.Rows}
		if w.y, w.holes, err = completion.Read(set.Source); err != nil {
			return nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		_, _, w.channels = set.Source.Dims()
		if w.rows == nil {
			w.rows = allBut(w.y.Rows, nil)
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
		return nil, &ConfigError{Field: "Views", Err: errAlone}
	}
	filled, err := s.lowRank(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	for v, w := range s.views {
		d := w.set.quiet()
		d.Times, d.Sequences, d.Source = nil, nil, viewOf(filled[v], w.channels)
		own := cfg
		own.Effort, own.Fold = EffortQuick, Off
		if w.alone, _, err = fitWhole(ctx, d, own, w.name+": "); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
		w.config, _ = w.alone.Config()
	}
	return s, nil
}

// hiding returns the mask of view u, where it is v with more values missing.
func (s *viewSet) hiding(u, v int, missing []bool) *completion.Mask {
	if h := s.views[u].holes; u != v || missing == nil {
		return h
	}
	return &completion.Mask{Size: s.views[v].holes.Size, Missing: missing}
}

// lowRank fills in the missing values of all views, of v as a mask says, by a matrix of low rank in which examples are rows and views lie side by side, with the same
// sum of squares each.
func (s *viewSet) lowRank(ctx context.Context, missing []bool, v int) (filled []mat.Matrix, err error) {
	size := 0
	for _, w := range s.views {
		size += w.y.Cols
	}
	all, h := mat.New(s.n, size), &completion.Mask{Size: size, Missing: make([]bool, s.n*size)}
	for k := range h.Missing {
		h.Missing[k] = true // of examples that a view lacks
	}
	centres, scales := make([][]float64, len(s.views)), make([][]float64, len(s.views))
	from := 0
	for u, w := range s.views {
		mask := s.hiding(u, v, missing)
		centres[u], scales[u] = completion.Moments(w.y, mask, w.channels)
		for k, i := range w.rows {
			to := all.Row(i)[from:]
			copy(h.Of(i)[from:], mask.Of(k))
			for j, y := range w.y.Row(k) {
				c := j % w.channels
				to[j] = (y - centres[u][c]) / (scales[u][c] * math.Sqrt(float64(w.y.Cols)))
			}
		}
		from += w.y.Cols
	}
	x := mat.New(size, 1)
	for k := range x.Data {
		x.Data[k] = float64(k)
	}
	if err := completion.LowRank(ctx, all, h, x, 1); err != nil {
		return nil, err
	}
	from = 0
	for u, w := range s.views {
		y, mask := w.y.Clone(), s.hiding(u, v, missing)
		for k, i := range w.rows {
			of := all.Row(i)[from:]
			for j, hidden := range mask.Of(k) {
				if hidden {
					c := j % w.channels
					y.Row(k)[j] = centres[u][c] + scales[u][c]*math.Sqrt(float64(w.y.Cols))*of[j]
				}
			}
		}
		filled = append(filled, y)
		from += w.y.Cols
	}
	return filled, nil
}

// A viewState is what all views are completed to.
type viewState struct {
	y, variance []mat.Matrix
	masks       []*completion.Mask
	errors      []imputationErrors
}

// allViews is the name of the model of all views in a contest.
const allViews = "all views together"

// fillers returns the methods that fill in view v, of which more is missing, by all views.
func (s *viewSet) fillers(v int, missing []bool) []completion.Filler {
	return []completion.Filler{{Name: allViews, Fill: func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		state, err := s.complete(ctx, missing, v)
		if err != nil {
			return mean, variance, err
		}
		return state.y[v], state.variance[v], nil
	}}}
}

// complete fills in the missing values of all views, of v as a mask says, in rounds: examples are divided into folds, and those of each fold filled in by a model of
// all others.
func (s *viewSet) complete(ctx context.Context, missing []bool, v int) (*viewState, error) {
	state := &viewState{errors: make([]imputationErrors, len(s.views))}
	var err error
	if state.y, err = s.lowRank(ctx, missing, v); err != nil {
		return nil, err
	}
	incomplete := make([]bool, s.n)
	for u, w := range s.views {
		mask := s.hiding(u, v, missing)
		state.masks = append(state.masks, mask)
		state.variance = append(state.variance, mat.New(w.y.Rows, w.y.Cols))
		for k, i := range w.rows {
			incomplete[i] = incomplete[i] || mask.Any(k)
		}
	}
	var order []int
	for i, is := range incomplete {
		if is {
			order = append(order, i)
		}
	}
	folds := min(viewFolds, len(order))
	for range viewRounds {
		sums := make([][]float64, len(s.views))
		for f := range folds {
			var out []int
			for k := f; k < len(order); k += folds {
				out = append(out, order[k])
			}
			if err := s.fold(ctx, state, out, sums); err != nil {
				return nil, err
			}
		}
		for u, w := range s.views {
			if sums[u] != nil {
				state.errors[u] = imputationErrorsOf(sums[u], w.y.Cols/w.channels, w.y.Rows*w.channels, state.variance[u])
			}
		}
	}
	return state, nil
}

// fold fills in some examples by a model of all others, and adds their imputation covariances to sums.
func (s *viewSet) fold(ctx context.Context, state *viewState, out []int, sums [][]float64) error {
	models, err := s.models(ctx, state, out)
	if err != nil {
		return err
	}
	failures, all := make([]error, len(out)), make([][]imputed, len(out))
	mat.Parallel(len(out), func(k int) {
		if failures[k] = ctx.Err(); failures[k] == nil {
			all[k], failures[k] = s.impute(ctx, models, state, out[k])
		}
	})
	if err := cmp.Or(failures...); err != nil {
		return err
	}
	for k, i := range out {
		for u, w := range s.views {
			at := slices.Index(w.rows, i)
			if at < 0 || all[k][u].mean.Rows == 0 {
				continue
			}
			for j, hidden := range state.masks[u].Of(at) {
				if hidden {
					state.y[u].Row(at)[j], state.variance[u].Row(at)[j] = all[k][u].mean.Data[j], all[k][u].variance.Data[j]
				}
			}
			sums[u] = plus(sums[u], all[k][u].covariance)
		}
	}
	return nil
}

// impute fills in what is missing of example i in each view.
func (s *viewSet) impute(ctx context.Context, models []*Model, state *viewState, i int) ([]imputed, error) {
	seen, at := make([]Observed, len(models)), make([]int, len(models))
	for u, w := range s.views {
		seen[u].Values = nothingOf(w.y.Cols/w.channels, w.channels)
		if at[u] = slices.Index(w.rows, i); at[u] < 0 {
			continue
		}
		for j, hidden := range state.masks[u].Of(at[u]) {
			if !hidden {
				seen[u].Values.Data[j] = w.y.Row(at[u])[j]
			}
		}
	}
	all, o := make([]imputed, len(models)), InferOptions{KeepOutliers: true}
	for u := range models {
		if at[u] < 0 || !state.masks[u].Any(at[u]) {
			continue
		}
		obs, f := seen[u], &all[u]
		var p Prediction
		var err error
		if obs.Prior, err = latentOfOthers(ctx, models, seen, u, o); err != nil {
			return nil, err
		}
		if p, f.covariance, err = models[u].imputeWithErrors(ctx, obs, o); err != nil {
			return nil, err
		}
		f.mean, f.variance = p.Mean, p.Variance
	}
	return all, nil
}

// models trains the model of all views on all examples but some, and returns that of each view.
func (s *viewSet) models(ctx context.Context, state *viewState, out []int) ([]*Model, error) {
	place, n := make([]int, s.n), 0 // of the examples learned from
	for i := range place {
		if place[i] = n; slices.Contains(out, i) && len(out) < s.n {
			place[i] = -1
		} else {
			n++
		}
	}
	list, sets := make([]views.View, len(s.views)), make([]trainingSet, len(s.views))
	for u, w := range s.views {
		var in, rows []int
		for k, i := range w.rows {
			if place[i] >= 0 && slices.Contains(state.masks[u].Of(k), false) {
				in, rows = append(in, k), append(rows, place[i])
			}
		}
		d := w.set.quiet()
		d.Times, d.Sequences, d.Source = nil, nil, viewOf(work.Gather(state.y[u], in), w.channels)
		d.imputationErrors = state.errors[u].examples(in)
		d, err := d.checked()
		if err != nil {
			return nil, err
		}
		if d.Grid, err = pointsOf(d.Grid, w.config.Factors); err != nil {
			return nil, err
		}
		y, err := data.NewScaled(d.Source)
		if err != nil {
			return nil, err
		}
		sets[u] = d
		list[u] = views.View{Data: y, Grid: d.Grid, Rows: rows, Own: w.alone.posterior.Params(), Jitter: max(0, w.config.Jitter), Strength: w.config.Residual.Strength, Filled: d.imputationErrors.covariance}
	}
	dims := 0
	for _, w := range s.views {
		dims += w.alone.posterior.Params().X.Mu.Cols
	}
	j, err := views.Train(ctx, n, list, views.Options{Dims: min(viewDims, dims, n-1), Steps: plans[EffortNormal].steps, Seed: s.cfg.Seed})
	if err != nil {
		return nil, err
	}
	models := make([]*Model, len(s.views))
	for u, w := range s.views {
		if models[u], err = modelAt(ctx, list[u].Data, sets[u], w.config, j.Params[u]); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
	}
	return models, nil
}

// modelAt returns the model of data at parameters that were trained elsewhere.
func modelAt(ctx context.Context, y *data.Scaled, d trainingSet, cfg Config, p *bound.Params) (*Model, error) {
	kept := cfg.kept()
	n, _, channels := d.Source.Dims()
	cfg.Inducing = min(cfg.Inducing, n)
	cfg, err := cfg.completed(n, d.Grid, channels)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(y, d, cfg, "Views", p)
	if err != nil {
		return nil, err
	}
	t.state.Stage = stageFinish
	if err := t.finish(ctx); err != nil {
		return nil, err
	}
	m, err := t.Model()
	if err == nil {
		m.config = kept
	}
	return m, err
}

// fit trains the model of all views on all examples, of which missing values are filled in first.
func (s *viewSet) fit(ctx context.Context) (*MultiView, error) {
	state, err := s.complete(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	models, err := s.models(ctx, state, nil)
	if err != nil {
		return nil, err
	}
	m := new(MultiView)
	for u, w := range s.views {
		m.views = append(m.views, modelView{name: w.name, model: models[u], alone: w.alone, helped: true})
	}
	return m, nil
}
