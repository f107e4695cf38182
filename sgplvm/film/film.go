package film

import (
	"context"
	"encoding"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// A Frame is a picture with its variances, and a Trial a setting of the motion that was tried.
type (
	Frame = flow.Frame
	Trial = flow.Trial
)

// Film predicts the frames of a film.
type Film struct {
	model     *sgplvm.Model // nil until Keep
	moves     *flow.Motion
	originals *flow.Originals
	detail    *flow.Detail
	unrest    *flow.Unrest
}

// New measures how the contents of a film's frames of width×height pixels move, row by row, and
// what there is of detail in them. d tells their times. progress, if not nil, is called as each
// setting of the motion has been tried. Errors: those of flow.Fit.
func New(ctx context.Context, frames sgplvm.Source, d sgplvm.Dynamics, width, height int, progress func(Trial)) (*Film, error) {
	f := new(Film)
	var err error
	if f.moves, err = flow.Fit(ctx, frames, d.Times, d.Sequences, flow.Options{Width: width, Height: height, Progress: progress}); err != nil {
		return nil, err
	}
	if f.originals, err = f.moves.Originals(ctx, frames); err != nil {
		return nil, err
	}
	if f.detail, err = flow.MeasureDetail(ctx, frames, width, height); err != nil {
		return nil, err
	}
	f.unrest = flow.NewUnrest(width, height, d.Instants())
	return f, nil
}

// Register returns the frames with their motion taken out: what a model is to be trained on.
func (f *Film) Register(frames sgplvm.Source) sgplvm.Source { return f.moves.Register(frames) }

// Still reports whether no motion was found worth following: Register then returns its argument.
func (f *Film) Still() bool { return f.moves.Still() }

// Model returns the film's model, nil until Keep.
func (f *Film) Model() *sgplvm.Model { return f.model }

// A part is one of the things that a film knows beside its model.
type part interface {
	flow.Part
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// A namedPart has the name under which it is attached to the model.
type namedPart struct {
	name string
	part
}

func (f *Film) parts() []namedPart {
	return []namedPart{{"motion", f.moves}, {"originals", f.originals}, {"detail", f.detail}, {"unrest", f.unrest}}
}

// Keep makes m the film's model, to which the rest of the film is attached, in its file as well.
func (f *Film) Keep(m *sgplvm.Model) error {
	f.model = m
	for _, p := range f.parts() {
		content, err := p.MarshalBinary()
		if err != nil {
			return err
		}
		m.Attach(p.name, content)
	}
	return nil
}

// Keeps reports whether a film is attached to a model.
func Keeps(m *sgplvm.Model) bool { return m.Attached("motion") != nil }

// Of returns the film that is attached to a model; nil where there is none. Errors: something
// attached that is not the part of such a film.
func Of(m *sgplvm.Model) (*Film, error) {
	if !Keeps(m) {
		return nil, nil
	}
	f := &Film{model: m, moves: new(flow.Motion), originals: new(flow.Originals), detail: new(flow.Detail), unrest: new(flow.Unrest)}
	for _, p := range f.parts() {
		if err := p.UnmarshalBinary(m.Attached(p.name)); err != nil {
			return nil, err
		}
	}
	width, height := f.moves.Size()
	if points := m.Space().Len(); width*height != points {
		return nil, fmt.Errorf("film: frames of %d×%d pixels, expected %d points", width, height, points)
	}
	form := flow.Form{Width: width, Height: height, Channels: m.Channels(), At: m.Params().Dynamics.Instants()}
	for _, p := range f.parts() {
		if err := p.Check(form); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Predict predicts frames of width×height pixels at the times of latent posteriors, all of which
// must have one (Latent.At): it calls body with each, in order. A frame belongs to body until it
// returns. Beside the model it holds all frames at the training pixels. Errors: those of
// sgplvm.Model.PredictSlabs, *flow.OptionError for an unknown sequence, and those of body.
func (f *Film) Predict(ctx context.Context, latents []sgplvm.Latent, width, height int, body func(i int, p Frame) error) error {
	channels := f.model.Channels()
	still := make([]Frame, len(latents))
	for i, l := range latents {
		if l.At == nil {
			return &sgplvm.ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d has no time", i)}
		}
		still[i] = f.frame()
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
	p := flow.NewFrame(width, height, channels)
	for i, l := range latents {
		if err := ctx.Err(); err != nil {
			return err
		}
		fields, err := f.moves.At(l.At.Sequence, []float64{l.At.Time})
		if err != nil {
			return err
		}
		if err := f.carry(p, still[i], fields[0], *l.At, -1); err != nil {
			return err
		}
		still[i] = Frame{}
		f.unrest.Scale(p, *l.At)
		f.detail.AddTo(p)
		if err := body(i, p); err != nil {
			return err
		}
	}
	return nil
}

// frame returns a frame of zeros at the training pixels.
func (f *Film) frame() Frame {
	width, height := f.moves.Size()
	return flow.NewFrame(width, height, f.model.Channels())
}

// carry brings a frame from reference coordinates to a time, without the help of training frame but.
func (f *Film) carry(dst, still Frame, field flow.Field, at sgplvm.Instant, but int) error {
	field.Carry(dst, still)
	return f.moves.Restore(dst, f.originals, field, at, but)
}

// Calibrate predicts every training frame from all others, its displacement too, and learns from
// the errors where and when variances are too small or too large, and how much detail there is
// where frames are only predicted. frames are those that New was given. progress, if not nil,
// is called after every frame with how many are done. Keep the film again afterwards.
// Errors: those of sgplvm.Model.LeaveOneOut; *sgplvm.ReadError.
func (f *Film) Calibrate(ctx context.Context, frames sgplvm.Source, progress func(done, total int)) error {
	n, _, channels := frames.Dims()
	at := f.model.Params().Dynamics.Instants()
	truth, predicted := f.frame(), f.frame()
	width, height := truth.Width, truth.Height
	unrest := flow.NewUnrest(width, height, at)
	law := flow.NewDetailLaw(width, height, channels, n)
	ofDetail := flow.DetailFrames(n)
	err := f.model.LeaveOneOut(ctx, func(i int, mean, variance mat.Matrix) error {
		if err := frames.ReadExamples(truth.Mean.Data, i, i+1); err != nil {
			return &sgplvm.ReadError{From: i, To: i + 1, Err: err}
		}
		still := Frame{Width: width, Height: height, Mean: mean, Variance: variance}
		if err := f.carry(predicted, still, f.moves.LeftOut(i), at[i], i); err != nil {
			return err
		}
		unrest.Set(i, truth, predicted)
		if slices.Contains(ofDetail, i) {
			law.Add(truth, predicted)
		}
		if progress != nil {
			progress(i+1, n)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	unrest.Choose()
	f.unrest, f.detail = unrest, law.Detail()
	return nil
}

// String tells the motion in one line, whether contents are followed from frame to frame besides, and
// how far in time errors are alike where that was learned.
func (f *Film) String() string {
	text := "nothing moves"
	if !f.moves.Still() {
		c, p := f.moves.Chosen(), f.moves.Process()
		text = fmt.Sprintf("motion of %d×%d nodes, strength %.4g, in time %s(%.4g)", c.Across, c.Down, c.Strength, p.Kernel, p.LengthScale)
		if c.Paths {
			text += ", with paths"
		}
	}
	if reach, _ := f.unrest.About(); reach > 0 {
		text += fmt.Sprintf(", unrest over %.4g", reach)
	}
	return text
}
