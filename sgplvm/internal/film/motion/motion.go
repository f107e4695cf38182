package motion

import (
	"fmt"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Motion is how the contents of a film's frames are displaced: for each frame a smooth map
// φ(r) = r + d(r) from reference coordinates to the frame's. It does not change, and may be used from many goroutines at once: its fields are for reading.
type Motion struct {
	Width, Height int        // of the frames, in pixels
	Frames        int        // how many there are
	Lattice       Lattice    // of d; 0×0 nodes where nothing moves
	process       process    // of each node over time
	covariance    []float64  // of the nodes' components, at any one time: uu, uv and vv of all nodes
	Sequences     []Sequence // the shots, in order
	chosen        Trial
	trials        []Trial
}

// A Trial is a setting that Fit tried.
type Trial struct {
	// Across and Down are the numbers of nodes; 0 without motion.
	Across, Down int

	// Strength is that of the prior.
	Strength float64

	// Error is the root mean square error of the frames that were left out, in standard deviations of
	// the intensities; NaN where no frame could be.
	Error float64
}

// Still reports whether no motion was found worth following.
func (m *Motion) Still() bool { return m.Lattice.Across == 0 }

// String tells the setting in one line.
func (m *Motion) String() string {
	if m.Still() {
		return "frames as they are"
	}
	return fmt.Sprintf("motion of %d×%d nodes, strength %.4g, in time %s(%.4g)", m.chosen.Across, m.chosen.Down, m.chosen.Strength, m.process.Kernel, m.process.LengthScale)
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

// setDisplacements takes the displacements of all frames, in the order of the sequences, and fits the
// process that they follow.
func (m *Motion) setDisplacements(l Lattice, d mat.Matrix) {
	m.Lattice = l
	var windows []window
	var at []data.Instant
	var span float64
	p := 0
	for i := range m.Sequences {
		s := &m.Sequences[i]
		n := len(s.Examples)
		for _, t := range s.Times {
			at = append(at, data.Instant{Sequence: s.Label, Time: t})
		}
		span = max(span, s.Times[n-1]-s.Times[0])
		s.Displacements = d.Slice(p, p+n, 0, d.Cols)
		p += n
		for from := 0; from < n; from += maxWindow {
			to := min(from+maxWindow, n)
			windows = append(windows, window{s.Times[from:to], s.Displacements.Slice(from, to, 0, d.Cols)})
		}
	}
	m.process = fitProcess(windows, data.MedianSpacing(at), span)
	m.covariance = m.process.nodeCovariance(windows, l)
}

// MustFit panics unless the motion is that of as many frames of as many points.
func (m *Motion) MustFit(caller string, frames, points int) {
	if frames != m.Frames || points != m.Width*m.Height {
		panic(fmt.Sprintf("film: %s: %d frames of %d points for the motion of %d frames of %d×%d pixels", caller, frames, points, m.Frames, m.Width, m.Height))
	}
}

// Fields returns the displacements of a sequence, given by its label, at some times. The estimates of
// the training frames are taken as noisy, so that a Field is not exactly the estimate at its time.
// The variance is that of the process given the estimates: it grows in gaps, and towards the prior's
// beyond the ends. Errors: *data.ConfigError for an unknown sequence or a time that is not finite.
func (m *Motion) Fields(label int, times []float64) ([]Field, error) {
	shots, err := m.shots(label)
	if err != nil {
		return nil, err
	}
	if err := data.CheckTimes(times); err != nil {
		return nil, &data.ConfigError{Field: "times", Err: err}
	}
	fields := make([]Field, len(times))
	eachShot(shots, times, func(s Sequence, own []float64, places []int) {
		for k, f := range m.fields(s, own) {
			fields[places[k]] = f
		}
	})
	return fields, nil
}

// shots returns those of the sequence with a label, in order of time.
func (m *Motion) shots(label int) ([]Sequence, error) {
	first := sort.Search(len(m.Sequences), func(i int) bool { return m.Sequences[i].Label >= label })
	end := sort.Search(len(m.Sequences), func(i int) bool { return m.Sequences[i].Label > label })
	if first == end {
		return nil, &data.ConfigError{Field: "sequence", Err: fmt.Errorf("no frames with the label %d", label)}
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

// fields is Fields of a sequence: the posterior of the process given the displacements of the frames
// nearest in time (Rasmussen and Williams 2006, equations 2.25 and 2.26).
func (m *Motion) fields(s Sequence, times []float64) []Field {
	fields := make([]Field, len(times))
	if m.Still() {
		return fields
	}
	l := m.Lattice
	var factor *chol.Factor
	first, end := -1, 0 // the frames whose covariance is factorized
	for i, t := range times {
		from, to := s.nearest(t)
		if from != first || to != end {
			factor, first, end = m.process.factorize(s.Times[from:to]), from, to
		}
		c := make([]float64, to-from)
		m.process.correlations(mat.NewDense(1, to-from, c), times[i:i+1], s.Times[from:to])
		w := slices.Clone(c)
		factor.Solve(mat.Vector(w))
		left := max(1-frame.Dot(c, w), 0)
		f := Field{Across: l.Across, Down: l.Down, Mean: make([]float64, l.size()), Covariance: make([]float64, len(m.covariance)), Aspect: l.Aspect}
		mat.Mul(mat.Vector(f.Mean), 1, s.Displacements.Slice(from, to, 0, l.size()).T(), mat.Vector(w), 0)
		for j, v := range m.covariance {
			f.Covariance[j] = left * v
		}
		fields[i] = f
	}
	return fields
}

// nearest returns the frames from ≤ p < to, maxWindow at most, that are nearest to a time.
func (s Sequence) nearest(t float64) (from, to int) {
	n := len(s.Times)
	if n <= maxWindow {
		return 0, n
	}
	from = sort.Search(n-maxWindow, func(i int) bool { return t-s.Times[i] <= s.Times[i+maxWindow]-t })
	return from, from + maxWindow
}

// Displacement returns that of frame p of s on a frame of width×height pixels.
func (m *Motion) Displacement(width, height int, s Sequence, p int) *Displacement {
	if m.Still() {
		return noDisplacement(width, height)
	}
	return newDisplacement(m.Lattice, width, height).of(s.Displacements.Row(p))
}

// register sets dst to the picture with the coefficients src, frame p of s, in reference
// coordinates.
func (m *Motion) register(dst, src frame.Image[float32], s Sequence, p int) {
	Resample(dst, src, m.Displacement(dst.Width, dst.Height, s, p))
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
