package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
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

// trainModel trains the model: as published; on frames of which others are seen in part, with a time
// part; else with a time part on the frames with their motion taken out.
func (x *video) trainModel(ctx context.Context) (method, string, error) {
	grid, err := dataset.Grid(x.frames.Width, x.frames.Height, "product")
	if err != nil {
		return nil, "", err
	}
	d := sgplvm.Data{Source: x.learned(), Grid: grid, Times: x.timesOf(x.training)}
	cfg := sgplvm.Config{
		LatentDims: x.Latent, Inducing: min(len(x.training), mostInducing), Seed: x.Seed, TimeKernel: x.Kernel.Kernel,
		Attributes: engine.Attributes(&x.frames.Form),
	}
	cfg.Training.Iterations = x.Iterations
	if x.Iterations == 0 && x.Quick {
		cfg.Training.Iterations = 80
	}
	if x.Paper {
		cfg.Training.Uncalibrated = true
		return x.fitModel(ctx, d, cfg)
	}
	cfg.LatentKernel, cfg.LatentTime = "rbf+time", x.PartKernel.Kernel
	by := sgplvm.TimeSelection{Kernels: x.Kernel.Auto, Part: x.PartKernel.Auto, Period: x.Period, Width: x.frames.Width, Height: x.frames.Height, MostNumbers: engine.MostNumbers, Watch: x.e}
	if x.seen != nil { // which the model fills in on its grid, without motion
		by.Seen = x.masks()
	} else if d, err = engine.Register(ctx, x.e, d); err != nil {
		return nil, "", err
	}
	if cfg, err = sgplvm.SelectTime(ctx, d, cfg, by); err != nil {
		return nil, "", err
	}
	return x.fitModel(ctx, d, cfg)
}

// masks returns what is seen of each frame to predict, value by value.
func (x *video) masks() (all [][]bool) {
	size, channels := x.frames.Points()*x.frames.Channels, x.frames.Channels
	for row := range len(x.seen.row) {
		observed := make([]bool, size)
		for j := range observed {
			observed[j] = x.seen.mask.Observed(row, j/channels, j%channels)
		}
		all = append(all, observed)
	}
	return all
}

// fitModel trains the model itself.
func (x *video) fitModel(ctx context.Context, d sgplvm.Data, cfg sgplvm.Config) (method, string, error) {
	t, r, err := engine.Fit(ctx, x.e, d, cfg)
	if err != nil {
		return nil, "", err
	}
	for _, w := range r.Warnings {
		x.e.Note("warning: %s: %s", titleModel, w)
	}
	m, err := t.Model()
	if err != nil {
		return nil, "", err
	}
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
	case !engine.Moves(m):
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
