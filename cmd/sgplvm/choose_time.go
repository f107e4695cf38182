package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
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

// roughTimeKernel and filmTimeKernel are the candidates for the time part of large films: rough
// changes, or rough ones and smooth ones in shares that training finds. Those are the shares under which the
// values of a frame tell most of one another; rough changes alone may tell more of frames left out.
var (
	roughTimeKernel = sgplvm.TimeKernel{Kind: sgplvm.Matern12}
	filmTimeKernel  = sgplvm.TimeKernel{Kind: sgplvm.Sum, Terms: []sgplvm.TimeKernel{roughTimeKernel, matern32}}
)

// partOrSum returns the kernel of a time part where nothing is chosen: auto is filmTimeKernel.
func partOrSum(part sgplvm.TimeKernel) sgplvm.TimeKernel {
	if part.Kind == automatic {
		return filmTimeKernel
	}
	return part
}

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

// plainTime is the setting of films too large for a choice among all: without a noise floor, what a
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

// Of a choice: the latent dimensions where nobody says how many, and by how many standard errors
// a later candidate must be better.
const (
	chosenLatent   = 16
	timePreference = 2
)

// mostToChoose is how many numbers in the data there are at most for a choice among all candidates, and
// mostShrunk how many of a larger film are left at most for that of its time part. Tests lower them.
var mostToChoose, mostShrunk = 1000000, 1 << 21

// chooseTime returns cfg with what is automatic in it chosen: among all candidates for the kernels
// of time, that of the time part being filmTimeKernel; in a film of more than mostToChoose numbers that of the
// time part alone, beside plainTime. A model is trained with every candidate, and the one is taken under
// which whole examples are predicted best from all others: with the least mean negative log
// density (LeftOutDensities). Candidates that cannot be trained are passed over. layout is that of
// the frames and read where a time part is chosen.
func chooseTime(ctx context.Context, e *environment, data sgplvm.Data, layout dataset.Layout, cfg sgplvm.Config, o sgplvm.FitOptions, period float64) (sgplvm.Config, error) {
	n, points, channels := data.Source.Dims()
	all := cfg.Dynamics.Kernel.Kind == automatic
	if n*points*channels > mostToChoose {
		if all {
			cfg = plainTime.apply(cfg)
		}
		if cfg.LatentTime.Kind == automatic {
			return choosePart(ctx, e, data.Source, layout, cfg, o)
		}
		return cfg, nil
	}
	cfg.LatentTime = partOrSum(cfg.LatentTime)
	if !all {
		return cfg, nil
	}
	if cfg.LatentDims == 0 {
		cfg.LatentDims = min(chosenLatent, n-1)
	}
	return chooseLeftOut(ctx, e, "choosing the kernels of time", data, withSettings(cfg, append(timeSettings(period), plainTime)), o)
}

// choosePart returns cfg with the kernel of the time part, chosen on frames of half the pixels each way, or
// fewer where that leaves more than mostShrunk numbers.
func choosePart(ctx context.Context, e *environment, frames sgplvm.Source, layout dataset.Layout, cfg sgplvm.Config, o sgplvm.FitOptions) (sgplvm.Config, error) {
	const doing = "choosing the kernel of the time part"
	stop := newProgress(e).timing(doing)
	frames, layout, err := shrunk(ctx, frames, layout)
	stop()
	if err != nil {
		return cfg, err
	}
	small, factors := cfg, "product"
	if len(cfg.Space) == 1 {
		factors = "joint"
	}
	if small.Space, err = dataset.Space(layout.Width, layout.Height, factors); err != nil {
		return cfg, err
	}
	for i := range small.Space {
		small.Space[i].Kernel = cfg.Space[i].Kernel
	}
	var candidates []sgplvm.Config
	for _, part := range []sgplvm.TimeKernel{roughTimeKernel, filmTimeKernel} {
		small.LatentTime = part
		candidates = append(candidates, small)
	}
	chosen, err := chooseLeftOut(ctx, e, doing, sgplvm.Data{Source: frames}, candidates, o)
	cfg.LatentTime = chosen.LatentTime
	return cfg, err
}

// withSettings returns cfg with each of the settings.
func withSettings(cfg sgplvm.Config, settings []timeSetting) (all []sgplvm.Config) {
	for _, s := range settings {
		all = append(all, s.apply(cfg))
	}
	return all
}

// chooseLeftOut returns the candidate under which examples left out are predicted best; doing is what
// the progress line calls that.
func chooseLeftOut(ctx context.Context, e *environment, doing string, data sgplvm.Data, candidates []sgplvm.Config, o sgplvm.FitOptions) (sgplvm.Config, error) {
	tried := 0
	return leastDensity(ctx, candidates, func(cfg sgplvm.Config) ([]float64, error) {
		tried++
		p := newProgress(e)
		p.task = fmt.Sprintf("%s, %d of %d: ", doing, tried, len(candidates))
		defer p.clear()
		return leftOut(ctx, p, data, cfg, o)
	})
}

// leastDensity returns the candidate whose examples score the least, a later one only where that is by
// more than chance makes it.
func leastDensity(ctx context.Context, candidates []sgplvm.Config, score func(cfg sgplvm.Config) ([]float64, error)) (chosen sgplvm.Config, failure error) {
	var best []float64
	for _, cfg := range candidates {
		scores, err := score(cfg)
		for i, v := range scores {
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				err = fmt.Errorf("example %d has the negative log density %v", i, v)
			}
		}
		if ctx.Err() != nil {
			return chosen, ctx.Err()
		}
		if err != nil {
			failure = err
			continue
		}
		if best == nil || betterBy(timePreference, scores, best) {
			best, chosen = scores, cfg
		}
	}
	if best == nil {
		return chosen, failure
	}
	return chosen, nil
}

// leftOut trains a model, which p shows, and returns the densities of the examples left out.
func leftOut(ctx context.Context, p *progress, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions) ([]float64, error) {
	m, err := sgplvm.New(data, cfg)
	if err != nil {
		return nil, err
	}
	o.Calibrate, o.Progress = true, p.training
	if _, err := m.Fit(ctx, o); err != nil {
		return nil, err
	}
	return m.LeftOutDensities(ctx)
}
