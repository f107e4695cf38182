package training

import (
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// MaxBounds bounds how many bounds of a phase are kept.
const MaxBounds = 64

// note keeps the bound after the step that the phase has come to. Which bounds stay depends on the number of steps alone.
func note(p *field.PhaseReport, bound float64) {
	p.Every = max(p.Every, 1)
	if p.Steps%p.Every != 0 {
		return
	}
	p.Bounds = append(p.Bounds, bound)
	if len(p.Bounds) < MaxBounds {
		return
	}
	thinned := make([]float64, 0, MaxBounds) // reports that were given away share the others
	for i := 1; i < len(p.Bounds); i += 2 {
		thinned = append(thinned, p.Bounds[i])
	}
	p.Every, p.Bounds = 2*p.Every, thinned
}

// follow puts what happened in an earlier training before the rest.
func follow(r *field.Report, earlier field.Report) {
	r.Iterations += earlier.Iterations
	r.Evaluations += earlier.Evaluations
	r.Phases = append(earlier.Phases, r.Phases...)
	r.Collapses += earlier.Collapses
	if r.Status == "" {
		r.Status, r.Converged = earlier.Status, earlier.Converged
	}
	for _, w := range earlier.Warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// A stopwatch adds up the time spent between start and stop. Nothing depends on it but what
// Progress is told.
type stopwatch struct {
	spent time.Duration
	since time.Time
}

func (w *stopwatch) start() { w.since = time.Now() }

func (w *stopwatch) stop() {
	w.spent += time.Since(w.since)
	w.since = time.Time{}
}

func (w *stopwatch) elapsed() time.Duration {
	if w.since.IsZero() {
		return w.spent
	}
	return w.spent + time.Since(w.since)
}
