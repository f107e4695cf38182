package engine

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// MostScattered is how many points remain where some do not exist and the others become one factor of points: more stay a grid.
const MostScattered = 5000

// Completed is completed examples.
type Completed struct {
	*sgplvm.Completion
	given bool // the model was, or none was needed
}

// Smooth puts what the model makes of observed values in their place.
func (c *Completed) Smooth(ctx context.Context, d sgplvm.Data) error {
	n, points, channels := d.Source.Dims()
	for i := range n {
		var l sgplvm.Latent
		if c.Model.Examples() == n {
			l = c.Model.TrainingLatent(i)
		} else { // it has not learned from all
			obs, err := observed(c.Model, d, i)
			if err == nil {
				l, err = c.Model.Infer(ctx, obs, sgplvm.InferOptions{})
			}
			if err != nil {
				return err
			}
		}
		p, err := c.Model.Predict(l, nil)
		if err != nil {
			return err
		}
		from, to := i*points*channels, (i+1)*points*channels
		smooth(c.Mean.Data[from:to], c.Variance.Data[from:to], p)
	}
	return nil
}

// observed returns an example of data, with the model's prior where both know times.
func observed(m *sgplvm.Model, d sgplvm.Data, i int) (obs sgplvm.Observed, err error) {
	_, points, channels := d.Source.Dims()
	obs.Values = mat.New(points, channels)
	if err = d.Source.ReadExamples(obs.Values.Data, i, i+1); err == nil && d.Errors != nil {
		obs.Errors = mat.New(points, channels)
		err = d.Errors.ReadExamples(obs.Errors.Data, i, i+1)
	}
	if err == nil && Timed(m) && d.Times != nil {
		var priors []sgplvm.Latent
		if priors, err = m.LatentAt(0, d.Times[i:i+1]); err == nil {
			obs.Prior = &priors[0]
		}
	}
	return obs, err
}

// Complete learns a model of examples of which values are missing, and completes them.
func Complete(ctx context.Context, run sgplvm.Run, d sgplvm.Data, cfg sgplvm.Config) (*Completed, error) {
	n, points, channels := d.Source.Dims()
	if err := checkMemory(d, cfg, 3*8*float64(n*points*channels)); err != nil {
		return nil, err
	}
	c, err := run.Complete(ctx, d, cfg)
	if err != nil {
		return nil, err
	}
	return &Completed{Completion: c}, nil
}

// CompleteAlready returns examples of which no value is missing, without a model.
func CompleteAlready(d sgplvm.Data) *Completed {
	n, points, channels := d.Source.Dims()
	return &Completed{&sgplvm.Completion{Mean: mat.New(n*points, channels), Variance: mat.New(n*points, channels)}, true}
}

// CompleteConstant completes examples of which each channel has one value wherever it was observed, as a drawing in one colour: missing values have it too. It
// returns nil where values differ, or a channel has none.
func CompleteConstant(d sgplvm.Data) (*Completed, error) {
	c := CompleteAlready(d)
	n, points, channels := d.Source.Dims()
	values := make([]float64, channels)
	for k := range values {
		values[k] = math.NaN()
	}
	example := make([]float64, points*channels)
	for i := range n {
		if err := d.Source.ReadExamples(example, i, i+1); err != nil {
			return nil, err
		}
		for k, v := range example {
			switch one := &values[k%channels]; {
			case v == *one || v != v:
			case *one == *one:
				return nil, nil
			default:
				*one = v
			}
		}
	}
	if slices.ContainsFunc(values, math.IsNaN) {
		return nil, nil
	}
	for k := range c.Mean.Data {
		c.Mean.Data[k] = values[k%channels]
	}
	return c, nil
}

// CompleteWith completes examples by a model in a file. smoothed puts what the model makes of observed values in their place.
func CompleteWith(ctx context.Context, e *cli.Environment, path string, set *dataset.Set, d sgplvm.Data, o sgplvm.InferOptions, smoothed bool) (*Completed, error) {
	m, err := Load(path)
	if err != nil {
		return nil, err
	}
	n, points, channels := d.Source.Dims()
	if m.Grid().Len() != points || m.Channels() != channels {
		return nil, fmt.Errorf("%s: %d points of %d channels, expected %d of %d as the model in %s", set.Name, points, channels, m.Grid().Len(), m.Channels(), path)
	}
	if err := CheckInferring(m, Inference{Examples: n, Values: n * points * channels, Filled: true}); err != nil {
		return nil, err
	}
	if err := hold(e.Work, &set.Form, d.Source, d.Errors); err != nil {
		return nil, err
	}
	r, all, err := fillAll(ctx, e, m, &set.Form, points*channels, func(i int) (sgplvm.Observed, error) { return observed(m, d, i) }, o, smoothed)
	if err != nil {
		return nil, err
	}
	c := &Completed{&sgplvm.Completion{Mean: mat.NewDense(n*points, channels, r.Mean), Variance: mat.NewDense(n*points, channels, r.Variance), Model: m}, true}
	c.Report.Outliers = numbered(all)
	c.Kinds, err = CheckFilling(ctx, m, set.Count, func(i int) sgplvm.Observed {
		obs, _ := observed(m, d, i) // without an error before
		return obs
	}, c.Report.Outliers, o)
	return c, err
}

