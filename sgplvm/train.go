package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// fitWhole is Fit of data without holes; doing is what the steps of its trainings are shown with.
func fitWhole(ctx context.Context, d rounds.Set, cfg Config, doing string) (*Model, Report, error) {
	begin := time.Now()
	d, err := registeredFor(ctx, d, cfg)
	if err != nil {
		return nil, Report{}, err
	}
	var how *rounds.Choice
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if how, err = d.Choose(ctx, cfg.open()); err != nil {
			return nil, Report{}, err
		}
		cfg = cfg.having(how.Settings)
	}
	searched := time.Since(begin)
	m, report, err := fitOne(ctx, d, cfg, doing, cfg.Partly != nil)
	if how != nil {
		report.Searched = max(searched, how.Searched)
		if m != nil {
			m.selection = &how.Report
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
func fitOne(ctx context.Context, d rounds.Set, cfg Config, doing string, more bool) (*Model, Report, error) {
	share := limit.StepsShare
	if d.Motion != nil {
		share = limit.FilmShare
	}
	d.Clock.Train(share)
	t, report, err := trainKept(ctx, d, cfg, doing, more)
	if t == nil || err != nil && (report.Iterations == 0 || d.Run.Journal != nil) {
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
func trainKept(ctx context.Context, d rounds.Set, cfg Config, doing string, more bool) (t *Trainer, report Report, err error) {
	if t, err = trainerOf(d, cfg); err != nil {
		return nil, Report{}, err
	}
	step, stop := d.Run.Training(doing)
	defer stop()
	j, paused := d.Run.Journal, false
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
	key := "a model: " + cfg.open().String()
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

// registeredFor registers what Fit is given, if it is a film. A lean model cannot keep the frames that motion needs.
func registeredFor(ctx context.Context, d rounds.Set, cfg Config) (rounds.Set, error) {
	if !d.Film || d.Motion != nil || cfg.Motion == Off || cfg.Lean {
		return d, nil
	}
	defer d.Run.Timing("estimating motion")()
	examined := 0
	if cfg.Effort == EffortQuick {
		examined = quickExamined
	}
	return d.Registered(ctx, examined)
}
