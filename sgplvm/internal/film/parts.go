package film

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// A namedPart has the name under which it is kept in a model's file.
type namedPart struct {
	name string
	frame.Part
	optional bool
	absent   bool // an optional one that is not there
}

// parts returns all parts; errors is the law to write or to read.
func (f *Film) parts(errors *errorLaw) []namedPart {
	return []namedPart{{name: "motion", Part: f.motion}, {name: "originals", Part: f.frames}, {name: "detail", Part: f.detail}, {name: "inflation", Part: &f.inflation},
		{"errors", errors, true, f.errors == nil}, {"mixture", f.mixture, true, f.mixture == nil || f.mixture.Alone()}, {"chroma", &f.chroma, true, !f.chroma.Shared()},
		{"limits", &f.limits, true, !f.limits.Known()}}
}

// Parts are the names under which a film is kept: the first of them tells that there is one.
func Parts() (names []string) {
	for _, p := range new(Film).parts(nil) {
		names = append(names, p.name)
	}
	return names
}

// Encode returns all parts as bytes, by name. The film shares them.
func (f *Film) Encode() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, p := range f.parts(f.errors) {
		if p.absent {
			continue
		}
		content, err := p.Encode()
		if err != nil {
			return nil, err
		}
		all[p.name] = content
	}
	return all, nil
}

// FrameBytes is how many bytes of Encode are the training frames.
func (f *Film) FrameBytes() int {
	content, err := f.frames.Encode()
	if err != nil {
		return 0
	}
	return len(content)
}

// Decode returns the film with some parts, which it shares, of a model of frames with the given pixels, channels
// and times. Errors: something that is not the part of such a film. Nothing in the parts is trusted.
func Decode(parts map[string][]byte, grid field.Grid, channels int, at []data.Instant) (*Film, error) {
	f := &Film{motion: new(motion.Motion), frames: new(motion.Frames), detail: new(mixture.Detail), mixture: new(mixture.Mixture)}
	law := new(errorLaw)
	for _, p := range f.parts(law) {
		content := parts[p.name]
		if p.optional && content == nil {
			continue
		}
		if err := p.Decode(content); err != nil {
			return nil, err
		}
		if p.Part == law {
			f.errors = law
		}
	}
	width, height := f.motion.Width, f.motion.Height
	f.shape = frame.Shape{Width: width, Height: height, Channels: channels, At: at}
	if err := f.Fits(grid, channels, at); err != nil {
		return nil, err
	}
	return f, nil
}

// Fits returns why a film is not of frames with the given pixels, channels and times.
func (f *Film) Fits(grid field.Grid, channels int, at []data.Instant) error {
	width, height := f.motion.Width, f.motion.Height
	if points := grid.Len(); width*height != points {
		return fmt.Errorf("film: frames of %d×%d pixels, expected %d points", width, height, points)
	}
	for _, p := range f.parts(f.errors) {
		if p.absent {
			continue
		}
		if err := p.Check(frame.Shape{Width: width, Height: height, Channels: channels, At: at}); err != nil {
			return err
		}
	}
	return nil
}
