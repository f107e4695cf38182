package training

import (
	"math"
	"time"
)

// A forecast knows how long steps of each kind took, for Progress alone. Steps of one kind say nothing of
// another: those with the spatial kernels free may take a hundred times as long as those with them held.
type forecast struct {
	paces map[string]*pace // by Progress.Phase
	mark  time.Duration    // when the step under way began
}

// A pace is the time that some steps took, the later ones counting more.
type pace struct {
	steps float64
	spent time.Duration
}

// How many steps a pace is taken from at least, and about how many count at most.
const fewestPaced, maxPaced = 3, 24

// begin notes that a step begins.
func (f *forecast) begin(elapsed time.Duration) { f.mark = elapsed }

// step notes that a step of a kind ends, and the next begins.
func (f *forecast) step(name string, elapsed time.Duration) {
	if f.paces == nil {
		f.paces = map[string]*pace{}
	}
	p := f.paces[name]
	if p == nil {
		p = new(pace)
		f.paces[name] = p
	}
	p.steps++
	p.spent += elapsed - f.mark
	f.mark = elapsed
	if p.steps >= 2*maxPaced {
		p.steps, p.spent = p.steps/2, p.spent/2
	}
}

// A stretch of training to come: steps at most, of which kind.
type stretch struct {
	name  string
	steps float64
}

// left returns how long some stretches take; known is false where one of them has not been measured.
func (f *forecast) left(ahead []stretch) (left time.Duration, known bool) {
	for _, s := range ahead {
		p := f.paces[s.name]
		switch {
		case s.steps <= 0:
		case p == nil || p.steps < fewestPaced:
			return 0, false
		default:
			left += time.Duration(s.steps * float64(p.spent) / p.steps)
		}
	}
	return left, true
}

// stepsOf returns the steps of some stretches.
func stepsOf(all []stretch) int {
	steps := 0.0
	for _, s := range all {
		steps += s.steps
	}
	return int(math.Round(steps))
}
