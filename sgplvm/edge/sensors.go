package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// When a value disagrees and when a whole example does, in scales of leave-one-out residuals; what one example counts in means over examples, and from what
// these say that a sensor is not to be believed; examples without a change of a sensor that is stuck.
const (
	disagreeing = 5
	strangest   = 3
	recent      = 1. / 16
	often       = 1. / 2
	spikes      = 1. / 8
	biased      = 2
	unchanged   = 4
	jump        = 100. // variance of the amounts of a drift after a step, of the size of a deviation
)

// choose gives the workspace the example without what does not agree: values of sensors that are not believed, those that disagree with all others, or all of
// an example whose values do not agree with one another. It returns how well values agree with what was foreseen, and whether it is such an example.
func (s *Stream) choose() (f points.Foresight, strange bool, err error) {
	w := s.w
	leave := func(k int) { w.scaled[k], s.sensors[k].left = math.NaN(), true }
	for k := range s.sensors {
		s.sensors[k].left = false
		if s.sensors[k].fault >= Drifting {
			leave(k)
		}
	}
	s.forget()
	w.w.Observe(w.scaled)
	w.compared = w.w.Observed()
	bounds := points.Bounds{Value: disagreeing, Patch: math.Inf(1)}
	switch {
	case s.o.Believe:
		bounds.Value = math.Inf(1)
	case len(w.c.Spreads) > 0 && !s.patched: // what is there again is a change
		bounds.Patch = w.c.Spreads[4]
	}
	f, err = w.w.Foresee(s.scores, s.latent.mean, s.latent.variance, bounds)
	if err != nil {
		return f, false, err
	}
	strange = !s.o.Believe && f.Scale > strangest*s.typical
	if strange && s.strange { // again: unless the drift has made a step
		w.w.SetDrift(s.drift.mean, s.drift.variance, jump)
		w.w.Observe(w.scaled)
		g, err := w.w.Foresee(w.room, s.latent.mean, s.latent.variance, bounds)
		if err != nil {
			return f, false, err
		}
		strange = g.Scale > strangest*s.typical || g.Scale*strangest > f.Scale
		f.Scale, f.Left = g.Scale, g.Left
	}
	s.patched, s.strange = f.Left, strange
	for k, suspect := range w.w.Suspects() {
		if strange || suspect {
			leave(k)
		}
	}
	if strange {
		w.w.SetDrift(s.drift.mean, s.drift.variance, 0)
	}
	w.w.Observe(w.scaled) // less the drift that was found
	if f.Scale > 0 {      // a running median
		s.typical *= 1 + (recent/2)*math.Copysign(1, f.Scale-s.typical)
		s.typical = max(1, s.typical)
	}
	return f, strange, nil
}

// assess has sensors know how their values agreed with the example that was filled in.
func (s *Stream) assess(values []float64, mask []bool) {
	w := s.w
	mean, variance := w.w.Result()
	w.w.Alone(w.room)
	for k := range s.sensors {
		v := &s.sensors[k]
		if mask != nil && !mask[k] {
			continue
		}
		if v.same++; values[k] != v.last {
			v.last, v.same = values[k], 0
		}
		residual := w.room[k]
		if v.left {
			c := k % w.c.Channels
			residual = ((values[k]-w.c.Mean[c])/w.c.Scale[c] - mean.Data[k]) / math.Sqrt(variance.Data[k])
		}
		if residual != residual {
			continue // too many values were observed, or disagreed
		}
		disagrees := 0.0
		if math.Abs(residual) > disagreeing*s.typical {
			disagrees = 1
		}
		v.rate += recent * (disagrees - v.rate)
		v.bias += recent * (min(max(residual/s.typical, -disagreeing), disagreeing) - v.bias)
		switch doubt := max(v.rate/often, math.Abs(v.bias)/biased); {
		case doubt > 0.5 && v.same >= unchanged:
			v.fault = Stuck
		case doubt > 1:
			v.fault = Drifting
		case disagrees > 0 || v.rate > spikes:
			v.fault = Spiking
		default:
			v.fault = Sound
		}
	}
}

// Faults sets dst, of Points·Channels elements, to what is wrong with each sensor after the last example.
func (s *Stream) Faults(dst []Fault) {
	for k := range s.sensors {
		dst[k] = s.sensors[k].fault
	}
}
