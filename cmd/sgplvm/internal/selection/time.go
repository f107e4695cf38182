package selection

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/source"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Automatic stands for a time kernel that is to be selected.
const Automatic sgplvm.KernelKind = "auto"

// ParseTimeKernel reads a time kernel, or auto.
func ParseTimeKernel(s string) (sgplvm.TimeKernel, error) {
	if s == string(Automatic) {
		return sgplvm.TimeKernel{Kind: Automatic}, nil
	}
	return sgplvm.ParseTimeKernel(s)
}

var (
	matern32 = sgplvm.TimeKernel{Kind: sgplvm.Matern32}
	withTime = sgplvm.LatentRBF | sgplvm.LatentTime
)

// roughTime and mixedTime are the candidates for the time part of large films: rough changes, or
// rough ones and smooth ones in shares that training finds. Those are the shares under which the
// values of a frame tell most of one another; rough changes alone may tell more of frames left out.
var (
	roughTime = sgplvm.TimeKernel{Kind: sgplvm.Matern12}
	mixedTime = sgplvm.TimeKernel{Kind: sgplvm.Sum, Terms: []sgplvm.TimeKernel{roughTime, matern32}}
)

// PartOrDefault returns the kernel of a time part where nothing is selected: auto is rough and
// smooth changes together.
func PartOrDefault(part sgplvm.TimeKernel) sgplvm.TimeKernel {
	if part.Kind == Automatic {
		return mixedTime
	}
	return part
}

// A timeCandidate says what a model knows of time, and how much of what a frame has beside its
// neighbours it takes for noise.
type timeCandidate struct {
	latent sgplvm.LatentParts
	kernel sgplvm.TimeKernel // of the latent variables
	floor  float64           // of the noise
}

// plainTime has no noise floor: what a frame has beside its neighbours is part of the picture.
var plainTime = timeCandidate{withTime, matern32, 0}

// apply returns cfg with the candidate; a time part has the kernel that cfg gives it, or Matérn 3/2.
func (c timeCandidate) apply(cfg sgplvm.Config) sgplvm.Config {
	cfg.LatentKernel, cfg.Dynamics.Kernel = c.latent, c.kernel
	switch {
	case c.latent&sgplvm.LatentTime == 0:
		cfg.LatentTime = sgplvm.TimeKernel{}
	case cfg.LatentTime.Kind == "":
		cfg.LatentTime = matern32
	}
	if c.floor > 0 {
		cfg.NoiseFloor, cfg.Noise = c.floor, 2*c.floor
	}
	return cfg
}

// PlainTime returns cfg for films too large for a selection among all candidates: with a time part
// and without a noise floor.
func PlainTime(cfg sgplvm.Config) sgplvm.Config { return plainTime.apply(cfg) }

// TimeCandidates returns cfg with each of the candidates beside PlainTime. The period is that of
// what repeats itself, 0 where nothing does.
func TimeCandidates(cfg sgplvm.Config, period float64) (all []sgplvm.Config) {
	list := []timeCandidate{
		{sgplvm.LatentRBF, matern32, 0.1}, {sgplvm.LatentRBF, matern32, 0.3}, {sgplvm.LatentRBF, matern32, 0.05},
		{withTime, matern32, 0.1}, {withTime, matern32, 0.3},
	}
	if period > 0 {
		seasons := sgplvm.TimeKernel{Kind: sgplvm.Sum, Terms: []sgplvm.TimeKernel{
			{Kind: sgplvm.Product, Terms: []sgplvm.TimeKernel{{Kind: sgplvm.RBF}, {Kind: sgplvm.Periodic, Period: period}}}, matern32}}
		list = append(list, timeCandidate{sgplvm.LatentRBF, seasons, 0.1}, timeCandidate{sgplvm.LatentRBF, seasons, 0.3})
	}
	for _, c := range list {
		all = append(all, c.apply(cfg))
	}
	return all
}

