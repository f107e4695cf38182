package sgplvm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// simulated returns n runs of a simulator of two numbers and a kind: fields of 5×4 points and two channels.
func simulated(n int) sgplvm.Data {
	a, b, kind := make([]float64, n), make([]float64, n), make([]string, n)
	y := mat.New(20*n, 2)
	for i := range n {
		a[i], b[i], kind[i] = math.Mod(float64(i)*0.618, 1), 1000*math.Mod(float64(i)*0.4142, 1), string(rune('p'+i%2))
		for s := range 20 {
			v := math.Sin(3*a[i]+float64(s)/7) + b[i]/1000*float64(s)/20 + 0.3*float64(i%2)
			y.Row(20*i + s)[0], y.Row(20*i + s)[1] = v, 50+9*v*v
		}
	}
	rows, cols := mat.New(5, 1), mat.New(4, 1)
	for i := range 5 {
		rows.Set(i, 0, float64(i))
	}
	for i := range 4 {
		cols.Set(i, 0, float64(i))
	}
	return sgplvm.Data{Examples: n, Y: y, Grid: sgplvm.Grid{rows, cols},
		Inputs: &sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Name: "a", Numbers: a}, {Name: "b", Numbers: b}, {Name: "kind", Labels: kind}}}}
}

func emulated(t *testing.T, d sgplvm.Data) *sgplvm.Emulator {
	t.Helper()
	m, err := sgplvm.Emulate(context.Background(), d, sgplvm.Config{Effort: sgplvm.EffortQuick, Attributes: map[string]string{"who": "me"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Outputs without noise that wave several times over the range of an input are learned, not taken for noise, by however many runs.
func TestEmulatorWaves(t *testing.T) {
	const points = 30
	x := mat.New(points, 1)
	for s := range points {
		x.Set(s, 0, float64(s))
	}
	at := func(day float64, s int) float64 { return math.Sin(3*float64(s)/(points-1) + 2*math.Pi*day/365.25) }
	for _, n := range []int{20, 24, 30, 36} {
		day, y := make([]float64, n), mat.New(points*n, 1)
		for i := range n {
			day[i] = 1000 * float64(i) / float64(n)
			for s := range points {
				y.Set(points*i+s, 0, at(day[i], s))
			}
		}
		m := emulated(t, sgplvm.Data{Examples: n, Y: y, Grid: sgplvm.Grid{x}, Inputs: &sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Name: "day", Numbers: day}}}})
		p, err := m.Predict(&sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Numbers: []float64{517}}}})
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, points)
		p.MeanTo(mean, 0)
		for s, v := range mean {
			if e := v - at(517, s); math.Abs(e) > 0.05 {
				t.Fatalf("%d runs, point %d is %v off", n, s, e)
			}
		}
	}
}

// A value that no run has, such as land in maps of a sea, is NaN in predictions, also of an emulator that was saved and loaded; the others are predicted.
func TestEmulatorUnseen(t *testing.T) {
	d := simulated(16)
	for i := range 16 {
		d.Y.Set(20*i+7, 1, math.NaN())
	}
	var file bytes.Buffer
	if err := emulated(t, d).Save(&file); err != nil {
		t.Fatal(err)
	}
	m, err := sgplvm.LoadEmulator(&file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(&sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Numbers: []float64{0.35}}, {Numbers: []float64{420}}, {Labels: []string{"p"}}}})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := make([]float64, 40), make([]float64, 40)
	p.MeanTo(mean, 0)
	p.VarianceTo(variance, 0)
	for k, v := range mean {
		if w := variance[k]; (v != v) != (k == 15) || (w != w) != (k == 15) {
			t.Errorf("value %d: %v with variance %v", k, v, w)
		}
	}
}

