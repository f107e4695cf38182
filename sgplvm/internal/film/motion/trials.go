package motion

import (
	"context"
	"math"
	"slices"
)

// laterGain is the part by which a later setting must lower the error further.
const laterGain = 0.01

// trials is the cross-validation of settings: it has tried some, one of which is the best so far.
type trials struct {
	frames   *pyramids
	all      *Motion // of all frames; takes the trials
	progress func(Trial)
	limit    float64 // the error that the next setting has to reach
	best     *Motion // of the frames that are not left out, with the setting chosen so far; nil for no motion
}

// choose sets the trials and which of them is the best.
func (m *Motion) choose(ctx context.Context, frames *pyramids, o Options) error {
	t := &trials{frames: frames, all: m, progress: o.Progress}
	rest := m.withoutLeftOut()
	if len(rest.targets(m.Sequences)) == 0 || frames.gradient == 0 {
		m.chosen = Trial{Error: math.NaN()}
		t.add(m.chosen)
		return nil
	}
	m.chosen = Trial{Error: rest.score(frames, m.Sequences)}
	t.add(m.chosen)
	t.limit = (1 - o.Gain) * m.chosen.Error
	for _, s := range o.Strengths {
		if err := t.try(ctx, o.Nodes[0], s); err != nil {
			return err
		}
	}
	if t.best == nil {
		return nil
	}
	for _, n := range o.Nodes[1:] {
		if err := t.try(ctx, n, m.chosen.Strength); err != nil {
			return err
		}
	}
	return nil
}

func (t *trials) add(trial Trial) {
	t.all.trials = append(t.all.trials, trial)
	if t.progress != nil {
		t.progress(trial)
	}
}

// try tries a setting, unless it has been.
func (t *trials) try(ctx context.Context, across int, strength float64) error {
	l := t.frames.latticeOf(across)
	if slices.ContainsFunc(t.all.trials, func(t Trial) bool { return t.Across == l.Across && t.Down == l.Down && t.Strength == strength }) {
		return nil
	}
	part := t.all.withoutLeftOut()
	d, err := estimate(ctx, t.frames, chainOf(part.Sequences), l, strength)
	if err != nil {
		return err
	}
	part.setDisplacements(l, d)
	trial := Trial{l.Across, l.Down, strength, part.score(t.frames, t.all.Sequences)}
	t.add(trial)
	if trial.Error < t.limit {
		t.best, t.all.chosen, t.limit = part, trial, (1-laterGain)*trial.Error
	}
	return nil
}

// leftOut reports whether frame p of n in a sequence is left out in trials: every third, and
// neither the first nor the last.
func leftOut(p, n int) bool { return p%3 == 1 && p+1 < n }

// withoutLeftOut returns a motion without displacements of the frames that trials do not leave out.
func (m *Motion) withoutLeftOut() *Motion {
	rest := &Motion{Width: m.Width, Height: m.Height, Sequences: make([]Sequence, len(m.Sequences))}
	for i, s := range m.Sequences {
		r := &rest.Sequences[i]
		r.Label = s.Label
		for p, f := range s.Examples {
			if !leftOut(p, len(s.Examples)) {
				r.Examples, r.Times = append(r.Examples, f), append(r.Times, s.Times[p])
			}
		}
	}
	return rest
}
