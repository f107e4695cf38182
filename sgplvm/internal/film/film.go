package film

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/chroma"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Film is what is known of a film beside the model of its registered frames. It does not change, and any
// number of goroutines may use it at once.
type Film struct {
	shape     frame.Shape
	limits    frame.Limits
	chroma    chroma.Chroma
	motion    *motion.Motion
	frames    *motion.Frames // with chroma interpolated
	detail    *mixture.Detail
	inflation inflation
	mixture   *mixture.Mixture
	errors    *errorLaw // nil where it was not learned
	examined  int       // about how many frames are left out at most to learn from; 0 for all
}

// New finds the shots of a film at the given times and how much detail its frames have;
// frames with different labels in sequences (nil: all are alike) have nothing to do with one another. examined is about how many frames are left out at most to learn what
// predictions are mixed of and how unsure they are; 0 for all for the inflation of variances, and 24 for the mixture.
// Errors: *field.ConfigError, *field.ReadError, *field.ValueError, ctx.Err().
func New(ctx context.Context, frames field.Source, grid field.Grid, times []float64, sequences []int, examined int) (*Film, error) {
	width, height, err := Size(grid)
	if err != nil {
		return nil, err
	}
	_, _, channels := frames.Dims()
	f := &Film{shape: frame.Shape{Width: width, Height: height, Channels: channels, At: data.Instants(times, sequences)}, examined: examined}
	if f.limits, err = frame.FindLimits(ctx, frames); err != nil {
		return nil, err
	}
	if f.chroma, err = chroma.Find(ctx, frames, width, height); err != nil {
		return nil, err
	}
	if f.chroma.Shared() {
		if frames, err = data.InMemory(ctx, f.chroma.Interpolated(frames, width, height)); err != nil {
			return nil, err
		}
	}
	if f.frames, err = motion.Keep(ctx, frames, width, height); err != nil {
		return nil, err
	}
	if f.motion, err = motion.Find(ctx, f.frames, times, sequences); err != nil {
		return nil, err
	}
	if f.detail, err = mixture.Measure(ctx, frames, width, height); err != nil {
		return nil, err
	}
	f.inflation, f.mixture = inflation{Factor: 1}, new(mixture.Mixture)
	return f, nil
}

// Observed returns the film with the limits of what was observed of its frames, NaN where values were filled in: first estimates of these lie anywhere. Errors: *field.ReadError, ctx.Err().
func (f *Film) Observed(ctx context.Context, frames field.Source) (*Film, error) {
	limited, err := *f, error(nil)
	limited.limits, err = frame.FindLimits(ctx, frames)
	return &limited, err
}

// Register returns the frames with their chroma interpolated: what a model is to be trained on. Where no pixels share their chroma, it returns frames themselves, and other is false.
func (f *Film) Register(frames field.Source) (registered field.Source, other bool) {
	return f.chroma.Interpolated(frames, f.shape.Width, f.shape.Height), f.chroma.Shared()
}

// Frames returns the training frames as they are, but for chroma that pixels share.
func (f *Film) Frames() field.Source { return f.frames }

// Examined tells whether a frame is one of those from which variances are learned.
func (f *Film) Examined() (wanted func(frame int) bool) {
	if f.examined == 0 {
		return func(int) bool { return true }
	}
	frames := f.motion.Examined(f.examined)
	return func(i int) bool { return frames[i] }
}

// Motion returns how the contents move.
func (f *Film) Motion() *motion.Motion { return f.motion }

// String tells the motion in one line, what predictions are mixed with.
func (f *Film) String() string {
	text := f.motion.String()
	if shared := f.chroma.String(); shared != "" {
		text += ", " + shared
	}
	if mixed := f.mixture.String(); mixed != "" {
		text += ", " + mixed
	}
	return text
}
