package infer

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A System is a Markov kernel in time as the output of a linear system of s numbers (docs/math.md, section 10):
// k(Δ) = hᵀ·exp(Δ·G)·b for Δ ≥ 0.
type System struct {
	Generator     mat.Matrix // G, s×s
	Output, Input []float64  // h and b
}

// A State is what examples up to an instant say of latent variables that follow processes of one Markov kernel, each dimension by
// itself: the mean of its state of s numbers, and the state's covariance less the stationary one. It takes the same memory and
// time however many examples there were, allocates nothing, and is for one goroutine.
type State struct {
	system System
	now    moments // at the last instant
	ahead  moments // at the one that Ahead went to

	gain                   []float64 // s
	transition, half, room mat.Matrix
	delta                  float64 // of transition; negative: there is none
}

// moments are those of all dimensions' states, one below the other.
type moments struct {
	mean  mat.Matrix // d×s
	above mat.Matrix // d·s×s: covariance less the stationary one
}

func newMoments(d, s int) moments { return moments{mat.New(d, s), mat.New(d*s, s)} }

// NewState returns that of d latent dimensions of which nothing is known: the prior.
func NewState(s System, d int) *State {
	n := len(s.Output)
	return &State{system: s, now: newMoments(d, n), ahead: newMoments(d, n), gain: make([]float64, n),
		transition: mat.New(n, n), half: mat.New(n, n), room: mat.New(2*n, n), delta: -1}
}

// Bytes returns what a state takes.
func (s *State) Bytes() int {
	n := len(s.gain)
	return 8 * (2*len(s.now.mean.Data)*(1+n) + n + 4*n*n)
}

// Reset forgets all examples.
func (s *State) Reset() {
	s.now.mean.Fill(0)
	s.now.above.Fill(0)
}

// Set begins with the numbers of Get.
func (s *State) Set(mean, above []float64) {
	copy(s.now.mean.Data, mean)
	copy(s.now.above.Data, above)
}

// Get returns means (d·s) and covariances less the stationary one (d·s²) at the last instant. They are the state's own.
func (s *State) Get() (mean, above []float64) { return s.now.mean.Data, s.now.above.Data }

// minVariance is what rounding leaves of a variance at least.
const minVariance = 0x1p-52

// Ahead sets mean and variance (d each) to those of the latent variables delta ≥ 0 after the last instant, before what is seen there. The
// last instant remains what it was until Update.
func (s *State) Ahead(mean, variance []float64, delta float64) {
	if delta != s.delta {
		kernel.Exponential(s.transition, s.system.Generator, delta, s.room)
		s.delta = delta
	}
	n := len(s.gain)
	mat.Mul(s.ahead.mean, 1, s.now.mean, s.transition.T(), 0)
	for q := range mean {
		mat.Mul(s.half, 1, s.transition, s.now.of(q, n), 0)
		mat.Mul(s.ahead.of(q, n), 1, s.half, s.transition.T(), 0)
		mean[q], variance[q] = 0, 0
		for i, c := range s.gains(q) {
			h := s.system.Output[i]
			mean[q] += h * s.ahead.mean.At(q, i)
			variance[q] += h * c
		}
		variance[q] = max(variance[q], minVariance)
	}
}

// of returns the covariance of a dimension's state.
func (m *moments) of(q, n int) mat.Matrix { return m.above.Slice(q*n, (q+1)*n, 0, n) }

// gains returns c, the covariances of a dimension's state with its latent variable, at the instant ahead.
func (s *State) gains(q int) []float64 {
	d := s.ahead.of(q, len(s.gain))
	for i := range s.gain {
		s.gain[i] = s.system.Input[i]
		for j, h := range s.system.Output {
			s.gain[i] += d.At(i, j) * h
		}
	}
	return s.gain
}

// Update makes the instant ahead the last one, at which the latent variables are N(mu, diag v) where Ahead gave N(mean, diag variance): what
// was seen enters as the Gaussian q/prior, and where v is not below the variance, its mean alone.
func (s *State) Update(mean, variance, mu, v []float64) {
	for q := range mean {
		c := s.gains(q)
		shift := (mu[q] - mean[q]) / variance[q]
		known := max(0, variance[q]-v[q]) / (variance[q] * variance[q])
		d, m := s.ahead.of(q, len(c)), s.ahead.mean.Row(q)
		for i, ci := range c {
			m[i] += shift * ci
			for j, cj := range c {
				d.Row(i)[j] -= known * ci * cj
			}
		}
	}
	s.now, s.ahead = s.ahead, s.now
}
