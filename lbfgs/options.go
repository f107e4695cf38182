package lbfgs

import "github.com/seed-08962ecc/kronfield/internal/text"

// Objective returns f(x) and writes the gradient ∇f(x) to grad; both slices have
// the length n of the starting point. It must write every entry of grad (they
// arrive as NaN, so that a forgotten one is noticed), must not write to x, and must
// not keep either slice. The same x must give the same bits.
//
// A value or gradient entry that is NaN or infinite marks x as infeasible: the line
// search steps back from it. That includes −Inf.
type Objective func(x, grad []float64) float64

// Options steer [Minimize]. The zero value of every field selects its default.
type Options struct {
	// Memory is the number of pairs (s, y) kept, m. Default 10.
	Memory int

	// MaxIterations bounds the accepted steps, those of InitialState included.
	// Default 10000.
	MaxIterations int

	// MaxEvaluations bounds the calls of the objective, those of InitialState
	// included. Default 100000.
	MaxEvaluations int

	// GradTolerance ends the run when max|∇f| is at most this, in units of f per unit
	// of x. Default 1e-6; negative: only a gradient of zeros ends the run.
	GradTolerance float64

	// RelativeDecrease ends the run when f fell by at most RelativeDecrease·|f| over
	// the last 10 iterations; no unit. Default 1e-12; negative: never, and a run that
	// asks for a smaller gradient than rounding allows may then go on to a limit.
	RelativeDecrease float64

	// Decrease ends the run as RelativeDecrease does, but when f fell by at most Decrease
	// itself, in units of f: the larger of the two counts, unless RelativeDecrease is
	// negative. It speaks where f may come near 0. Default 0.
	Decrease float64

	// C1 is the fraction c₁ of the predicted decrease that a step must reach, and C2
	// the fraction c₂ of the initial slope that may remain; no unit.
	// 0 < C1 ≤ C2 < 1. Defaults 1e-4 and 0.9.
	C1, C2 float64

	// InitialStep is the Euclidean distance from x₀ to the first trial point, in
	// units of x. Default 1.
	InitialStep float64

	// Noise is the relative rounding error of f: changes of f below Noise·|f| are not
	// trusted by the line search, which then goes by the slope. Default 2⁻⁴⁶ (64 ulp);
	// negative: none.
	Noise float64

	// Progress, if not nil, is called after every accepted step and reports whether
	// to go on, like the yield function of an iterator: false ends the run with the
	// status [Stopped].
	Progress func(Progress) bool

	// InitialPairs, if not nil, gives the pairs and the scale to start from x₀ with, those
	// of an earlier run on nearly the same function: S, Y and Gamma count, nothing
	// else. It is read, never written, and not used beside InitialState.
	InitialPairs *State

	// InitialState, if not nil, continues the run that it was saved from. The
	// starting point is then not used and may be nil. It is read, never written.
	InitialState *State
}

// Progress describes an accepted step.
type Progress struct {
	Iteration   int       // accepted steps so far, from 1
	Evaluations int       // calls of the objective so far
	F           float64   // f at X
	GradNorm    float64   // max|∇f| at X
	Step        float64   // the step as a multiple a of the search direction
	Wolfe       bool      // the step meets the strong Wolfe conditions; false: it only decreases f
	X, Gradient []float64 // the accepted point and ∇f there, n each; only to be read, during the call

	minimizer *Minimizer
}

// Save writes the state after this step to dst, as [Minimizer.Save] does.
func (p Progress) Save(dst *State) { p.minimizer.Save(dst) }

// Status tells why a run ended.
type Status int

// Reasons for the end of a run. The zero Status belongs to no finished run.
const (
	// GradientConverged: max|∇f| ≤ GradTolerance at the point returned.
	GradientConverged Status = iota + 1
	// Stalled: f no longer decreases, by RelativeDecrease; or not at all, with a small
	// gradient at a point that rounding keeps above the lowest one.
	Stalled
	// IterationLimit: MaxIterations steps were accepted.
	IterationLimit
	// EvaluationLimit: MaxEvaluations calls were made.
	EvaluationLimit
	// Stopped: Progress returned false.
	Stopped
	// Cancelled: the context ended.
	Cancelled
	// SearchFailed: no better point was found even down the gradient. At a minimum this
	// means that the rounding error of f or of its gradient is above what Noise and the
	// tolerances allow for; elsewhere, that the gradient does not belong to the function.
	SearchFailed
	// Infeasible: as SearchFailed, with infeasible points among the last trials; or the
	// starting point is infeasible.
	Infeasible
)

var statusText = [...]string{
	"not run", "gradient converged", "stalled", "iteration limit", "evaluation limit",
	"stopped", "cancelled", "line search failed", "infeasible",
}

// String returns the status in words.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusText) {
		return text.Sprintf("Status(%d)", int(s))
	}
	return statusText[s]
}

// Result is the outcome of a run.
type Result struct {
	X           []float64 // the lowest point seen; n
	Gradient    []float64 // ∇f(X); n
	F           float64   // f(X), bit for bit
	Iterations  int       // accepted steps
	Evaluations int       // calls of the objective
	Status      Status    // why the run ended
	State       *State    // what a later run needs to go on from here; nil from a Minimizer, which has Save
}

// complete fills in every default and checks the ranges.
func (o *Options) complete() error {
	for _, c := range []struct {
		name  string
		value *int
		deflt int
	}{
		{"Memory", &o.Memory, 10},
		{"MaxIterations", &o.MaxIterations, 10000},
		{"MaxEvaluations", &o.MaxEvaluations, 100000},
	} {
		if *c.value < 0 {
			return &OptionError{c.name, float64(*c.value), "at least 0"}
		}
		if *c.value == 0 {
			*c.value = c.deflt
		}
	}
	for _, r := range []struct {
		name  string
		value *float64
		deflt float64
	}{
		{"GradTolerance", &o.GradTolerance, 1e-6},
		{"RelativeDecrease", &o.RelativeDecrease, 1e-12},
		{"C1", &o.C1, 1e-4},
		{"C2", &o.C2, 0.9},
		{"InitialStep", &o.InitialStep, 1},
		{"Noise", &o.Noise, 0x1p-46},
		{"Decrease", &o.Decrease, 0},
	} {
		if !finite(*r.value) {
			return &OptionError{r.name, *r.value, "a finite number"}
		}
		if *r.value == 0 {
			*r.value = r.deflt
		}
	}
	switch {
	case o.C1 < 0:
		return &OptionError{"C1", o.C1, "above 0"}
	case o.C2 < o.C1 || o.C2 >= 1:
		return &OptionError{"C2", o.C2, text.Sprintf("from C1 = %v to below 1", o.C1)}
	case o.Decrease < 0:
		return &OptionError{"Decrease", o.Decrease, "at least 0"}
	case o.InitialStep < 0:
		return &OptionError{"InitialStep", o.InitialStep, "above 0"}
	}
	o.GradTolerance = max(o.GradTolerance, 0)
	o.Noise = max(o.Noise, 0)
	return nil
}
