package sgplvm

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

// Emulate learns from runs of a simulator, whose inputs are d.Inputs and whose outputs are the values of d, to predict outputs from inputs
// (docs/math.md, 24). Of cfg the Effort, the Seed, KeepOutliers and the Attributes count, and nothing else may be given: quick leaves out kernels of
// single components. Outputs that Data.Outliers finds count as missing, and missing ones are filled in beforehand. Runs are left out of which no output was observed or no input is known;
// inputs that are NaN, have errors, or lie so far outside their column that they must stand for something else, are inferred from the outputs. Notes tell of all this. Errors: *ConfigError, *InputError, *ValueError, *ReadError, ctx.Err().
func Emulate(ctx context.Context, d Data, cfg Config) (*Emulator, error) {
	return Run{}.Emulate(ctx, d, cfg)
}

// Emulate is the function Emulate, watched, ended and kept as r says.
func (r Run) Emulate(ctx context.Context, d Data, cfg Config) (*Emulator, error) {
	if err := r.forEmulator(d, cfg); err != nil {
		return nil, err
	}
	in := (*emulator.Runs)(d.Inputs)
	n, err := in.Count()
	if err != nil {
		return nil, err
	}
	if r.inputs, err = in.Digest(); err != nil {
		return nil, err
	}
	if c := r.Checkpoints; c != nil && c.Every == 0 {
		often := *c
		often.Every = time.Second // what is kept is small, and a candidate hears an interrupt late
		r.Checkpoints = &often
	}
	d.Inputs = nil
	set, end, err := r.begin(d, cfg)
	if err != nil {
		return nil, err
	}
	e, err := emulate(ctx, set, in, n, cfg)
	report := &Report{}
	err = end(report, err)
	for _, w := range report.Warnings {
		set.Run.Tell(w)
	}
	return e, err
}

// emulate learns an emulator from the set and n inputs.
func emulate(ctx context.Context, set rounds.Set, in *emulator.Runs, n int, cfg Config) (*Emulator, error) {
	if runs, _, _ := set.Source.Dims(); n != runs {
		return nil, &ConfigError{Field: "Inputs", Err: fmt.Errorf("%s, expected %d as the data have", quote.Counted(n, "run"), runs)}
	}
	if _, err := data.Check(set.Source); err != nil {
		return nil, err
	}
	e := &Emulator{grid: set.Grid, attributes: cfg.Attributes, outliers: set.Outliers}
	in, source, notes, err := in.Usable(set.Source, cfg.KeepOutliers)
	if err != nil {
		return nil, err
	}
	if len(set.Outliers) > 0 {
		notes = append(notes, OutlierText(set.Outliers))
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
	stop := set.Run.Timing("comparing kernels")
	defer stop()
	if e.model, err = emulator.Fit(ctx, job, emulatorOptions(set, cfg)); err != nil {
		return nil, in.Placed(err)
	}
	for _, c := range e.model.Encodings {
		if c.Dropped != "" {
			notes = append(notes, fmt.Sprintf("input %s is left out: %s", quote.Text(c.Name), c.Dropped))
		}
	}
	if missing := job.Outputs.Missing; missing > 0 {
		notes = append(notes, fmt.Sprintf("%s missing: filled in beforehand from the rest of their runs, from inputs and from other runs", quote.Counted(missing, "value")))
	}
	e.model.Notes, e.model.Effort, e.model.Seed = append(notes, e.model.Notes...), int(cfg.Effort), cfg.Seed
	e.took = time.Since(set.Clock.Begin)
	return e, nil
}

// EmulatorMemory returns how much room Emulate takes at most, the emulator and its file included. Errors: *ConfigError, *ValueError, *ReadError.
func EmulatorMemory(d Data) (Memory, error) {
	d.Inputs = nil
	d, err := d.checked()
	if err != nil {
		return Memory{}, err
	}
	y, err := data.NewScaled(d.Source)
	if err != nil {
		return Memory{}, err
	}
	slabs, kernels := emulator.Memory(y.Examples, y.Size())
	if y.Missing > 0 { // and are filled in, in memory
		slabs += 24 * float64(y.Examples*y.Size())
	}
	return Memory{Data: slabs, Latent: kernels}, nil
}

// emulatorOptions are those of a run on a set.
func emulatorOptions(set rounds.Set, c Config) emulator.Options {
	return emulator.Options{
		Quick: c.Effort == EffortQuick || c.Effort == EffortNone,
		Seed:  c.Seed,
		Left:  func(left time.Duration) { set.Clock.Tell(left, false) },
		Told:  func(v *emulator.Scored) { set.Run.Tell(fmt.Sprintf("%s: error %.4g", v.Name, v.Mean())) },
		Stop: func() bool {
			select {
			case <-set.Run.End:
				return true
			default:
				return set.Clock.Over(limit.SearchShare)
			}
		},
		Journal: set.Run.Journal,
	}
}

// forEmulator refuses what is given and does not count for an emulator.
func (r Run) forEmulator(d Data, c Config) error {
	switch {
	case d.Inputs == nil:
		return &ConfigError{Field: "Inputs", Err: fmt.Errorf("none, expected a table or fields")}
	case d.Times != nil || d.Sequences != nil || d.Film || d.Errors != nil || d.Hide != nil:
		return &ConfigError{Field: "Inputs", Err: fmt.Errorf("beside times, sequences, a film, errors or masks, expected inputs alone: a time may be one of them")}
	}
	c.Effort, c.Seed, c.KeepOutliers, c.Attributes = 0, 0, false, nil
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			return &ConfigError{Field: v.Type().Field(i).Name, Err: fmt.Errorf("given for an emulator, expected its default: of emulators only the effort, the seed and the time of the search are chosen, and whether outliers are data")}
		}
	}
	return nil
}