// Emulate predicts fields of a known function in the user's units and draws them with the prediction's moments, and an emulator that was saved and loaded does so with the same bits.
func TestEmulator(t *testing.T) {
	d := simulated(60)
	m := emulated(t, d)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := sgplvm.LoadEmulator(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	in := &sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Numbers: []float64{0.35, 0.35, 30}}, {Numbers: []float64{420, 420, 0}}, {Labels: []string{"p", "q", "q"}}}}
	p, err := m.Predict(in)
	if err != nil {
		t.Fatal(err)
	}
	q, err := loaded.Predict(in)
	if err != nil {
		t.Fatal(err)
	}
	mean, again, variance := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range 2 {
		p.MeanTo(mean, i)
		q.MeanTo(again, i)
		p.VarianceTo(variance, i)
		if !slices.Equal(mean, again) {
			t.Error("a loaded emulator predicts other bits")
		}
		for s := range 20 {
			v := math.Sin(3*0.35+float64(s)/7) + 0.42*float64(s)/20 + 0.3*float64(i)
			for c, want := range []float64{v, 50 + 9*v*v} {
				if got, sd := mean[2*s+c], math.Sqrt(variance[2*s+c]); math.Abs(got-want) > max(4*sd, 1e-3*want) || math.Abs(got-want) > 0.02*math.Abs(want)+0.01 {
					t.Errorf("output %d, point %d, channel %d: %v ± %v, want %v", i, s, c, got, sd, want)
				}
			}
		}
	}
	f, _ := p.Covariance(1)
	sum, square, want := 0., 0., mat.Dot(f.Slice(3, 4, 0, f.Cols), f.Slice(3, 4, 0, f.Cols))
	if err := p.Sample(context.Background(), 1, 1000, 3, func(_ int, y []float64) error {
		sum, square = sum+(y[3]-mean[3])/1000, square+(y[3]-mean[3])*(y[3]-mean[3])/1000
		return nil
	}); err != nil || math.Abs(sum) > 5*math.Sqrt(want/1000) || math.Abs(square/want-1) > 0.25 {
		t.Errorf("draws are %v off in the mean, with the variance %v, want %v (%v)", sum, square, want, err)
	}
	if p.Far[0] > 1.5 || p.Far[2] < 3 {
		t.Errorf("distances %v", p.Far)
	}
	if loaded.Attributes()["who"] != "me" || loaded.Runs() != 60 || loaded.Points() != 20 || loaded.Channels() != 2 || loaded.Errors().Mean != m.Errors().Mean {
		t.Error("a loaded emulator says other things of itself")
	}
	if r := m.Errors(); !(r.Mean < r.Simplest[0].Mean/2) || len(r.Each) != 60 {
		t.Errorf("errors %v", r)
	}
	if columns, _, _ := m.Inputs(); columns[1].High < 900 || !slices.Equal(columns[2].Levels, []string{"p", "q"}) || columns[0].LengthScale < 0.1 || columns[0].LengthScale > 10 {
		t.Errorf("inputs %v", columns)
	}
}

