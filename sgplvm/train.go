package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// fitWhole is Fit of data without holes; doing is what the steps of its trainings are shown with.
func fitWhole(ctx context.Context, d trainingSet, cfg Config, doing string) (*Model, Report, error) {
	begin := time.Now()
	d, err := registeredFor(ctx, d, cfg)
	if err != nil {
		return nil, Report{}, err
	}
	var how *choice
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if cfg, how, err = choose(ctx, d, cfg); err != nil {
			return nil, Report{}, err
		}
	}
	searched := time.Since(begin)
	m, report, err := fitOne(ctx, d, cfg, doing, cfg.Partly != nil)
	if how != nil {
		report.Searched = max(searched, how.searched)
		if m != nil {
			m.selection = &how.selection
		}
	}
	if err != nil || cfg.Partly == nil {
		return m, report, err
	}
	partly, _, err := fitOne(ctx, d, *cfg.Partly, doing+"for examples seen in part: ", false)
	if partly != nil && err == nil {
		m.partly = partly
	}
	return m, report, err
}

// fitOne trains a model with a configuration in which nothing is open; doing is what its steps are shown with, more says that the
// run does not end with it.
func fitOne(ctx context.Context, d trainingSet, cfg Config, doing string, more bool) (*Model, Report, error) {
	share := limit.StepsShare
	if d.film != nil {
		share = limit.FilmShare
	}
	d.run.clock.Train(share)
	t, report, err := trainKept(ctx, d, cfg, doing, more)
	if t == nil || err != nil && (report.Iterations == 0 || d.run.journal != nil) {
		return nil, report, err
	}
	m, failure := t.Model()
	if failure != nil {
		return nil, report, errors.Join(err, failure)
	}
	return m, report, err
}

// trainKept trains, shown with doing, or goes on with what an earlier run has trained, and interrupts itself now and then to keep that; more
// says that it will still be needed when other work is kept. The trainer is nil where training could not begin.
func trainKept(ctx context.Context, d trainingSet, cfg Config, doing string, more bool) (t *Trainer, report Report, err error) {
	if t, err = trainerOf(d, cfg); err != nil {
		return nil, Report{}, err
	}
	step, stop := d.run.watcher().Training(doing)
	defer stop()
	j, paused := d.run.journal, false
	if t.Progress = step; j != nil {
		t.Progress = func(p Progress) bool {
			j.Worked = true
			if step != nil && !step(p) {
				return false
			}
			paused = p.Phase != training.FilmPhase && j.Due()
			return !paused
		}
	}
	key := "a model: " + text(cfg)
	if state := j.State(key); state != nil {
		if err := t.Resume(bytes.NewReader(state)); err != nil {
			return nil, Report{}, err
		}
	}
	j.Train(t.Checkpoint)
	for {
		paused = false
		if report, err = t.Fit(ctx); err != nil || !paused {
			break
		}
		j.Save()
	}
	if j == nil || err != nil || t.inner.Stopped() {
		j.Stop(t.inner.Stopped())
		return t, report, err
	}
	if more {
		_, err = journal.Once(j, key, func() ([]byte, error) {
			var b bytes.Buffer
			err := t.Checkpoint(&b)
			return b.Bytes(), err
		})
	}
	return t, report, err
}

// quickExamined is about how many frames are left out where little is to be tried.
const quickExamined = 8

// register finds the shots of a film (Data.Film), with about how many frames left out (0: all), and returns the data with what a model of them needs, in memory. Other
// data are returned as they are. The frames are pixels, row by row: a factor of rows and one of columns, or one
// of both. Errors: *ConfigError, *ReadError, *ValueError, ctx.Err().
func register(ctx context.Context, d trainingSet, examined int) (trainingSet, error) {
	if !d.Film || d.film != nil {
		return d, nil
	}
	d, err := d.checked()
	if err != nil {
		return d, err
	}
	frames, err := InMemory(ctx, d.Source)
	if err != nil {
		return d, err
	}
	f, err := film.New(ctx, frames, d.Grid, d.Times, d.Sequences, examined)
	if err != nil {
		return d, err
	}
	if d.observed != nil {
		if f, err = f.Observed(ctx, d.observed); err != nil {
			return d, err
		}
	}
	registered, other := f.Register(frames)
	if other {
		if registered, err = InMemory(ctx, registered); err != nil {
			return d, err
		}
	}
	d.Source, d.observed, d.film = registered, nil, f
	return d, nil
}

// registeredFor is register of what Fit is given, watched as the configuration says. A lean model cannot keep the frames that
// motion needs.
func registeredFor(ctx context.Context, d trainingSet, cfg Config) (trainingSet, error) {
	if !d.Film || d.film != nil || cfg.Motion == Off || cfg.Lean {
		return d, nil
	}
	defer d.run.watcher().Timing("estimating motion")()
	examined := 0
	if cfg.Effort == EffortQuick {
		examined = quickExamined
	}
	return register(ctx, d, examined)
}
