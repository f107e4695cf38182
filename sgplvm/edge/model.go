package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// Type is how a compiled file stores its large tables. Everything is computed in float64, whatever the type.
type Type int

// The types.
const (
	Float64 Type = iota
	Float32
	Float16
)

// String returns f64, f32 or f16.
func (t Type) String() string { return points.Type(t).String() }

// A Model predicts from a compiled file. It does not change, and any number of goroutines may use it, each with a
// Workspace of its own.
type Model struct {
	m *points.Model
	c *points.Contents

	levelMean, levelDeviation float64 // of c.Scores
	digest                    uint64  // of the file
}

// Open returns the model in a compiled file, of which it keeps views: the file must not change. With a file of package embed's
// nothing is copied. Errors: *VersionError, *NeedError, *FormatError.
func Open(file []byte) (*Model, error) {
	c, err := points.Decode(file)
	if err != nil {
		return nil, refused(err)
	}
	m := &Model{m: points.New(c), c: c, digest: points.Checksum(file)}
	if len(c.Scores) > 0 {
		m.setLevels()
	}
	return m, nil
}

// refused returns the public error of a file.
func refused(err *points.FileError) error {
	if err.Version > 0 {
		return &VersionError{err.Version, points.Version}
	}
	if err.Need != "" {
		return &NeedError{err.Need}
	}
	return &FormatError{err.Offset, err.Reason}
}

// An About is what a compiled model tells about itself.
type About struct {
	Label                     string // what the points are, as 20x28
	Width, Height             int    // of pictures; 0: the points are none
	Points, Channels, Latents int
	Examples                  int       // of training that the file has
	Units                     string    // of values
	Low, High                 float64   // between which values lie; equal: not known
	Mean, Deviation           []float64 // of the training values of each channel
	FirstTime, LastTime       float64   // of the training examples, where these have times
	Spacing                   float64   // of these times, their median; 0: there are none
	Kernel                    string    // in time, of the latent variables
}

// About returns what the model tells about itself. The slices are the model's.
func (m *Model) About() About {
	c, a := m.c, &m.c.About
	return About{c.Label, a.Width, a.Height, c.Points, c.Channels, c.Latents, c.Examples, a.Units, a.Low, a.High, c.Mean, c.Scale, a.First, a.Last, c.Time.Spacing, c.Time.Kernel}
}

// Points returns how many points there are, Channels how many channels: an example is Points·Channels values, the channels of
// a point side by side.
func (m *Model) Points() int   { return m.c.Points }
func (m *Model) Channels() int { return m.c.Channels }

// Bytes returns what a program takes at most for the model beside its file: while it is opened, which leaves some for the collector.
func (m *Model) Bytes() int { return m.m.Bytes() }

// Multiplications returns about how many an example takes of which so many points are observed, in all channels.
func (m *Model) Multiplications(seen int) float64 { return m.m.Multiplications(seen) }

// A Latent is the posterior of an example's latent variables, N(Mu, diag S). The slices are the workspace's until its next call.
type Latent struct {
	Mu, S []float64 // d_ξ each
	Bound float64   // L*, a lower bound on the log evidence of the scaled values
	Start int       // the training example whose posterior led here; −1: the prior mean
}

// A Workspace has all room that filling in takes, for one goroutine at a time. Its methods allocate nothing after their first call.
type Workspace struct {
	w      *points.Workspace
	m      *Model
	c      *points.Contents
	most   int
	scaled []float64 // the example, n·d_y; NaN where missing
	room   []float64 // n·d_y

	compared   int  // values that the score of a stream's example is of
	calibrated bool // variances are those of a stream's example of which nothing was seen
	partly     bool // or some
}

// NewWorkspace returns room for examples of which at most so many values are observed in a channel; 0: all of them. What it
// takes grows with the square of that number up to the compiled limit of values that are used at once, and where
// the noise is structured.
func (m *Model) NewWorkspace(most int) *Workspace {
	if most <= 0 || most > m.c.Points {
		most = m.c.Points
	}
	return &Workspace{w: m.m.NewWorkspace(most), m: m, c: m.c, most: most, scaled: make([]float64, m.c.Points*m.c.Channels), room: make([]float64, m.c.Points*m.c.Channels)}
}

// Bytes returns what the workspace takes, but for some kilobytes, factors and what products pack included.
func (w *Workspace) Bytes() int { return w.w.Bytes() + 16*len(w.scaled) }

// SetPrior sets what is known of the latent variables of the next examples before their values are, N(mean, diag variance); nil:
// standard normal. It panics where lengths are wrong or a variance is not positive.
func (w *Workspace) SetPrior(mean, variance []float64) { w.w.SetPrior(mean, variance) }

// Latent returns the latent posterior of the last example.
func (w *Workspace) Latent() Latent { return Latent(w.w.Latent()) }

// Fill sets dst and variance to mean and variance of all values of an example given those that were observed: an observed value is
// its own mean, with variance 0. values, mask, dst and variance have Points·Channels elements each; mask says which values were
// observed, nil: all of them. Others do not count, and may be NaN. variance may be nil. It is what sgplvm.Model.Impute predicts. After an
// error dst and variance are as they were. Errors: *LengthError, *ValueError, *chol.NotPositiveDefiniteError,
// *chol.NonFiniteError, *lbfgs.NonFiniteError.
func (w *Workspace) Fill(dst, variance, values []float64, mask []bool) error {
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	if err := w.scale(values, mask); err != nil {
		return err
	}
	w.w.Observe(w.scaled)
	return w.fill(dst, variance, values)
}

