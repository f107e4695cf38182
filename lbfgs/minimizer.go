package lbfgs

import (
	"context"
	"math"
)

// stallWindow is the number of iterations over which a stall is judged.
const stallWindow = 10

// Minimize minimises f from x0, which it does not change. It returns the lowest
// point evaluated, whatever ended the run; Result.Status tells what did.
//
// Where ctx is nil nothing cancels it. The error is ctx.Err() after cancellation (the result still holds the best point),
// a [*NonFiniteError] if x0 or the objective there is not finite, an [*OptionError]
// or a [*StateError]. Limits, stops by Progress and a line search that finds nothing
// better are not errors. If nothing was evaluated, X is x0 and F and Gradient are NaN.
func Minimize(ctx context.Context, f Objective, x0 []float64, o Options) (Result, error) {
	var m Minimizer
	r, err := m.Minimize(ctx, f, x0, o)
	if len(m.recent) > 0 {
		r.State = new(State)
		m.Save(r.State)
	}
	return r, err
}

// A Minimizer runs [Minimize] again and again in the same memory. The zero value is
// ready. It allocates only when n or the number of pairs in use grows beyond what it
// has seen. It must not be used by two goroutines at once.
type Minimizer struct {
	o Options

	x, g     []float64 // the last accepted point and its gradient
	f        float64
	xt, gt   []float64 // the trial point of the line search
	xlo, glo []float64 // the lower end of its bracket, once that has left x
	d        []float64 // the search direction
	memory   memory

	bestX, bestG    []float64 // the lowest point evaluated
	bestF, bestNorm float64   // its value and max|gradient|

	recent      []float64 // values after the last stallWindow iterations, and before
	iterations  int
	evaluations int
	committed   int // evaluations up to the point and memory that Save would write
}

// Minimize is the function [Minimize] with m's memory. X and Gradient of the result
// belong to m and hold until its next run; State is nil: see [Minimizer.Save].
func (m *Minimizer) Minimize(ctx context.Context, f Objective, x0 []float64, o Options) (Result, error) {
	status, err := m.minimize(ctx, f, x0, o)
	return Result{
		X: m.bestX, Gradient: m.bestG, F: m.bestF,
		Iterations: m.iterations, Evaluations: m.evaluations, Status: status,
	}, err
}

func (m *Minimizer) minimize(ctx context.Context, f Objective, x0 []float64, o Options) (Status, error) {
	if o.InitialState != nil && x0 == nil {
		x0 = o.InitialState.X
	}
	m.reset(x0)
	m.o = o
	if err := m.o.complete(); err != nil {
		return 0, err
	}
	m.memory.limit = m.o.Memory
	if s := o.InitialState; s != nil {
		if err := checkVector("X", -1, s.X, len(x0)); err != nil {
			return 0, err
		}
		if err := s.check(); err != nil {
			return 0, err
		}
		m.load(s)
		return m.run(ctx, f)
	}
	if p := o.InitialPairs; p != nil {
		if err := p.checkPairs(len(x0)); err != nil {
			return 0, err
		}
	}
	if status, err := m.start(ctx, f); status != 0 || err != nil {
		return status, err
	}
	if p := o.InitialPairs; p != nil && len(p.S) > 0 {
		m.memory.load(p)
	}
	return m.run(ctx, f)
}

// reset prepares the storage for n = len(x0) variables, with x0 as the only point.
func (m *Minimizer) reset(x0 []float64) {
	n := len(x0)
	for _, v := range []*[]float64{&m.x, &m.g, &m.xt, &m.gt, &m.xlo, &m.glo, &m.d, &m.bestX, &m.bestG} {
		*v = resize(*v, n)
	}
	if m.recent == nil {
		m.recent = make([]float64, 0, stallWindow+1)
	}
	m.recent = m.recent[:0]
	m.memory.used = 0
	m.iterations, m.evaluations, m.committed = 0, 0, 0
	copy(m.x, x0)
	copy(m.bestX, x0)
	fill(m.bestG, math.NaN())
	m.bestF, m.bestNorm = math.NaN(), math.NaN()
}

