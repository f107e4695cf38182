package engine

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Frames predicts the frames at some latent posteriors, as many together as memory allows.
type Frames struct {
	e         *cli.Environment
	model     *sgplvm.Model
	latents   func(from, to int) ([]sgplvm.Latent, error)
	count     int
	grid      OutputGrid
	verb      string // what progress says is done to them
	variances bool
}

// NewFrames returns the frames of a model at count latent posteriors, of which latents returns some; verb is what progress says is done to them.
func NewFrames(e *cli.Environment, verb string, m *sgplvm.Model, count int, latents func(from, to int) ([]sgplvm.Latent, error), g OutputGrid) *Frames {
	return &Frames{e: e, model: m, latents: latents, count: count, grid: g, verb: verb}
}

// Some returns what gives some of a list.
func Some(list []sgplvm.Latent) func(from, to int) ([]sgplvm.Latent, error) {
	return func(from, to int) ([]sgplvm.Latent, error) { return list[from:to], nil }
}

// Run gives the means of all frames to put, those of some frames at a time, and writes the variances where they are asked for.
func (f *Frames) Run(ctx context.Context, variance *Output, put func(means []float64) error) error {
	f.variances = variance.Given()
	return variance.Stream(func(putVariance func([]float64) error) error {
		return f.predict(ctx, func(means, variances []float64) error {
			if err := put(means); err != nil {
				return err
			}
			return putVariance(variances)
		})
	})
}

// All returns the means and the variances of all frames.
func (f *Frames) All(ctx context.Context) (means, variances []float64, err error) {
	f.variances = true
	err = f.predict(ctx, func(m, v []float64) error {
		means, variances = append(means, m...), append(variances, v...)
		return nil
	})
	return means, variances, err
}

// A group of frames that were predicted together, or those of them that are of a part of the work.
type group struct{ Means, Variances []float64 }

func (f *Frames) predict(ctx context.Context, put func(means, variances []float64) error) error {
	return part.Run(f.e.Work, f.count, func(from, to int, put func(next int, g group) error) error {
		return f.between(ctx, from, to, put)
	}, func(_ int, g group) error { return put(g.Means, g.Variances) })
}

// between predicts the frames from ≤ i < to. Where others would be predicted together with them, one of these takes their places.
func (f *Frames) between(ctx context.Context, from, to int, put func(next int, g group) error) error {
	latents, err := f.latents(from, to)
	if err != nil || from == to {
		return err
	}
	size, together := f.grid.Size(), f.grid.together(f.count, f.variances)
	var variances []float64
	means := make([]float64, together*size)
	if f.variances {
		variances = make([]float64, together*size)
	}
	show, stop := f.e.Portions(Noun(f.model)+"s "+f.verb, to-from)
	defer stop()
	for first := from / together * together; first < to; first += together {
		some := make([]sgplvm.Latent, min(together, f.count-first))
		for i := range some {
			some[i] = latents[min(max(first+i, from), to-1)-from]
		}
		means := means[:len(some)*size]
		if f.variances {
			variances = variances[:len(means)]
		}
		err := f.group(ctx, some, means, variances, func(done float64) {
			show(min(max(done+float64(first-from), 0.5), float64(to-from)))
		})
		if err == nil {
			err = f.check(first, means, variances)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			begin, end := max(from-first, 0), min(to-first, len(some))
			g := group{Means: means[begin*size : end*size]}
			if f.variances {
				g.Variances = variances[begin*size : end*size]
			}
			err = put(first+end, g)
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
			return fmt.Errorf("%s %d, point %d, channel %d: predicted %v, expected a finite number with a positive variance", Noun(f.model), first+i/size, i%size/channels, i%channels, v)
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
