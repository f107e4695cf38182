package film

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"
)

// A namedPart has the name under which it is attached to a model, in the model's file as well.
type namedPart struct {
	name string
	flow.Part
}

func (f *Film) parts() []namedPart {
	return []namedPart{{"motion", f.motion}, {"originals", f.frames}, {"detail", f.detail}, {"unrest", f.inflation}}
}

// Attachments returns what a model has to keep so that Of finds the film again, by name. The film shares it: it must
// not be changed.
func (f *Film) Attachments() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, p := range f.parts() {
		content, err := p.Encode()
		if err != nil {
			return nil, err
		}
		all[p.name] = content
	}
	return all, nil
}

// Keep makes m the film's model and attaches the film to it.
func (f *Film) Keep(m *sgplvm.Model) error {
	all, err := f.Attachments()
	if err != nil {
		return err
	}
	f.model = m
	for name, content := range all {
		m.Attach(name, content)
	}
	return nil
}

// Keeps reports whether a film is attached to a model.
func Keeps(m *sgplvm.Model) bool { return m.Attached("motion") != nil }

// Of returns the film that is attached to a model; nil where there is none. Errors: something
// attached that is not the part of such a film. The film shares what is attached.
func Of(m *sgplvm.Model) (*Film, error) {
	if !Keeps(m) {
		return nil, nil
	}
	f := &Film{model: m, motion: new(flow.Motion), frames: new(flow.TrainingFrames), detail: new(flow.Detail), inflation: new(flow.Inflation)}
	for _, p := range f.parts() {
		if err := p.Decode(m.Attached(p.name)); err != nil {
			return nil, err
		}
	}
	width, height := f.motion.Size()
	if points := m.Space().Len(); width*height != points {
		return nil, fmt.Errorf("film: frames of %d×%d pixels, expected %d points", width, height, points)
	}
	f.shape = flow.Shape{Width: width, Height: height, Channels: m.Channels(), At: m.Params().Dynamics.Instants()}
	for _, p := range f.parts() {
		if err := p.Check(f.shape); err != nil {
			return nil, err
		}
	}
	return f, nil
}
