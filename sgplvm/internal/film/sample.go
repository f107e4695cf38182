package film

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Sample draws frames at the time of a latent posterior, each by itself.
func (m *Model) Sample(ctx context.Context, l field.Latent, g field.Grid, o field.SampleOptions) (field.Samples, error) {
	var none field.Samples
	d, err := m.newDrawing(g, []field.Latent{l}, o)
	if err != nil {
		return none, err
	}
	r, err := m.Posterior.Sample(ctx, l, nil, o)
	if err != nil {
		return none, err
	}
	for k, y := range r.Y {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		shown, err := d.show(o.From+k, 0, y)
		if err != nil {
			return none, err
		}
		r.Y[k] = shown.Values
	}
	return r, nil
}

// SampleFilm draws films: frames that belong together (predict.Posterior.SampleFilm). Deviations from the mean become as much
// larger as the variances of predictions do, and the detail that finer pixels show stays.
func (m *Model) SampleFilm(ctx context.Context, sequence int, times []float64, g field.Grid, o field.SampleOptions, body func(f field.SampledFrame) error) error {
	latents, err := m.Posterior.LatentAt(sequence, times)
	if err != nil {
		return err
	}
	d, err := m.newDrawing(g, latents, o)
	if err != nil {
		return err
	}
	return m.Posterior.SampleFilm(ctx, sequence, times, nil, o, func(f field.SampledFrame) error {
		shown, err := d.show(f.Draw, f.Frame, f.Values)
		if err != nil {
			return err
		}
		shown.Draw, shown.Frame = f.Draw, f.Frame
		return body(shown)
	})
}

// A drawing turns registered frames that were drawn into frames at the times of some latent posteriors of a sequence.
type drawing struct {
	*Model
	width, height int // of what is drawn, no coarser than the training pixels
	wanted        [2]int
	latents       []field.Latent
	seed          uint64
	moments       []motion.Moment // the likelier ones: films are cut half way between two shots
	draw          int             // whose detail is
	detail        mat.Matrix      // 0×0 where pixels are none finer than those of training
}

func (m *Model) newDrawing(g field.Grid, latents []field.Latent, o field.SampleOptions) (*drawing, error) {
	d := &drawing{Model: m, latents: latents, seed: o.Seed, draw: -1}
	var err error
	if d.wanted[0], d.wanted[1], err = m.sizeOn(m.Posterior.Grid(), g); err != nil {
		return nil, err
	}
	d.width, d.height = max(d.wanted[0], m.shape.Width), max(d.wanted[1], m.shape.Height)
	if err := timed(latents); err != nil || len(latents) == 0 {
		return d, err
	}
	for _, l := range latents {
		moments, err := m.motion.Moments(*l.At)
		if err != nil {
			return nil, err
		}
		d.moments = append(d.moments, slices.MaxFunc(moments, func(a, b motion.Moment) int { return cmp.Compare(a.Chance, b.Chance) }))
	}
	return d, nil
}

// show returns frame i of a draw, given its registered frame. Deviations from the mean are made as much larger as
// what variances become of those that the model alone expects.
func (d *drawing) show(draw, i int, values mat.Matrix) (field.SampledFrame, error) {
	mean, err := d.registered(new(field.Prediction), d.latents[i])
	if err != nil {
		return field.SampledFrame{}, err
	}
	expected, drawn := d.room(d.width, d.height, true), d.room(d.width, d.height, true)
	d.alone(expected, mean)
	own := frame.Frame{Width: d.width, Height: d.height, Mean: drawn.Mean}
	registered := frame.Frame{Width: d.shape.Width, Height: d.shape.Height, Mean: values}
	d.alone(own, registered)
	mat.Add(drawn.Mean, drawn.Mean, -1, expected.Mean)
	mat.Copy(drawn.Variance, expected.Variance)
	d.mix(expected, mean, d.moments[i])
	d.Film.detail.AddEdges(expected)
	d.inflate(expected)
	for k, v := range expected.Variance.Data {
		drawn.Mean.Data[k] = expected.Mean.Data[k] + math.Sqrt(v/drawn.Variance.Data[k])*drawn.Mean.Data[k]
	}
	d.addDetail(drawn, d.finer(expected), draw)
	return field.SampledFrame{Values: d.asked(drawn, draw), Mean: d.asked(expected, -1)}, nil
}

// asked returns the mean of a frame in the pixels that were asked for, of a draw or of all (−1). All frames of a draw share their chroma in one way.
func (d *drawing) asked(f frame.Frame, draw int) mat.Matrix {
	if d.width > d.wanted[0] || d.height > d.wanted[1] {
		coarse := d.room(d.wanted[0], d.wanted[1], true)
		frame.Downsample(coarse, f)
		f = coarse
	}
	f = frame.Frame{Width: f.Width, Height: f.Height, Mean: f.Mean}
	d.limits.Clip(f)
	if draw < 0 {
		d.chroma.Repeat(f, d.shape.Width, d.shape.Height)
	} else {
		d.chroma.RepeatDrawn(f, d.shape.Width, d.shape.Height, rand.New(rand.NewPCG(d.seed, 0x6368726f6d610000+uint64(draw))).Float64())
	}
	return f.Mean
}

// finer returns by how much variances of pixels finer than those of training are larger, as the mean lets expect. It is 0×0 where pixels are none finer.
func (d *drawing) finer(expected frame.Frame) mat.Matrix {
	if d.width <= d.shape.Width {
		return mat.Matrix{}
	}
	v := frame.Frame{Width: d.width, Height: d.height, Mean: expected.Mean, Variance: mat.New(expected.Mean.Rows, expected.Mean.Cols)}
	d.Film.detail.AddTo(v)
	d.chroma.AddVariance(v, d.shape.Width, d.shape.Height)
	return v.Variance
}

// addDetail adds what pixels finer than those of training show: independent numbers, the same in all frames of a draw, of the variance that finer returned.
func (d *drawing) addDetail(drawn frame.Frame, finer mat.Matrix, draw int) {
	if finer.Rows == 0 {
		return
	}
	if draw != d.draw {
		rng := rand.New(rand.NewPCG(d.seed, 0x64657461696c0000+uint64(draw)))
		d.draw, d.detail = draw, mat.New(finer.Rows, finer.Cols)
		for k := range d.detail.Data {
			d.detail.Data[k] = rng.NormFloat64()
		}
	}
	for k, v := range finer.Data {
		drawn.Mean.Data[k] += math.Sqrt(v) * d.detail.Data[k]
	}
}
