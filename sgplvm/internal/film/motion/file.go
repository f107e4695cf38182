package motion

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// motionText is a Motion as JSON text.
type motionText struct {
	Width     int            `json:"width"`
	Height    int            `json:"height"`
	Sequences []sequenceText `json:"sequences"`
}

type sequenceText struct {
	Label  int       `json:"label"`
	Frames []int     `json:"frames"`
	Times  []float64 `json:"times"`
}

// Encode returns the motion as JSON text, to the bit.
func (m *Motion) Encode() ([]byte, error) {
	t := motionText{Width: m.Width, Height: m.Height}
	for _, s := range m.Sequences {
		t.Sequences = append(t.Sequences, sequenceText{s.Label, s.Examples, s.Times})
	}
	return json.Marshal(t)
}

// Decode is that of Part.
func (m *Motion) Decode(text []byte) error {
	var t motionText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("motion", "syntax: %v", err)
	}
	if t.Width < 1 || t.Width > frame.MaxSide || t.Height < 1 || t.Height > frame.MaxSide {
		return frame.BadPart("motion", "width, height: %d×%d pixels, expected 1 to %d", t.Width, t.Height, frame.MaxSide)
	}
	read := Motion{Width: t.Width, Height: t.Height}
	for i, q := range t.Sequences {
		err := q.check()
		if err == nil && i > 0 && !q.follows(t.Sequences[i-1]) {
			err = fmt.Errorf("label %d, expected increasing ones, or the same at later times", q.Label)
		}
		if err != nil {
			return frame.BadPart("motion", "sequence %d: %v", i, err)
		}
		read.Sequences = append(read.Sequences, Sequence{data.Sequence{Label: q.Label, Examples: q.Frames, Times: q.Times}})
		read.Frames += len(q.Frames)
	}
	if err := read.checkNumbers(); err != nil {
		return err
	}
	*m = read
	return nil
}

// follows tells whether a sequence, or a shot of it, comes after another one that has frames.
func (q *sequenceText) follows(before sequenceText) bool {
	return q.Label > before.Label || q.Label == before.Label && q.Times[0] > before.Times[len(before.Times)-1]
}

// check reports an error unless a shot has frames at increasing times.
func (q *sequenceText) check() error {
	if n := len(q.Frames); n == 0 || len(q.Times) != n {
		return fmt.Errorf("%d frames and %d times", n, len(q.Times))
	}
	if q.Label < -data.MaxLabel || q.Label > data.MaxLabel {
		return fmt.Errorf("label %d, expected one between ±%d", q.Label, data.MaxLabel)
	}
	if !slices.IsSorted(q.Times) {
		return errors.New("the times do not increase")
	}
	return nil
}

// checkNumbers reports an error unless the sequences have each frame once.
func (m *Motion) checkNumbers() error {
	if m.Frames == 0 {
		return frame.BadPart("motion", "sequences: no frames")
	}
	seen := make([]bool, m.Frames)
	for i, s := range m.Sequences {
		for _, f := range s.Examples {
			if f < 0 || f >= m.Frames || seen[f] {
				return frame.BadPart("motion", "sequence %d: frame %d, expected each of %d once", i, f, m.Frames)
			}
			seen[f] = true
		}
	}
	return nil
}
