package film

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
)

// A LeaveOut calls body with mean and variance of every registered frame that is wanted as the others predict it, n_s×d_y
// each, in the order of the frames.
type LeaveOut func(ctx context.Context, wanted func(example int) bool, body func(example int, mean, variance mat.Matrix) error) error

// Calibrated returns the film with what predicting each training frame from all others, its displacement too, tells:
// where and when variances are too small or too large, and how errors of one frame are correlated. progress
// is called after every frame with how many are done. Errors: those of leaveOut and progress; *field.ReadError.
func (f *Film) Calibrated(ctx context.Context, leaveOut LeaveOut, progress func(done, total int) error) (*Film, error) {
	n := len(f.shape.At)
	mixed := *f
	f = &mixed
	var err error
	if err := f.learnMixture(ctx, leaveOut); err != nil {
		return nil, err
	}
	wanted := f.Examined()
	truth, predicted := f.frame(true), f.frame(true)
	width, height := f.shape.Width, f.shape.Height
	var learned inflation
	patches := newPatches(width, height, n)
	err = leaveOut(ctx, wanted, func(i int, mean, variance mat.Matrix) error {
		if err := f.frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		registered := frame.Frame{Width: width, Height: height, Mean: mean, Variance: variance}
		f.warp(predicted, registered, f.motion.LeftOut(i))
		learned.add(truth, predicted)
		patches.add(i, truth, predicted)
		if err := progress(i+1, n); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	f.inflation = learned.learned()
	f.errors = patches.learn(f.inflation.Factor)
	return f, nil
}

// calibrationWork is by experience how many times as long as a frame is predicted from those beside it what is learned from a pair of frames takes: each is judged by what
// the others tell (9 and 25 frames of 32×32 to 120×160 pixels: 0.14 to 0.24, and 0.15 to 0.21).
const calibrationWork = 0.17

// CalibrationTime returns how long Calibrated takes about, by predicting a frame in the middle from those beside it alone; 0 of no film, and of fewer than three
// frames, where there is nothing to predict.
func (f *Film) CalibrationTime() time.Duration {
	if f == nil {
		return 0
	}
	begin, n := time.Now(), len(f.shape.At)
	x := f.motion.LeftOut(n / 2)
	if n < 3 || x.Alone() {
		return 0
	}
	mixture.NewOthers(f.frames, f.detail, x, f.shape.Width, f.shape.Height)
	frames := mixture.NewLaw(f.motion, f.frames, f.examined).Frames()
	return time.Duration(calibrationWork * float64(frames*frames) * float64(time.Since(begin)))
}

// learnMixture learns what the model's prediction is to be mixed with, from some of the frames.
func (f *Film) learnMixture(ctx context.Context, leaveOut LeaveOut) error {
	f.mixture = new(mixture.Mixture)
	law := mixture.NewLaw(f.motion, f.frames, f.examined)
	truth, predicted := f.frame(true), f.frame(true)
	wanted := func(i int) bool { return law.Wants(i) && !f.motion.LeftOut(i).Alone() }
	err := leaveOut(ctx, wanted, func(i int, mean, variance mat.Matrix) error {
		x := f.motion.LeftOut(i)
		if err := f.frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		registered := frame.Frame{Width: f.shape.Width, Height: f.shape.Height, Mean: mean, Variance: variance}
		f.alone(predicted, registered)
		law.Add(truth, predicted, mixture.NewOthers(f.frames, f.detail, x, truth.Width, truth.Height))
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	f.mixture = law.Mixture()
	return nil
}
