package film

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// slabNumbers is about how many numbers the model predicts at a time.
const slabNumbers = 1 << 23

// Predict predicts frames of width×height pixels at the times of latent posteriors, all of which
// must have one (Latent.At): it calls body with each, in order. A frame belongs to body until it
// returns. Beside the model it holds all frames at the training pixels. Errors: those of
// sgplvm.Model.PredictSlabs, *sgplvm.ConfigError for an unknown sequence, and those of body.
func (f *Film) Predict(ctx context.Context, latents []sgplvm.Latent, width, height int, body func(i int, p Frame) error) error {
	registered, err := f.predictRegistered(ctx, latents)
	if err != nil {
		return err
	}
	p := flow.NewFrame(width, height, f.shape.Channels)
	for i, l := range latents {
		if err := ctx.Err(); err != nil {
			return err
		}
		fields, err := f.motion.Fields(l.At.Sequence, []float64{l.At.Time})
		if err != nil {
			return err
		}
		if err := f.warp(p, registered[i], fields[0], *l.At, -1); err != nil {
			return err
		}
		registered[i] = Frame{}
		f.inflation.Apply(p, *l.At)
		f.detail.AddTo(p)
		if err := body(i, p); err != nil {
			return err
		}
	}
	return nil
}

// predictRegistered returns what the model predicts: frames in reference coordinates at the training pixels.
func (f *Film) predictRegistered(ctx context.Context, latents []sgplvm.Latent) ([]Frame, error) {
	frames := make([]Frame, len(latents))
	for i, l := range latents {
		if l.At == nil {
			return nil, &sgplvm.ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d has no time", i)}
		}
		frames[i] = f.frame()
	}
	err := f.model.PredictSlabs(ctx, latents, nil, sgplvm.SlabOptions{Numbers: slabNumbers}, func(s sgplvm.Slab) error {
		for i := range frames {
			last := s.First + s.Mean[i].Rows
			mat.Copy(frames[i].Mean.Slice(s.First, last, 0, f.shape.Channels), s.Mean[i])
			mat.Copy(frames[i].Variance.Slice(s.First, last, 0, f.shape.Channels), s.Variance[i])
		}
		return nil
	})
	return frames, err
}

// warp brings a frame from reference coordinates to a time, and adds the motion-compensated residual of
// all training frames but one (−1: of all).
func (f *Film) warp(dst, registered Frame, field flow.Field, at sgplvm.Instant, without int) error {
	field.Warp(dst, registered)
	return f.motion.AddResidual(dst, f.frames, field, at, without)
}

// frame returns a frame of zeros at the training pixels.
func (f *Film) frame() Frame { return flow.NewFrame(f.shape.Width, f.shape.Height, f.shape.Channels) }
