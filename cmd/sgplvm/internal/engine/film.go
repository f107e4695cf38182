package engine

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/source"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// NewFilm measures how the contents of frames move. It returns the film and the frames with their
// motion taken out, in memory: what the model is to be trained on.
func NewFilm(ctx context.Context, e *cli.Environment, frames sgplvm.Source, d sgplvm.Dynamics, l dataset.Layout) (*film.Film, sgplvm.Source, error) {
	frames, err := source.InMemory(ctx, frames)
	if err != nil {
		return nil, nil, err
	}
	p := cli.NewProgress(e)
	defer p.Clear()
	trials, begin := 0, time.Now()
	p.Show("estimating motion")
	f, err := film.New(ctx, frames, d, l.Width, l.Height, func(film.Trial) {
		trials++
		p.Show("estimating motion  %d candidates tried in %s", trials, time.Since(begin).Round(time.Second))
	})
	if err != nil {
		return nil, nil, err
	}
	if !f.Still() {
		if frames, err = source.InMemory(ctx, f.Register(frames)); err != nil {
			return nil, nil, err
		}
	}
	return f, frames, nil
}

// CalibrateFilm calibrates a film by its frames and makes the model keep that.
func CalibrateFilm(ctx context.Context, e *cli.Environment, f *film.Film, m *sgplvm.Model, frames sgplvm.Source) error {
	p := cli.NewProgress(e)
	defer p.Clear()
	begin := time.Now()
	if err := f.Calibrate(ctx, frames, func(done, total int) { p.Count("left out", done, total, begin) }); err != nil {
		return err
	}
	return f.Keep(m)
}
