package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// What the other kind of model does not have.
var (
	errModel    = failf(http.StatusNotFound, "an emulator, which takes /predict and /invert")
	errEmulator = failf(http.StatusNotFound, "a model, which takes /impute, /latents and /predict")
)

// few refuses too many values.
func (q *request) few(examples, size int) error {
	if most := q.values(); size > 0 && examples > most/size {
		return failf(http.StatusRequestEntityTooLarge, "%d examples of %d values, expected at most %d values", examples, size, most)
	}
	return nil
}

// at returns the latent posteriors at the times of the request.
func (q *request) at() ([]sgplvm.Latent, error) {
	if !engine.Timed(q.model) {
		return nil, errors.New("times for a model that was trained without any, expected none")
	}
	sequence, err := strconv.Atoi(q.f.Text("sequence"))
	if err != nil {
		return nil, err
	}
	return q.model.LatentAt(sequence, q.Times)
}

// observed reads the body as partly seen examples.
func (q *request) observed() (o *engine.Observations, err error) {
	if q.model == nil {
		return nil, errModel
	}
	data, err := q.data()
	if err != nil {
		return nil, err
	}
	if o, err = engine.LoadObserved(q.f, *q.path, q.model, data, "", "", ""); err != nil {
		return nil, err
	}
	if err = q.few(o.Count, o.Points()*o.Channels); err != nil {
		return nil, err
	}
	if q.Times == nil {
		o.Priors, err = q.clock.Priors(q.model, &o.Form)
		return o, err
	}
	if len(q.Times) != o.Count {
		return nil, fmt.Errorf("%d times of %d examples", len(q.Times), o.Count)
	}
	o.Priors, err = q.at()
	return o, err
}

// impute fills in the body.
func (q *request) impute() error {
	o, err := q.observed()
	if err != nil {
		return err
	}
	r, err := engine.Fill(q.ctx, q.e, q.model, o, sgplvm.InferOptions{KeepOutliers: *q.keep})
	if err != nil {
		return err
	}
	form := o.Form
	if form.Type = npy.Float64; form.Scattered && form.Grid == nil {
		form.Grid = q.model.Grid()
	}
	return q.fields(form, engine.LevelsOf(&o.Form, o.Values), r.Mean, r.Variance)
}

// latents finds the latent variables of the body.
func (q *request) latents() error {
	o, err := q.observed()
	if err != nil {
		return err
	}
	found := engine.Latents{Name: o.Name, Noun: engine.Noun(q.model), Count: o.Count, Of: func(i int) (sgplvm.Latent, error) {
		return q.model.Infer(q.ctx, o.Observed(i), sgplvm.InferOptions{KeepOutliers: *q.keep})
	}}
	all, err := found.All(q.ctx, q.e)
	if err != nil {
		return err
	}
	columns, values, err := engine.LatentTable(all, engine.Timed(q.model))
	if err != nil {
		return err
	}
	return q.fields(dataset.Form{Name: o.Name, Count: o.Count, Layout: dataset.Layout{Width: 1, Height: 1, Channels: len(columns)},
		Table: true, Columns: columns, Shape: []int{o.Count, len(columns)}}, picture.Levels{}, values, nil)
}

// predict predicts at times, training examples, or the outputs of an emulator.
func (q *request) predict() error {
	if q.emulator != nil {
		return q.emulate()
	}
	if filepath.Ext(q.body) != ".json" {
		return failf(http.StatusUnsupportedMediaType, `expected JSON with "times" or "examples"`)
	}
	g, err := engine.NewOutputGrid("predict", *q.path, q.model, "", "")
	if err != nil {
		return err
	}
	if err := q.few(len(q.Times)+len(q.Examples), g.Size()); err != nil {
		return err
	}
	var all []sgplvm.Latent
	switch {
	case q.Times != nil:
		if all, err = q.at(); err != nil {
			return err
		}
	case len(q.Examples) == 0:
		return errors.New(`neither "times" nor "examples"`)
	}
	for _, i := range q.Examples {
		if i < 0 || i >= q.model.Examples() {
			return fmt.Errorf("example %d, expected one from 0 to %d", i, q.model.Examples()-1)
		}
		all = append(all, q.model.TrainingLatent(i))
	}
	mean, variance, err := engine.NewFrames(q.e, "predicted", q.model, len(all), engine.Some(all), g).All(q.ctx)
	if err != nil {
		return err
	}
	low, high := engine.Range(q.model)
	return q.fields(g.Form(q.model, len(all)), picture.Levels{Low: low, High: high, Bits: 8}, mean, variance)
}

