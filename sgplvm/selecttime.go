package sgplvm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// selectedLatent is the number of latent dimensions of a selection where nobody says how many.
const selectedLatent = 16

// mostDownsampled is how many numbers of a large film are left at most for the selection of its time
// part. Tests lower it.
var mostDownsampled = 1 << 21

// SelectTime returns cfg with what the selection asks for: of data of up to MostNumbers numbers the best of
// all candidates, by how well examples are predicted from all others (Trainer.LeftOutDensities), or,
// with Seen, by how well a quarter of the examples is filled in by a model of the others. Of larger
// films only the kernel of the time part is selected, on downsampled frames, and Kernels stands for a
// time part and Matérn 3/2 without a noise floor. Candidates that cannot be trained are passed over.
// Errors: those of NewTrainer and Trainer.Fit, where no candidate can be trained; ctx.Err().
func SelectTime(ctx context.Context, d Data, cfg Config, o TimeSelection) (Config, error) {
	d, err := d.checked()
	if err != nil {
		return cfg, err
	}
	n, points, channels := d.Source.Dims()
	if d.Times == nil {
		return cfg, &ConfigError{Field: "Times", Err: fmt.Errorf("none, expected one for each example")}
	}
	large := n*points*channels > cmp.Or(o.MostNumbers, 1000000)
	switch {
	case len(o.Seen) > 0:
		return selectSeen(ctx, d, cfg, o, large)
	case large:
		if o.Kernels {
			cfg = plainTime.apply(cfg)
		}
		if o.Part {
			return selectTimePart(ctx, d, cfg, o)
		}
		return cfg, nil
	}
	if o.Part {
		cfg.LatentTime = mixedTime
	}
	if !o.Kernels {
		return cfg, nil
	}
	if cfg.LatentDims == 0 {
		cfg.LatentDims = min(selectedLatent, n-1)
	}
	return byLeavingOut(ctx, "model selection, kernels of time", d, append(timeCandidates(cfg, o.Period), plainTime.apply(cfg)), o.Watch)
}

// selectTimePart returns cfg with the kernel of the time part, selected on frames of half the pixels each
// way, or fewer where that leaves more than mostDownsampled numbers.
func selectTimePart(ctx context.Context, d Data, cfg Config, o TimeSelection) (Config, error) {
	const doing = "model selection, kernel of the time part"
	if o.Width*o.Height != d.Grid.Len() {
		return cfg, &ConfigError{Field: "TimeSelection", Err: fmt.Errorf("pictures of %d×%d pixels, expected %d points", o.Width, o.Height, d.Grid.Len())}
	}
	stop := watcherOf(o.Watch).Timing(doing)
	small := d
	small.registered = nil
	source, width, height, err := data.Downsample(ctx, d.Source, o.Width, o.Height, mostDownsampled)
	stop()
	if err != nil {
		return cfg, err
	}
	small.Source, small.Grid = source, pixelGrid(width, height, len(d.Grid))
	var candidates []Config
	for _, part := range []kernel.Kernel{roughTime, mixedTime} {
		c := cfg
		c.LatentTime = part
		candidates = append(candidates, c)
	}
	best, err := byLeavingOut(ctx, doing, small, candidates, o.Watch)
	cfg.LatentTime = best.LatentTime
	return cfg, err
}

// pixelGrid returns the pixels of a picture, (row, column), as one factor or as a factor each.
func pixelGrid(width, height, factors int) Grid {
	count := func(n int) mat.Matrix {
		x := mat.New(n, 1)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return x
	}
	if factors == 2 {
		return Grid{count(height), count(width)}
	}
	x := mat.New(height*width, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/width))
		x.Set(i, 1, float64(i%width))
	}
	return Grid{x}
}

// byLeavingOut returns the candidate under which examples left out are predicted best; doing is what
// the watcher calls that.
func byLeavingOut(ctx context.Context, doing string, d Data, candidates []Config, w Watcher) (Config, error) {
	tried := 0
	return bestOf(ctx, candidates, func(cfg Config) ([]float64, error) {
		tried++
		step, stop := watcherOf(w).Training(fmt.Sprintf("%s, %d of %d: ", doing, tried, len(candidates)))
		defer stop()
		cfg.Training.Progress, cfg.Training.Uncalibrated = step, false
		t, err := NewTrainer(d, cfg)
		if err != nil {
			return nil, err
		}
		if _, err := t.Fit(ctx); err != nil {
			return nil, err
		}
		return t.LeftOutDensities(ctx)
	})
}
