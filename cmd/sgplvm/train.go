package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

func train(ctx context.Context, e *cli.Environment, args []string) error {
	s := newTrainSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	frames, space, err := s.open()
	if err != nil {
		return err
	}
	defer frames.Close()
	cfg, err := s.config(frames, space)
	if err != nil {
		return err
	}
	return s.run(ctx, e, frames, cfg)
}

// open opens the training data with the space in which they were seen.
func (s *trainSettings) open() (frames *dataset.Training, space []sgplvm.SpatialFactor, err error) {
	layout := cli.Layout(*s.grid, *s.channels)
	if *s.points != "" {
		grid, err := dataset.LoadPoints(*s.points)
		if err != nil {
			return nil, nil, err
		}
		space = []sgplvm.SpatialFactor{{X: grid[0]}}
		frames, err = dataset.OpenAt(*s.data, grid.Len(), layout.Channels)
		if err != nil {
			return nil, nil, err
		}
	} else {
		if frames, err = dataset.Open(*s.data, layout); err != nil {
			return nil, nil, err
		}
		if space, err = dataset.Space(frames.Width, frames.Height, *s.factors); err != nil {
			frames.Close()
			return nil, nil, s.f.Usagef("-factors: %v", err)
		}
	}
	if err := frames.CheckComplete(); err != nil {
		frames.Close()
		return nil, nil, fmt.Errorf("%w (train needs complete pictures)", err)
	}
	kind := sgplvm.KernelKind(*s.spatial)
	for i := range space {
		space[i].Kernel.Kind = kind
		if *s.isotropic && kind != sgplvm.White {
			space[i].Kernel.LengthScale = []float64{2}
		}
	}
	return frames, space, nil
}

// config returns the model's configuration.
func (s *trainSettings) config(frames *dataset.Training, space []sgplvm.SpatialFactor) (cfg sgplvm.Config, err error) {
	if *s.inducing > frames.Count {
		return cfg, s.f.Usagef("-inducing %d, expected at most %d, the number of pictures in %s", *s.inducing, frames.Count, *s.data)
	}
	cfg = sgplvm.Config{
		Space: space, LatentDims: *s.latent, LatentKernel: *s.latentKernel, Inducing: *s.inducing, Noise: *s.noise, Seed: *s.seed,
		LatentTime: *s.partKernel, NoiseFloor: *s.floor,
		Attributes: engine.Attributes(&frames.Form),
	}
	if *s.residual != "none" {
		if len(space) != 1 {
			return cfg, s.f.Usagef("-residual %s with %d spatial factors, expected one: -factors joint (an exact scheme for products is not available)", *s.residual, len(space))
		}
		cfg.Residual.Kind = sgplvm.KernelKind(*s.residual)
	}
	if *s.prior == "dynamic" {
		cfg.Dynamics, err = s.dynamics(&frames.Form)
	}
	return cfg, err
}

// dynamics reads the times and sequences of a dynamical prior, where they are given.
func (s *trainSettings) dynamics(f *dataset.Form) (d sgplvm.Dynamics, err error) {
	d = sgplvm.Dynamics{Times: f.Times, Kernel: *s.timeKernel}
	switch {
	case *s.times != "":
		if d.Times, err = dataset.LoadTimes(*s.times, f.Count); err != nil {
			return d, err
		}
	case d.Times == nil:
		d.Times = dataset.EvenTimes(f.Count, 1)
	}
	if *s.sequences != "" {
		d.Sequences, err = dataset.LoadSequences(*s.sequences, f.Count)
	}
	return d, err
}

// options returns how the model is trained.
func (s *trainSettings) options(cfg sgplvm.Config) sgplvm.FitOptions {
	o := sgplvm.FitOptions{Iterations: *s.iterations, Schedule: sgplvm.Schedule(*s.schedule), Restarts: *s.restarts, Truncate: *s.truncate,
		CoarsePoints: *s.coarse, Calibrate: cfg.Dynamics.Times != nil && cfg.Residual.Kind == "" && !*s.uncalibrated,
		ResidualRounds: *s.rounds, ResidualTaper: *s.taper, LocalResiduals: *s.local}
	switch *s.warmup {
	case -1:
	case 0:
		o.Warmup = -1
	default:
		o.Warmup = *s.warmup
	}
	return o
}

// run trains and writes the model, also one whose training was interrupted.
func (s *trainSettings) run(ctx context.Context, e *cli.Environment, frames *dataset.Training, cfg sgplvm.Config) error {
	data, o := frames.Data(), s.options(cfg)
	var moving *film.Film
	if *s.motion {
		f, still, err := engine.NewFilm(ctx, e, frames, cfg.Dynamics, frames.Layout)
		if err != nil {
			return engine.AboutData(*s.data, err)
		}
		moving, data = f, sgplvm.Data{Source: still}
		withTime := cfg.LatentKernel&sgplvm.LatentTime != 0 || cfg.Dynamics.Kernel.Kind == selection.Automatic
		if cfg.LatentTime.Kind == "" && cfg.Residual.Kind == "" && withTime {
			cfg.LatentTime.Kind = selection.Automatic
		}
	}
	cfg, err := engine.SelectTime(ctx, e, data.Source, frames.Layout, cfg, o, *s.period)
	if err != nil {
		return engine.AboutData(*s.data, err)
	}
	m, r, failure := engine.Train(ctx, e, data, cfg, o, moving)
	if failure != nil && (r.Iterations == 0 || !errors.Is(failure, context.Canceled)) {
		return engine.AboutData(*s.data, failure) // nothing was learned: leave an older model alone
	}
	if moving != nil && failure == nil && o.Calibrate {
		failure = engine.CalibrateFilm(ctx, e, moving, m, frames)
	}
	if err := engine.Save(*s.out, m); err != nil {
		return err
	}
	engine.Report(e, m, r)
	if failure != nil {
		e.Note("wrote %s as it was after step %d", *s.out, r.Iterations)
	}
	return failure
}
