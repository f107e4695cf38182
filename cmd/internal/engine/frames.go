package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Frames predicts the frames at some latent posteriors, as many together as memory allows.
type Frames struct {
	e         *cli.Environment
	model     *sgplvm.Model
	latents   []sgplvm.Latent
	grid      OutputGrid
	verb      string // what progress says is done to them
	variances bool
}

// NewFrames returns the frames of a model; verb is what progress says is done to them.
func NewFrames(e *cli.Environment, verb string, m *sgplvm.Model, latents []sgplvm.Latent, g OutputGrid) *Frames {
	return &Frames{e: e, model: m, latents: latents, grid: g, verb: verb}
}

// GroupNumbers is about how many numbers the frames that are predicted together have, 256 MiB.
// Tests lower it.
var GroupNumbers = 1 << 25

// Run gives the means of all frames to put, those of some frames at a time with the number of the
// first of them, and writes the variances where they are asked for.
func (f *Frames) Run(ctx context.Context, variance *Output, put func(first int, means []float64) error) error {
	f.variances = variance.Given()
	return variance.Stream(func(putVariance func([]float64) error) error {
		return f.predict(ctx, func(first int, means, variances []float64) error {
			if err := put(first, means); err != nil {
				return err
			}
			return putVariance(variances)
		})
	})
}

// All returns the means and the variances of all frames.
func (f *Frames) All(ctx context.Context) (means, variances []float64, err error) {
	f.variances = true
	err = f.predict(ctx, func(_ int, m, v []float64) error {
		means, variances = append(means, m...), append(variances, v...)
		return nil
	})
	return means, variances, err
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
	if f.variances {
		numbers *= 2
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
	begin, told := time.Now(), false
	for first := 0; first < len(f.latents); first += together {
		group := f.latents[first:min(first+together, len(f.latents))]
		means := means[:len(group)*size]
		if f.variances {
			variances = variances[:len(means)]
		}
		err := f.group(ctx, group, means, variances, func(done float64) {
			done += float64(first)
			left := time.Duration(float64(time.Since(begin)) * (float64(len(f.latents)) - done) / done)
			p.Show("%s %d/%d pictures  %s left", f.verb, int(done), len(f.latents), left.Round(time.Second))
			if !told && done > float64(len(f.latents))/20 {
				told = true
				f.e.Remaining(left)
			}
		})
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

// group predicts some frames, slab by slab; done is told how many of them that makes.
func (f *Frames) group(ctx context.Context, group []sgplvm.Latent, means, variances []float64, done func(frames float64)) error {
	size, channels, predicted := f.grid.Size(), f.grid.Layout.Channels, 0.
	return f.model.PredictSlabs(ctx, group, f.grid.Points, sgplvm.SlabOptions{MeanOnly: !f.variances}, func(s sgplvm.Slab) error {
		mat.Parallel(len(s.Mean), func(i int) {
			from, n := (s.Latent+i)*size+s.First*channels, s.Mean[i].Rows
			mat.Copy(mat.NewDense(n, channels, means[from:from+n*channels]), s.Mean[i])
			if f.variances {
				mat.Copy(mat.NewDense(n, channels, variances[from:from+n*channels]), s.Variance[i])
			}
		})
		predicted += float64(len(s.Mean)) * float64(s.To-s.From) / float64(f.grid.Points[0].Rows)
		done(predicted)
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
