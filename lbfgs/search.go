package lbfgs

import (
	"context"
	"math"
)

// A line search gives up after maxTrials trials. Once it has an upper end, it settles
// after settleTrials for a step that only decreases f.
const (
	maxTrials    = 60
	settleTrials = 20
)

// sample is φ(a) = f(x + a·d) and the slope φ′(a) = d·∇f(x + a·d) at the step a.
type sample struct{ a, f, g float64 }

// bracket is where the search looks for a step: φ falls from lo towards hi, and lo
// has the least value among the samples of sufficient decrease.
type bracket struct {
	lo, hi sample     // hi.a = +Inf: no upper end yet; hi.f = +Inf: hi is infeasible
	before sample     // lo before it was last replaced
	widths [2]float64 // |hi.a − lo.a| one and two trials ago
}

// search looks along m.d, where the slope at m.x is slope < 0, for a strong Wolfe
// step, and leaves the point found in m.xt, m.gt. It returns the sample there and
// whether it meets the conditions; a = 0 means that nothing was found, with the
// reason in stop: EvaluationLimit, Cancelled, Infeasible or SearchFailed.
func (m *Minimizer) search(ctx context.Context, f Objective, slope float64) (t sample, wolfe bool, stop Status) {
	start := sample{0, m.f, slope}
	b := bracket{lo: start, hi: sample{a: math.Inf(1)}}
	b.widths = [2]float64{math.Inf(1), math.Inf(1)}
	low := m.lowest()
	xlo, stop := m.x, SearchFailed
	for trial, a := 0, 1.0; trial < maxTrials; trial++ {
		open := math.IsInf(b.hi.a, 1)
		if b.lo.f < m.f && trial >= settleTrials && !open {
			break
		}
		if !m.place(a, xlo) {
			if m.memory.used > 0 || !open {
				break
			}
			a *= 10 // the guessed scale is below the rounding of x
			continue
		}
		if s := m.interrupted(ctx); s != 0 {
			return sample{}, false, s
		}
		t, feasible := m.sample(f, a)
		switch {
		case !feasible:
			b.hi = sample{a, math.Inf(1), math.Inf(1)}
			stop = Infeasible
		case t.f > max(start.f, low+m.noise(low, t.f))+m.o.C1*a*slope || t.f > b.lo.f+m.noise(b.lo.f, t.f):
			if b.lo.f >= m.f && -a*slope <= 0x1p-53*math.Abs(m.f) {
				return sample{}, false, stop // rounding of f is above Noise: shorter steps show nothing else
			}
			b.hi = t
		case math.Abs(t.g) <= -m.o.C2*slope:
			return t, true, 0
		default:
			b.advance(t)
			m.xlo, m.xt = m.xt, m.xlo
			m.glo, m.gt = m.gt, m.glo
			xlo = m.xlo
		}
		a = b.next(m.noise(b.lo.f, b.hi.f))
	}
	if b.lo.f < m.f {
		m.xlo, m.xt = m.xt, m.xlo
		m.glo, m.gt = m.gt, m.glo
		return b.lo, false, 0
	}
	return sample{}, false, stop
}

// lowest returns the least of the recent values.
func (m *Minimizer) lowest() float64 {
	low := m.f
	for _, f := range m.recent {
		low = min(low, f)
	}
	return low
}

// noise returns the rounding error of the difference of two values of f.
func (m *Minimizer) noise(f1, f2 float64) float64 {
	return m.o.Noise * max(math.Abs(f1), math.Abs(f2))
}

// place writes the trial point x + a·d to m.xt and reports whether it differs
// from xlo.
func (m *Minimizer) place(a float64, xlo []float64) bool {
	moved := false
	for i, x := range m.x {
		m.xt[i] = x + a*m.d[i]
		moved = moved || m.xt[i] != xlo[i]
	}
	return moved
}

// sample evaluates the trial point m.xt of the step a, unless it has overflowed.
func (m *Minimizer) sample(f Objective, a float64) (t sample, feasible bool) {
	if nonFinite(m.xt) >= 0 {
		return sample{}, false
	}
	t.a = a
	t.f, feasible = m.evaluate(f, m.xt, m.gt)
	t.g = dot(m.gt, m.d)
	return t, feasible && finite(t.g)
}

// advance makes t, a sample of sufficient decrease below lo, the new lo.
func (b *bracket) advance(t sample) {
	if t.g*(b.hi.a-b.lo.a) >= 0 {
		b.hi = b.lo
	}
	b.before, b.lo = b.lo, t
}

// next returns the step to try. noise is the rounding error of lo.f − hi.f.
func (b *bracket) next(noise float64) float64 {
	lo, hi := b.lo, b.hi
	if math.IsInf(hi.a, 1) {
		return b.extrapolate()
	}
	w := hi.a - lo.a
	slow := math.Abs(w) > 2.0/3*b.widths[1]
	b.widths = [2]float64{math.Abs(w), b.widths[0]}
	switch {
	case math.IsInf(hi.f, 1) && lo.a == 0:
		return 0.1 * w // nothing is known yet: retreat fast
	case math.IsInf(hi.f, 1) || slow:
		return lo.a + w/2
	}
	var u float64 // the trial's place in the bracket: 0 at lo, 1 at hi
	if hi.g*lo.g < 0 && math.Abs(hi.f-lo.f) <= noise {
		u = lo.g / (lo.g - hi.g) // the zero of the slope, by the secant
	} else {
		u = (cubicMinimizer(lo, hi) - lo.a) / w
	}
	if math.IsNaN(u) {
		u = 0.5
	}
	return lo.a + min(max(u, 0.05), 0.95)*w
}

// extrapolate returns a step beyond lo, by the cubic through the last two samples,
// two to ten times as far from the one before.
func (b *bracket) extrapolate() float64 {
	w := b.lo.a - b.before.a
	a := cubicMinimizer(b.before, b.lo)
	if !(a > b.lo.a) {
		a = math.Inf(1)
	}
	return b.before.a + min(max(a-b.before.a, 2*w), 10*w)
}

// cubicMinimizer returns the local minimiser of the cubic with the values and
// slopes of p and q, or NaN if it has none (Nocedal & Wright 2006, equation 3.59).
func cubicMinimizer(p, q sample) float64 {
	w := q.a - p.a
	d1 := p.g + q.g - 3*(q.f-p.f)/w
	s := max(math.Abs(d1), math.Abs(p.g), math.Abs(q.g))
	d2 := math.Copysign(s*math.Sqrt((d1/s)*(d1/s)-(p.g/s)*(q.g/s)), w)
	return q.a - w*(q.g+d2-d1)/(q.g-p.g+2*d2)
}
