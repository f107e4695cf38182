package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Stream fills in and predicts examples that follow one another in time, of a model whose latent variables do. What it remembers of them is
// the state of a Kalman filter: some numbers for each latent dimension and, where the latent kernel has a part in time, for each feature of the
// spatial kernel. Their marginals are the prior of the next example (docs/math.md, section 23). So memory and time do not grow, and times need not be even. Streams
// that take turns may share a Workspace.
type Stream struct {
	w     *Workspace
	o     StreamOptions
	at    kernel.Instant // of the last example, where there was one
	begun bool
	now   kernel.Instant // of the present one

	latent, field process // field: of no variables where the model has no part in time

	sensors []sensor // n·d_y
	typical float64  // scale of the residuals of frames, 1 at least

	past, later, free []*past // the last examples; those that come after the one at hand; room

	scores []float64 // n·d_y

	score, level, sum, patch float64
	place                    int
}

// A process is variables that follow Gaussian processes in time.
type process struct {
	state          *infer.State
	mean, variance []float64 // at the present instant, before anything was seen there
	sites          []infer.Site
}

func newProcess(systems []kernel.System, d int) process {
	return process{infer.NewState(systems, d), make([]float64, d), make([]float64, d), make([]infer.Site, d)}
}

// found sets the sites to what was found at the present instant.
func (p *process) found(mu, v []float64) {
	for q := range p.sites {
		p.sites[q] = infer.SiteOf(p.mean[q], p.variance[q], mu[q], v[q])
	}
}

// StreamOptions steer a stream. The zero value works.
type StreamOptions struct {
	Believe bool // all values, those that disagree with all else too
	Lag     int  // how many examples may have come before one that is late: it is put into its place among them, given those before it
	Patches bool // look for patches of values that are off alike; a model that was compiled with examples for alarms has them looked for
}

// NewStream returns a stream of which nothing was seen yet. The error is a *StreamError where the model's examples have no times, or a kernel
// in time that is no sum or product of Matérn, periodic and RBF kernels.
func (w *Workspace) NewStream(o StreamOptions) (*Stream, error) {
	t := &w.c.Time
	if len(t.Systems) == 0 {
		return nil, &StreamError{t.Kernel}
	}
	s := &Stream{w: w, o: o, latent: newProcess(t.Systems, w.c.Latents), scores: make([]float64, len(w.scaled)), sensors: make([]sensor, len(w.scaled))}
	var part []kernel.System
	if n := w.m.m.Features(); n > 0 {
		system, ok := w.m.m.Part()
		if !ok {
			return nil, &StreamError{t.Part}
		}
		part = append(part, system)
		s.field = newProcess(part, n)
	} else {
		s.field = newProcess(t.Systems[:1], 0)
	}
	s.newPast()
	s.Reset()
	return s, nil
}

// Bytes returns what a stream takes beside its workspace.
func (s *Stream) Bytes() int {
	return s.latent.state.Bytes() + s.field.state.Bytes() + 8*(6*len(s.scores)+4*len(s.latent.mean)+4*len(s.field.mean)) + cap(s.past)*s.pastBytes()
}

// newSequence is the label of a sequence that is none of training.
const newSequence = math.MinInt32

// Reset begins a new sequence, of which nothing is known but the prior.
func (s *Stream) Reset() {
	s.latent.state.Reset()
	s.field.state.Reset()
	s.begun, s.at.Sequence, s.typical = false, newSequence, 1
	s.sum = 0
	s.free, s.past = append(s.free, s.past...), s.past[:0]
	clear(s.sensors)
	s.forget()
}

// Continue goes on behind the last training example of a sequence, by its label (0 where none were given). Errors: *SequenceError.
func (s *Stream) Continue(sequence int) error {
	for i := range s.w.c.Time.Ends {
		if e := &s.w.c.Time.Ends[i]; e.Sequence == sequence {
			s.Reset()
			copy(s.latent.state.Get(), e.State)
			s.begun, s.at = true, kernel.Instant{Sequence: sequence, Time: e.Time}
			return nil
		}
	}
	return &SequenceError{sequence}
}

