package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/motion"
)

// A filmModel is a model of a film whose contents move: the model proper is one of the frames with
// their motion taken out. Frames are predicted at the training pixels and carried to where their
// contents are at the time, in one sampling by a spline at pixels of any size; what only
// finer pixels can show adds to the variance.
type filmModel struct {
	model  *sgplvm.Model
	moves  *motion.Motion
	detail *motion.Detail
	layout dataset.Layout // of the training frames
}

// The attributes of a model file that hold a film's motion and detail, as JSON.
const (
	attributeMotion = "motion"
	attributeDetail = "detail"
)

// keep writes motion and detail to the model's attributes.
func (f *filmModel) keep() error {
	for name, v := range map[string]any{attributeMotion: f.moves, attributeDetail: f.detail} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		f.model.Attributes()[name] = string(text)
	}
	return nil
}

// filmOf returns the film's model in a model; nil where it has no motion.
func filmOf(m *sgplvm.Model, layout dataset.Layout) (*filmModel, error) {
	f := &filmModel{model: m, moves: new(motion.Motion), detail: new(motion.Detail), layout: layout}
	if m.Attributes()[attributeMotion] == "" {
		return nil, nil
	}
	for name, v := range map[string]any{attributeMotion: f.moves, attributeDetail: f.detail} {
		if err := json.Unmarshal([]byte(m.Attributes()[name]), v); err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	return f, nil
}

// about tells the motion.
func (f *filmModel) about() string {
	if f.moves.Still() {
		return "no motion"
	}
	c := f.moves.Chosen()
	return fmt.Sprintf("motion of %d×%d nodes with strength %g", c.Across, c.Down, c.Strength)
}

// Predict predicts the frames at the times, which are held in memory together.
func (f *filmModel) Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error {
	latents, err := f.model.LatentAt(0, times)
	if err != nil {
		return err
	}
	return f.frames(ctx, latents, times, height, width, body)
}

// frames predicts the frames of latent posteriors at their times.
func (f *filmModel) frames(ctx context.Context, latents []sgplvm.Latent, times []float64, height, width int, body func(s baseline.Slab) error) error {
	fields, err := f.moves.At(0, times)
	if err != nil {
		return err
	}
	channels, size := f.layout.Channels, width*height*f.layout.Channels
	still := make([]motion.Frame, len(times))
	for i := range still {
		still[i] = motion.NewFrame(f.layout.Width, f.layout.Height, channels)
	}
	err = f.model.PredictSlabs(ctx, latents, nil, sgplvm.SlabOptions{Numbers: 1 << 23}, func(s sgplvm.Slab) error {
		for i := range still {
			last := s.First + s.Mean[i].Rows
			mat.Copy(still[i].Mean.Slice(s.First, last, 0, channels), s.Mean[i])
			mat.Copy(still[i].Variance.Slice(s.First, last, 0, channels), s.Variance[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	p := baseline.Slab{To: height, Mean: mat.New(len(times), size), Variance: mat.New(len(times), size)}
	for i, field := range fields {
		if err := ctx.Err(); err != nil {
			return err
		}
		frame := motion.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, channels, p.Mean.Row(i)), Variance: mat.NewDense(width*height, channels, p.Variance.Row(i))}
		field.Carry(frame, still[i])
		f.detail.AddTo(frame)
		still[i] = motion.Frame{}
	}
	return body(p)
}
