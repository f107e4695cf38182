package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// A Stream fills in and predicts examples that follow one another in time, of a model whose latent variables do. What it remembers of them is
// the state of a Kalman filter, a few numbers for each latent dimension, whose marginal is the prior of the next example's latent variables
// (docs/math.md, section 23). So memory and time do not grow, and times need not be even. Streams that take turns may share a Workspace.
type Stream struct {
	w     *Workspace
	state *infer.State
	begun bool
	last  float64 // time of the last example, where there was one

	mean, variance []float64 // of the latent variables at the present instant, before anything was seen there
	scores         []float64 // n·d_y
	score          float64
}

// NewStream returns a stream of which nothing was seen yet. The error is a *StreamError where the model's examples have no times, or no Markov
// kernel in time.
func (w *Workspace) NewStream() (*Stream, error) {
	c := w.c
	t, n := &c.Time, len(c.Time.Output)
	if n == 0 {
		return nil, &StreamError{t.Kernel}
	}
	system := infer.System{Generator: mat.NewDense(n, n, t.Generator), Output: t.Output, Input: t.Input}
	s := &Stream{w: w, state: infer.NewState(system, c.Latents), mean: make([]float64, c.Latents), variance: make([]float64, c.Latents),
		scores: make([]float64, len(w.scaled))}
	s.Reset()
	return s, nil
}

// Bytes returns what a stream takes beside its workspace.
func (s *Stream) Bytes() int { return s.state.Bytes() + 8*(len(s.scores)+2*len(s.mean)) }

// Reset begins a new sequence, of which nothing is known but the prior.
func (s *Stream) Reset() {
	s.state.Reset()
	s.begun = false
	s.forget()
}

// Continue goes on behind the last training example of a sequence, by its label (0 where none were given). Errors: *SequenceError.
func (s *Stream) Continue(sequence int) error {
	for i := range s.w.c.Time.Ends {
		if e := &s.w.c.Time.Ends[i]; e.Sequence == sequence {
			s.state.Set(e.Mean, e.Above)
			s.begun, s.last = true, e.Time
			s.forget()
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
	s.score = math.NaN()
}

// Last returns the time of the last example; ok is false where there was none.
func (s *Stream) Last() (time float64, ok bool) { return s.last, s.begun }

// ahead goes to a time, for the prior there.
func (s *Stream) ahead(time float64) error {
	if time-time != 0 || s.begun && time < s.last {
		last := math.Inf(-1)
		if s.begun {
			last = s.last
		}
		return &TimeError{time, last}
	}
	delta := 0.0
	if s.begun {
		delta = time - s.last
	}
	s.state.Ahead(s.mean, s.variance, delta)
	for q, v := range s.variance {
		if s.mean[q]-s.mean[q] != 0 || !(v <= 1/minPrecision) {
			return &ValueError{q, v, "a latent variance of about 1 or less: the file's kernel in time is none"}
		}
	}
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
	return s.w.Predict(dst, variance, s.mean, s.variance)
}

// Fill is Workspace.Fill of the example at a time, given those before it too: no earlier than the last one. Nothing need be observed. After an
// error the stream is where it was. Errors: those of Workspace.Fill, *TimeError.
func (s *Stream) Fill(time float64, dst, variance, values []float64, mask []bool) error {
	w := s.w
	if err := s.ahead(time); err != nil {
		return err
	}
	if err := w.lengths(dst, variance); err != nil {
		return err
	}
	if err := w.observe(values, mask); err != nil {
		return err
	}
	s.forget()
	score, err := w.w.Foresee(s.scores, s.mean, s.variance)
	if err != nil {
		return err
	}
	s.score = score
	w.SetPrior(s.mean, s.variance)
	err = w.Fill(dst, variance, values, mask)
	w.SetPrior(nil, nil)
	if err != nil {
		return err
	}
	s.state.Update(s.mean, s.variance, w.Latent().Mu, w.Latent().S)
	s.begun, s.last = true, time
	return nil
}

// Surprise returns how surprising the last example's observed values were by what the stream predicted before it saw them: scores, of
// Points·Channels elements, are how many standard deviations each value is from its prediction (NaN where it was not observed; nil: not wanted); the
// number returned is the mean square of all values together, those of a channel decorrelated, which is near 1 for an example that goes on as in training. It is NaN
// where nothing was observed or so many values that they were not used at once.
func (s *Stream) Surprise(scores []float64) float64 {
	copy(scores, s.scores)
	return s.score
}
