package infer

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A State is what observations up to an instant say of variables that follow Gaussian processes in time, each by itself: the mean of a
// variable's state of s numbers, and the state's covariance less the stationary one. It takes the same memory and
// time however many observations there were, allocates nothing, and is for one goroutine.
type State struct {
	groups []group
	data   []float64 // means and covariances of all groups at the last instant
}

// A group are variables of one kernel.
type group struct {
	system       kernel.System
	first, count int     // variables
	now          moments // at the last instant
	ahead        moments // at the one that Ahead went to

	gain                   []float64 // s
	transition, half, room mat.Matrix
	delta                  float64 // of transition; negative: there is none
}

// moments are those of states, one below the other.
type moments struct {
	mean  mat.Matrix // count×s
	above mat.Matrix // count·s×s: covariance less the stationary one
}

func (s *State) moments(at *int, count, n int) moments {
	m := moments{mat.NewDense(count, n, s.data[*at:][:count*n]), mat.NewDense(count*n, n, s.data[*at+count*n:][:count*n*n])}
	*at += count * n * (1 + n)
	return m
}

// StateNumbers returns how many numbers Get gives, of d variables with one system for all or one for each.
func StateNumbers(systems []kernel.System, d int) (numbers int) {
	for _, s := range systems {
		numbers += d / len(systems) * len(s.Output) * (1 + len(s.Output))
	}
	return numbers
}

// NewState returns that of d variables of which nothing is known, the prior, with one system for all or one for each.
func NewState(systems []kernel.System, d int) *State {
	size := StateNumbers(systems, d)
	s := &State{data: make([]float64, 2*size)}
	now, ahead, count := 0, size, d/len(systems)
	for k, system := range systems {
		n := len(system.Output)
		s.groups = append(s.groups, group{system: system, first: k * count, count: count, now: s.moments(&now, count, n), ahead: s.moments(&ahead, count, n),
			gain: make([]float64, n), transition: mat.New(n, n), half: mat.New(n, n), room: mat.New(2*n, n), delta: -1})
	}
	s.data = s.data[:size]
	return s
}

// Bytes returns what a state takes.
func (s *State) Bytes() int {
	numbers := 2 * len(s.data)
	for i := range s.groups {
		n := len(s.groups[i].gain)
		numbers += n + 4*n*n
	}
	return 8 * numbers
}

// Reset forgets all observations.
func (s *State) Reset() { clear(s.data) }

// Get returns means and covariances less the stationary one at the last instant, of each group of variables. They are the state's own; a caller may change them.
func (s *State) Get() []float64 { return s.data }

// minVariance is what rounding leaves of a variance at least.
const minVariance = 0x1p-52

// Ahead sets mean and variance (d each) to those of the variables delta ≥ 0 after the last instant, before what is seen there. The
// last instant remains what it was until Update.
func (s *State) Ahead(mean, variance []float64, delta float64) {
	for k := range s.groups {
		g := &s.groups[k]
		g.step(mean[g.first:][:g.count], variance[g.first:][:g.count], delta)
	}
}

func (g *group) step(mean, variance []float64, delta float64) {
	if delta != g.delta {
		kernel.Exponential(g.transition, g.system.Generator, delta, g.room)
		g.delta = delta
	}
	n := len(g.gain)
	mat.Mul(g.ahead.mean, 1, g.now.mean, g.transition.T(), 0)
	for q := range mean {
		mat.Mul(g.half, 1, g.transition, g.now.of(q, n), 0)
		mat.Mul(g.ahead.of(q, n), 1, g.half, g.transition.T(), 0)
		mean[q], variance[q] = 0, 0
		for i, c := range g.gains(q) {
			h := g.system.Output[i]
			mean[q] += h * g.ahead.mean.At(q, i)
			variance[q] += h * c
		}
		variance[q] = max(variance[q], minVariance)
	}
}

// of returns the covariance of a variable's state.
func (m *moments) of(q, n int) mat.Matrix { return m.above.Slice(q*n, (q+1)*n, 0, n) }

// gains returns c, the covariances of a variable's state with the variable, at the instant ahead.
func (g *group) gains(q int) []float64 {
	d := g.ahead.of(q, len(g.gain))
	for i := range g.gain {
		g.gain[i] = g.system.Input[i]
		for j, h := range g.system.Output {
			g.gain[i] += d.At(i, j) * h
		}
	}
	return g.gain
}

// A Site is what was seen of a variable at an instant, as a factor exp(Shift·x − ½·Precision·x²) of its density.
type Site struct{ Precision, Shift float64 }

// SiteOf returns the site that makes N(mu, v) of N(mean, variance); where v is not below the variance, its mean alone.
func SiteOf(mean, variance, mu, v float64) Site {
	precision := max(0, 1/max(v, minVariance*variance)-1/variance)
	return Site{precision, precision*mu + (mu-mean)/variance}
}

// Update makes the instant ahead the last one, with what was seen there. mean and variance are those of Ahead.
func (s *State) Update(mean, variance []float64, sites []Site) {
	for k := range s.groups {
		g := &s.groups[k]
		for q := range g.count {
			m, v, site := mean[g.first+q], variance[g.first+q], sites[g.first+q]
			known := site.Precision / (1 + float64(site.Precision*v))
			shift := (site.Shift - float64(site.Precision*m)) / (1 + float64(site.Precision*v))
			c, d, row := g.gains(q), g.ahead.of(q, len(g.gain)), g.ahead.mean.Row(q)
			for i, ci := range c {
				row[i] += shift * ci
				for j, cj := range c {
					d.Row(i)[j] -= known * ci * cj
				}
			}
		}
		mat.Copy(g.now.mean, g.ahead.mean)
		mat.Copy(g.now.above, g.ahead.above)
	}
}
