package sgplvm

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

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
		sum, err := digest(source)
		if err != nil {
			return nil, err
		}
		about[name] = sum
	}
	return about, nil
}

// digest returns a SHA-256 checksum of sizes and values. Errors: *ReadError.
func digest(source Source) (string, error) {
	all := &data.Scaled{Source: source}
	all.Examples, all.Points, all.Channels = source.Dims()
	sum := sha256.New()
	fmt.Fprintln(sum, all.Examples, all.Points, all.Channels)
	var b []byte
	err := all.EachSlab(func(slab []float64, _ int) error {
		b = b[:0]
		for _, v := range slab {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		sum.Write(b)
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// digest returns a checksum of the inputs. Errors: *ReadError.
func (in *Inputs) digest() (string, error) {
	sum := sha256.New()
	for _, c := range in.Columns {
		fmt.Fprintf(sum, "%q %v %v %q\n", c.Name, c.Numbers, c.Errors, c.Labels)
	}
	if in.Fields == nil {
		return fmt.Sprintf("%x", sum.Sum(nil)), nil
	}
	fields, err := digest(in.Fields)
	return fmt.Sprintf("%x %s", sum.Sum(nil), fields), err
}
