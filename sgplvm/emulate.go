package sgplvm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
)

// Emulate learns from runs of a simulator, whose inputs are d.Inputs and whose outputs are the values of d, to predict outputs from inputs
// (docs/math.md, 24). Of cfg the Effort, the Seed and the Attributes count: quick leaves out kernels of single components. Runs of which no value
// was observed are left out. Errors: *ConfigError, *InputError, *ValueError, *ReadError, ctx.Err().
func Emulate(ctx context.Context, d Data, cfg Config) (*Emulator, error) {
	return Run{}.Emulate(ctx, d, cfg)
}

// Emulate is the function Emulate, watched, ended and kept as r says.
func (r Run) Emulate(ctx context.Context, d Data, cfg Config) (*Emulator, error) {
	begin := time.Now()
	in := d.Inputs
	if in == nil {
		return nil, &ConfigError{Field: "Inputs", Err: fmt.Errorf("none, expected a table or fields")}
	}
	if d.Times != nil || d.Sequences != nil || d.Film || d.Errors != nil || d.Hide != nil {
		return nil, &ConfigError{Field: "Inputs", Err: fmt.Errorf("beside times, sequences, a film, errors or masks, expected inputs alone: a time may be one of them")}
	}
	d.Inputs = nil
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	n, err := in.count()
	if err != nil {
		return nil, err
	}
	runs, _, _ := d.Source.Dims()
	if n != runs {
		return nil, &ConfigError{Field: "Inputs", Err: fmt.Errorf("%s, expected %d as the data have", quote.Counted(n, "run"), runs)}
	}
	e := &Emulator{grid: d.Grid, attributes: cfg.Attributes}
	in, source, notes, err := finished(in, d.Source)
	if err != nil {
		return nil, err
	}
	job := emulator.Data{Columns: in.Columns}
	if job.Outputs, err = data.NewScaled(source); err != nil {
		return nil, err
	}
	if in.Fields != nil {
		if job.Fields, err = data.NewScaled(in.Fields); err == nil && job.Fields.Missing > 0 {
			err = &ConfigError{Field: "Inputs", Err: fmt.Errorf("%s of fields missing, expected all", quote.Counted(job.Fields.Missing, "value"))}
		}
		if err != nil {
			return nil, err
		}
	}
	watch := r.watcher()
	o := emulator.Options{
		Quick: cfg.Effort == EffortQuick || cfg.Effort == EffortNone,
		Seed:  cfg.Seed,
		Told:  func(v *emulator.Scored) { watch.Tell(fmt.Sprintf("%s: error %.4g", v.Name, v.Mean())) },
		Stop: func() bool {
			select {
			case <-r.End:
				return true
			default:
				return r.Limit > 0 && time.Since(begin) > r.Limit/2
			}
		},
	}
	stop := watch.Timing("comparing kernels")
	defer stop()
	if e.model, err = emulator.Fit(ctx, job, o); err != nil {
		return nil, err
	}
	for _, c := range e.model.Encodings {
		if c.Dropped != "" {
			notes = append(notes, fmt.Sprintf("input %s is left out: %s", quote.Text(c.Name), c.Dropped))
		}
	}
	if missing := job.Outputs.Missing; missing > 0 {
		notes = append(notes, fmt.Sprintf("%s missing: filled in beforehand from the rest of their runs, from inputs and from other runs", quote.Counted(missing, "value")))
	}
	e.model.Notes, e.model.Effort, e.model.Seed = notes, int(cfg.Effort), cfg.Seed
	e.took = time.Since(begin)
	return e, nil
}

// finished leaves out runs of which nothing was observed, and says so.
func finished(in *Inputs, y Source) (*Inputs, Source, []string, error) {
	n, points, channels := y.Dims()
	values := make([]float64, points*channels)
	var good []int
	for i := range n {
		if err := y.ReadExamples(values, i, i+1); err != nil {
			return in, y, nil, &ReadError{From: i, To: i + 1, Err: err}
		}
		if slices.ContainsFunc(values, func(v float64) bool { return v == v }) {
			good = append(good, i)
		}
	}
	switch {
	case len(good) == n:
		return in, y, nil, nil
	case len(good) < 3:
		return in, y, nil, &ConfigError{Field: "Data", Err: fmt.Errorf("%s with values, expected at least 3", quote.Counted(len(good), "run"))}
	}
	return in.of(good), SourceOf(y, good), []string{fmt.Sprintf("%d of %d runs have no values and are left out", n-len(good), n)}, nil
}
