package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Stream fills in and predicts examples that follow one another in time, of a model whose latent variables do. What it remembers of them is
// the state of a Kalman filter: some numbers for each latent dimension, for a slow drift of all values that the model does not have and, where the latent kernel has a part in time, for each feature of the
// spatial kernel. Their marginals are the prior of the next example (docs/math.md, section 23). So memory and time do not grow, and times need not be even. Streams
// that take turns may share a Workspace.
type Stream struct {
	w     *Workspace
	o     StreamOptions
	at    kernel.Instant // of the last example, where there was one
	begun bool
	now   kernel.Instant // of the present one

	latent, field, drift process // field: of no variables where the model has no part in time

	sensors []sensor // n·d_y
	typical float64  // scale of the residuals of frames, 1 at least
	patched bool     // a patch of the last example was left out
	strange bool     // all of it was

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
	Still   bool // nothing drifts: what all values have in common is the model's
	Lag     int  // how many examples may have come before one that is late: it is put into its place among them, given those before it
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
	for _, p := range s.processes() {
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

// begin has the workspace know what the stream does.
func (s *Stream) begin() {
	s.w.SetPrior(s.latent.mean, s.latent.variance)
	s.w.w.SetField(&s.now, s.field.mean, s.field.variance)
	s.w.w.SetDrift(s.drift.mean, s.drift.variance, 0)
}

// end has the workspace forget it.
func (w *Workspace) end() {
	w.SetPrior(nil, nil)
	w.w.SetField(nil, nil, nil)
	w.w.SetDrift(nil, nil, 0)
	w.calibrated, w.partly = false, false
}

// A past is an example among the last that a stream has seen, before which another may come late.
type past struct {
	at, before kernel.Instant // its instant, and that of the example before it
	begun      bool           // there was one
	states     [3][]float64   // of the processes before it
	sites      [3][]infer.Site
}

func (s *Stream) processes() [3]*process { return [3]*process{&s.latent, &s.field, &s.drift} }

// A Fault says why a value is not believed.
type Fault int

// The faults.
const (
	Sound    Fault = iota
	Spiking        // the value disagrees with all others, or did lately more often than one in eight
	Drifting       // the sensor disagrees for long
	Stuck          // the sensor disagrees for long and does not change
)

// String returns sound, spiking, drifting or stuck.
func (f Fault) String() string { return [...]string{"sound", "spiking", "drifting", "stuck"}[f] }

// A sensor is what a stream remembers of a value.
type sensor struct {
	last  float64 // the value when it was observed
	rate  float64 // how often it disagreed lately
	bias  float64 // the mean of its leave-one-out residuals lately, in units of what was expected
	same  int32   // examples since it changed
	left  bool    // it was left out of the last example
	fault Fault
}