// forget leaves no scores.
func (s *Stream) forget() {
	for i := range s.scores {
		s.scores[i] = math.NaN()
	}
	s.score, s.level, s.patch, s.place = NoEvidence, NoEvidence, 0, 0
}

// Last returns the time of the last example; ok is false where there was none.
func (s *Stream) Last() (time float64, ok bool) { return s.at.Time, s.begun }

// ahead goes to a time, for the prior there.
func (s *Stream) ahead(time float64) error {
	if time-time != 0 || s.begun && time < s.at.Time {
		last := math.Inf(-1)
		if s.begun {
			last = s.at.Time
		}
		return &TimeError{time, last}
	}
	delta := 0.0
	if s.begun {
		delta = time - s.at.Time
	}
	for _, p := range []*process{&s.latent, &s.field} {
		p.state.Ahead(p.mean, p.variance, delta)
		for q, v := range p.variance {
			if p.mean[q]-p.mean[q] != 0 || !(v <= 1/minPrecision) {
				return &ValueError{q, v, "a variance of about 1 or less: the file's kernel in time is none"}
			}
		}
	}
	s.now = kernel.Instant{Sequence: s.at.Sequence, Time: time}
	return nil
}

// minPrecision bounds the variances that a stream predicts. Those of a kernel are up to 1.
const minPrecision = 1e-6

// Predict sets dst and variance, which may be nil, to mean and variance of all values of an example at a time, before anything of it is seen. The
// stream stays where it was. Errors: *LengthError, *TimeError.
func (s *Stream) Predict(time float64, dst, variance []float64) error {
	if err := s.ahead(time); err != nil {
		return err
	}
	s.begin()
	defer s.w.end()
	return s.w.Predict(dst, variance, s.latent.mean, s.latent.variance)
}

// begin has the workspace know what the stream does.
func (s *Stream) begin() {
	s.w.SetPrior(s.latent.mean, s.latent.variance)
	s.w.w.SetField(&s.now, s.field.mean, s.field.variance)
}

// end has the workspace forget it.
func (w *Workspace) end() {
	w.SetPrior(nil, nil)
	w.w.SetField(nil, nil, nil)
}

// Fill is Workspace.Fill of the example at a time, given those before it too: no earlier than the last one, or of the last StreamOptions.Lag. Nothing need be observed. What disagrees with all else
// that is known is filled in as if it was missing, and does not enter the stream (Faults). After an
// error the stream is where it was. Errors: those of Workspace.Fill, *TimeError.
func (s *Stream) Fill(time float64, dst, variance, values []float64, mask []bool) error {
	s.back(time)
	err := s.fill(time, dst, variance, values, mask)
	if again := s.forward(); err == nil {
		err = again
	}
	return err
}

// fill is Fill of an example behind all others.
func (s *Stream) fill(time float64, dst, variance, values []float64, mask []bool) error {
	w := s.w
	if err := s.ahead(time); err != nil {
		return err
	}
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	if err := w.scale(values, mask); err != nil {
		return err
	}
	s.begin()
	defer w.end()
	f, strange, err := s.choose()
	if err != nil {
		return err
	}
	if err := w.fill(dst, variance, values); err != nil {
		return err
	}
	s.setLevel(f, w.compared)
	if !strange && !s.o.Believe {
		s.judge(values, mask)
	}
	s.latent.found(w.Latent().Mu, w.Latent().S)
	s.field.found(w.w.Field())
	s.update(nil)
	return nil
}

// Surprise returns how surprising the last example's observed values were by what the stream predicted before it saw them: scores, of
// Points·Channels elements, are how many standard deviations each value is from its prediction (NoEvidence where it was not observed or its sensor is not believed; nil: not wanted); the
// number returned is the mean square of all values together, those of a channel decorrelated, which is near 1 for an example that goes on as in training. It is NoEvidence
// where nothing was observed or so many values that they were not used at once.
func (s *Stream) Surprise(scores []float64) float64 {
	copy(scores, s.scores)
	tell(scores)
	return s.score
}
