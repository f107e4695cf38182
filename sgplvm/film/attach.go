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

// attachments returns what a model has to keep so that Of finds the film again, by name. The film shares it.
func (f *Film) attachments() (map[string][]byte, error) {
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

// Keep returns m with the film attached, of which Of finds it again, and makes that the film's model.
func (f *Film) Keep(m *sgplvm.Model) (*sgplvm.Model, error) {
	all, err := f.attachments()
	if err != nil {
		return nil, err
	}
	f.model = m.With(all)
	return f.model, nil
}

// Of returns the film that is attached to a model; nil where there is none. Errors: something
// attached that is not the part of such a film. The film shares what is attached.
func Of(m *sgplvm.Model) (*Film, error) {
	if m.Attached("motion") == nil {
		return nil, nil
	}
	f := &Film{model: m, motion: new(flow.Motion), frames: new(flow.TrainingFrames), detail: new(flow.Detail), inflation: new(flow.Inflation)}
	for _, p := range f.parts() {
		if err := p.Decode(m.Attached(p.name)); err != nil {
			return nil, err
		}
	}
	width, height := f.motion.Size()
	if points := m.Grid().Len(); width*height != points {
		return nil, fmt.Errorf("film: frames of %d×%d pixels, expected %d points", width, height, points)
	}
	f.shape = flow.Shape{Width: width, Height: height, Channels: m.Channels(), At: m.Times()}
	for _, p := range f.parts() {
		if err := p.Check(f.shape); err != nil {
			return nil, err
		}
	}
	return f, nil
}
