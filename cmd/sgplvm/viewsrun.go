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
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// write writes the completed view to a folder, NAME with the ending of its file or .npy: besides an array or a table one of its standard errors.
func (v *view) write(folder string, filled *dataset.Filled) (name string, err error) {
	ending := strings.ToLower(filepath.Ext(dataset.FileName(v.path)))
	if v.set.CheckOutput(v.name+ending) != nil {
		ending = ".npy"
	}
	path, beside := filepath.Join(folder, v.name+ending), filepath.Join(folder, v.name+"_standard_error"+ending)
	if err := files.WriteAtomic(path, func(w io.Writer) error { return v.set.Write(w, path, filled) }); err != nil {
		return "", err
	}
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
	return v.name + ending, err
}

// fill completes all views and writes them to a folder.
func (s *views) fill(ctx context.Context, e *cli.Environment, choice *choiceFlags, folder string) error {
	all, cfg, err := s.begin(e, choice)
	if err != nil {
		return err
	}
	if err := files.CheckFolder(folder); err != nil {
		return err
	}
	begin := time.Now()
	done, err := choice.run(e).CompleteViews(ctx, all, cfg)
	if err != nil {
		return err
	}
	return files.WriteFolder(folder, func(to string) error {
		for k, v := range s.list {
			c := &engine.Completed{Completion: done[k]}
			engine.Placed(&v.set.Form, nil, c.Report.Warnings)
			c.Drop(e, v.set, v.points)
			filled, err := v.set.Fill(v.points, c.Mean.Data, c.Variance.Data, false)
			if err != nil {
				return err
			}
			name, err := v.write(to, filled)
			if err != nil {
				return err
			}
			fmt.Fprintf(e.Stdout, "%s: %s\n", v.name, filepath.Join(folder, name))
			took := time.Duration(0)
			if k == len(s.list)-1 { // for all
				took = time.Since(begin)
			}
			if err := engine.ReportCompleted(e, v.set, c, filled, took); err != nil {
				return err
			}
		}
		return nil
	})
}

// train learns a model of all views.
func (s *views) train(ctx context.Context, e *cli.Environment, choice *choiceFlags, out string) error {
	all, cfg, err := s.begin(e, choice)
	if err != nil {
		return err
	}
	m, reports, err := choice.run(e).FitViews(ctx, all, cfg)
	if err != nil {
		return err
	}
	for k, v := range s.list {
		engine.Placed(&v.set.Form, nil, reports[k].Warnings)
		e.Notes("warning: view "+v.name+": ", reports[k].Warnings)
	}
	if err := files.WriteAtomic(out, m.Save); err != nil {
		return err
	}
	engine.ReportViews(e, m)
	return nil
}

// impute fills in and predicts all views of a model from those that are given, and writes them to a folder.
func (s *views) impute(ctx context.Context, e *cli.Environment, model, folder string, o sgplvm.InferOptions) error {
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
	if err := files.CheckFolder(folder); err != nil {
		return err
	}
	all := make([][]sgplvm.Prediction, s.n)
	if err := e.Each(ctx, "example", "filled", model, 0, s.n, func(i int) error {
		seen, err := s.observed(names, i)
		if err == nil {
			all[i], err = m.Impute(ctx, seen, o)
		}
		return err
	}); err != nil {
		return err
	}
	if err := files.WriteFolder(folder, func(to string) error {
		for k, name := range names {
			path, of := name+".npy", func(i int) sgplvm.Prediction { return all[i][k] }
			var err error
			if at := slices.IndexFunc(s.list, func(v *view) bool { return v.name == name }); at < 0 {
				err = s.predicted(to, name, m.View(name), of)
			} else {
				path, err = s.list[at].completed(e, to, of)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(e.Stdout, "%s: %s\n", name, filepath.Join(folder, path))
		}
		return nil
	}); err != nil {
		return err
	}
	engine.ReportViews(e, m)
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

// completed writes a view that was given, and names the values that were taken for missing.
func (v *view) completed(e *cli.Environment, folder string, of func(i int) sgplvm.Prediction) (string, error) {
	size := len(v.points) * v.set.Channels
	mean, variance := make([]float64, v.set.Count*size), make([]float64, v.set.Count*size)
	var found []sgplvm.Outlier
	for k := range v.set.Count {
		i := k
		if v.rows != nil {
			i = v.rows[k]
		}
		p := of(i)
		copy(mean[k*size:], p.Mean.Data)
		copy(variance[k*size:], p.Variance.Data)
		for _, o := range p.Outliers {
			o.Example, o.Point = k, v.points[o.Point]
			v.set.Drop(k, o.Point, o.Channel)
			found = append(found, o)
		}
	}
	engine.NoteOutliers(e, &v.set.Form, found)
	filled, err := v.set.Fill(v.points, mean, variance, false)
	if err != nil {
		return "", err
	}
	return v.write(folder, filled)
}

// predicted writes a view that was not given, as arrays of means and of standard errors.
func (s *views) predicted(folder, name string, m *sgplvm.Model, of func(i int) sgplvm.Prediction) error {
	shape := append([]int{s.n}, engine.ShapeOf(m)...)
	var means, errors []float64
	for i := range s.n {
		p := of(i)
		means = append(means, p.Mean.Data...)
		for _, v := range p.Variance.Data {
			errors = append(errors, math.Sqrt(v))
		}
	}
	if err := engine.SaveArray(filepath.Join(folder, name+".npy"), shape, means); err != nil {
		return err
	}
	return engine.SaveArray(filepath.Join(folder, name+"_standard_error.npy"), shape, errors)
}
