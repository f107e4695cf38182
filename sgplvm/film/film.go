package film

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

type (
	// Frame is a predicted picture: mean and variance of its pixels, row by row, a column for each channel.
	Frame = flow.Frame

	// Trial is a setting of the motion that was tried.
	Trial = flow.Trial
)

// Film predicts the frames of a film.
type Film struct {
	shape     flow.Shape
	motion    *flow.Motion
	frames    *flow.TrainingFrames
	detail    *flow.Detail
	inflation *flow.Inflation
	model     *sgplvm.Model // nil until Keep
}

// New measures how the contents of a film's frames of width×height pixels move, row by row, and
// how much detail they have. d tells their times. progress, if not nil, is called as each
// setting of the motion has been tried. Errors: *sgplvm.ConfigError, *sgplvm.ReadError,
// *sgplvm.ValueError, ctx.Err().
func New(ctx context.Context, frames sgplvm.Source, d sgplvm.Dynamics, width, height int, progress func(Trial)) (*Film, error) {
	_, _, channels := frames.Dims()
	f := &Film{shape: flow.Shape{Width: width, Height: height, Channels: channels, At: d.Instants()}}
	var err error
	if f.motion, err = flow.Fit(ctx, frames, d.Times, d.Sequences, flow.Options{Width: width, Height: height, Progress: progress}); err != nil {
		return nil, err
	}
	if f.frames, err = f.motion.TrainingFrames(ctx, frames); err != nil {
		return nil, err
	}
	if f.detail, err = flow.MeasureDetail(ctx, frames, width, height); err != nil {
		return nil, err
	}
	f.inflation = flow.NewInflation(width, height, f.shape.At)
	return f, nil
}

// Register returns the frames with their motion taken out: what a model is to be trained on. Where
// nothing moves it is frames itself.
func (f *Film) Register(frames sgplvm.Source) sgplvm.Source { return f.motion.Register(frames) }

// Still reports whether no motion was found worth following.
func (f *Film) Still() bool { return f.motion.Still() }

// Model returns the film's model, nil until Keep.
func (f *Film) Model() *sgplvm.Model { return f.model }

// String tells the motion in one line, and over what time errors are alike where that was learned.
func (f *Film) String() string {
	text := f.motion.String()
	if reach := f.inflation.Reach(); reach > 0 {
		text += fmt.Sprintf(", variance inflation over %.4g", reach)
	}
	return text
}
