package motion

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Motion is which frames of a film follow one another: its shots. It does not change, and may be used from many goroutines at once: its fields are for reading.
type Motion struct {
	Width, Height int        // of the frames, in pixels
	Frames        int        `json:"-"` // how many there are
	Sequences     []Sequence // the shots, in order
}

// Find finds the shots of a film. times are those of the frames, in any unit and order;
// frames with different labels in sequences (nil: all are alike) have nothing to do with one
// another. Errors: *field.ConfigError, ctx.Err().
func Find(ctx context.Context, f *Frames, times []float64, sequences []int) (*Motion, error) {
	if err := data.CheckInstants(times, sequences, f.Frames); err != nil {
		return nil, &field.ConfigError{Field: "times", Err: err}
	}
	m := &Motion{Width: f.Width, Height: f.Height, Frames: f.Frames, Sequences: f.shots(SequencesOf(times, sequences))}
	return m, ctx.Err()
}

// String tells how many shots there are.
func (m *Motion) String() string {
	if len(m.Sequences) == 1 {
		return "1 shot"
	}
	return fmt.Sprintf("%d shots", len(m.Sequences))
}

// Check is that of Part.
func (m *Motion) Check(s frame.Shape) error {
	if m.Width != s.Width || m.Height != s.Height || m.Frames != len(s.At) {
		return frame.BadPart("motion", "%d frames of %d×%d pixels, expected %d of %d×%d", m.Frames, m.Width, m.Height, len(s.At), s.Width, s.Height)
	}
	for _, q := range m.Sequences {
		for p, i := range q.Examples {
			if at := (data.Instant{Sequence: q.Label, Time: q.Times[p]}); at != s.At[i] {
				return frame.BadPart("motion", "frame %d at %v of sequence %d, expected %v of %d", i, at.Time, at.Sequence, s.At[i].Time, s.At[i].Sequence)
			}
		}
	}
	return nil
}

// shots returns those of the sequence with a label, in order of time.
func (m *Motion) shots(label int) ([]Sequence, error) {
	first := sort.Search(len(m.Sequences), func(i int) bool { return m.Sequences[i].Label >= label })
	end := sort.Search(len(m.Sequences), func(i int) bool { return m.Sequences[i].Label > label })
	if first == end {
		return nil, &field.ConfigError{Field: "sequence", Err: fmt.Errorf("no frames with the label %d", label)}
	}
	return m.Sequences[first:end], nil
}

// find returns the sequence of a training frame and its place there.
func (m *Motion) find(frame int) (s Sequence, p int) {
	for _, s := range m.Sequences {
		if p := slices.Index(s.Examples, frame); p >= 0 {
			return s, p
		}
	}
	panic(fmt.Sprintf("film: frame %d of %d", frame, m.Frames))
}

// Examined returns which frames are left out where there are to be about so many: some spread evenly, and the ends of all shots.
func (m *Motion) Examined(most int) map[int]bool {
	wanted := map[int]bool{}
	most = min(m.Frames, most)
	for k := range most {
		wanted[k*m.Frames/most] = true
	}
	for _, s := range m.Sequences {
		wanted[s.Examples[0]], wanted[s.Examples[len(s.Examples)-1]] = true, true
	}
	return wanted
}
