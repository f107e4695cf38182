package emulator

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// Scored is a choice with its errors.
type Scored struct {
	Name       string
	Choice     Choice
	Components int       // of input fields
	Errors     []float64 // root mean squared error of each field held out, fold by fold; NaN where it was not predicted
}

// Mean returns the mean error.
func (v *Scored) Mean() float64 {
	sum, n := 0., 0.
	for _, e := range v.Errors {
		if e == e {
			sum, n = sum+e, n+1
		}
	}
	return sum / n
}

// A Validator compares choices by folds, in each of which everything is fitted again.
type Validator struct {
	in     *Inputs
	gram   mat.Matrix
	points int
	held   [][]int         // runs of each fold
	first  []int           // where each fold begins in errors, and the end
	folds  map[int][]*fold // by the number of components of input fields
	last   []*fold

	journal *journal.Journal // nil: none
}

// NewValidator returns a validator of n runs with products gram of their outputs, n×n, of so many values each. groups says which runs are repeated.
func NewValidator(in *Inputs, gram mat.Matrix, points int, groups []int, seed uint64) *Validator {
	j := &Validator{in: in, gram: gram, points: points, held: split(in, groups, seed), first: []int{0}, folds: map[int][]*fold{}}
	for f, held := range j.held {
		j.first = append(j.first, j.first[f]+len(held))
	}
	return j
}

// at returns the folds for a number of components of input fields.
func (j *Validator) at(ctx context.Context, components int) ([]*fold, error) {
	if f := j.folds[components]; f != nil {
		return f, nil
	}
	folds, errs := make([]*fold, len(j.held)), make([]error, len(j.held))
	mat.Parallel(len(folds), func(f int) {
		if folds[f], errs[f] = newFold(ctx, j.in, j.gram, j.held[f], components); errs[f] == nil && j.last != nil {
			folds[f].shared[anyComponents] = j.last[f].shared[Choice{Single: true}]
		}
	})
	j.folds[components], j.last = folds, folds
	return folds, first(errs)
}

// validate sets the errors of a choice in the folds from ≤ f < to.
func (j *Validator) validate(ctx context.Context, v *Scored, from, to int, predict func(*fold) (prediction, error)) error {
	folds, err := j.at(ctx, v.Components)
	if err != nil {
		return err
	}
	errs := make([]error, to-from)
	mat.Parallel(to-from, func(t int) {
		f := folds[from+t]
		p, err := predict(f)
		if err != nil {
			errs[t] = err
			return
		}
		for i, e := range f.errors(p.mean) {
			v.Errors[j.first[from+t]+i] = math.Sqrt(e / float64(j.points))
		}
	})
	return first(errs)
}

// better tells by how many standard errors of the mean difference v has less error than w, over the runs that both have predicted.
func (v *Scored) better(w *Scored) float64 {
	var n, sum, square float64
	for i, e := range v.Errors {
		if d := w.Errors[i] - e; d == d {
			n++
			sum += d
			square += d * d
		}
	}
	mean := sum / n
	if mean == 0 || n < 2 {
		return 0
	}
	return mean / math.Sqrt(max(square/n-mean*mean, tiny)/(n-1))
}

// ratio returns the mean error of v over that of w, over the runs that both have predicted.
func (v *Scored) ratio(w *Scored) float64 {
	var a, b float64
	for i, e := range v.Errors {
		if e == e && w.Errors[i] == w.Errors[i] {
			a, b = a+e, b+w.Errors[i]
		}
	}
	if a == b {
		return 1
	}
	return a / b
}

// unscored returns a choice without errors yet.
func (j *Validator) unscored(name string, c Choice, components int) *Scored {
	v := &Scored{Name: name, Choice: c, Components: components, Errors: make([]float64, j.first[len(j.held)])}
	for i := range v.Errors {
		v.Errors[i] = math.NaN()
	}
	return v
}

// Simplest returns the errors of the simplest methods with as many components of input fields: ridge regression of the outputs' components, the
// nearest run, and the mean of the runs.
func (j *Validator) Simplest(ctx context.Context, components int) ([]*Scored, error) {
	methods := []struct {
		name    string
		predict func(*fold) (prediction, error)
	}{
		{"ridge", func(f *fold) (prediction, error) { return f.predict(ctx, Choice{Linear: true}) }},
		{"nearest run", func(f *fold) (prediction, error) { return f.nearest(), nil }},
		{"mean", func(f *fold) (prediction, error) { return prediction{mean: mat.New(f.pHeld.Rows, f.pHeld.Cols)}, nil }},
	}
	var list []*Scored
	for _, m := range methods {
		v := j.unscored(m.name, Choice{}, components)
		if err := j.validate(ctx, v, 0, len(j.held), m.predict); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Of two numbers of components of fields the later one wins if it is better by winBar standard errors. A candidate is not validated on further folds if its
// error on the first is maxWorse times the best: what is less worse may still be better on the others.
const winBar, maxWorse = 0.5, 1.1

// A trial is what try has found, as a journal keeps it.
type trial struct {
	Errors  []float64
	Kernels []sharedKernels // of each fold
	Ended   bool            // after the first fold
}

// try validates a choice, on all folds unless the first one says no; then it returns nil.
func (j *Validator) try(ctx context.Context, best *Scored, c Choice, components int) (*Scored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := j.unscored(name(c, components), c, components)
	folds, err := j.at(ctx, components)
	if err != nil {
		return nil, err
	}
	predict := func(f *fold) (prediction, error) { return f.predict(ctx, c) }
	t, err := journal.Once(j.journal, "validate "+v.Name, func() (t trial, err error) {
		from := 0
		if best != nil && !c.simple() {
			if err := j.validate(ctx, v, 0, 1, predict); err != nil {
				return t, err
			}
			from = 1
			t.Ended = v.ratio(best) > maxWorse
		}
		if !t.Ended {
			err = j.validate(ctx, v, from, len(j.held), predict)
		}
		for _, f := range folds {
			t.Kernels = append(t.Kernels, f.shared)
		}
		t.Errors = v.Errors
		return t, err
	})
	if err != nil {
		return nil, err
	}
	if len(t.Kernels) != len(folds) || len(t.Errors) != len(v.Errors) {
		return nil, &field.FileError{Err: errors.New("checkpoint: of other folds")}
	}
	for k, f := range folds {
		f.shared = t.Kernels[k]
	}
	if v.Errors = t.Errors; t.Ended {
		v = nil
	}
	return v, nil
}

// firstComponents is how many components of input fields are tried first.
const firstComponents = 8

// fewest returns how many components of input fields the first candidate has.
func (j *Validator) fewest() int {
	if j.in.Gram.Rows == 0 {
		return 0
	}
	return min(firstComponents, j.gram.Rows)
}

// beats tells whether the first candidate errs less than by another validator of the same runs.
func (j *Validator) beats(ctx context.Context, other *Validator) (bool, error) {
	components := j.fewest()
	v, err := j.try(ctx, nil, Choice{Single: true}, components)
	if err != nil {
		return false, err
	}
	w, err := other.try(ctx, nil, Choice{Single: true}, components)
	return err == nil && v.Mean() < w.Mean(), err
}

// name describes a choice.
func name(c Choice, components int) string {
	s := c.Form.String()
	switch {
	case c.Mean:
		s = "mean"
	case c.Linear:
		s = "linear"
	case c.Single:
		s += ", one length scale"
	case c.Near > 0:
		s += fmt.Sprintf(", near %g", c.Near)
	}
	if components > 0 {
		s += fmt.Sprintf(", %d components", components)
	}
	return s
}
