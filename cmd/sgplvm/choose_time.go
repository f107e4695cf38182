package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// automatic stands for a time kernel that is to be chosen.
const automatic sgplvm.KernelKind = "auto"

// parseKernelOrAuto reads a time kernel, or auto.
func parseKernelOrAuto(s string) (sgplvm.TimeKernel, error) {
	if s == string(automatic) {
		return sgplvm.TimeKernel{Kind: automatic}, nil
	}
	return sgplvm.ParseTimeKernel(s)
}

// A timeSetting is how much of what a frame has beside its neighbours a model takes for noise,
// and what it says about time.
type timeSetting struct {
	latent sgplvm.LatentParts
	kernel sgplvm.TimeKernel // of the latent variables
	floor  float64
}

var (
	matern32   = sgplvm.TimeKernel{Kind: sgplvm.Matern32}
	timeParted = sgplvm.LatentRBF | sgplvm.LatentTime
)

// timeSettings are the candidates beside plainTime. An earlier one is preferred where a later one is
// no better than chance makes it.
func timeSettings(period float64) []timeSetting {
	all := []timeSetting{
		{sgplvm.LatentRBF, matern32, 0.1}, {sgplvm.LatentRBF, matern32, 0.3}, {sgplvm.LatentRBF, matern32, 0.05},
		{timeParted, matern32, 0.1}, {timeParted, matern32, 0.3},
	}
	if period > 0 {
		seasons := sgplvm.TimeKernel{Kind: sgplvm.Sum, Terms: []sgplvm.TimeKernel{
			{Kind: sgplvm.Product, Terms: []sgplvm.TimeKernel{{Kind: sgplvm.RBF}, {Kind: sgplvm.Periodic, Period: period}}}, matern32}}
		all = append(all, timeSetting{sgplvm.LatentRBF, seasons, 0.1}, timeSetting{sgplvm.LatentRBF, seasons, 0.3})
	}
	return all
}

// plainTime is the setting of films too large for a choice: without a noise floor, what a
// frame has beside its neighbours is part of the picture.
var plainTime = timeSetting{timeParted, matern32, 0}

// apply returns cfg with the setting; a time part has the kernel that cfg gives it, or Matérn 3/2.
func (s timeSetting) apply(cfg sgplvm.Config) sgplvm.Config {
	cfg.LatentKernel, cfg.Dynamics.Kernel = s.latent, s.kernel
	switch {
	case s.latent&sgplvm.LatentTime == 0:
		cfg.LatentTime = sgplvm.TimeKernel{}
	case cfg.LatentTime.Kind == "":
		cfg.LatentTime = matern32
	}
	if s.floor > 0 {
		cfg.NoiseFloor, cfg.Noise = s.floor, 2*s.floor
	}
	return cfg
}

// Of a choice: the numbers in the data beyond which there is none, the latent dimensions where
// nobody says how many, and by how many standard errors a later candidate must be better.
const (
	mostToChoose   = 1000000
	chosenLatent   = 16
	timePreference = 2
)

// chooseTime trains a model with every candidate and returns cfg with the one under which whole
// examples are predicted best from all others: with the least mean negative log density
// (LeftOutDensities). Candidates that cannot be trained are passed over.
func chooseTime(ctx context.Context, e *environment, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions, period float64) (sgplvm.Config, error) {
	n, points, channels := data.Source.Dims()
	if n*points*channels > mostToChoose {
		return plainTime.apply(cfg), nil
	}
	if cfg.LatentDims == 0 {
		cfg.LatentDims = min(chosenLatent, n-1)
	}
	return leastDensity(ctx, cfg, append(timeSettings(period), plainTime), func(cfg sgplvm.Config) ([]float64, error) {
		return leftOut(ctx, e, data, cfg, o)
	})
}

// leastDensity returns cfg with the candidate whose examples score the least, by more than chance
// makes it.
func leastDensity(ctx context.Context, cfg sgplvm.Config, candidates []timeSetting, score func(cfg sgplvm.Config) ([]float64, error)) (sgplvm.Config, error) {
	var best []float64
	var chosen timeSetting
	var failure error
	for _, s := range candidates {
		scores, err := score(s.apply(cfg))
		for i, v := range scores {
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				err = fmt.Errorf("example %d has the negative log density %v", i, v)
			}
		}
		if ctx.Err() != nil {
			return cfg, ctx.Err()
		}
		if err != nil {
			failure = err
			continue
		}
		if best == nil || betterBy(timePreference, scores, best) {
			best, chosen = scores, s
		}
	}
	if best == nil {
		return cfg, failure
	}
	return chosen.apply(cfg), nil
}

// leftOut trains a model and returns the densities of the examples left out.
func leftOut(ctx context.Context, e *environment, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions) ([]float64, error) {
	m, err := sgplvm.New(data, cfg)
	if err != nil {
		return nil, err
	}
	o.Calibrate = true
	if _, err := fit(ctx, e, m, o); err != nil {
		return nil, err
	}
	return m.LeftOutDensities(ctx)
}
