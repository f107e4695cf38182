package page

import (
	"context"
	"image"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

const (
	maxFrames = 120     // of a film
	maxFilm   = 500_000 // bytes of all of them
)

// setPath follows the latent variables of the first sequence, with twice as many times as were seen.
func (x *explorer) setPath(ctx context.Context, e *cli.Environment, m *sgplvm.Model) error {
	at := m.Times()
	if at == nil {
		return nil
	}
	sequence, seen := at[0].Sequence, 0
	for _, t := range at {
		if t.Sequence == sequence {
			seen++
		}
	}
	first, last, _ := engine.TimeSpan(m, sequence)
	count := max(2, min(maxFrames, 2*seen-1))
	p := &path{}
	var instants []sgplvm.Instant
	for i := range count {
		t := first + (last-first)*float64(i)/float64(count-1)
		p.Times = append(p.Times, t)
		instants = append(instants, sgplvm.Instant{Sequence: sequence, Time: t})
	}
	latents, err := m.LatentAt(sequence, p.Times)
	if err != nil {
		return err
	}
	var mu []float64
	for _, l := range latents {
		mu = append(mu, l.Mu...)
	}
	p.Mu = floats(mu)
	if x.Time > 0 {
		p.Values = doubles(x.basis.TimeValues(instants).Clone().Data)
	}
	x.Path = p
	if engine.Moves(m) && x.Kind == kindPicture && x.Channels == x.channels {
		return x.film(ctx, e, m, latents)
	}
	return nil
}

// film draws the frames of a film whose contents move.
func (x *explorer) film(ctx context.Context, e *cli.Environment, m *sgplvm.Model, latents []sgplvm.Latent) error {
	g, err := engine.PixelGrid("report", "", m, dataset.FormatGrid(x.Width, x.Height))
	if err != nil {
		return err
	}
	var frames []*image.RGBA
	if err := engine.NewFrames(e, "drew", m, len(latents), engine.Some(latents), g).Run(ctx, new(engine.Output), func(means []float64) error {
		for ; len(means) > 0; means = means[g.Size():] {
			frames = append(frames, x.picture(&x.shape, means[:g.Size()]))
		}
		return nil
	}); err != nil {
		return err
	}
	for _, quality := range []int{82, 60, 40, 20} { // the first in which the film has room
		size := 0
		x.Path.Frames = nil
		for _, frame := range frames {
			text, err := jpegText(frame, quality)
			if err != nil {
				return err
			}
			x.Path.Frames = append(x.Path.Frames, text)
			size += len(text)
		}
		if size <= maxFilm {
			break
		}
	}
	return nil
}
