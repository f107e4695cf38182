package engine

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// NewFilm measures how the contents of frames move. It returns the film and the frames with their
// motion taken out, in memory: what the model is to be trained on.
func NewFilm(ctx context.Context, e *cli.Environment, d sgplvm.Data, l dataset.Layout) (*film.Film, sgplvm.Data, error) {
	var err error
	if d.Source, err = sgplvm.InMemory(ctx, d.Source); err != nil {
		return nil, d, err
	}
	p := cli.NewProgress(e)
	defer p.Clear()
	begin := time.Now()
	p.Show("estimating motion")
	f, err := film.New(ctx, d, l.Width, l.Height, func(tried int) {
		p.Show("estimating motion  %d candidates tried in %s", tried, time.Since(begin).Round(time.Second))
	})
	if err != nil {
		return nil, d, err
	}
	registered, moves := f.Register(d.Source)
	if moves {
		d.Source, err = sgplvm.InMemory(ctx, registered)
	}
	return f, d, err
}

// CalibrateFilm calibrates a film by its frames, of which t has trained the model.
func CalibrateFilm(ctx context.Context, e *cli.Environment, f *film.Film, t *sgplvm.Trainer, frames sgplvm.Source) error {
	p := cli.NewProgress(e)
	defer p.Clear()
	begin := time.Now()
	return f.Calibrate(ctx, t, frames, func(done, total int) { p.Count("left out", done, total, begin) })
}

// fitFilm is Fit for a film whose contents move.
func fitFilm(ctx context.Context, e *cli.Environment, d sgplvm.Data, cfg sgplvm.Config) (*sgplvm.Model, Trained, error) {
	frames, begin := d.Source, time.Now()
	f, d, err := NewFilm(ctx, e, d, dataset.Layout{Width: d.Grid[1].Rows, Height: d.Grid[0].Rows})
	if err != nil {
		return nil, Trained{}, err
	}
	cfg.Watch = e
	if cfg, _, err = sgplvm.Select(ctx, d, cfg); err != nil {
		return nil, Trained{}, err
	}
	t, r, err := Train(ctx, e, d, cfg)
	if t == nil || err != nil && r.Iterations == 0 {
		return nil, r, err
	}
	if err == nil && !cfg.Training.Uncalibrated {
		err = CalibrateFilm(ctx, e, f, t, frames)
	}
	m, failure := t.Model()
	if failure == nil {
		m, failure = f.Keep(m)
	}
	if failure != nil {
		return nil, r, failure
	}
	r.Took = time.Since(begin)
	return m, r, err
}
