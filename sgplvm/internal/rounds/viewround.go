package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/views"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Fill fills in the missing values of all views, of v as a mask says (nil: as it is), by a model of all views that is trained on the observed values, and returns it.
func (s *Views) Fill(ctx context.Context, missing []bool, v int) ([]completion.Filled, *trainedViews, error) {
	state, err := s.components(ctx, missing, v)
	if err != nil {
		return nil, nil, err
	}
	t, err := s.train(ctx, state, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	models, err := s.models(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	order := s.incomplete(state)
	failures, filled := make([]error, len(order)), make([][]field.Prediction, len(order))
	mat.Parallel(len(order), func(k int) {
		if s.joint.Spent() {
			filled[k] = make([]field.Prediction, len(models))
		} else if failures[k] = ctx.Err(); failures[k] == nil {
			filled[k], failures[k] = s.impute(ctx, models, state, order[k])
		}
	})
	s.joint.AsItIs = s.joint.AsItIs || s.joint.Spent()
	if err := cmp.Or(failures...); err != nil {
		return nil, nil, err
	}
	for k, i := range order {
		for u, w := range s.views {
			if at := slices.Index(w.Rows, i); at >= 0 && filled[k][u].Mean.Rows > 0 {
				state[u].SetMissing(at, filled[k][u].Mean.Data, filled[k][u].Variance.Data)
			}
		}
	}
	return state, t, nil
}

// incomplete returns the examples of which values are missing in a view.
func (s *Views) incomplete(state []completion.Filled) (order []int) {
	is := make([]bool, s.n)
	for u, w := range s.views {
		for _, k := range state[u].Incomplete() {
			is[w.Rows[k]] = true
		}
	}
	for i, missing := range is {
		if missing {
			order = append(order, i)
		}
	}
	return order
}

// impute fills in what is missing of example i in each view.
func (s *Views) impute(ctx context.Context, models []Model, state []completion.Filled, i int) ([]field.Prediction, error) {
	seen, all, o := s.seen(state, i), make([]field.Prediction, len(models)), field.InferOptions{KeepOutliers: true}
	for u, w := range s.views {
		if at := slices.Index(w.Rows, i); at < 0 || !state[u].Holes.Any(at) {
			continue
		}
		obs := seen[u]
		var err error
		if obs.Prior, err = LatentOfOthers(ctx, models, seen, u, o); err != nil {
			return nil, err
		}
		if all[u], _, err = models[u].Impute(ctx, obs, o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// seen returns what was observed of example i in each view.
func (s *Views) seen(state []completion.Filled, i int) []field.Observed {
	seen := make([]field.Observed, len(s.views))
	for u, w := range s.views {
		if at := slices.Index(w.Rows, i); at >= 0 {
			seen[u].Values = state[u].Observed(at)
		} else {
			seen[u].Values = NothingOf(w.Y.Cols/w.Channels, w.Channels)
		}
	}
	return seen
}

// LatentOfOthers returns what all views but v say of the latent variables of an example: the posterior given one view is the prior for the next (docs/math.md, 27). It
// is nil where nothing was seen. Errors: those of InferTogether.
func LatentOfOthers(ctx context.Context, models []Model, seen []field.Observed, v int, o field.InferOptions) (*field.Latent, error) {
	var prior *field.Latent
	for u, m := range models {
		if u == v || !work.AnySeen(seen[u].Values) {
			continue
		}
		obs := seen[u]
		obs.Prior = prior
		l, err := m.InferTogether(ctx, obs, o)
		if err != nil {
			return nil, err
		}
		prior = &field.Latent{Mu: l.Mu, S: l.S, Precision: l.Precision}
	}
	return prior, nil
}

// learned returns the examples that the view learns from: those of which something was observed, if their number is in.
func (w *view) learned(state completion.Filled, in func(i int) bool) (list []int) {
	for k, i := range w.Rows {
		if in(i) && slices.Contains(state.Holes.Of(k), false) {
			list = append(list, k)
		}
	}
	return list
}

// trainedViews is a model of all views and what it was trained on.
type trainedViews struct {
	joint *views.Joint
	list  []views.View
	sets  []Set
	seen  []float64 // share of the values of each view that was observed, where filled-in ones are learned from; else 1
}

// train trains the model of all views on all examples but some, from one of all examples if there is one: on observed values, or with a learned noise, or without a value of some channel,
// on those filled in too.
func (s *Views) train(ctx context.Context, state []completion.Filled, from *trainedViews, out []int) (*trainedViews, error) {
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
		in := w.learned(state[u], func(i int) bool { return place[i] >= 0 })
		rows := make([]int, len(in))
		for k, i := range in {
			rows[k] = place[w.Rows[i]]
		}
		d := w.untimed(work.Gather(state[u].Y, in))
		var err error
		if d.Grid, err = training.Points(d.Grid, w.settings.Factors); err != nil {
			return nil, err
		}
		y, err := data.NewScaled(d.Source)
		if err != nil {
			return nil, err
		}
		own, start, missing := w.alone.Posterior().Params(), y, state[u].Holes.CountOf(in)
		if missing > 0 && !own.Noise.Learned() {
			observed := mat.New(len(in), w.Y.Cols)
			for k, i := range in {
				copy(observed.Row(k), state[u].Observed(i).Data)
			}
			source := field.NewSource(observed.Data, len(in), observed.Cols/w.Channels, w.Channels)
			if some, err := data.NewScaled(source); err == nil { // else these examples have no value of a channel
				y, d.Source, missing = some, source, 0
			}
		}
		dims += own.X.Mu.Cols
		t.sets = append(t.sets, d)
		t.list = append(t.list, views.View{Data: y, Filled: start, Grid: d.Grid, Rows: rows, Own: own, Jitter: max(0, w.settings.Jitter), Strength: w.settings.Residual.Strength})
		t.seen = append(t.seen, 1-float64(missing)/float64(len(in)*w.Y.Cols))
	}
	o := views.Options{Dims: min(viewDims, dims, len(all)-1), Steps: viewSteps, Seed: s.settings.Seed}
	parts := viewFewer
	if from != nil {
		o.From, o.In, o.Steps, parts = from.joint, all, viewSteps/viewFewer, 1
	}
	o.Until = s.joint.Takes(limit.TrainShare, parts)
	var err error
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

// models returns the model of each view. Values that were filled in and learned from leave no residual: the noise is larger by the share of those that were observed.
func (s *Views) models(ctx context.Context, t *trainedViews) (models []Model, err error) {
	models = make([]Model, len(s.views))
	for u, w := range s.views {
		p := t.joint.Params[u].Clone()
		p.Noise.Beta *= t.seen[u]
		p.Noise.Covariance = p.Noise.Covariance.Clone()
		mat.Scale(p.Noise.Covariance, 1/t.seen[u], p.Noise.Covariance)
		if models[u], err = s.learner.At(ctx, t.list[u].Data, t.sets[u], w.settings, p); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.Name, err)
		}
	}
	return models, nil
}
