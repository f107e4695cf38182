package sgplvm

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Register measures how the contents of a film's frames move (Data.Film) and returns the data with the
// motion taken out, in memory: a Trainer of these gives models that put it back. Other data are returned as
// they are. Fit registers by itself. The frames are pixels, row by row: a factor of rows and one of columns, or one
// of both. progress, if not nil, is called with the number of candidates for the motion that have been
// tried. It takes less than a minute of one processor for 78 frames of 640×360 pixels. Errors:
// *ConfigError, *ReadError, *ValueError, ctx.Err().
func Register(ctx context.Context, d Data, progress func(tried int)) (Data, error) {
	var o motion.Options
	if progress != nil {
		tried := 0
		o.Progress = func(motion.Trial) { tried++; progress(tried) }
	}
	return register(ctx, d, o)
}

// quickMotion is the one motion that is estimated where little is to be tried: the nodes and the middle one of the strengths that
// others begin with, on fewer pixels. Whether it helps is still asked. Few frames are left out.
var quickMotion = motion.Options{Nodes: []int{9}, Strengths: []float64{1e-3}, Pixels: 1 << 14, Examined: 8}

// register is Register, with options of the motion.
func register(ctx context.Context, d Data, o motion.Options) (Data, error) {
	if !d.Film || d.registered != nil {
		return d, nil
	}
	d, err := d.checked()
	if err != nil {
		return d, err
	}
	if _, _, err := film.Size(d.Grid); err != nil {
		return d, err
	}
	frames, err := InMemory(ctx, d.Source)
	if err != nil {
		return d, err
	}
	f, err := film.New(ctx, frames, d.Grid, d.Times, d.Sequences, o)
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
	var o motion.Options
	if cfg.Effort == EffortQuick {
		o = quickMotion
	}
	return register(ctx, d, o)
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
