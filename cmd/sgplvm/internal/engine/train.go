package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// Trained is the outcome of training and the time that it took.
type Trained struct {
	sgplvm.FitResult
	Took time.Duration
}

// Train makes a model and trains it, and shows how it goes. f is the motion of the data, which the
// model then keeps, or nil. Where training fails, the model is as far as it came; it is nil where the
// data or the configuration cannot be used.
func Train(ctx context.Context, e *cli.Environment, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions, f *film.Film) (*sgplvm.Model, Trained, error) {
	m, err := sgplvm.New(data, cfg)
	if err != nil {
		return nil, Trained{}, err
	}
	if f != nil {
		if err := f.Keep(m); err != nil {
			return nil, Trained{}, err
		}
	}
	step, stop := e.Training("")
	defer stop()
	o.Progress = step
	begin := time.Now()
	r, err := m.Fit(ctx, o)
	return m, Trained{r, time.Since(begin)}, err
}

// Report prints how training went.
func Report(e *cli.Environment, m *sgplvm.Model, r Trained) {
	fmt.Fprintf(e.Stdout, "trained on %d pictures in %s: %d steps (%s), bound %.6g, noise %s, signal-to-noise ratio %.4g\n",
		m.Examples(), r.Took.Round(100*time.Millisecond), r.Iterations, r.Status, r.Bound, cli.Numbers(m.Noise()), m.SignalToNoise())
	if len(r.Starts) > 0 {
		fmt.Fprintf(e.Stdout, "bounds of the starts when the best was chosen: %s\n", cli.Numbers(r.Starts))
	}
	for i := len(r.Phases) - 1; i >= 0; i-- {
		if p := r.Phases[i]; p.Components > 0 {
			fmt.Fprintf(e.Stdout, "truncation left out %d of %d spatial components at last, which lowers the bound by at most %.3g\n", p.LeftOut, p.Components, p.TruncationLoss)
			break
		}
	}
	for _, w := range r.Warnings {
		e.Note("warning: %s", w)
	}
}

// SelectTime returns cfg with its automatic time kernels selected for the pictures of a source.
func SelectTime(ctx context.Context, e *cli.Environment, pictures sgplvm.Source, l dataset.Layout, cfg sgplvm.Config, o sgplvm.FitOptions, period float64) (sgplvm.Config, error) {
	factors := "product"
	if len(cfg.Space) == 1 {
		factors = "joint"
	}
	space := func(width, height int) ([]sgplvm.SpatialFactor, error) { return dataset.Space(width, height, factors) }
	return selection.Time(ctx, selection.Frames{Source: pictures, Width: l.Width, Height: l.Height, Space: space}, cfg, o, period, e)
}

// AboutData names the data in an error, unless that is one of reading them, which does.
func AboutData(path string, err error) error {
	if read := (*sgplvm.ReadError)(nil); errors.As(err, &read) {
		return read.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
