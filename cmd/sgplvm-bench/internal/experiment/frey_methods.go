package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An attempt is what a method made of the experiment.
type attempt struct {
	filled           *engine.Result
	about            string // its settings
	learned, filling time.Duration
}

// A modelSetup is how a latent variable model is set up, trained and used.
type modelSetup struct {
	data   sgplvm.Data
	config sgplvm.Config
}

// setup returns that of a latent variable model: the one that the library chooses for the masks of the test
// pictures, or that of the paper. For the plain one every pixel is by itself.
func (x *frey) setup(name string) (modelSetup, error) {
	n := x.training.Count
	s := modelSetup{data: sgplvm.Data{Source: x.training}, config: sgplvm.Config{Seed: x.Seed}}
	grid, err := dataset.Grid(x.training.Width, x.training.Height, "auto")
	if err != nil {
		return s, err
	}
	if name == structured && !x.Paper {
		s.data.Grid, err = dataset.Grid(x.training.Width, x.training.Height, "product")
		for _, mask := range masks(values(x.seen)) {
			hidden := make([]bool, len(mask))
			for j, seen := range mask {
				hidden[j] = !seen
			}
			s.data.Hide = append(s.data.Hide, hidden)
		}
		if x.Quick {
			s.config.Effort = sgplvm.EffortQuick
		}
		return s, err
	}
	s.data.Grid = grid
	s.config = sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: min(30, n-1), Inducing: min(100, n), Seed: x.Seed}
	s.config.Training.Iterations = 400
	if x.Quick {
		s.config.Training.Iterations = 80
	}
	if x.Paper {
		s.config.Infer.Conditioning = sgplvm.ConditionMoments
	}
	if name == plain {
		for range grid {
			s.config.Spatial = append(s.config.Spatial, sgplvm.SpatialConfig{Kernel: kernel.Kernel{Kind: kernel.White}})
		}
	}
	return s, nil
}

// runModel trains one of the two latent variable models.
func (x *frey) runModel(ctx context.Context, name string) (attempt, error) {
	s, err := x.setup(name)
	if err != nil {
		return attempt{}, err
	}
	begin := time.Now()
	m, r, err := engine.Fit(ctx, sgplvm.Run{Watch: x.e}, s.data, s.config)
	if err != nil {
		return attempt{}, err
	}
	x.e.Notes("warning: "+freyTitles[name]+": ", r.Warnings)
	learned := time.Since(begin)
	begin = time.Now()
	filled, err := engine.Fill(ctx, x.e, m, &engine.Observations{Frames: x.seen}, sgplvm.InferOptions{})
	if err != nil {
		return attempt{}, err
	}
	about := fmt.Sprintf("%d steps (%s), bound %.6g, noise %s", r.Iterations, r.Status, r.Bound, cli.Numbers(m.Summary().Noise))
	if cfg, ok := m.Config(); ok {
		about = engine.ConfigText(cfg) + "; " + about
	}
	return attempt{filled, about, learned, time.Since(begin)}, nil
}

// Batch is how many pictures a baseline fills in before progress is shown. Tests lower it.
var Batch = 48

// runBaseline fits one of the baselines, its settings selected by cross-validation inside the
// training pictures under the masks of the others.
func (x *frey) runBaseline(ctx context.Context, name string) (attempt, error) {
	seen := values(x.seen)
	o := baseline.Options{Masks: masks(seen), Seed: x.Seed}
	if x.Quick {
		o.Folds, o.Cases = 5, 50
	}
	d := baseline.Data{Points: gridPoints(x.training.Width, x.training.Height), Channels: x.training.Channels, Pictures: values(x.training)}
	begin := time.Now()
	stop := x.e.Timing("cross-validation of " + freyTitles[name])
	m, err := baseline.Fit(ctx, baseline.Kind(name), d, o)
	stop()
	if err != nil {
		return attempt{}, err
	}
	learned := time.Since(begin)
	begin = time.Now()
	count, stop := x.e.Counting("filled", seen.Rows)
	defer stop()
	filled := engine.NewResult(seen.Rows, seen.Cols)
	for from := 0; from < seen.Rows; from += Batch {
		to := min(from+Batch, seen.Rows)
		prediction, err := m.Fill(ctx, seen.Slice(from, to, 0, seen.Cols))
		if err != nil {
			return attempt{}, err
		}
		copy(filled.Mean[from*seen.Cols:], prediction.Mean.Data)
		copy(filled.Variance[from*seen.Cols:], prediction.Variance.Data)
		count(to)
	}
	return attempt{filled, parametersText(m.Parameters()), learned, time.Since(begin)}, nil
}

// masks returns what is seen of each picture of which something is missing.
func masks(seen mat.Matrix) (list [][]bool) {
	for i := range seen.Rows {
		mask := make([]bool, seen.Cols)
		for j, v := range seen.Row(i) {
			mask[j] = !math.IsNaN(v)
		}
		if slices.Contains(mask, false) {
			list = append(list, mask)
		}
	}
	return list
}

// values returns all values of frames, a frame a row.
func values(f *dataset.Frames) mat.Matrix {
	v := mat.New(f.Count, f.Points()*f.Channels)
	for i := range f.Count {
		copy(v.Row(i), f.Values(i))
	}
	return v
}
