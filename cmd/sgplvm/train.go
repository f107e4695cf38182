package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/page"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func train(ctx context.Context, e *cli.Environment, args []string) error {
	s := newTrainSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if s.views.given() {
		if err := s.views.check(2, "data", "observed", "sample", "grid", "channels", "points", "times", "sequences", "film", "hide", "inputs", "report", "resume", "plan", "json"); err != nil {
			return err
		}
		return s.views.train(ctx, e, s.choice, *s.out)
	}
	if err := s.check(); err != nil {
		return err
	}
	var err error
	switch {
	case *s.plan != "":
		s.shared, err = openPlan(s.f, *s.plan, *s.task)
		s.keep = s.shared
	case *s.task != "":
		err = s.f.Usagef("-task without -plan, expected the folder that lists the tasks")
	default:
		s.keep, err = engine.NewCheckpoint(s.f, e, *s.out, *s.resume)
	}
	if err != nil {
		return err
	}
	if s.shared != nil && s.shared.done() {
		e.Note("task %d was done before", s.shared.number)
		return nil
	}
	if *s.inputs != "" {
		return s.emulate(ctx, e)
	}
	cfg, frames, d, err := s.begin(e)
	if err != nil {
		return err
	}
	defer frames.Close()
	if frames.Table && !*s.json {
		fmt.Fprintf(e.Stdout, "%s: taken as a table of %d rows and %d columns (pictures, one in a row, need -grid WIDTHxHEIGHT)\n", *s.data, frames.Count, frames.Channels)
	}
	if d.Times == nil {
		if err := s.f.Refuse("without -times, -film or -sequences", "period"); err != nil {
			return err
		}
	}
	if cfg.Attributes, err = engine.Attributes(&frames.Form, frames); err != nil {
		return err
	}
	return s.run(ctx, e, frames, d, cfg)
}

// emulate is train with -inputs.
func (s *trainSettings) emulate(ctx context.Context, e *cli.Environment) error {
	if err := s.f.Refuse(withInputs, "times", "sequences", "film", "hide", "period"); err != nil {
		return err
	}
	cfg, frames, d, err := s.begin(e)
	if err != nil {
		return err
	}
	defer frames.Close()
	columns := s.f.Text("columns")
	if dataset.IsText(*s.data) {
		columns = "" // those of the outputs
	}
	in, err := engine.LoadInputs(e, *s.inputs, columns, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	d.Inputs, d.Times = &in.Inputs, nil
	run := s.choice.run(e)
	run.Checkpoints = s.keep.Checkpoints()
	m, err := engine.Emulate(ctx, e, run, frames, d, cfg)
	if err != nil {
		err = engine.AboutInputs(*s.inputs, err, func(err error) error { return s.choice.explain(*s.data, err) })
	} else {
		err = engine.SaveEmulator(*s.out, m)
	}
	if err = s.keep.End(e, err); err != nil {
		return err
	}
	if *s.report != "" {
		if err := writeEmulatorPage(*s.report, *s.out, m); err != nil {
			return err
		}
	}
	if *s.json {
		return e.PrintJSON(engine.NewAboutEmulator(m))
	}
	engine.ReportEmulator(e, m)
	return nil
}

// begin reads the configuration and opens the training data, which the caller closes, and tells their notes.
func (s *trainSettings) begin(e *cli.Environment) (cfg sgplvm.Config, frames *dataset.Training, d sgplvm.Data, err error) {
	if cfg, err = s.choice.read(); err != nil {
		return cfg, nil, d, err
	}
	if frames, d, err = s.open(); err != nil {
		return cfg, nil, d, err
	}
	e.Notes("", frames.Notes)
	return cfg, frames, d, nil
}

// open opens the training data: the frames, and with them their points, times and masks.
func (s *trainSettings) open() (frames *dataset.Training, d sgplvm.Data, err error) {
	o := engine.ReadOptions(s.f)
	o.Layout, o.Points = cli.Layout(*s.grid, *s.channels), *s.points
	open := dataset.OpenWith
	if *s.inputs != "" {
		open = dataset.OpenRuns
	}
	if *s.sample > 0 {
		open = func(path string, o dataset.SetOptions) (*dataset.Training, error) {
			return dataset.OpenSample(path, *s.sample, *s.choice.seed, o)
		}
	}
	if frames, err = open(*s.data, o); err != nil {
		return nil, d, err
	}
	if d.Grid = frames.Grid; d.Grid == nil || *s.film { // which has pixels
		d.Grid, err = dataset.Grid(frames.Width, frames.Height, "product") // the library joins the factors where that is better
	}
	if err != nil {
		return nil, d, err
	}
	if *s.observed != "" {
		mask, err := dataset.LoadMask(*s.observed, &frames.Form)
		if err != nil {
			frames.Close()
			return nil, d, err
		}
		frames.WithMask(mask)
	}
	d.Source = frames
	if err = dataset.CheckNoInf(frames); err == nil {
		err = s.loadTimes(&d, &frames.Form)
	}
	if err == nil && *s.hide != "" {
		d.Hide, err = dataset.LoadHidden(*s.hide, &frames.Form)
	}
	if err != nil {
		frames.Close()
		return nil, d, err
	}
	return frames, d, nil
}

// loadTimes sets the times of the pictures, where they have any: those of a file, those of the data, or
// 0, 1, 2, … for the frames of a film and for sequences.
func (s *trainSettings) loadTimes(d *sgplvm.Data, f *dataset.Form) (err error) {
	d.Film = *s.film || f.Film
	switch {
	case *s.times != "":
		if d.Times, err = dataset.LoadTimes(*s.times, f.Count); err != nil {
			return err
		}
	case f.Times != nil && f.Count > 1:
		d.Times = f.Times
	case *s.film && *s.sequences == "":
		d.Times = f.FilmTimes()
	}
	if d.Times == nil && (*s.film || *s.sequences != "") {
		d.Times = engine.EvenTimes(f.Count, 1)
	}
	if *s.sequences != "" {
		d.Sequences, err = dataset.LoadSequences(*s.sequences, f.Count)
	}
	return err
}

// run trains and writes the model, and the page if it is asked for.
func (s *trainSettings) run(ctx context.Context, e *cli.Environment, frames *dataset.Training, d sgplvm.Data, cfg sgplvm.Config) error {
	run := s.choice.run(e)
	run.Checkpoints = s.keep.Checkpoints()
	m, r, err := engine.Fit(ctx, run, d, cfg)
	if ended, err := s.shared.ended(e, err); ended {
		return err
	}
	if err = engine.Placed(&frames.Form, err, r.Warnings); err != nil {
		err = s.choice.explain(*s.data, err)
	} else {
		err = engine.Save(*s.out, m)
	}
	if err = s.keep.End(e, err); err != nil {
		return err
	}
	page := &page.Input{Model: m, Name: filepath.Base(*s.out), Columns: frames.Columns, Data: &page.Data{Name: *s.data, Seen: frames, Training: true}}
	if *s.json {
		e.Notes("warning: ", r.Warnings)
		if *s.report != "" {
			if err := savePage(ctx, e, *s.report, page); err != nil {
				return err
			}
		}
		return e.PrintJSON(engine.AboutTraining(m, r))
	}
	engine.Report(e, m, r)
	if text := engine.LimitText(*s.choice.limit, m.Selection(), r); text != "" {
		e.Note("%s", text)
	}
	if *s.report == "" {
		return nil
	}
	return tellPage(ctx, e, *s.report, page)
}