// start evaluates the starting point m.x.
func (m *Minimizer) start(ctx context.Context, f Objective) (Status, error) {
	if i := nonFinite(m.x); i >= 0 {
		return Infeasible, &NonFiniteError{"x0", i, m.x[i]}
	}
	if m.interrupted(ctx) != 0 { // no call has been made: it can only be the context
		return Cancelled, ctx.Err()
	}
	var feasible bool
	if m.f, feasible = m.evaluate(f, m.x, m.g); !feasible {
		m.bestF = m.f
		copy(m.bestG, m.g)
		if !finite(m.f) {
			return Infeasible, &NonFiniteError{"objective at x0", -1, m.f}
		}
		i := nonFinite(m.g)
		return Infeasible, &NonFiniteError{"gradient at x0", i, m.g[i]}
	}
	m.memory.gamma = min(max(m.o.InitialStep/norm2(m.g), math.SmallestNonzeroFloat64), math.MaxFloat64)
	m.recent = append(m.recent, m.f)
	return 0, nil
}

// run iterates from m.x until something ends the run.
func (m *Minimizer) run(ctx context.Context, f Objective) (Status, error) {
	for {
		m.committed = m.evaluations
		if s := m.finished(); s != 0 {
			return s, nil
		}
		m.memory.direction(m.d, m.g)
		slope := dot(m.g, m.d)
		t, wolfe, stop := sample{}, false, SearchFailed
		if slope < 0 && finite(slope) {
			t, wolfe, stop = m.search(ctx, f, slope)
		}
		switch {
		case stop == Cancelled:
			return stop, ctx.Err()
		case stop == EvaluationLimit:
			return stop, nil
		case stop != 0 && m.memory.used == 0:
			return stop, nil
		case stop != 0:
			m.memory.used = 0
			continue
		}
		m.accept(t)
		if m.o.Progress != nil && !m.o.Progress(m.progress(t, wolfe)) {
			return Stopped, nil
		}
	}
}

// finished returns the reason to end at m.x, or 0. It looks at m.bestF alone of the
// best point: a search that was interrupted can only have lowered it, and then ends
// no run that would have gone on.
func (m *Minimizer) finished() Status {
	norm := normInf(m.g)
	small := norm <= m.o.GradTolerance
	switch {
	case small && m.f == m.bestF:
		return GradientConverged
	case norm == 0 || m.stalled(small):
		return Stalled
	case m.iterations >= m.o.MaxIterations:
		return IterationLimit
	}
	return 0
}

// stalled reports whether f has stopped falling. With a small gradient that ends the
// run even where RelativeDecrease does not.
func (m *Minimizer) stalled(small bool) bool {
	if len(m.recent) <= stallWindow || m.o.RelativeDecrease < 0 && !small {
		return false
	}
	least := max(m.o.RelativeDecrease, 0) * max(math.Abs(m.recent[0]), math.Abs(m.f))
	return m.recent[0]-m.f <= max(least, m.o.Decrease)
}

// accept moves from m.x to the point that the search has left in m.xt.
func (m *Minimizer) accept(t sample) {
	m.memory.add(m.x, m.xt, m.g, m.gt)
	m.x, m.xt = m.xt, m.x
	m.g, m.gt = m.gt, m.g
	m.f = t.f
	if len(m.recent) == stallWindow+1 {
		copy(m.recent, m.recent[1:])
		m.recent = m.recent[:stallWindow]
	}
	m.recent = append(m.recent, m.f)
	m.iterations++
	m.committed = m.evaluations
}

func (m *Minimizer) progress(t sample, wolfe bool) Progress {
	return Progress{
		Iteration: m.iterations, Evaluations: m.evaluations, F: m.f, GradNorm: normInf(m.g),
		Step: t.a, Wolfe: wolfe, X: m.x, Gradient: m.g, minimizer: m,
	}
}

// interrupted returns the reason not to evaluate once more, or 0.
func (m *Minimizer) interrupted(ctx context.Context) Status {
	switch {
	case ctx != nil && ctx.Err() != nil:
		return Cancelled
	case m.evaluations >= m.o.MaxEvaluations:
		return EvaluationLimit
	}
	return 0
}

// evaluate calls the objective, reports whether value and gradient are finite, and
// keeps the lowest point: of equal ones that with the smaller gradient.
func (m *Minimizer) evaluate(objective Objective, x, g []float64) (f float64, feasible bool) {
	fill(g, math.NaN())
	m.evaluations++
	f = objective(x, g)
	if !finite(f) || nonFinite(g) >= 0 {
		return f, false
	}
	norm := normInf(g)
	if !(f > m.bestF || f == m.bestF && norm >= m.bestNorm) {
		m.bestF, m.bestNorm = f, norm
		copy(m.bestX, x)
		copy(m.bestG, g)
	}
	return f, true
}

func fill(v []float64, c float64) {
	for i := range v {
		v[i] = c
	}
}
