package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// viewsUsage explains -view.
const viewsUsage = "a kind of data of the same examples, `NAME=FILE`, once for each: sst=sst.nc. Examples are matched by their times, or in order. -out is then "

// A view is one of several kinds of data of the same examples.
type view struct {
	name, path string

	set    *dataset.Set
	data   sgplvm.Data
	points []int // of the set that the model has
	rows   []int // the numbers of the examples that all views share
}

// views are those of the flag -view.
type views struct {
	f    *cli.Flags
	list []*view
	n    int // examples
}

// newViews defines the flag -view; out says what -out names with it.
func newViews(f *cli.Flags, out string) *views {
	s := &views{f: f}
	f.Func("view", viewsUsage+out, func(text string) error {
		name, path, ok := strings.Cut(text, "=")
		if !ok || path == "" || name == "" || strings.ContainsAny(name, `/\.:`) {
			return fmt.Errorf("expected NAME=FILE, with a name of letters and digits")
		}
		if slices.ContainsFunc(s.list, func(v *view) bool { return v.name == name }) {
			return fmt.Errorf("a second view %s, expected different names", name)
		}
		s.list = append(s.list, &view{name: name, path: path})
		return nil
	})
	return s
}

// given reports whether there are any.
func (s *views) given() bool { return len(s.list) > 0 }

// check refuses flags that do not go with views.
func (s *views) check(least int, flags ...string) error {
	for _, name := range flags {
		if s.f.Given(name) {
			return s.f.Usagef("-%s with -view, expected one of the two", name)
		}
	}
	if len(s.list) < least {
		return s.f.Usagef("%d view, expected at least %d: -view NAME=FILE for each", len(s.list), least)
	}
	return s.f.Require("out")
}

// load reads the views and matches their examples. models are those of the views that are given, or nil.
func (s *views) load(e *cli.Environment, models []*sgplvm.Model) error {
	for k, v := range s.list {
		o := engine.ReadOptions(s.f)
		if models != nil {
			o.Names, o.Model = engine.Names(models[k]), models[k].Grid()
		}
		var err error
		if v.set, err = dataset.LoadSet(v.path, o); err != nil {
			return err
		}
		for _, note := range v.set.Notes {
			e.Note("%s", note)
		}
		v.data, v.points = v.set.Data(engine.MostScattered)
		v.data.Film = false
		if v.set.Errors != nil {
			return fmt.Errorf("%s: values with known errors, expected a view without", v.path)
		}
		if m := models; m != nil {
			if n, c := m[k].Grid().Len(), m[k].Channels(); n != len(v.points) || c != v.set.Channels {
				return fmt.Errorf("%s: %d points of %d channels, expected %d of %d as view %s of the model", v.path, len(v.points), v.set.Channels, n, c, v.name)
			}
		}
	}
	return s.match(e)
}

// match finds which examples of the views are the same: by their times where all views have some, else by their order.
func (s *views) match(e *cli.Environment) error {
	first := s.list[0]
	timed := !slices.ContainsFunc(s.list, func(v *view) bool { return v.data.Times == nil })
	if !timed {
		for _, v := range s.list {
			if v.set.Count != first.set.Count {
				return fmt.Errorf("%s has %d examples, %s %d, and not both have times to match them by: expected as many, in one order", first.path, first.set.Count, v.path, v.set.Count)
			}
			v.data.Times = nil // whose examples another view may have at others
			v.rows = nil
		}
		s.n = first.set.Count
		return nil
	}
	var at []float64 // of each example, in the unit of the first view
	step := math.Inf(1)
	times := make([][]float64, len(s.list))
	for k, v := range s.list {
		for i, t := range v.data.Times {
			if v != first && v.set.Units != nil && first.set.Units != nil {
				var err error
				if t, err = first.set.Units.Time(v.set.Units.Date(t)); err != nil {
					return fmt.Errorf("%s: times in %s, expected those of a calendar that %s has", v.path, v.set.Units, first.path)
				}
			}
			times[k] = append(times[k], t)
			for _, other := range times[k][:i] {
				step = min(step, math.Abs(t-other))
			}
		}
	}
	for k, v := range s.list {
		v.rows = nil
		for _, t := range times[k] {
			i := slices.IndexFunc(at, func(u float64) bool { return math.Abs(t-u) < step/2 })
			if i < 0 {
				i, at = len(at), append(at, t)
			}
			if slices.Contains(v.rows, i) {
				return fmt.Errorf("%s: two examples at one time, expected each once", v.path)
			}
			v.rows = append(v.rows, i)
		}
	}
	for _, v := range s.list {
		if alone := len(at) - len(v.rows); alone > 0 {
			e.Note("%s: %d of %d times of all views are not in it", v.path, alone, len(at))
		}
	}
	s.n = len(at)
	return nil
}

