package flow

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// stored is a Motion as JSON text.
type stored struct {
	Format     int              `json:"format"`
	Width      int              `json:"width"`
	Height     int              `json:"height"`
	Across     int              `json:"across"`
	Down       int              `json:"down"`
	Process    *Process         `json:"process,omitempty"`
	Covariance []float64        `json:"covariance,omitempty"`
	Sequences  []storedSequence `json:"sequences"`
	PathAcross int              `json:"pathAcross,omitempty"`
	PathDown   int              `json:"pathDown,omitempty"`
	Chosen     storedTrial      `json:"chosen"`
	Trials     []storedTrial    `json:"trials"`
}

type storedSequence struct {
	Label  int         `json:"label"`
	Frames []int       `json:"frames"`
	Times  []float64   `json:"times"`
	D      [][]float64 `json:"displacements,omitempty"`
	Next   [][]float64 `json:"paths,omitempty"` // to the next frame; none from the last
}

// storedTrial is a Trial; its error is null where it is NaN.
type storedTrial struct {
	Across   int      `json:"across"`
	Down     int      `json:"down"`
	Strength float64  `json:"strength"`
	Paths    bool     `json:"paths,omitempty"`
	Error    *float64 `json:"error"`
}

// format is the number of the text's format.
const format = 1

// MarshalBinary returns the motion as JSON text from which UnmarshalBinary makes the same motion, bit
// for bit.
func (m *Motion) MarshalBinary() ([]byte, error) {
	s := stored{Format: format, Width: m.width, Height: m.height, Chosen: store(m.chosen)}
	if !m.Still() {
		s.Across, s.Down, s.Process, s.Covariance = m.lattice.across, m.lattice.down, &m.process, m.covariance
		s.PathAcross, s.PathDown = m.paths.across, m.paths.down
	}
	for _, t := range m.trials {
		s.Trials = append(s.Trials, store(t))
	}
	for _, q := range m.sequences {
		t := storedSequence{Label: q.label, Frames: q.frames, Times: q.times}
		for p := range q.d.Rows {
			t.D = append(t.D, q.d.Row(p))
		}
		if m.paths.across > 0 {
			t.Next = q.next[:len(q.next)-1]
		}
		s.Sequences = append(s.Sequences, t)
	}
	return json.Marshal(s)
}

func store(t Trial) storedTrial {
	s := storedTrial{Across: t.Across, Down: t.Down, Strength: t.Strength, Paths: t.Paths}
	if !math.IsNaN(t.Error) {
		s.Error = &t.Error
	}
	return s
}

func (s storedTrial) trial() Trial {
	t := Trial{s.Across, s.Down, s.Strength, s.Paths, math.NaN()}
	if s.Error != nil {
		t.Error = *s.Error
	}
	return t
}

// FormatError reports a text that is not a motion.
type FormatError struct {
	Place string // the field
	Err   error
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("motion: text of a motion: %s: %v", e.Place, e.Err)
}

func (e *FormatError) Unwrap() error { return e.Err }

func formatError(place, text string, args ...any) error {
	return &FormatError{place, fmt.Errorf(text, args...)}
}

// maxSide bounds width and height of a frame, and maxLabel the labels of sequences.
const maxSide, maxLabel = 1 << 15, math.MaxInt32

// UnmarshalBinary sets m to the motion in a text that MarshalBinary made. Nothing in the text is
// trusted. Errors: *FormatError; m is then unchanged.
func (m *Motion) UnmarshalBinary(text []byte) error {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return &FormatError{"syntax", err}
	}
	read, err := s.motion()
	if err == nil {
		*m = *read
	}
	return err
}