// defaultLatent is the number of latent dimensions of a selection where nobody says how many.
const defaultLatent = 16

// MostNumbers is how many numbers in the data there are at most for a selection among all
// candidates, and mostDownsampled how many of a larger film are left at most for that of its time
// part. Tests lower them.
var MostNumbers, mostDownsampled = 1000000, 1 << 21

// Frames are the training frames of a film.
type Frames struct {
	Source        sgplvm.Source
	Width, Height int // of a picture; not read unless a time part is selected

	// Space returns the spatial factors of pictures of another size.
	Space func(width, height int) ([]sgplvm.SpatialFactor, error)
}

// Time returns cfg with the time kernels in it that are Automatic selected: among all candidates,
// that of the time part being PartOrDefault's; in a film of more than MostNumbers numbers that of
// the time part alone, beside PlainTime. A model is trained with every candidate, and the one is
// taken under which whole examples are predicted best from all others: with the least mean negative
// log density (LeftOutDensities). Candidates that cannot be trained are passed over.
func Time(ctx context.Context, f Frames, cfg sgplvm.Config, o sgplvm.FitOptions, period float64, w Watcher) (sgplvm.Config, error) {
	n, points, channels := f.Source.Dims()
	all := cfg.Dynamics.Kernel.Kind == Automatic
	if n*points*channels > MostNumbers {
		if all {
			cfg = PlainTime(cfg)
		}
		if cfg.LatentTime.Kind == Automatic {
			return timePart(ctx, f, cfg, o, w)
		}
		return cfg, nil
	}
	cfg.LatentTime = PartOrDefault(cfg.LatentTime)
	if !all {
		return cfg, nil
	}
	if cfg.LatentDims == 0 {
		cfg.LatentDims = min(defaultLatent, n-1)
	}
	return byLeavingOut(ctx, "model selection, kernels of time", f.Source, append(TimeCandidates(cfg, period), PlainTime(cfg)), o, w)
}

// timePart returns cfg with the kernel of the time part, selected on frames of half the pixels each
// way, or fewer where that leaves more than mostDownsampled numbers.
func timePart(ctx context.Context, f Frames, cfg sgplvm.Config, o sgplvm.FitOptions, w Watcher) (sgplvm.Config, error) {
	const doing = "model selection, kernel of the time part"
	stop := w.Timing(doing)
	frames, width, height, err := source.Downsample(ctx, f.Source, f.Width, f.Height, mostDownsampled)
	stop()
	if err != nil {
		return cfg, err
	}
	small := cfg
	if small.Space, err = f.Space(width, height); err != nil {
		return cfg, err
	}
	for i := range small.Space {
		small.Space[i].Kernel = cfg.Space[i].Kernel
	}
	var candidates []sgplvm.Config
	for _, part := range []sgplvm.TimeKernel{roughTime, mixedTime} {
		small.LatentTime = part
		candidates = append(candidates, small)
	}
	best, err := byLeavingOut(ctx, doing, frames, candidates, o, w)
	cfg.LatentTime = best.LatentTime
	return cfg, err
}

// byLeavingOut returns the candidate under which examples left out are predicted best; doing is what
// the watcher calls that.
func byLeavingOut(ctx context.Context, doing string, examples sgplvm.Source, candidates []sgplvm.Config, o sgplvm.FitOptions, w Watcher) (sgplvm.Config, error) {
	tried := 0
	return Best(ctx, candidates, func(cfg sgplvm.Config) ([]float64, error) {
		tried++
		step, stop := w.Training(fmt.Sprintf("%s, %d of %d: ", doing, tried, len(candidates)))
		defer stop()
		m, err := sgplvm.New(sgplvm.Data{Source: examples}, cfg)
		if err != nil {
			return nil, err
		}
		o.Calibrate, o.Progress = true, step
		if _, err := m.Fit(ctx, o); err != nil {
			return nil, err
		}
		return m.LeftOutDensities(ctx)
	})
}
