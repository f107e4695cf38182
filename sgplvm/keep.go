package sgplvm

import (
	"crypto/sha256"
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// begin returns the data, checked and without outliers unless cfg keeps them, as those of the run, which has a clock, and a journal if it keeps
// Checkpoints, and what must be called with the outcome. Errors: *FileError for what no run of the same data and configuration has kept, *ConfigError, *ReadError.
func (r Run) begin(d Data, cfg Config) (set trainingSet, end func(*Report, error) error, err error) {
	if d, err = d.checked(); err != nil {
		return set, nil, err
	}
	if c := r.Checkpoints; c != nil {
		about, err := cfg.about(d)
		if err != nil {
			return set, nil, err
		}
		about["inputs"] = r.inputs
		if r.journal, err = journal.New(c.Save, c.Every, c.Resume, about, asm.Level(), r.watcher().Tell); err != nil {
			return set, nil, err
		}
	}
	if r.clock == nil {
		r.clock = r.newClock()
	}
	set = trainingSet{Data: d, run: r}
	if !cfg.KeepOutliers {
		if set, err = set.withoutOutliers(); err != nil {
			return set, nil, err
		}
	}
	return set, func(report *Report, err error) error {
		if r.journal != nil {
			report.Warnings = append(report.Warnings, r.journal.Warnings...)
			err = r.journal.Close(err)
		}
		report.Forecast = r.clock.Told
		report.Warnings = append(report.Warnings, r.clock.Warnings()...)
		return err
	}, nil
}

// about returns what a run is about, by name: the settings, and digests of the data.
func (c Config) about(d Data) (map[string]string, error) {
	about := c.settings()
	if c.Partly != nil {
		about["Partly"] = text(*c.Partly)
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
