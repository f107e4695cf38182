package sgplvm

import (
	"crypto/sha256"
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
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

// Check looks through the data, in one pass, for what cannot be meant: infinite values, nothing that was observed, all
// channels constant or all examples equal, values so far outside the rest that they must stand for
// something else, such as 1e20 or -9999 for land, at all examples of a point. Trainers refuse the same, single ones too. The warnings, one sentence each,
// name a single example, what is missing, and outliers (Outliers). Errors: *ConfigError, *ValueError, *ReadError.
func (d Data) Check() (warnings []string, err error) {
	if d, err = d.checked(); err != nil {
		return nil, err
	}
	return trainingSet{Data: d}.check()
}

// check is Check; of outliers that are known already there is no warning.
func (d trainingSet) check() (warnings []string, err error) {
	told := len(d.outliers)
	if d, err = d.withoutOutliers(); err != nil {
		return nil, err
	}
	if warnings, err = data.Check(d.Source); err == nil && len(d.outliers) > told {
		warnings = append(warnings, OutlierText(d.outliers))
	}
	return warnings, err
}

// Outliers returns the values that nothing around them explains, example by example: broken readings, undeclared words for "no value", spikes.
// Fit and Complete take them for missing unless Config.KeepOutliers says otherwise. They are judged column by column, a column being the values
// of a channel at a point, by neighbours in space and in time where there are any, and without each other. Values of which all
// in a column are far, such as land in maps of the sea, are none: Check refuses them. Errors: *ConfigError, *ReadError.
func (d Data) Outliers() ([]Outlier, error) {
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	set, err := trainingSet{Data: d}.withoutOutliers()
	return set.outliers, err
}

// withoutOutliers returns the data, which are checked, without their outliers, and these. It looks for them once.
func (d trainingSet) withoutOutliers() (trainingSet, error) {
	if d.searched || d.film != nil {
		return d, nil
	}
	var err error
	d.searched = true
	d.Source, d.outliers, err = outlier.Without(d.Source, d.Grid, d.Times, d.Sequences)
	return d, err
}