func (s *stored) motion() (*Motion, error) {
	if s.Format != format {
		return nil, formatError("format", "%d, expected %d", s.Format, format)
	}
	if s.Width < 1 || s.Width > maxSide || s.Height < 1 || s.Height > maxSide {
		return nil, formatError("width, height", "%d×%d pixels, expected 1 to %d", s.Width, s.Height, maxSide)
	}
	m := &Motion{width: s.Width, height: s.Height, chosen: s.Chosen.trial()}
	still := s.Across == 0 && s.Down == 0
	size := 0
	if !still {
		if s.Across < 2 || s.Across > maxNodes || s.Down < 2 || s.Down > maxNodes {
			return nil, formatError("across, down", "%d×%d nodes, expected 0×0 or 2 to %d", s.Across, s.Down, maxNodes)
		}
		m.lattice = lattice{s.Across, s.Down, float64(s.Width) / float64(s.Height)}
		size = m.lattice.size()
		if s.Process == nil {
			return nil, formatError("process", "missing")
		}
		m.process = *s.Process
		if !slices.Contains(processKernels, m.process.Kernel) {
			return nil, formatError("process", "unknown kernel %q, expected one of %v", m.process.Kernel, processKernels)
		}
		if !(m.process.LengthScale > 0) || !(m.process.Noise >= minNoise) {
			return nil, formatError("process", "length scale %v and noise %v, expected numbers above 0 and from %v", m.process.LengthScale, m.process.Noise, minNoise)
		}
		n := m.lattice.nodes()
		if len(s.Covariance) != 3*n {
			return nil, formatError("covariance", "%d numbers, expected %d", len(s.Covariance), 3*n)
		}
		for i := range n {
			uu, uv, vv := s.Covariance[i], s.Covariance[n+i], s.Covariance[2*n+i]
			if !(uu >= 0 && uu <= maxVariance) || !(vv >= 0 && vv <= maxVariance) || !(uv*uv <= uu*vv*(1+1e-9)) {
				return nil, formatError("covariance", "[%v %v; %v %v] of node %d is no covariance", uu, uv, uv, vv, i)
			}
		}
		m.covariance = s.Covariance
		if s.PathAcross != 0 || s.PathDown != 0 {
			if s.PathAcross < 2 || s.PathAcross > maxNodes || s.PathDown < 2 || s.PathDown > maxNodes {
				return nil, formatError("pathAcross, pathDown", "%d×%d nodes, expected 0×0 or 2 to %d", s.PathAcross, s.PathDown, maxNodes)
			}
			m.paths = lattice{s.PathAcross, s.PathDown, m.lattice.aspect}
		}
	}
	for i, q := range s.Sequences {
		m.frames += len(q.Frames)
		place := fmt.Sprintf("sequence %d", i)
		if len(q.Frames) == 0 || len(q.Times) != len(q.Frames) || !still && len(q.D) != len(q.Frames) || still && len(q.D) != 0 {
			return nil, formatError(place, "%d frames, %d times and %d displacements", len(q.Frames), len(q.Times), len(q.D))
		}
		if q.Label < -maxLabel || q.Label > maxLabel || i > 0 && q.Label <= s.Sequences[i-1].Label {
			return nil, formatError(place, "label %d, expected increasing ones", q.Label)
		}
		if !slices.IsSorted(q.Times) {
			return nil, formatError(place, "the times do not increase")
		}
		t := sequence{label: q.Label, frames: q.Frames, times: q.Times}
		if !still {
			t.d = mat.New(len(q.Frames), size)
			for p, d := range q.D {
				if len(d) != size {
					return nil, formatError(place, "frame %d has %d displacements, expected %d", p, len(d), size)
				}
				if !m.lattice.valid(d) {
					return nil, formatError(place, "frame %d is displaced by more than %d widths or stretched by %v or more", p, maxShift, maxStretch)
				}
				copy(t.d.Row(p), d)
			}
		}
		if m.paths.across > 0 {
			if len(q.Next) != len(q.Frames)-1 {
				return nil, formatError(place, "%d paths between %d frames", len(q.Next), len(q.Frames))
			}
			for p, g := range q.Next {
				if len(g) != m.paths.size() || slices.ContainsFunc(g, func(v float64) bool { return !(math.Abs(v) <= maxShift) }) {
					return nil, formatError(place, "path %d of %d numbers, expected %d of at most %d in size", p, len(g), m.paths.size(), maxShift)
				}
			}
			t.next = append(q.Next, nil)
		} else if len(q.Next) > 0 {
			return nil, formatError(place, "paths without their nodes")
		}
		m.sequences = append(m.sequences, t)
	}
	if m.frames == 0 {
		return nil, formatError("sequences", "no frames")
	}
	seen := make([]bool, m.frames)
	for i, q := range m.sequences {
		for _, f := range q.frames {
			if f < 0 || f >= m.frames || seen[f] {
				return nil, formatError(fmt.Sprintf("sequence %d", i), "frame %d, expected each of %d once", f, m.frames)
			}
			seen[f] = true
		}
	}
	for _, t := range s.Trials {
		m.trials = append(m.trials, t.trial())
	}
	return m, nil
}

// processKernels are the kernels of a process, and minNoise the least noise.
var processKernels = []string{matern12, matern32, matern52}

const minNoise = 1e-6

// maxVariance bounds the variances of displacements: (maxShift)²/minNoise.
const maxVariance = maxShift * maxShift / minNoise

// A Form is what the parts of one film have in common: the size of its frames in pixels, and their
// times.
type Form struct {
	Width, Height, Channels int
	At                      []data.Instant
}

// A Part is one of the things that are known of a film. Check reports whether it was made from a
// film of that form. Errors: *FormatError.
type Part interface{ Check(Form) error }

// Check is that of Part.
func (m *Motion) Check(f Form) error {
	if m.width != f.Width || m.height != f.Height || m.frames != len(f.At) {
		return formatError("width, height", "%d frames of %d×%d pixels, expected %d of %d×%d", m.frames, m.width, m.height, len(f.At), f.Width, f.Height)
	}
	for _, s := range m.sequences {
		for p, i := range s.frames {
			if at := (data.Instant{Sequence: s.label, Time: s.times[p]}); at != f.At[i] {
				return formatError("sequences", "frame %d at %v of sequence %d, expected %v of %d", i, at.Time, at.Sequence, f.At[i].Time, f.At[i].Sequence)
			}
		}
	}
	return nil
}

// Check is that of Part.
func (o *Originals) Check(f Form) error {
	if o.width != f.Width || o.height != f.Height || o.channels != f.Channels || len(o.values) != 0 && len(o.values) != len(f.At) {
		return formatError("originals", "%d frames of %d×%d pixels and %d channels, expected %d of %d×%d and %d", len(o.values), o.width, o.height, o.channels, len(f.At), f.Width, f.Height, f.Channels)
	}
	return nil
}

// Check is that of Part.
func (d *Detail) Check(f Form) error {
	if d.width != f.Width || d.height != f.Height || len(d.energy) != 0 && len(d.energy) != f.Channels {
		return formatError("detail", "frames of %d×%d pixels and %d channels, expected %d×%d and %d", d.width, d.height, len(d.energy), f.Width, f.Height, f.Channels)
	}
	return nil
}

// Check is that of Part.
func (u *Unrest) Check(f Form) error {
	if like := NewUnrest(f.Width, f.Height, nil); u.width != like.width || u.height != like.height || !slices.Equal(u.at, f.At) {
		return formatError("unrest", "%d frames of %d×%d cells, expected %d of %d×%d at their times", len(u.at), u.width, u.height, len(f.At), like.width, like.height)
	}
	return nil
}
