package film

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// A LeaveOut calls body with mean and variance of every registered frame as the others predict it, n_s×d_y
// each, in the order of the frames.
type LeaveOut func(ctx context.Context, body func(example int, mean, variance mat.Matrix) error) error

// Calibrated returns the film with what predicting each training frame from all others, its displacement too, tells:
// where and when variances are too small or too large, how errors of one frame are correlated, and
// how much detail there is where frames are only predicted. frames are those that New was given. progress
// is called after every frame with how many are done. Errors: those of leaveOut and progress; *data.ReadError.
func (f *Film) Calibrated(ctx context.Context, leaveOut LeaveOut, frames data.Source, progress func(done, total int) error) (*Film, error) {
	n, _, channels := frames.Dims()
	mixture, err := f.learnMixture(ctx, leaveOut, frames)
	if err != nil {
		return nil, err
	}
	mixed := *f
	f = &mixed
	f.mixture = mixture
	truth, predicted := f.frame(true), f.frame(true)
	width, height := f.shape.Width, f.shape.Height
	inflation := flow.NewInflation(width, height, f.shape.At)
	law := flow.NewDetailLaw(width, height, channels, n)
	patches := newPatches(width, height, n)
	err = leaveOut(ctx, func(i int, mean, variance mat.Matrix) error {
		if err := frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &data.ReadError{From: i, To: i + 1, Err: err}
		}
		registered := flow.Frame{Width: width, Height: height, Mean: mean, Variance: variance}
		if err := f.warp(predicted, registered, f.motion.FieldWithout(i), f.shape.At[i], i); err != nil {
			return err
		}
		inflation.Set(i, truth, predicted)
		law.Add(i, truth, predicted)
		patches.add(i, truth, predicted)
		if err := progress(i+1, n); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	inflation.Choose()
	f.inflation, f.detail = inflation, law.Detail()
	f.errors = patches.learn(inflation, f.shape.At)
	return f, nil
}

// learnMixture learns what the model's prediction is to be mixed with, from some of the frames.
func (f *Film) learnMixture(ctx context.Context, leaveOut LeaveOut, frames data.Source) (*flow.Mixture, error) {
	if len(f.shape.At) < 3 {
		return new(flow.Mixture), nil
	}
	law := flow.NewMixtureLaw(f.shape, f.frames.Variances())
	truth, predicted := f.frame(true), f.frame(true)
	err := leaveOut(ctx, func(i int, mean, variance mat.Matrix) error {
		if !law.Wants(i) {
			return ctx.Err()
		}
		if err := frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &data.ReadError{From: i, To: i + 1, Err: err}
		}
		registered := flow.Frame{Width: f.shape.Width, Height: f.shape.Height, Mean: mean, Variance: variance}
		if err := f.alone(predicted, registered, f.motion.FieldWithout(i), f.shape.At[i], i); err != nil {
			return err
		}
		others, err := f.motion.Others(f.frames, f.detail, f.shape.At[i], i, f.shape.Width, f.shape.Height)
		if err != nil {
			return err
		}
		law.Add(truth, predicted, others)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return law.Mixture(), nil
}
