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
	truth, predicted := f.frame(true), f.frame(true)
	width, height := f.shape.Width, f.shape.Height
	inflation := flow.NewInflation(width, height, f.shape.At)
	law := flow.NewDetailLaw(width, height, channels, n)
	patches := newPatches(width, height, n)
	err := leaveOut(ctx, func(i int, mean, variance mat.Matrix) error {
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
	c := *f
	c.inflation, c.detail = inflation, law.Detail()
	c.errors = patches.learn(inflation, f.shape.At)
	return &c, nil
}
