package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

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

// newFilm measures how the contents of a film move, and its detail. It returns the film with its
// motion taken out, in memory: what the model is to be trained on, before keep takes it.
func newFilm(ctx context.Context, e *environment, source sgplvm.Source, d sgplvm.Dynamics, layout dataset.Layout) (*filmModel, sgplvm.Source, error) {
	frames, err := held(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	f := &filmModel{layout: layout}
	p := newProgress(e)
	defer p.clear()
	trials, begin := 0, time.Now()
	p.show("estimating motion")
	f.moves, err = motion.Fit(ctx, frames, d.Times, d.Sequences, motion.Options{Width: layout.Width, Height: layout.Height, Progress: func(motion.Trial) {
		trials++
		p.show("estimating motion  %d settings tried in %s", trials, time.Since(begin).Round(time.Second))
	}})
	if err != nil {
		return nil, nil, err
	}
	if f.detail, err = motion.MeasureDetail(ctx, frames, layout.Width, layout.Height); err != nil {
		return nil, nil, err
	}
	if !f.moves.Still() {
		if frames, err = held(ctx, f.moves.Register(frames)); err != nil {
			return nil, nil, err
		}
	}
	return f, frames, nil
}

// held reads a film into memory, with the precision of a float32.
func held(ctx context.Context, film sgplvm.Source) (sgplvm.Source, error) {
	n, points, channels := film.Dims()
	frame := make([]float64, points*channels)
	values := make([]float32, 0, n*len(frame))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := film.ReadExamples(frame, i, i+1); err != nil {
			return nil, err
		}
		for _, v := range frame {
			values = append(values, float32(v))
		}
	}
	return sgplvm.NewSource(values, n, points, channels), nil
}

// keep makes m the film's model, whose attributes hold motion and detail from then on.
func (f *filmModel) keep(m *sgplvm.Model) error {
	f.model = m
	for name, v := range map[string]any{attributeMotion: f.moves, attributeDetail: f.detail} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		m.Attributes()[name] = string(text)
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

// refuseFilm refuses a model of a film with motion for a command whose pictures are not carried.
func refuseFilm(command string, m *sgplvm.Model) error {
	if m.Attributes()[attributeMotion] != "" {
		return usagef("%s: a model of a film with motion (train -motion), expected one without: render knows how to use it", command)
	}
	return nil
}

// about tells the motion.
func (f *filmModel) about() string {
	if f.moves.Still() {
		return "nothing moves"
	}
	c, p := f.moves.Chosen(), f.moves.Process()
	return fmt.Sprintf("motion of %d×%d nodes, strength %.4g, in time %s(%.4g)", c.Across, c.Down, c.Strength, p.Kernel, p.LengthScale)
}

// Predict predicts the frames at the times, which are held in memory together.
func (f *filmModel) Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error {
	latents, err := f.model.LatentAt(0, times)
	if err != nil {
		return err
	}
	return f.frames(ctx, latents, height, width, body)
}

// frames predicts the frames of latent posteriors, each at its time, in one slab.
func (f *filmModel) frames(ctx context.Context, latents []sgplvm.Latent, height, width int, body func(s baseline.Slab) error) error {
	channels, size := f.layout.Channels, width*height*f.layout.Channels
	still := make([]motion.Frame, len(latents))
	for i := range still {
		still[i] = motion.NewFrame(f.layout.Width, f.layout.Height, channels)
	}
	err := f.model.PredictSlabs(ctx, latents, nil, sgplvm.SlabOptions{Numbers: 1 << 23}, func(s sgplvm.Slab) error {
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
	p := baseline.Slab{To: height, Mean: mat.New(len(latents), size), Variance: mat.New(len(latents), size)}
	for i, l := range latents {
		if err := ctx.Err(); err != nil {
			return err
		}
		fields, err := f.moves.At(l.At.Sequence, []float64{l.At.Time})
		if err != nil {
			return err
		}
		frame := motion.Frame{Width: width, Height: height, Mean: mat.NewDense(width*height, channels, p.Mean.Row(i)), Variance: mat.NewDense(width*height, channels, p.Variance.Row(i))}
		fields[0].Carry(frame, still[i])
		f.detail.AddTo(frame)
		still[i] = motion.Frame{}
	}
	return body(p)
}
