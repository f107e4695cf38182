package motion

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Fit estimates the motion of a film. times are those of the frames, in any unit and order;
// frames with different labels in sequences (nil: all are alike) have nothing to do with one
// another. Errors: *data.ConfigError, *data.ReadError, *data.ValueError, ctx.Err().
func Fit(ctx context.Context, frames data.Source, times []float64, sequences []int, o Options) (*Motion, error) {
	if err := o.complete(frames); err != nil {
		return nil, err
	}
	n, _, _ := frames.Dims()
	if err := data.CheckInstants(times, sequences, n); err != nil {
		return nil, &data.ConfigError{Field: "times", Err: err}
	}
	m := &Motion{Width: o.Width, Height: o.Height, Frames: n, Sequences: SequencesOf(times, sequences)}
	p, err := load(ctx, frames, o.Width, o.Height, o.Pixels)
	if err != nil {
		return nil, err
	}
	m.Sequences = p.shots(m.Sequences)
	if err := m.choose(ctx, p, o); err != nil {
		return nil, err
	}
	if m.chosen.Across == 0 {
		return m, nil
	}
	l := p.latticeOf(m.chosen.Across)
	d, err := estimate(ctx, p, chainOf(m.Sequences), l, m.chosen.Strength)
	if err != nil {
		return nil, err
	}
	m.setDisplacements(l, d)
	return m, nil
}
