package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
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
	grid, err := dataset.Pixels(m.model.Space(), m.layout, w.width, w.height)
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

// A motionModel is the model with the motion of the frames' contents.
type motionModel struct{ *film.Film }

// predict has all frames in memory together.
func (m motionModel) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	latents, err := m.Model().LatentAt(0, w.times)
	if err != nil {
		return err
	}
	size := w.width * w.height * m.Model().Channels()
	s := baseline.Slab{To: w.height, Mean: mat.New(len(w.times), size), Variance: mat.New(len(w.times), size)}
	err = m.Predict(ctx, latents, w.width, w.height, func(i int, p film.Frame) error {
		copy(s.Mean.Row(i), p.Mean.Data)
		copy(s.Variance.Row(i), p.Variance.Data)
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
	space, err := dataset.Space(x.frames.Width, x.frames.Height, "product")
	if err != nil {
		return nil, "", err
	}
	cfg := sgplvm.Config{
		Space: space, LatentDims: x.Latent, Inducing: min(len(x.training), mostInducing), Seed: x.Seed,
		Dynamics:   sgplvm.Dynamics{Times: x.timesOf(x.training), Kernel: x.Kernel},
		Attributes: engine.Attributes(&x.frames.Form),
	}
	o := sgplvm.FitOptions{Iterations: x.Iterations}
	if x.Iterations == 0 && x.Quick {
		o.Iterations = 80
	}
	if x.Paper {
		if cfg.Dynamics.Kernel.Kind == selection.Automatic {
			cfg.Dynamics.Kernel = sgplvm.TimeKernel{Kind: sgplvm.Matern32}
		}
		return x.fitModel(ctx, sgplvm.Data{Source: x.learned()}, cfg, o, nil)
	}
	cfg.LatentKernel, cfg.LatentTime, o.Calibrate = sgplvm.LatentRBF|sgplvm.LatentTime, x.PartKernel, true
	if x.seen != nil { // which the model fills in on its grid, without motion
		cfg.LatentTime = selection.PartOrDefault(x.PartKernel)
		if x.Kernel.Kind == selection.Automatic {
			if cfg, err = x.selectSeen(ctx, cfg, o); err != nil {
				return nil, "", err
			}
		}
		return x.fitModel(ctx, sgplvm.Data{Source: x.learned()}, cfg, o, nil)
	}
	f, still, err := engine.NewFilm(ctx, x.e, x.learned(), cfg.Dynamics, x.frames.Layout)
	if err != nil {
		return nil, "", err
	}
	if cfg, err = engine.SelectTime(ctx, x.e, still, x.frames.Layout, cfg, o, x.Period); err != nil {
		return nil, "", err
	}
	return x.fitModel(ctx, sgplvm.Data{Source: still}, cfg, o, f)
}

// fitModel trains the model itself. f has the motion, without a model yet; it is nil where the model
// predicts frames by itself.
func (x *video) fitModel(ctx context.Context, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions, f *film.Film) (method, string, error) {
	m, r, err := engine.Train(ctx, x.e, data, cfg, o, f)
	if err != nil {
		return nil, "", err
	}
	for _, w := range r.Warnings {
		x.e.Note("warning: %s: %s", titleModel, w)
	}
	if f != nil {
		if err := engine.CalibrateFilm(ctx, x.e, f, m, x.learned()); err != nil {
			return nil, "", err
		}
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
	case f == nil:
		return gridModel{m, x.frames.Layout}, about, nil
	}
	return motionModel{f}, about + "; " + f.String(), nil
}

// idleVariance is the part of the time part's variance below which that of the latent variables' own
// counts for nothing.
const idleVariance = 1e-6

// aboutModel tells what the model has learned.
func aboutModel(m *sgplvm.Model, r engine.Trained) string {
	p := m.Params()
	var kernels []string
	for _, k := range p.Spatial {
		kernels = append(kernels, engine.KernelText(k))
	}
	inTime := "in time " + engine.TimeKernelText(p.Dynamics.Kernel)
	if k := p.Latent; k.Time.Variance > 0 && k.LengthScale != nil && k.Variance < idleVariance*k.Time.Variance {
		inTime = "none of them in use" // whatever their kernel in time
	}
	return fmt.Sprintf("%d latent dimensions, %s, %d inducing points, in space %s; latent kernel %s; %d steps (%s), bound %.6g, noise %s",
		p.Mu.Cols, inTime, p.Z.Rows, strings.Join(kernels, " and "), engine.LatentKernelText(p.Latent), r.Iterations, r.Status, r.Bound, cli.Numbers(m.Noise()))
}
