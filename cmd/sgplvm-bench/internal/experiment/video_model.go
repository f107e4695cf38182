package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A gridModel is the model as it was published: its spatial kernels say what is between the pixels.
type gridModel struct {
	model  *sgplvm.Model
	layout dataset.Layout // of the training frames
}

func (m gridModel) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	latents, err := m.model.LatentAt(0, w.times)
	if err != nil {
		return err
	}
	grid, err := dataset.Pixels(m.model.Grid(), m.layout, w.width, w.height)
	if err != nil {
		return err
	}
	var mean, variance []float64
	frames, row := len(w.times), w.width*m.layout.Channels
	return m.model.PredictSlabs(ctx, latents, grid, sgplvm.SlabOptions{Numbers: 1 << 23}, func(s sgplvm.Slab) error {
		n := (s.To - s.From) * row
		if len(mean) < n*frames {
			mean, variance = make([]float64, n*frames), make([]float64, n*frames)
		}
		p := baseline.Slab{From: s.From, To: s.To, Mean: mat.NewDense(frames, n, mean[:n*frames]), Variance: mat.NewDense(frames, n, variance[:n*frames])}
		mat.Parallel(frames, func(i int) {
			mat.Copy(mat.NewDense(n/m.layout.Channels, m.layout.Channels, p.Mean.Row(i)), s.Mean[i])
			mat.Copy(mat.NewDense(n/m.layout.Channels, m.layout.Channels, p.Variance.Row(i)), s.Variance[i])
		})
		return body(p)
	})
}

// A motionModel is the model of a film whose contents move.
type motionModel struct{ gridModel }

// predict has all frames in memory together.
func (m motionModel) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	latents, err := m.model.LatentAt(0, w.times)
	if err != nil {
		return err
	}
	size := w.width * w.height * m.model.Channels()
	s := baseline.Slab{To: w.height, Mean: mat.New(len(w.times), size), Variance: mat.New(len(w.times), size)}
	grid, err := dataset.Pixels(m.model.Grid(), m.layout, w.width, w.height)
	if err != nil {
		return err
	}
	err = m.model.PredictSlabs(ctx, latents, grid, sgplvm.SlabOptions{}, func(p sgplvm.Slab) error {
		frame := func(all mat.Matrix) mat.Matrix {
			return mat.NewDense(grid.Len(), m.model.Channels(), all.Row(p.Latent))
		}
		mat.Copy(frame(s.Mean), p.Mean[0])
		mat.Copy(frame(s.Variance), p.Variance[0])
		return nil
	})
	if err != nil {
		return err
	}
	return body(s)
}

// trainModel trains the model: as published, or as the library chooses it: of frames of which others are seen in
// part under their masks, else as a film whose contents move.
func (x *video) trainModel(ctx context.Context) (method, string, error) {
	grid, err := dataset.Grid(x.frames.Width, x.frames.Height, "product")
	if err != nil {
		return nil, "", err
	}
	d := sgplvm.Data{Source: x.learned(), Grid: grid, Times: x.timesOf(x.training), Film: x.seen == nil && !x.Paper}
	cfg := sgplvm.Config{LatentDims: x.Latent, Period: x.Period, Seed: x.Seed, TimeKernel: x.Kernel.Kernel, LatentTime: x.PartKernel.Kernel}
	if cfg.Attributes, err = engine.Attributes(&x.frames.Form, d.Source); err != nil {
		return nil, "", err
	}
	cfg.Training.Iterations = x.Iterations
	switch {
	case x.Paper:
		cfg.Effort, cfg.Period, cfg.Training.Uncalibrated = sgplvm.EffortNone, 0, true
		cfg.Inducing = min(len(x.training), maxInducing)
		if x.Iterations == 0 && x.Quick {
			cfg.Training.Iterations = 80
		}
	case x.Quick:
		cfg.Effort = sgplvm.EffortQuick
	}
	if cfg.LatentTime.Kind != "" {
		cfg.LatentKernel = "rbf+time"
	}
	if x.seen != nil {
		d.Hide = x.masks()
	}
	return x.fitModel(ctx, d, cfg)
}

// masks returns what is hidden of each frame to predict, value by value.
func (x *video) masks() (all [][]bool) {
	size, channels := x.frames.Points()*x.frames.Channels, x.frames.Channels
	for row := range len(x.seen.row) {
		hidden := make([]bool, size)
		for j := range hidden {
			hidden[j] = !x.seen.mask.Observed(row, j/channels, j%channels)
		}
		all = append(all, hidden)
	}
	return all
}

// fitModel trains the model itself.
func (x *video) fitModel(ctx context.Context, d sgplvm.Data, cfg sgplvm.Config) (method, string, error) {
	m, r, err := engine.Fit(ctx, sgplvm.Run{Watch: x.e}, d, cfg)
	if err != nil {
		return nil, "", err
	}
	x.e.Notes("warning: "+titleModel+": ", r.Warnings)
	if x.Model != "" {
		if err := engine.Save(x.Model, m); err != nil {
			return nil, "", err
		}
	}
	x.model = m
	about := aboutModel(m, r)
	switch {
	case x.seen != nil:
		return seenModel{m, x.seen}, about, nil
	case m.Summary().Motion == "":
		return gridModel{m, x.frames.Layout}, about, nil
	}
	return motionModel{gridModel{m, x.frames.Layout}}, about + "; " + m.Summary().Motion, nil
}

// aboutModel tells what the model has learned.
func aboutModel(m *sgplvm.Model, r engine.Trained) string {
	p := m.Summary()
	var kernels []string
	for _, s := range p.Spatial {
		kernels = append(kernels, engine.KernelText(s.Kernel))
	}
	inTime := "in time " + engine.TimeKernelText(p.TimeKernel)
	if p.Idle {
		inTime = "none of them in use" // whatever their kernel in time
	}
	return fmt.Sprintf("%d latent dimensions, %s, %d inducing points, in space %s; latent kernel %s; %d steps (%s), bound %.6g, noise %s",
		p.LatentDims, inTime, p.Inducing, strings.Join(kernels, " and "), p.LatentKernel, r.Iterations, r.Status, r.Bound, cli.Numbers(p.Noise))
}
