package sgplvm

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
)

// Register finds the shots of a film (Data.Film) and returns the data with what a model of them needs, in memory. Other data are returned as
// they are. Fit registers by itself. The frames are pixels, row by row: a factor of rows and one of columns, or one
// of both. Errors: *ConfigError, *ReadError, *ValueError, ctx.Err().
func Register(ctx context.Context, d Data) (Data, error) { return register(ctx, d, 0) }

// quickExamined is about how many frames are left out where little is to be tried.
const quickExamined = 8

// register is Register, with about how many frames are left out (0: all).
func register(ctx context.Context, d Data, examined int) (Data, error) {
	if !d.Film || d.registered != nil {
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
	d.Examples, d.Y, d.Source, d.observed = 0, mat.Matrix{}, registered, nil
	d.registered = &registration{f}
	return d, nil
}

// registeredFor is Register of what Fit is given, watched as the configuration says. A lean model cannot keep the frames that
// motion needs.
func registeredFor(ctx context.Context, d Data, cfg Config) (Data, error) {
	if !d.Film || d.registered != nil || cfg.Motion == Off || cfg.Lean {
		return d, nil
	}
	defer watcherOf(cfg.Watch).Timing("estimating motion")()
	examined := 0
	if cfg.Effort == EffortQuick {
		examined = quickExamined
	}
	return register(ctx, d, examined)
}

// By experience: how many times as long as a frame is predicted from those beside it what is learned from it takes, and what is learned from all of them.
const (
	filmWork = 6.5
	filmLaws = 3 * time.Second
)

// expectedFilm returns how long the variances of a film are learned; 0 of none.
func expectedFilm(r *registration) time.Duration {
	if r == nil {
		return 0
	}
	begin := time.Now()
	frames := r.film.Rehearse()
	return time.Duration(float64(frames)*filmWork*float64(time.Since(begin))) + filmLaws
}