// library returns the views as package sgplvm takes them.
func (s *views) library() (all []sgplvm.View, err error) {
	for _, v := range s.list {
		form := v.set.Form
		form.Scattered = form.Scattered || len(v.points) < v.set.Points()
		attributes, err := engine.Attributes(&form, v.data.Source)
		if err != nil {
			return nil, err
		}
		all = append(all, sgplvm.View{Name: v.name, Data: v.data, Rows: v.rows, Attributes: attributes})
	}
	return all, nil
}

// result returns the name of a view's result in a folder: NAME with the ending of its file, or .npy.
func (v *view) result(folder string) string {
	ending := strings.ToLower(filepath.Ext(dataset.FileName(v.path)))
	if v.set.CheckOutput(filepath.Join(folder, v.name+ending)) != nil {
		ending = ".npy"
	}
	return filepath.Join(folder, v.name+ending)
}

// write writes the completed view: besides an array or a table one of its standard errors.
func (v *view) write(folder string, filled *dataset.Filled) (path string, err error) {
	path = v.result(folder)
	ending := filepath.Ext(path)
	if err := files.WriteAtomic(path, func(w io.Writer) error { return v.set.Write(w, path, filled) }); err != nil {
		return path, err
	}
	beside := strings.TrimSuffix(path, ending) + "_standard_error" + ending
	switch {
	case ending == ".npy":
		errors := &dataset.Filled{Mean: make([]float64, len(filled.Variance)), Variance: filled.Variance}
		for i, s := range filled.Variance {
			errors.Mean[i] = math.Sqrt(s)
		}
		err = files.WriteAtomic(beside, func(w io.Writer) error { return v.set.Write(w, beside, errors) })
	case v.set.FromText() && slices.Contains(dataset.TableEndings, ending):
		err = files.WriteAtomic(beside, func(w io.Writer) error { return v.set.WriteErrors(w, filled) })
	}
	return path, err
}

// fill completes all views and writes them to a folder.
func (s *views) fill(ctx context.Context, e *cli.Environment, choice *choiceFlags, folder string) (err error) {
	cfg, err := choice.read()
	if err != nil {
		return err
	}
	if err := s.load(e, nil); err != nil {
		return err
	}
	all, err := s.library()
	if err != nil {
		return err
	}
	undo, err := cli.MakeFolder(folder)
	if err != nil {
		return err
	}
	defer undo(&err)
	begin := time.Now()
	done, err := choice.run(e).CompleteViews(ctx, all, cfg)
	if err != nil {
		return err
	}
	for k, v := range s.list {
		c := &engine.Completed{Completion: done[k]}
		c.Drop(e, v.set, v.points)
		filled, err := v.set.Fill(v.points, c.Mean.Data, c.Variance.Data, false)
		if err != nil {
			return err
		}
		path, err := v.write(folder, filled)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "%s: %s\n", v.name, path)
		if err := engine.ReportCompleted(e, v.set, c, filled, time.Since(begin)); err != nil {
			return err
		}
	}
	return nil
}

// train learns a model of all views.
func (s *views) train(ctx context.Context, e *cli.Environment, choice *choiceFlags, out string) error {
	cfg, err := choice.read()
	if err != nil {
		return err
	}
	if err := s.load(e, nil); err != nil {
		return err
	}
	all, err := s.library()
	if err != nil {
		return err
	}
	m, err := choice.run(e).FitViews(ctx, all, cfg)
	if err != nil {
		return err
	}
	if err := files.WriteAtomic(out, m.Save); err != nil {
		return err
	}
	engine.ReportViews(e, m)
	return nil
}

