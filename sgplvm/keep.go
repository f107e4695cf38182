package sgplvm

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// Checkpoints keep what a run of Fit or Complete has done: a run that was stopped, by an interrupt, an error or the end of the
// process, goes on later to the same bits on the same instruction set.
type Checkpoints struct {
	// Save replaces what was kept before by what write writes, as a whole or not at all. It is called now and then, by the
	// goroutine of Fit, and just before Fit returns an error or was stopped. An error of it is told at once and does
	// not end the run; of the last call it is returned.
	Save func(write func(w io.Writer) error) error

	// Every is how much time passes at least between two calls. Default: half a minute, or twenty times what Save takes.
	Every time.Duration

	// Resume is what Save has kept of a run of the same data and configuration; SearchTime may be another. nil: begin anew.
	Resume io.Reader

	journal *journal.Journal // of the run under way; nil: it has not begun
}

// run returns the journal of the run under way; nil where none is kept.
func (c *Checkpoints) run() *journal.Journal {
	if c == nil {
		return nil
	}
	return c.journal
}

// keeping returns the configuration with a journal, where it asks for Checkpoints and has none yet, and what must be called with
// the outcome of the run. Errors: *FileError for what no run of the same data and configuration has kept, *ConfigError, *ReadError.
func (c Config) keeping(d Data) (_ Config, end func(r *Report, err error) error, err error) {
	if c.Checkpoints == nil || c.run() != nil {
		return c, func(_ *Report, err error) error { return err }, nil
	}
	settings, err := c.about(d)
	if err != nil {
		return c, nil, err
	}
	j, err := journal.New(c.Checkpoints.Save, c.Checkpoints.Every, c.Checkpoints.Resume, settings, asm.Level(), watcherOf(c.Watch).Tell)
	if err != nil {
		return c, nil, err
	}
	to := *c.Checkpoints
	to.journal, c.Checkpoints = j, &to
	return c, func(r *Report, err error) error {
		r.Warnings = append(r.Warnings, j.Warnings...)
		return j.Close(err)
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
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	for name, part := range map[string]any{"points": d.Grid, "times": d.Times, "sequences": d.Sequences, "masks": d.Hide, "Film": d.Film} {
		about[name] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, part)))
	}
	sources := map[string]Source{"values": d.Source, "known errors": d.Errors}
	if d.registered != nil {
		sources["frames"] = d.registered.film.Frames()
	}
	for name, source := range sources {
		if source == nil {
			continue
		}
		if about[name], err = digest(source); err != nil {
			return nil, err
		}
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

// timed returns data with a clock, and what must be called with the outcome of the run; data that have one are within a run.
func (d Data) timed(cfg Config) (Data, func(r *Report)) {
	if d.clock != nil {
		return d, func(*Report) {}
	}
	c := &clock{begin: time.Now(), limit: cfg.SearchTime, watch: watcherOf(cfg.Watch), parts: 1}
	d.clock = c
	return d, func(r *Report) {
		r.Forecast = c.told
		r.Warnings = append(r.Warnings, c.warnings()...)
	}
}