// An emulator of half of the runs that learns the others afterwards predicts these as well as it does its own, which it did not before.
func TestEmulatorUpdate(t *testing.T) {
	d := simulated(60)
	part := func(from, to int) sgplvm.Data {
		s := d
		s.Examples, s.Y, s.Inputs = to-from, d.Y.Slice(20*from, 20*to, 0, 2).Clone(), &sgplvm.Inputs{}
		for _, c := range d.Inputs.Columns {
			p := sgplvm.InputColumn{Name: c.Name}
			if c.Numbers != nil {
				p.Numbers = c.Numbers[from:to]
			} else {
				p.Labels = c.Labels[from:to]
			}
			s.Inputs.Columns = append(s.Inputs.Columns, p)
		}
		return s
	}
	old, late := part(0, 14), part(14, 60)
	m := emulated(t, old)
	updated, err := m.Update(late.Inputs, sgplvm.NewSource(late.Y.Data, 46, 20, 2))
	if err != nil {
		t.Fatal(err)
	}
	off := func(m *sgplvm.Emulator) float64 {
		p, err := m.Predict(late.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		mean, sum := make([]float64, 40), 0.
		for i := range 46 {
			p.MeanTo(mean, i)
			for s := range 20 {
				e := mean[2*s] - late.Y.At(20*i+s, 0)
				sum += e * e / 46 / 20
			}
		}
		return math.Sqrt(sum)
	}
	if before, after := off(m), off(updated); !(after < before/3) || updated.Runs() != 60 || m.Runs() != 14 {
		t.Errorf("error %v before, %v after; %d runs", before, after, updated.Runs())
	}
}

// Input fields are reduced to components; runs without any value are left out, with a note.
func TestEmulatorFields(t *testing.T) {
	d := simulated(40)
	fields := make([]float64, 40*6)
	for i := range 40 {
		for s := range 6 {
			fields[6*i+s] = d.Inputs.Columns[0].Numbers[i]*float64(s) + d.Inputs.Columns[1].Numbers[i]/1000*float64(s*s)
		}
		for s := range 20 {
			d.Y.Row(20*i + s)[0] -= 0.3 * float64(i%2)
		}
	}
	d.Inputs = &sgplvm.Inputs{Fields: sgplvm.NewSource(fields, 40, 3, 2)}
	for s := range 20 {
		d.Y.Row(20*7 + s)[0], d.Y.Row(20*7 + s)[1] = math.NaN(), math.NaN()
	}
	m := emulated(t, d)
	if r := m.Errors(); m.Runs() != 39 || !(r.Mean < 0.4) || len(m.Notes()) != 1 {
		t.Errorf("%d runs, error %v, notes %q", m.Runs(), r.Mean, m.Notes())
	}
	if _, values, components := m.Inputs(); values != 6 || components != 2 {
		t.Errorf("%d values, %d components", values, components)
	}
	if _, err := m.Predict(&sgplvm.Inputs{Fields: sgplvm.NewSource(fields[:20], 2, 5, 2)}); err == nil || !strings.Contains(err.Error(), "5 points") {
		t.Errorf("error %v", err)
	}
}

// Of clean runs all is believed. A word for "no value" among the outputs counts as missing, one among the inputs is inferred from the outputs, and so is a missing input: notes name
// each, and predictions are nearly those of the clean runs. KeepOutliers believes all but missing inputs.
func TestEmulateBroken(t *testing.T) {
	if notes := emulated(t, simulated(40)).Notes(); len(notes) > 0 {
		t.Errorf("notes on clean runs: %q", notes)
	}
	broken := func() sgplvm.Data {
		d := simulated(40)
		d.Y.Set(20*3+5, 0, -9999)
		d.Inputs.Columns[0].Numbers[7], d.Inputs.Columns[1].Numbers[9] = 1e6, math.NaN()
		return d
	}
	m := emulated(t, broken())
	notes := strings.Join(m.Notes(), "\n")
	for _, want := range []string{"-9999 of example 3, point 5, channel 0", `2 of 40 runs, of which an input is not known: it is inferred from their outputs: run 7, input "a": 1e+06 lies far outside`, `run 9, input "b": NaN`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %s in the notes %s", want, notes)
		}
	}
	if o := m.Outliers(); m.Runs() != 40 || len(o) != 1 || o[0].Example != 3 || o[0].Point != 5 || m.Errors().Foretold > 0.1 {
		t.Errorf("%d runs, outliers %v, foretold error %v", m.Runs(), o, m.Errors().Foretold)
	}
	m, err := sgplvm.Emulate(context.Background(), broken(), sgplvm.Config{Effort: sgplvm.EffortQuick, KeepOutliers: true})
	if err != nil {
		t.Fatal(err)
	}
	if m.Runs() != 40 || len(m.Outliers()) > 0 || m.Errors().Foretold < 0.2 {
		t.Errorf("kept: %d runs, outliers %v, foretold error %v", m.Runs(), m.Outliers(), m.Errors().Foretold)
	}
}

// What an emulator of many values takes is told before, to a factor of three of what the collector finds live at its end.
func TestEmulatorMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	const n, points = 30, 40000
	d := simulated(n)
	y, line := mat.New(n*points, 1), mat.New(points, 1)
	for i := range y.Data {
		y.Data[i] = math.Sin(d.Inputs.Columns[0].Numbers[i/points]*3 + float64(i%points)/7000)
	}
	for s := range points {
		line.Set(s, 0, float64(s))
	}
	d.Y, d.Grid = y, sgplvm.Grid{line}
	need, err := sgplvm.EmulatorMemory(d)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := emulated(t, d)
	runtime.ReadMemStats(&after)
	if most := float64(after.HeapSys); need.Total() > 3*most || float64(after.HeapAlloc-before.HeapAlloc) > 3*need.Total() {
		t.Errorf("foretold %.0f bytes, of the system %.0f, held %d", need.Total(), most, after.HeapAlloc-before.HeapAlloc)
	}
	runtime.KeepAlive(m)
}