func (q *request) emulate() error {
	paths, err := q.inputs()
	if err != nil {
		return err
	}
	columns, _, _ := q.emulator.Inputs()
	in, err := engine.LoadInputs(q.e, paths, "", columns)
	if err != nil {
		return err
	}
	defer in.Close()
	count := 0
	for _, c := range in.Columns {
		count = max(count, len(c.Numbers), len(c.Labels))
	}
	if in.Fields != nil {
		count, _, _ = in.Fields.Dims()
	}
	if err := q.few(count, max(q.emulator.Points()*q.emulator.Channels(), q.emulator.Runs())); err != nil {
		return err
	}
	p, err := q.emulator.Predict(&in.Inputs)
	if err != nil {
		return engine.AboutInputs(paths, err, nil)
	}
	engine.NoteFar(q.e, p)
	form, levels, err := engine.EmulatorForm(*q.path, q.emulator, "", p.Len())
	if err != nil {
		return err
	}
	mean, variance := make([]float64, p.Len()*p.Size()), make([]float64, p.Len()*p.Size())
	for i := range p.Len() {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		p.MeanTo(mean[i*p.Size():(i+1)*p.Size()], i)
		p.VarianceTo(variance[i*p.Size():(i+1)*p.Size()], i)
	}
	return q.fields(form, levels, mean, variance)
}

// invert finds the inputs behind outputs of an emulator.
func (q *request) invert() error {
	if q.emulator == nil {
		return errEmulator
	}
	data, err := q.data()
	if err != nil {
		return err
	}
	frames, err := engine.EmulatorOutputs(q.f, *q.path, q.emulator, data)
	if err != nil {
		return err
	}
	if err := q.few(frames.Count, frames.Points()*frames.Channels); err != nil {
		return err
	}
	deviations := slices.Repeat([]float64{*q.errors}, frames.Points()*frames.Channels)
	found, err := engine.Invert(q.ctx, q.e, *q.path, q.emulator, sgplvm.BeliefRuns, frames, func(int) []float64 { return deviations }, sgplvm.InvertOptions{Draws: engine.InversionDraws(400, *q.effort)})
	if err != nil {
		return err
	}
	columns := found[0].Columns
	size := len(columns)
	form := dataset.Form{Shape: []int{len(found), size}}
	switch {
	case q.accept == ".json":
		return q.put(func(w *bufio.Writer) error { return json.NewEncoder(w).Encode(found) })
	case size > 0 && q.accept == ".csv":
		return q.put(func(w *bufio.Writer) error { return csv.NewWriter(w).WriteAll(engine.InvertedTable(found)) })
	case slices.ContainsFunc(columns, func(c sgplvm.InvertedColumn) bool { return c.Label != "" }) || size > 0 && q.accept == ".png":
		return failf(http.StatusNotAcceptable, "inputs in a table, expected application/json or text/csv")
	case size == 0:
		form = engine.FieldForm(q.emulator, frames.Form)
		size = form.Points() * form.Channels
	}
	mean := make([]float64, len(found)*size)
	for i, r := range found {
		if of := mean[i*size:][:size]; columns == nil {
			r.FieldTo(of)
		} else {
			for k, c := range r.Columns {
				of[k] = c.Mean
			}
		}
	}
	return q.fields(form, picture.Levels{High: 255, Bits: 8}, mean, nil)
}
