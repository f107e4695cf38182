package film

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// Calibrate predicts every training frame from all others, its displacement too. From the errors it learns
// where and when variances are too small or too large, and how much detail there is where frames are
// only predicted. frames are those that New was given. progress, if not nil, is called after every frame
// with how many are done. Keep the film again afterwards.
// Errors: those of sgplvm.Model.LeaveOneOut; *sgplvm.ReadError.
func (f *Film) Calibrate(ctx context.Context, frames sgplvm.Source, progress func(done, total int)) error {
	n, _, channels := frames.Dims()
	truth, predicted := f.frame(), f.frame()
	width, height := f.shape.Width, f.shape.Height
	inflation := flow.NewInflation(width, height, f.shape.At)
	law := flow.NewDetailLaw(width, height, channels, n)
	err := f.model.LeaveOneOut(ctx, func(i int, mean, variance mat.Matrix) error {
		if err := frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &sgplvm.ReadError{From: i, To: i + 1, Err: err}
		}
		registered := Frame{Width: width, Height: height, Mean: mean, Variance: variance}
		if err := f.warp(predicted, registered, f.motion.FieldWithout(i), f.shape.At[i], i); err != nil {
			return err
		}
		inflation.Set(i, truth, predicted)
		law.Add(i, truth, predicted)
		if progress != nil {
			progress(i+1, n)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	inflation.Choose()
	f.inflation, f.detail = inflation, law.Detail()
	return nil
}
