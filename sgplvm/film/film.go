package film

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// Frame is a predicted picture: mean and variance of its pixels, row by row, a column for each channel.
type Frame = flow.Frame

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
// how much detail they have. d holds the frames (Source) and their times. progress, if not nil, is called
// with the number of candidates for the motion that have been tried. Errors: *sgplvm.ConfigError, *sgplvm.ReadError,
// *sgplvm.ValueError, ctx.Err().
func New(ctx context.Context, d sgplvm.Data, width, height int, progress func(tried int)) (*Film, error) {
	frames := d.Source
	_, _, channels := frames.Dims()
	f := &Film{shape: flow.Shape{Width: width, Height: height, Channels: channels, At: data.Instants(d.Times, d.Sequences)}}
	o := flow.Options{Width: width, Height: height}
	if progress != nil {
		tried := 0
		o.Progress = func(flow.Trial) { tried++; progress(tried) }
	}
	var err error
	if f.motion, err = flow.Fit(ctx, frames, d.Times, d.Sequences, o); err != nil {
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

// Register returns the frames with their motion taken out: what a model is to be trained on. Where no
// motion was found worth following, it returns frames themselves, and moves is false.
func (f *Film) Register(frames sgplvm.Source) (registered sgplvm.Source, moves bool) {
	return f.motion.Register(frames), !f.motion.Still()
}

// String tells the motion in one line, and over what time errors are alike where that was learned.
func (f *Film) String() string {
	text := f.motion.String()
	if reach := f.inflation.Reach(); reach > 0 {
		text += fmt.Sprintf(", variance inflation over %.4g", reach)
	}
	return text
}