// Drop makes missing in the set what counted as missing when it was completed at some of its points, and says so where the report does not.
func (c *Completed) Drop(e *cli.Environment, set *dataset.Set, points []int) {
	for _, v := range c.Report.Outliers {
		set.Drop(v.Example, points[v.Point], v.Channel)
	}
	if c.given {
		NoteOutliers(e, &set.Form, c.Report.Outliers)
	}
}

// HoldingSet says that the output will hold a completed set, and refuses what it cannot hold.
func (o *Output) HoldingSet(set *dataset.Set) error {
	switch {
	case !o.Given():
		return nil
	case !o.Pictures():
		return set.CheckOutput(o.path)
	}
	if o.kind == ".gif" && set.Exists != nil {
		return o.f.Usagef("-%s %q of pictures with points that do not exist, expected the name of a folder", o.flag, o.path)
	}
	size := len(set.Values) / set.Count
	return o.Holding(set.Form, LevelsOf(&set.Form, func(i int) []float64 { return set.Values[i*size : (i+1)*size] }))
}

// SaveSet writes a completed set and its variances. Points that are outside the model are transparent in pictures.
func SaveSet(e *cli.Environment, set *dataset.Set, filled *dataset.Filled, m *sgplvm.Model, out, variance *Output) error {
	write := func(o *Output, values []float64, write func(w io.Writer, path string, r *dataset.Filled) error) error {
		switch {
		case !o.Given():
			return nil
		case o.Pictures():
			defer o.Note(e)
			return o.Save(values)
		}
		return files.WriteAtomic(o.path, func(w io.Writer) error { return write(w, o.path, filled) })
	}
	out.observed = set.Values
	if err := write(out, filled.Mean, set.Write); err != nil {
		return err
	}
	if variance.Pictures() {
		if err := variance.HoldingVariances(set.Form, Deviation(m)); err != nil {
			return err
		}
	}
	return write(variance, filled.Variance, set.WriteVariance)
}

// ReportCompleted prints how much was missing, how well it was filled in, where the model is sure and where not, and how long that took, if it is told.
func ReportCompleted(e *cli.Environment, set *dataset.Set, c *Completed, filled *dataset.Filled, took time.Duration) error {
	var s lines
	if c.Model == nil && c.given {
		text := "nothing is missing: the data are written as they are"
		if missing, _ := set.Missing(); missing > 0 {
			text = fmt.Sprintf("each channel has one value wherever it was observed, which %s take", quote.Counted(missing, "missing value"))
		}
		s.text("%s", text)
		_, err := fmt.Fprint(e.Stdout, s.String())
		return err
	}
	if c.Model != nil && !c.given {
		s.selection(c.Model.Selection())
		s.chosen(c.Model)
	}
	missing, of := set.Missing()
	s.text("%d of %d values were missing (%.3g %%)", missing, of, 100*float64(missing)/float64(max(1, of)))
	if set.Exists != nil {
		outside := 0
		for _, exists := range set.Exists {
			if !exists {
				outside++
			}
		}
		s.text("%d of %d points are outside the model", outside, set.Points())
	}
	if c.Period > 0 {
		s.text("the series repeats itself every %d steps: each period was an example of the model", c.Period)
	}
	s.transforms(c.Completion)
	if len(c.Kinds) == 0 && c.Check.Values > 0 {
		c.Kinds = []sgplvm.FillCheck{c.Check}
	}
	s.kinds(c.Kinds)
	s.byColumn(set, filled)
	s.sureness(set, surenessOf(set, filled))
	if c.Report.Forecast > 0 && took > time.Second {
		s.text("forecast %s", c.Report.Forecast.Round(time.Second))
	}
	if took > 0 {
		s.text("completed in %s", took.Round(100*time.Millisecond))
	}
	fmt.Fprint(e.Stdout, s.String())
	e.Notes("warning: ", c.Report.Warnings)
	return nil
}