// fill is Fill of the example that is observed.
func (w *Workspace) fill(dst, variance, values []float64) error {
	err := w.w.Infer()
	if err == nil {
		err = w.w.Complete()
	}
	return w.finish(dst, variance, values, err)
}

// finish delivers an example with its observed values, unless there was an error.
func (w *Workspace) finish(dst, variance, values []float64, err error) error {
	if err != nil {
		return err
	}
	w.deliver(dst, variance)
	for i, v := range w.scaled {
		if v == v {
			dst[i] = values[i]
			if variance != nil {
				variance[i] = 0
			}
		}
	}
	return nil
}

// Sketch is Fill a little less exactly and, of larger pictures, in a tenth of the time, for programs that show something at once: the latent posterior is that of 256 observed
// values of a channel at most, and missing ones are given the observed ones nearest to them. There is no Surprise after it. Errors: those of Fill.
func (w *Workspace) Sketch(dst, variance, values []float64, mask []bool) error {
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	if err := w.scale(values, mask); err != nil {
		return err
	}
	return w.finish(dst, variance, values, w.w.Sketch(w.scaled))
}

// Infer finds the latent posterior of an example seen in part, for Latent. Errors: those of Fill.
func (w *Workspace) Infer(values []float64, mask []bool) error {
	if err := w.scale(values, mask); err != nil {
		return err
	}
	w.w.Observe(w.scaled)
	return w.w.Infer()
}

// Predict sets dst and variance, which may be nil, to mean and variance of all values for the latent posterior N(mu, diag s). Errors: *LengthError,
// *ValueError.
func (w *Workspace) Predict(dst, variance, mu, s []float64) error {
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	d := w.c.Latents
	if len(mu) != d || len(s) != d {
		return &LengthError{"latent means or variances", min(len(mu), len(s)), d}
	}
	for q, v := range s {
		if !(v >= 0) || math.IsInf(v, 0) || mu[q]-mu[q] != 0 {
			return &ValueError{q, v, "a finite mean and a variance of 0 or more"}
		}
	}
	w.w.Predict(mu, s)
	w.deliver(dst, variance)
	return nil
}

// Surprise returns how surprising the last example's observed values were, after Fill: scores, of Points·Channels elements, are how many
// standard deviations each value is from what all others and the latent variables say of it (NoEvidence where it was not observed; nil: not
// wanted); the number returned is the mean square of all values together, decorrelated, which is near 1 for an example like those of
// training. It is NoEvidence where nothing was observed or so many values that they were not used at once.
func (w *Workspace) Surprise(scores []float64) float64 {
	score := w.w.Surprise(scores)
	tell(scores)
	return told(score)
}

// NoEvidence is the score of what was not observed. It is below all others.
const NoEvidence = -math.MaxFloat32

// told returns a score, and NoEvidence in place of none.
func told(score float64) float64 {
	if score != score {
		return NoEvidence
	}
	return score
}

func tell(scores []float64) {
	for i, v := range scores {
		scores[i] = told(v)
	}
}

// farOff bounds the scaled values, so that their squares do not overflow.
const farOff = 1e100

// scale scales an example, values of which mask says which were observed; nil: all of them.
// Errors: *LengthError, *ValueError.
func (w *Workspace) scale(values []float64, mask []bool) error {
	if len(values) != len(w.scaled) {
		return &LengthError{"values", len(values), len(w.scaled)}
	}
	if mask != nil && len(mask) != len(values) {
		return &LengthError{"elements of a mask", len(mask), len(values)}
	}
	dy := w.c.Channels
	for ch := range dy {
		seen := 0
		for k := ch; k < len(values); k += dy {
			w.scaled[k] = math.NaN()
			if mask != nil && !mask[k] {
				continue
			}
			seen++
			if values[k]-values[k] != 0 {
				return &ValueError{k, values[k], "a finite number where the mask does not say that it is missing"}
			}
			w.scaled[k] = (values[k] - w.c.Mean[ch]) / w.c.Scale[ch]
			if math.Abs(w.scaled[k]) > farOff {
				return &ValueError{k, values[k], "a value nearer to those of training"}
			}
		}
		if seen > w.most {
			return &LengthError{"observed values of a channel", seen, w.most}
		}
	}
	return nil
}

func (w *Workspace) lengths(dst, variance []float64) error {
	n := len(w.scaled)
	if len(dst) != n {
		return &LengthError{"values of a result", len(dst), n}
	}
	if variance != nil && len(variance) != n {
		return &LengthError{"variances of a result", len(variance), n}
	}
	return nil
}

// deliver writes the result in the user's units.
func (w *Workspace) deliver(dst, variance []float64) {
	mean, own := w.w.Result()
	dy := w.c.Channels
	for k := range dst {
		s := w.c.Scale[k%dy]
		dst[k] = w.c.Mean[k%dy] + s*mean.Data[k]
		if variance != nil {
			v := own.Data[k]
			switch {
			case w.calibrated:
				v = w.c.Calibrated(v)
			case w.partly && w.c.Partly != nil && w.scaled[k] != w.scaled[k]:
				v = w.c.FilledIn(v, w.c.Distance(k, w.scaled))
			}
			variance[k] = s * s * v
		}
	}
}

// setLevels sets the moments of the levels of the file.
func (m *Model) setLevels() {
	n := float64(len(m.c.Scores))
	for _, v := range m.c.Scores {
		m.levelMean += v / n
	}
	for _, v := range m.c.Scores {
		m.levelDeviation += (v - m.levelMean) * (v - m.levelMean) / n
	}
	m.levelDeviation = math.Sqrt(max(m.levelDeviation, 1e-12))
}
