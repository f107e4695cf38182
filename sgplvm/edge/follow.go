package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

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
	rate, one, drifts := mat.New(1, 1), []float64{1}, w.w.Drifts()
	if rate.Data[0] = -1. / points.DriftMemory; t.Spacing > 0 {
		rate.Data[0] /= t.Spacing
	}
	if o.Still {
		drifts = 0
	}
	s.drift = newProcess([]kernel.System{{Generator: rate, Output: one, Input: one}}, drifts)
	s.newPast()
	s.Reset()
	return s, nil
}

// Bytes returns what a stream takes beside its workspace.
func (s *Stream) Bytes() int {
	bytes := 8*6*len(s.scores) + cap(s.past)*s.pastBytes()
	for _, p := range s.processes() {
		bytes += p.state.Bytes() + 8*4*len(p.mean)
	}
	return bytes
}

// newSequence is the label of a sequence that is none of training.
const newSequence = math.MinInt32

// Reset begins a new sequence, of which nothing is known but the prior.
func (s *Stream) Reset() {
	for _, p := range s.processes() {
		p.state.Reset()
	}
	s.begun, s.at.Sequence, s.typical = false, newSequence, 1
	s.sum, s.patched, s.strange = 0, false, false
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
			amounts := s.drift.state.Get()
			for k := len(amounts) / 2; k < len(amounts); k++ {
				amounts[k] = -1 // a variance of 0: training has no drift
			}
			s.begun, s.at = true, kernel.Instant{Sequence: sequence, Time: e.Time}
			return nil
		}
	}
	return &SequenceError{sequence}
}

// Predict sets dst and variance, which may be nil, to mean and variance of all values of an example at a time, before anything of it is seen. The
// stream stays where it was. Errors: *LengthError, *TimeError.
func (s *Stream) Predict(time float64, dst, variance []float64) error {
	if err := s.ahead(time); err != nil {
		return err
	}
	s.begin()
	defer s.w.end()
	s.w.calibrated = true
	return s.w.Predict(dst, variance, s.latent.mean, s.latent.variance)
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
	w.calibrated = w.w.Observed() == 0
	w.partly = true
	if err := w.fill(dst, variance, values); err != nil {
		return err
	}
	s.setLevel(f, w.compared)
	if !strange && !s.o.Believe {
		s.assess(values, mask)
	}
	s.latent.found(w.Latent().Mu, w.Latent().S)
	s.field.found(w.w.Field())
	s.drift.found(w.w.Drift())
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
