package motion

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// motionFormat is the number of the text's format.
const motionFormat = 1

// motionText is a Motion as JSON text.
type motionText struct {
	Format     int            `json:"format"`
	Width      int            `json:"width"`
	Height     int            `json:"height"`
	Across     int            `json:"across"`
	Down       int            `json:"down"`
	Process    *process       `json:"process,omitempty"`
	Covariance []float64      `json:"covariance,omitempty"`
	Sequences  []sequenceText `json:"sequences"`
	Chosen     trialText      `json:"chosen"`
	Trials     []trialText    `json:"trials"`
}

type sequenceText struct {
	Label  int         `json:"label"`
	Frames []int       `json:"frames"`
	Times  []float64   `json:"times"`
	D      [][]float64 `json:"displacements,omitempty"`
}

// trialText is a Trial; its error is null where it is NaN.
type trialText struct {
	Across   int      `json:"across"`
	Down     int      `json:"down"`
	Strength float64  `json:"strength"`
	Error    *float64 `json:"error"`
}

// Encode returns the motion as JSON text, to the bit.
func (m *Motion) Encode() ([]byte, error) {
	t := motionText{Format: motionFormat, Width: m.Width, Height: m.Height, Chosen: textOf(m.chosen)}
	if !m.Still() {
		t.Across, t.Down, t.Process, t.Covariance = m.Lattice.Across, m.Lattice.Down, &m.process, m.covariance
	}
	for _, trial := range m.trials {
		t.Trials = append(t.Trials, textOf(trial))
	}
	for _, s := range m.Sequences {
		q := sequenceText{Label: s.Label, Frames: s.Examples, Times: s.Times}
		for p := range s.Displacements.Rows {
			q.D = append(q.D, s.Displacements.Row(p))
		}
		t.Sequences = append(t.Sequences, q)
	}
	return json.Marshal(t)
}

func textOf(t Trial) trialText {
	text := trialText{Across: t.Across, Down: t.Down, Strength: t.Strength}
	if !math.IsNaN(t.Error) {
		text.Error = &t.Error
	}
	return text
}

func (t trialText) trial() Trial {
	trial := Trial{t.Across, t.Down, t.Strength, math.NaN()}
	if t.Error != nil {
		trial.Error = *t.Error
	}
	return trial
}

// Decode is that of Part.
func (m *Motion) Decode(text []byte) error {
	var t motionText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("motion", "syntax: %v", err)
	}
	read, err := t.motion()
	if err == nil {
		*m = *read
	}
	return err
}

func (t *motionText) motion() (*Motion, error) {
	if t.Format != motionFormat {
		return nil, frame.BadPart("motion", "format: %d, expected %d", t.Format, motionFormat)
	}
	if t.Width < 1 || t.Width > frame.MaxSide || t.Height < 1 || t.Height > frame.MaxSide {
		return nil, frame.BadPart("motion", "width, height: %d×%d pixels, expected 1 to %d", t.Width, t.Height, frame.MaxSide)
	}
	m := &Motion{Width: t.Width, Height: t.Height, chosen: t.Chosen.trial()}
	if t.Across != 0 || t.Down != 0 {
		if err := t.setLattice(m); err != nil {
			return nil, err
		}
	}
	for i, q := range t.Sequences {
		s, err := q.sequence(m)
		if err == nil && i > 0 && !q.follows(t.Sequences[i-1]) {
			err = fmt.Errorf("label %d, expected increasing ones, or the same at later times", q.Label)
		}
		if err != nil {
			return nil, frame.BadPart("motion", "sequence %d: %v", i, err)
		}
		m.Sequences = append(m.Sequences, s)
		m.Frames += len(q.Frames)
	}
	if err := m.checkNumbers(); err != nil {
		return nil, err
	}
	for _, trial := range t.Trials {
		m.trials = append(m.trials, trial.trial())
	}
	return m, nil
}

// maxVariance bounds the variances of displacements: (maxShift)²/minNoise.
const maxVariance = maxShift * maxShift / minNoise

// setLattice sets the lattice of a motion, and the process of its displacements.
func (t *motionText) setLattice(m *Motion) error {
	if t.Across < 2 || t.Across > maxNodes || t.Down < 2 || t.Down > maxNodes {
		return frame.BadPart("motion", "across, down: %d×%d nodes, expected 0×0 or 2 to %d", t.Across, t.Down, maxNodes)
	}
	m.Lattice = Lattice{t.Across, t.Down, float64(t.Width) / float64(t.Height)}
	if t.Process == nil {
		return frame.BadPart("motion", "process: missing")
	}
	m.process = *t.Process
	if !slices.Contains(processKernels, m.process.Kernel) {
		return frame.BadPart("motion", "process: unknown kernel %.20q, expected one of %v", m.process.Kernel, processKernels)
	}
	if !(m.process.LengthScale > 0) || !(m.process.Noise >= minNoise) {
		return frame.BadPart("motion", "process: length scale %v and noise %v, expected numbers above 0 and from %v", m.process.LengthScale, m.process.Noise, minNoise)
	}
	n := m.Lattice.nodes()
	if len(t.Covariance) != 3*n {
		return frame.BadPart("motion", "covariance: %d numbers, expected %d", len(t.Covariance), 3*n)
	}
	for i := range n {
		uu, uv, vv := t.Covariance[i], t.Covariance[n+i], t.Covariance[2*n+i]
		if !(uu >= 0 && uu <= maxVariance) || !(vv >= 0 && vv <= maxVariance) || !(uv*uv <= uu*vv*(1+1e-9)) {
			return frame.BadPart("motion", "covariance: [%v %v; %v %v] of node %d is no covariance", uu, uv, uv, vv, i)
		}
	}
	m.covariance = t.Covariance
	return nil
}

// follows tells whether a sequence, or a shot of it, comes after another one that has frames.
func (q *sequenceText) follows(before sequenceText) bool {
	return q.Label > before.Label || q.Label == before.Label && q.Times[0] > before.Times[len(before.Times)-1]
}

// sequence returns the sequence of a motion whose lattice is known.
func (q *sequenceText) sequence(m *Motion) (Sequence, error) {
	s := Sequence{Sequence: data.Sequence{Label: q.Label, Examples: q.Frames, Times: q.Times}}
	n := len(q.Frames)
	if n == 0 || len(q.Times) != n || !m.Still() && len(q.D) != n || m.Still() && len(q.D) != 0 {
		return s, fmt.Errorf("%d frames, %d times and %d displacements", n, len(q.Times), len(q.D))
	}
	if q.Label < -data.MaxLabel || q.Label > data.MaxLabel {
		return s, fmt.Errorf("label %d, expected one between ±%d", q.Label, data.MaxLabel)
	}
	if !slices.IsSorted(q.Times) {
		return s, fmt.Errorf("the times do not increase")
	}
	if !m.Still() {
		size := m.Lattice.size()
		s.Displacements = mat.New(n, size)
		for p, d := range q.D {
			if len(d) != size {
				return s, fmt.Errorf("frame %d has %d displacements, expected %d", p, len(d), size)
			}
			if !m.Lattice.valid(d) {
				return s, fmt.Errorf("frame %d is displaced by more than %d widths or stretched by %v or more", p, maxShift, maxStretch)
			}
			copy(s.Displacements.Row(p), d)
		}
	}
	return s, nil
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
