package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
)

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
