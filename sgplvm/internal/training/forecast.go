package training

import (
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
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

// ahead returns what is left of the present part of training, and what comes after it; open is true where
// more comes of which nothing is known before.
func (t *Trainer) ahead() (now, after []stretch, open bool) {
	s, o := &t.state, &t.config.Training
	left := s.Limit - s.Result.Iterations - s.Phase.Steps
	open = t.of != nil || !o.Uncalibrated && t.CanLeaveOut() == nil
	if rounds := t.config.Residual.Rounds; rounds > 0 && s.Params.Noise.Structured() && s.Stage != stageResidual {
		after = []stretch{{"residual", float64(rounds * t.config.Residual.Steps)}}
	}
	switch s.Stage {
	case stageResidual:
		return []stretch{{"residual", float64(left)}}, nil, open
	case stageWarmup:
		warm := max(0, min(s.Hold-s.Phase.Steps, left))
		return []stretch{{"warm-up", float64(warm)}}, append(after, t.schedule(left-warm)...), open
	}
	return t.schedule(left), after, open
}

// schedule returns what so many steps of the schedule are made of.
func (t *Trainer) schedule(steps int) []stretch {
	o := &t.config.Training
	if o.Joint || o.HoldSpace || t.free(bound.GroupSpatial).Count(t.state.Params) == 0 {
		return []stretch{{"joint", float64(steps)}}
	}
	const round = LatentSteps + JointSteps
	return []stretch{{"latent", float64(steps) * LatentSteps / round}, {"joint", float64(steps) * JointSteps / round}}
}