// A setting that does not count for an emulator is refused by name.
func TestEmulateConfig(t *testing.T) {
	for want, cfg := range map[string]sgplvm.Config{
		"LatentDims": {LatentDims: 3}, "Lean": {Lean: true}, "Residual": {Residual: sgplvm.ResidualConfig{Steps: 3}}, "Training": {Training: sgplvm.TrainingConfig{Joint: true}},
		"Infer": {Infer: sgplvm.InferOptions{DegreesOfFreedom: 4}},
	} {
		var bad *sgplvm.ConfigError
		if _, err := sgplvm.Emulate(context.Background(), simulated(12), cfg); !errors.As(err, &bad) || bad.Field != want {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

// A run that is stopped after each candidate goes on to the same bytes, also at another number of processors, does no candidate twice, and is told how long it takes; that of other inputs is refused.
func TestEmulateResume(t *testing.T) {
	data := func() sgplvm.Data {
		d := simulated(24)
		d.Inputs.Columns[0].Numbers[5] = math.NaN()
		return d
	}
	before := runtime.GOMAXPROCS(1)
	want, err := sgplvm.Emulate(context.Background(), data(), sgplvm.Config{})
	runtime.GOMAXPROCS(before)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	stops, candidates, forecasts := 0, map[string]int{}, 0
	for {
		ctx, cancel := context.WithCancel(context.Background())
		watch := &halter{halt: func(line string) {
			if candidates[line]++; candidates[line] == 1 {
				cancel()
			}
		}, told: func() { forecasts++ }}
		run := sgplvm.Run{Watch: watch, Checkpoints: &sgplvm.Checkpoints{Save: func(write func(w io.Writer) error) error {
			kept.Reset()
			return write(&kept)
		}}}
		if kept.Len() > 0 {
			run.Checkpoints.Resume = bytes.NewReader(bytes.Clone(kept.Bytes()))
		}
		m, err := run.Emulate(ctx, data(), sgplvm.Config{})
		cancel()
		if err == nil {
			var a, b bytes.Buffer
			if err := errors.Join(want.Save(&a), m.Save(&b)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("another emulator after %d stops (%v)", stops, err)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
	}
	if stops < 5 || forecasts == 0 {
		t.Errorf("%d stops, %d forecasts", stops, forecasts)
	}
	d := data()
	d.Inputs.Columns[1].Numbers[0]++
	var refused *sgplvm.FileError
	run := sgplvm.Run{Checkpoints: &sgplvm.Checkpoints{Save: func(func(w io.Writer) error) error { return nil }, Resume: &kept}}
	if _, err := run.Emulate(context.Background(), d, sgplvm.Config{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "inputs") {
		t.Errorf("resumed with other inputs: %v", err)
	}
}

// A halter hears of candidates and of forecasts.
type halter struct {
	sgplvm.Watcher
	halt func(line string)
	told func()
}

func (h *halter) Tell(line string)             { h.halt(line) }
func (h *halter) Timing(string) func()         { return func() {} }
func (h *halter) Forecast(time.Duration, bool) { h.told() }

// What Emulate cannot use it refuses by name, and Fit and Complete name Emulate.
func TestEmulateRefuses(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		change func(d *sgplvm.Data)
		want   string
	}{
		{func(d *sgplvm.Data) { d.Inputs = nil }, "expected a table or fields"},
		{func(d *sgplvm.Data) { d.Inputs = &sgplvm.Inputs{} }, "no input"},
		{func(d *sgplvm.Data) { d.Times = make([]float64, 20) }, "beside times"},
		{func(d *sgplvm.Data) { d.Inputs.Columns[1].Numbers = d.Inputs.Columns[1].Numbers[:7] }, "column 2 has 7 values, expected 20"},
		{func(d *sgplvm.Data) { d.Inputs.Columns = d.Inputs.Columns[2:] }, "2 different inputs"},
		{func(d *sgplvm.Data) { d.Inputs.Columns[0].Numbers[3] = math.Inf(1) }, "run 3"},
		{func(d *sgplvm.Data) { d.Y.Set(3, 1, math.Inf(1)) }, "finite"},
	} {
		d := simulated(20)
		c.change(&d)
		if _, err := sgplvm.Emulate(ctx, d, sgplvm.Config{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	var config *sgplvm.ConfigError
	if _, _, err := sgplvm.Fit(ctx, simulated(20), sgplvm.Config{}); !errors.As(err, &config) || !strings.Contains(err.Error(), "Emulate") {
		t.Errorf("Fit: %v", err)
	}
}

// A changed file is refused, and so are a model's file as an emulator and an emulator's as a model.
func TestEmulatorFile(t *testing.T) {
	var file bytes.Buffer
	if err := emulated(t, simulated(12)).Save(&file); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < file.Len(); at += 1 + file.Len()/300 {
		b := bytes.Clone(file.Bytes())
		b[at] ^= 4
		if _, err := sgplvm.LoadEmulator(bytes.NewReader(b)); err == nil {
			t.Errorf("byte %d changed: no error", at)
		}
	}
	if _, err := sgplvm.Load(bytes.NewReader(file.Bytes())); err == nil || !strings.Contains(err.Error(), "an emulator") {
		t.Errorf("Load: %v", err)
	}
}
