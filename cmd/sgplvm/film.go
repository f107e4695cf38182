package main

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// newFilm measures how the contents of a film move. It returns the film and its frames with their
// motion taken out, in memory: what the model is to be trained on.
func newFilm(ctx context.Context, e *environment, source sgplvm.Source, d sgplvm.Dynamics, layout dataset.Layout) (*film.Film, sgplvm.Source, error) {
	frames, err := held(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	p := newProgress(e)
	defer p.clear()
	trials, begin := 0, time.Now()
	p.show("estimating motion")
	f, err := film.New(ctx, frames, d, layout.Width, layout.Height, func(film.Trial) {
		trials++
		p.show("estimating motion  %d settings tried in %s", trials, time.Since(begin).Round(time.Second))
	})
	if err != nil {
		return nil, nil, err
	}
	if !f.Still() {
		if frames, err = held(ctx, f.Register(frames)); err != nil {
			return nil, nil, err
		}
	}
	return f, frames, nil
}

// held reads a film into memory, with the precision of a float32.
func held(ctx context.Context, film sgplvm.Source) (sgplvm.Source, error) {
	n, points, channels := film.Dims()
	frame := make([]float64, points*channels)
	values := make([]float32, 0, n*len(frame))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := film.ReadExamples(frame, i, i+1); err != nil {
			return nil, err
		}
		for _, v := range frame {
			values = append(values, float32(v))
		}
	}
	return sgplvm.NewSource(values, n, points, channels), nil
}

// calibrateFilm calibrates a film by its frames and makes the model keep that.
func calibrateFilm(ctx context.Context, e *environment, f *film.Film, m *sgplvm.Model, source sgplvm.Source) error {
	p := newProgress(e)
	defer p.clear()
	begin := time.Now()
	if err := f.Calibrate(ctx, source, func(done, total int) { p.counting("left out", done, total, begin) }); err != nil {
		return err
	}
	return f.Keep(m)
}

// refuseFilm refuses a model of a film with motion for a command whose pictures are not carried.
func refuseFilm(command string, m *sgplvm.Model) error {
	if film.Keeps(m) {
		return usagef("%s: a model of a film with motion (train -motion), expected one without: render knows how to use it", command)
	}
	return nil
}

// movingFilm is a film as a method for films.
type movingFilm struct{ *film.Film }

// Predict predicts the frames at the times, which are held in memory together.
func (f movingFilm) Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error {
	latents, err := f.Model().LatentAt(0, times)
	if err != nil {
		return err
	}
	size := width * height * f.Model().Channels()
	s := baseline.Slab{To: height, Mean: mat.New(len(times), size), Variance: mat.New(len(times), size)}
	err = f.Film.Predict(ctx, latents, width, height, func(i int, p film.Frame) error {
		copy(s.Mean.Row(i), p.Mean.Data)
		copy(s.Variance.Row(i), p.Variance.Data)
		return nil
	})
	if err != nil {
		return err
	}
	return body(s)
}
