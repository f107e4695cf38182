package film

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
)

// follow changes what was filled in of a frame by what the training frames around it show along the dense flow from the frame, as far as that is nearer to seen values that are filled in as if they were missing (docs/math.md, 19.6).
// Frames between two shots stay as they are, and those of other pixels than those of training. Errors: ctx.Err(), *field.ConfigError for an unknown sequence, those of chol.
func (m *Model) follow(ctx context.Context, s *seenFrame, filled frame.Frame, at data.Instant) error {
	moments, err := m.motion.Moments(at)
	if err != nil || len(moments) != 1 || filled.Width != m.shape.Width || filled.Height != m.shape.Height {
		return err
	}
	x := moments[0]
	rest, hidden, some := s.mirrored()
	if !some {
		return nil
	}
	trial := *s
	trial.values = rest
	without := frame.Frame{Width: filled.Width, Height: filled.Height, Mean: s.frame.Mean.Clone(), Variance: s.frame.Variance.Clone()}
	if how, err := trial.fill(ctx, without); how == "none" || err != nil {
		return err
	}
	law, known := mixture.LearnFollowed(hidden, without, mixture.Follow(m.frames, x, completed(without, trial.values)))
	if known {
		law.Apply(filled, mixture.Follow(m.frames, x, completed(filled, s.values)), s.values)
	}
	return nil
}

// completed returns a frame with the values that were seen.
func completed(f frame.Frame, values mat.Matrix) frame.Image[float64] {
	all := f.Picture()
	for k, v := range values.Data {
		if v == v {
			all.Data[k] = v
		}
	}
	return all
}

// mirrored hides those seen values of which the mirror image was not seen: holes of the shapes that the frame has, elsewhere. It returns what is left and what is hidden, NaN elsewhere; of three mirrors by that which
// hides most and leaves half, if one does.
func (s *seenFrame) mirrored() (rest, hidden mat.Matrix, some bool) {
	w, h, n := s.frame.Width, s.frame.Height, s.values.Cols
	var seen int
	for _, v := range s.values.Data {
		if v == v {
			seen++
		}
	}
	most := 0
	for _, mirror := range []func(x, y int) int{
		func(x, y int) int { return y*w + w - 1 - x },
		func(x, y int) int { return (h-1-y)*w + x },
		func(x, y int) int { return (h-1-y)*w + w - 1 - x },
	} {
		left, out := s.values.Clone(), mat.New(w*h, n)
		count := 0
		for i := range w * h {
			for c := range n {
				v := s.values.At(i, c)
				if v == v && math.IsNaN(s.values.At(mirror(i%w, i/w), c)) {
					left.Set(i, c, math.NaN())
					count++
				} else {
					v = math.NaN()
				}
				out.Set(i, c, v)
			}
		}
		if count > most && 2*count <= seen {
			most, rest, hidden, some = count, left, out, true
		}
	}
	return rest, hidden, some
}
