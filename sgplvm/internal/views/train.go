package views

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// Train trains the model of the views of n examples. Errors: *field.FactorizationError, *field.ReadError, ctx.Err(), those of package eig.
func Train(ctx context.Context, n int, views []View, o Options) (*Joint, error) {
	j := &Joint{examples: n, views: views}
	if o.From != nil {
		j.goOn(o)
	} else if err := j.begin(o); err != nil {
		return nil, err
	}
	rows := make([][]int, len(views))
	for v, w := range views {
		j.each, rows[v] = append(j.each, bound.NewEvaluator(w.Data, w.Grid, w.Jitter)), w.Rows
	}
	j.bound = bound.NewJoint(j.each, rows)
	held := 0 // steps with the noise held
	learned := slices.ContainsFunc(views, func(w View) bool { return w.Own.Noise.Learned() })
	ahead := o.Steps
	if learned {
		ahead *= 2
	}
	climb := func(free bound.Group, steps int) error {
		until := o.Until
		if !until.IsZero() {
			until = time.Now().Add(time.Until(until) * time.Duration(steps) / time.Duration(ahead))
		}
		ahead -= steps
		return j.climb(ctx, free, steps, until)
	}
	if o.From == nil {
		held = o.Steps / 2
		if err := climb(bound.GroupLatent, held); err != nil {
			return nil, err
		}
	}
	if err := climb(bound.GroupLatent|bound.GroupNoise, o.Steps-held); err != nil {
		return nil, err
	}
	for v, w := range views {
		if !w.Own.Noise.Learned() {
			continue
		}
		if err := j.each[v].LearnNoise(ctx, j.Params[v], w.Strength, mat.Matrix{}); err != nil {
			return nil, err
		}
	}
	if learned {
		if err := climb(bound.GroupLatent, o.Steps); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// tolerance ends a climb where ten steps gain no more than this a value.
const tolerance = 1e-6

// climb improves the free groups of all views, by one step at least. Where the bound cannot be evaluated at the start it returns the error.
func (j *Joint) climb(ctx context.Context, free bound.Group, steps int, until time.Time) error {
	c := coordinates{j: j, x: bound.Coordinates{Free: free & bound.GroupX}, views: bound.Coordinates{Free: free &^ bound.GroupX}}
	one := (&bound.Params{X: j.X}).Clone()
	trial, dx, grad := one.X, one.Clone().X, make([]*bound.Params, len(j.Params))
	at, values := make([]*bound.Params, len(j.Params)), 0.0
	for v, p := range j.Params {
		at[v], grad[v] = p.Clone(), p.Clone()
		values += float64(j.views[v].Data.Examples * j.views[v].Data.Size())
	}
	start := make([]float64, c.count())
	c.pack(start)
	var failure error
	r, err := lbfgs.Minimize(ctx, func(x, slope []float64) float64 {
		c.unpack(x, &trial, at)
		var value float64
		if value, failure = j.bound.Evaluate(ctx, &trial, at, &dx, grad, free); failure != nil {
			return math.NaN()
		}
		c.packGradient(slope, &trial, at, &dx, grad)
		for i := range slope {
			slope[i] = -slope[i]
		}
		return -value
	}, start, lbfgs.Options{Memory: 20, MaxIterations: steps, GradTolerance: 1e-8 * values, RelativeDecrease: tolerance, Decrease: tolerance * values, Noise: 1e-10, Progress: func(lbfgs.Progress) bool {
		late := !until.IsZero() && time.Now().After(until)
		j.Late = j.Late || late
		return !late
	}})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if math.IsNaN(r.F) || r.X == nil {
		if failure == nil {
			failure = err
		}
		return fmt.Errorf("sgplvm: the bound of all views cannot be evaluated: %w", failure)
	}
	c.unpack(r.X, &j.X, j.Params)
	for v, p := range j.Params {
		j.bound.Give(v, p, &j.X)
	}
	return nil
}

// coordinates are what the optimiser sees: X, then the free parameters of each view.
type coordinates struct {
	j        *Joint
	x, views bound.Coordinates
}

func (c coordinates) count() int {
	n := c.x.Count(&bound.Params{X: c.j.X})
	for _, p := range c.j.Params {
		n += c.views.Count(p)
	}
	return n
}

func (c coordinates) pack(x []float64) {
	one := &bound.Params{X: c.j.X}
	c.x.Pack(x, one)
	x = x[c.x.Count(one):]
	for _, p := range c.j.Params {
		c.views.Pack(x, p)
		x = x[c.views.Count(p):]
	}
}

func (c coordinates) unpack(x []float64, latents *bound.Latents, params []*bound.Params) {
	one := &bound.Params{X: *latents}
	c.x.Unpack(one, x)
	x = x[c.x.Count(one):]
	for _, p := range params {
		c.views.Unpack(p, x)
		x = x[c.views.Count(p):]
	}
}

func (c coordinates) packGradient(x []float64, latents *bound.Latents, params []*bound.Params, dx *bound.Latents, grad []*bound.Params) {
	one := &bound.Params{X: *latents}
	c.x.PackGradient(x, one, &bound.Params{X: *dx})
	x = x[c.x.Count(one):]
	for v, p := range params {
		c.views.PackGradient(x, p, grad[v])
		x = x[c.views.Count(p):]
	}
}
