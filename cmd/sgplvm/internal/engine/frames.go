package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// Frames predicts the frames at some latent posteriors, as many together as memory allows.
type Frames struct {
	e         *cli.Environment
	model     *sgplvm.Model
	film      *film.Film // nil where the model predicts frames by itself
	latents   []sgplvm.Latent
	grid      OutputGrid
	verb      string // what progress says is done to them
	variances bool
}

// NewFrames returns the frames of a model from a file, with their motion where the model has it; verb is
// what progress says is done to them.
func NewFrames(e *cli.Environment, path, verb string, m *sgplvm.Model, latents []sgplvm.Latent, g OutputGrid) (*Frames, error) {
	f, err := film.Of(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Frames{e: e, model: m, film: f, latents: latents, grid: g, verb: verb}, nil
}

// GroupNumbers is about how many numbers the frames that are predicted together have, 1 GiB.
// Tests lower it.
var GroupNumbers = 1 << 27

// Run gives the means of all frames to put, those of some frames at a time with the number of the
// first of them, and writes the variances to a file if it has a name.
func (f *Frames) Run(ctx context.Context, variance string, put func(first int, means []float64) error) error {
	if variance == "" {
		return f.predict(ctx, func(first int, means, _ []float64) error { return put(first, means) })
	}
	f.variances = true
	return files.StreamNPY(variance, f.grid.Shape(len(f.latents)), npy.Float64, func(putVariance func([]float64) error) error {
		return f.predict(ctx, func(first int, means, variances []float64) error {
			if err := put(first, means); err != nil {
				return err
			}
			return putVariance(variances)
		})
	})
}

// Pictures returns the pictures with the given values.
func (f *Frames) Pictures(values []float64) []picture.Picture {
	var p []picture.Picture
	for size := f.grid.Size(); len(values) > 0; values = values[size:] {
		p = append(p, picture.Picture{Layout: f.grid.Layout, Values: values[:size]})
	}
	return p
}

// together returns how many frames are predicted together: groups of about the same size.
func (f *Frames) together() int {
	numbers := f.grid.Size()
	if f.variances || f.film != nil {
		numbers *= 2
	}
	if f.film != nil {
		numbers *= 2 // with the frames in reference coordinates
	}
	n := min(len(f.latents), max(1, GroupNumbers/numbers))
	groups := (len(f.latents) + n - 1) / n
	return (len(f.latents) + groups - 1) / groups
}

func (f *Frames) predict(ctx context.Context, put func(first int, means, variances []float64) error) error {
	size, together := f.grid.Size(), f.together()
	var variances []float64
	means := make([]float64, together*size)
	if f.variances {
		variances = make([]float64, together*size)
	}
	p := cli.NewProgress(f.e)
	defer p.Clear()
	begin := time.Now()
	for first := 0; first < len(f.latents); first += together {
		group := f.latents[first:min(first+together, len(f.latents))]
		means := means[:len(group)*size]
		if f.variances {
			variances = variances[:len(means)]
		}
		var err error
		if f.film != nil {
			if err = f.withMotion(ctx, group, means, variances); err == nil {
				p.Count(f.verb, first+len(group), len(f.latents), begin)
			}
		} else {
			err = f.still(ctx, group, means, variances, func(done float64) {
				done += float64(first)
				left := time.Duration(float64(time.Since(begin)) * (float64(len(f.latents)) - done) / done)
				p.Show("%s %d/%d pictures  %s left", f.verb, int(done), len(f.latents), left.Round(time.Second))
			})
		}
		if err == nil {
			err = f.check(first, means, variances)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = put(first, means, variances)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withMotion predicts the frames of a film with motion.
func (f *Frames) withMotion(ctx context.Context, group []sgplvm.Latent, means, variances []float64) error {
	size := f.grid.Size()
	return f.film.Predict(ctx, group, f.grid.Layout.Width, f.grid.Layout.Height, func(i int, p film.Frame) error {
		copy(means[i*size:], p.Mean.Data)
		if f.variances {
			copy(variances[i*size:], p.Variance.Data)
		}
		return nil
	})
}

// still predicts frames with the model alone, slab by slab; done is told how many of them that makes.
func (f *Frames) still(ctx context.Context, group []sgplvm.Latent, means, variances []float64, done func(frames float64)) error {
	size, channels := f.grid.Size(), f.grid.Layout.Channels
	return f.model.PredictSlabs(ctx, group, f.grid.Points, sgplvm.SlabOptions{MeanOnly: !f.variances}, func(s sgplvm.Slab) error {
		mat.Parallel(len(group), func(i int) {
			from, n := i*size+s.First*channels, s.Mean[i].Rows
			mat.Copy(mat.NewDense(n, channels, means[from:from+n*channels]), s.Mean[i])
			if f.variances {
				mat.Copy(mat.NewDense(n, channels, variances[from:from+n*channels]), s.Variance[i])
			}
		})
		done(float64(len(group)) * float64(s.To) / float64(f.grid.Points[0].Rows))
		return nil
	})
}

// check refuses frames that are no numbers; first is the number of the first of them.
func (f *Frames) check(first int, means, variances []float64) error {
	size, channels := f.grid.Size(), f.grid.Layout.Channels
	for i, v := range means {
		if v-v != 0 || f.variances && !(variances[i] > 0 && variances[i]-variances[i] == 0) {
			return fmt.Errorf("picture %d, point %d, channel %d: predicted %v, expected a finite number with a positive variance", first+i/size, i%size/channels, i%channels, v)
		}
	}
	return nil
}

// EvenTimes returns the times 0, 1/rate, 2/rate, … of n frames; rate is the number of frames in a
// unit of time.
func EvenTimes(n int, rate float64) []float64 {
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i) / rate
	}
	return times
}
