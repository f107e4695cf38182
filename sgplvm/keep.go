package sgplvm

import (
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
)

// begin returns the data, checked and without outliers unless cfg keeps them, as those of the run, which has a clock, and a journal if it keeps
// Checkpoints, and what must be called with the outcome. Errors: *FileError for what no run of the same data and configuration has kept, *ConfigError, *ReadError.
func (r Run) begin(d Data, cfg Config) (set rounds.Set, end func(*Report, error) error, err error) {
	if set, err = d.set(); err != nil {
		return set, nil, err
	}
	set.Run = selection.Run{End: r.End, Limit: r.Limit, Watch: r.Watch}
	if c := r.Checkpoints; c != nil {
		about, err := cfg.about(set)
		if err != nil {
			return set, nil, err
		}
		about["inputs"] = r.inputs
		save := c.Save
		if c.Tasks != nil && c.Tasks.Do != "" { // what is kept is another process's
			save = func(func(io.Writer) error) error { return nil }
		}
		if set.Run.Journal, err = journal.New(save, c.Every, c.Resume, about, asm.Level(), set.Run.Tell); err != nil {
			return set, nil, err
		}
		set.Run.Journal.Share(c.Tasks)
	}
	if set.Clock = r.clock; set.Clock == nil {
		set.Clock = r.newClock()
	}
	if !cfg.KeepOutliers {
		if set, err = set.WithoutOutliers(); err != nil {
			return set, nil, err
		}
	}
	return set, func(report *Report, err error) error {
		if j := set.Run.Journal; j != nil {
			report.Warnings = append(report.Warnings, j.Warnings...)
			err = j.Close(err)
		}
		report.Forecast = set.Clock.Told
		report.Warnings = append(report.Warnings, set.Clock.Warnings()...)
		return err
	}, nil
}

// about returns what a run is about, by name: the settings, and digests of the data.
func (c Config) about(d rounds.Set) (map[string]string, error) {
	about := c.settings()
	if c.Partly != nil {
		about["Partly"] = c.Partly.open().String()
	}
	about["PartlyReach"] = fmt.Sprint(c.PartlyReach)
	if c.Start != nil {
		sum := sha256.New()
		if err := c.Start.Save(sum); err != nil {
			return nil, err
		}
		about["Start"] = fmt.Sprintf("%x", sum.Sum(nil))
	}
	for name, part := range map[string]any{"points": d.Grid, "times": d.Times, "sequences": d.Sequences, "masks": d.Hide, "Film": d.Film} {
		about[name] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, part)))
	}
	sources := map[string]Source{"values": d.Source, "known errors": d.Errors}
	for name, source := range sources {
		if source == nil {
			continue
		}
		sum, err := data.Digest(source)
		if err != nil {
			return nil, err
		}
		about[name] = sum
	}
	return about, nil
}

// Check looks through the data, in one pass, for what cannot be meant: infinite values, nothing that was observed, all
// channels constant or all examples equal, values so far outside the rest that they must stand for
// something else, such as 1e20 or -9999 for land, at all examples of a point. Trainers refuse the same, single ones too. The warnings, one sentence each,
// name a single example, what is missing, and outliers (Outliers). Errors: *ConfigError, *ValueError, *ReadError.
func (d Data) Check() (warnings []string, err error) {
	set, err := d.set()
	if err != nil {
		return nil, err
	}
	return set.Check()
}

// Outliers returns the values that nothing around them explains, example by example: broken readings, undeclared words for "no value", spikes.
// Fit and Complete take them for missing unless Config.KeepOutliers says otherwise. They are judged column by column, a column being the values
// of a channel at a point, by neighbours in space and in time where there are any, and without each other. Values of which all
// in a column are far, such as land in maps of the sea, are none: Check refuses them. Errors: *ConfigError, *ReadError.
func (d Data) Outliers() ([]Outlier, error) {
	set, err := d.set()
	if err == nil {
		set, err = set.WithoutOutliers()
	}
	return set.Outliers, err
}
