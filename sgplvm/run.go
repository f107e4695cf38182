package sgplvm

import (
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// A Run says what watches, ends and keeps the work of its methods Fit, Complete, Select and Emulate. None of it changes a result that
// is not ended early. The zero Run does nothing of that; the functions of the same names use it.
type Run struct {
	// Limit is what a run may take in all, if it is positive: the search ends in time to train what was best so far, and a training
	// where its share of the time ends. It changes no candidate's result; Report's Warnings say what it ended. Of Select it is the time of the search.
	Limit time.Duration

	// End ends the search when it is closed.
	End <-chan struct{}

	// Watch, if not nil, shows what is being done.
	Watch Watcher

	// Checkpoints, if not nil, keep what Fit and Complete have done, so that a run that was stopped goes on later.
	Checkpoints *Checkpoints

	journal *journal.Journal // nil where none is kept
	clock   *clock           // nil: the run has not begun
}

// watcher returns Watch, or one that shows nothing.
func (r Run) watcher() Watcher {
	if r.Watch == nil {
		return unwatched{}
	}
	return r.Watch
}

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
		if r.journal, err = journal.New(c.Save, c.Every, c.Resume, about, asm.Level(), r.watcher().Tell); err != nil {
			return set, nil, err
		}
	}
	r.clock = &clock{begin: time.Now(), limit: r.Limit, watch: r.watcher(), parts: 1}
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
		report.Forecast = r.clock.told
		report.Warnings = append(report.Warnings, r.clock.warnings()...)
		return err
	}, nil
}