// impute fills in and predicts all views of a model from those that are given, and writes them to a folder.
func (s *views) impute(ctx context.Context, e *cli.Environment, model, folder string, o sgplvm.InferOptions) (err error) {
	m, err := engine.LoadViews(model)
	if err != nil {
		return err
	}
	names := m.Names()
	var models []*sgplvm.Model
	for _, v := range s.list {
		if !slices.Contains(names, v.name) {
			return s.f.Usagef("-view %s, expected views of the model: %s", v.name, strings.Join(names, ", "))
		}
		models = append(models, m.View(v.name))
	}
	if err := s.load(e, models); err != nil {
		return err
	}
	undo, err := cli.MakeFolder(folder)
	if err != nil {
		return err
	}
	defer undo(&err)
	all := make([][]sgplvm.Prediction, s.n)
	failures := make([]error, s.n)
	mat.Parallel(s.n, func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			seen, err := s.observed(names, i)
			if err == nil {
				all[i], err = m.Impute(ctx, seen, o)
			}
			failures[i] = err
		}
	})
	for i, err := range failures {
		if err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
	}
	for k, name := range names {
		at := slices.IndexFunc(s.list, func(v *view) bool { return v.name == name })
		path := filepath.Join(folder, name+".npy")
		if at < 0 {
			err = s.predicted(folder, name, m.View(name), func(i int) sgplvm.Prediction { return all[i][k] })
		} else {
			path, err = s.list[at].completed(folder, func(i int) sgplvm.Prediction { return all[i][k] })
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "%s: %s\n", name, path)
	}
	return nil
}

// observed returns what is seen of example i, in the order of the model's views.
func (s *views) observed(names []string, i int) ([]sgplvm.Observed, error) {
	seen := make([]sgplvm.Observed, len(names))
	for _, v := range s.list {
		at := i
		if v.rows != nil {
			at = slices.Index(v.rows, i)
		}
		if at < 0 {
			continue
		}
		values := mat.New(len(v.points), v.set.Channels)
		if err := v.data.Source.ReadExamples(values.Data, at, at+1); err != nil {
			return nil, err
		}
		seen[slices.Index(names, v.name)].Values = values
	}
	return seen, nil
}

// completed writes a view that was given.
func (v *view) completed(folder string, of func(i int) sgplvm.Prediction) (string, error) {
	size := len(v.points) * v.set.Channels
	mean, variance := make([]float64, v.set.Count*size), make([]float64, v.set.Count*size)
	for k := range v.set.Count {
		i := k
		if v.rows != nil {
			i = v.rows[k]
		}
		p := of(i)
		copy(mean[k*size:], p.Mean.Data)
		copy(variance[k*size:], p.Variance.Data)
	}
	filled, err := v.set.Fill(v.points, mean, variance, false)
	if err != nil {
		return "", err
	}
	return v.write(folder, filled)
}

// predicted writes a view that was not given, as arrays of means and of standard errors.
func (s *views) predicted(folder, name string, m *sgplvm.Model, of func(i int) sgplvm.Prediction) error {
	shape := append([]int{s.n}, engine.ShapeOf(m)...)
	for _, part := range []struct {
		ending string
		value  func(p sgplvm.Prediction, k int) float64
	}{
		{".npy", func(p sgplvm.Prediction, k int) float64 { return p.Mean.Data[k] }},
		{"_standard_error.npy", func(p sgplvm.Prediction, k int) float64 { return math.Sqrt(p.Variance.Data[k]) }},
	} {
		var values []float64
		for i := range s.n {
			p := of(i)
			for k := range p.Mean.Data {
				values = append(values, part.value(p, k))
			}
		}
		if err := files.WriteAtomic(filepath.Join(folder, name+part.ending), func(w io.Writer) error { return npy.Write(w, npy.New(values, shape...)) }); err != nil {
			return err
		}
	}
	return nil
}
