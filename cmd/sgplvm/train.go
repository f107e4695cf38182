package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func train(ctx context.Context, e *cli.Environment, args []string) error {
	s := newTrainSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	frames, d, err := s.open()
	if err != nil {
		return err
	}
	defer frames.Close()
	cfg, err := s.config(frames, d.Grid)
	if err != nil {
		return err
	}
	return s.run(ctx, e, frames, d, cfg)
}

// open opens the training data: the frames, and with them their points and times.
func (s *trainSettings) open() (frames *dataset.Training, d sgplvm.Data, err error) {
	layout := cli.Layout(*s.grid, *s.channels)
	if *s.points != "" {
		if d.Grid, err = dataset.LoadPoints(*s.points); err != nil {
			return nil, d, err
		}
		if frames, err = dataset.OpenAt(*s.data, d.Grid.Len(), layout.Channels); err != nil {
			return nil, d, err
		}
	} else {
		if frames, err = dataset.Open(*s.data, layout); err != nil {
			return nil, d, err
		}
		if d.Grid, err = dataset.Grid(frames.Width, frames.Height, *s.factors); err != nil {
			frames.Close()
			return nil, d, s.f.Usagef("-factors: %v", err)
		}
	}
	d.Source = frames
	if err = dataset.CheckComplete(frames); err != nil {
		err = fmt.Errorf("%w (train needs complete pictures)", err)
	} else if *s.prior == "dynamic" {
		err = s.loadTimes(&d, &frames.Form)
	}
	if err != nil {
		frames.Close()
		return nil, d, err
	}
	return frames, d, nil
}

// loadTimes reads the times and sequences of a dynamical prior, where they are given.
func (s *trainSettings) loadTimes(d *sgplvm.Data, f *dataset.Form) (err error) {
	d.Times = f.Times
	switch {
	case *s.times != "":
		if d.Times, err = dataset.LoadTimes(*s.times, f.Count); err != nil {
			return err
		}
	case d.Times == nil:
		d.Times = engine.EvenTimes(f.Count, 1)
	}
	if *s.sequences != "" {
		d.Sequences, err = dataset.LoadSequences(*s.sequences, f.Count)
	}
	return err
}

// config returns the model's configuration.
func (s *trainSettings) config(frames *dataset.Training, grid sgplvm.Grid) (cfg sgplvm.Config, err error) {
	if *s.inducing > frames.Count {
		return cfg, s.f.Usagef("-inducing %d, expected at most %d, the number of pictures in %s", *s.inducing, frames.Count, *s.data)
	}
	cfg = sgplvm.Config{
		LatentDims: *s.latent, LatentKernel: *s.latentKernel, Inducing: *s.inducing, Noise: *s.noise, Seed: *s.seed,
		TimeKernel: s.timeKernel.Kernel, LatentTime: s.partKernel.Kernel, NoiseFloor: *s.floor,
		Residual:   sgplvm.ResidualConfig{Rounds: *s.rounds, Taper: *s.taper},
		Attributes: engine.Attributes(&frames.Form),
		Training:   s.training(),
	}
	if *s.local {
		cfg.Residual.Local = sgplvm.On
	}
	for range grid {
		k := kernel.Kernel{Kind: kernel.Kind(*s.spatial)}
		if *s.isotropic && k.Kind != kernel.White {
			k.LengthScale = []float64{2}
		}
		cfg.Spatial = append(cfg.Spatial, sgplvm.SpatialConfig{Kernel: k})
	}
	if *s.residual != "none" {
		if len(grid) != 1 {
			return cfg, s.f.Usagef("-residual %s with %d spatial factors, expected one: -factors joint (an exact scheme for products is not available)", *s.residual, len(grid))
		}
		cfg.Residual.Kernel.Kind = kernel.Kind(*s.residual)
	}
	return cfg, nil
}

// training returns how the model is trained.
func (s *trainSettings) training() sgplvm.TrainingConfig {
	o := sgplvm.TrainingConfig{Iterations: *s.iterations, Joint: *s.schedule == "joint", Restarts: *s.restarts, Truncate: *s.truncate,
		CoarsePoints: *s.coarse, Uncalibrated: *s.uncalibrated}
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
func (s *trainSettings) run(ctx context.Context, e *cli.Environment, frames *dataset.Training, d sgplvm.Data, cfg sgplvm.Config) error {
	part := s.partKernel.Auto
	if *s.motion {
		var err error
		if d, err = engine.Register(ctx, e, d); err != nil {
			return engine.AboutData(*s.data, err)
		}
		withTime := s.hasTimePart() || s.timeKernel.Auto
		part = part || cfg.LatentTime.Kind == "" && *s.residual == "none" && withTime
	}
	if s.timeKernel.Auto || part {
		var err error
		by := sgplvm.TimeSelection{Kernels: s.timeKernel.Auto, Part: part, Period: *s.period, Width: frames.Width, Height: frames.Height, MostNumbers: engine.MostNumbers, Watch: e}
		if cfg, err = sgplvm.SelectTime(ctx, d, cfg, by); err != nil {
			return engine.AboutData(*s.data, err)
		}
	}
	t, r, failure := engine.Fit(ctx, e, d, cfg)
	if failure != nil && (r.Iterations == 0 || !errors.Is(failure, context.Canceled)) {
		return engine.AboutData(*s.data, failure) // nothing was learned: leave an older model alone
	}
	m, err := t.Model()
	if err != nil {
		return err
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
