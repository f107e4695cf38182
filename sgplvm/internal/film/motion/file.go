package motion

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Encode returns the motion as JSON text, to the bit.
func (m *Motion) Encode() ([]byte, error) { return json.Marshal(m) }

// Decode is that of Part.
func (m *Motion) Decode(text []byte) error {
	var t Motion
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("motion", "syntax: %v", err)
	}
	if err := frame.CheckNumbers("motion", "side of a frame", 1, frame.MaxSide, float64(t.Width), float64(t.Height)); err != nil {
		return err
	}
	for i, q := range t.Sequences {
		err := q.check()
		if err == nil && i > 0 && !q.follows(t.Sequences[i-1]) {
			err = fmt.Errorf("label %d, expected increasing ones, or the same at later times", q.Label)
		}
		if err != nil {
			return frame.BadPart("motion", "sequence %d: %v", i, err)
		}
		t.Frames += len(q.Examples)
	}
	if err := t.checkNumbers(); err != nil {
		return err
	}
	*m = t
	return nil
}

// follows tells whether a sequence, or a shot of it, comes after another one that has frames.
func (q *Sequence) follows(before Sequence) bool {
	return q.Label > before.Label || q.Label == before.Label && q.Times[0] > before.last()
}

// check reports an error unless a shot has frames at increasing times.
func (q *Sequence) check() error {
	if n := len(q.Examples); n == 0 || len(q.Times) != n {
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
