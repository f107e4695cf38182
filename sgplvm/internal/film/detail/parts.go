package detail

import "math"

// LeastEnlarging is the least part of the variance of detail that is left.
const LeastEnlarging = 1. / 8

// Parts returns the detail with parts of what it expects, one for each class of texture, at least LeastEnlarging and what noise of the given variances at most is.
func (d *Detail) Parts(parts, noise []float64) *Detail {
	var most, expected float64
	for c, s := range d.Energy {
		q, known := 1.0, 0.0
		if len(d.Ratio) > 0 {
			q = d.Ratio[c]
		}
		if len(d.White) > 0 {
			known = d.White[c]
		}
		if len(noise) > 0 {
			most += 3 * max(noise[c]-known, 0)
		}
		expected += math.Exp(d.A) * d.Scenery(c) * q * s
	}
	less := *d
	less.parts = nil
	for _, p := range parts {
		if most > p*expected {
			p = min(most/max(expected, LeastScale), 1)
		}
		less.parts = append(less.parts, max(p, LeastEnlarging))
	}
	return &less
}

// Resolving returns the detail with a part of what it expects, at least LeastEnlarging, where other frames leave another part unresolved. As much of
// it is resolvable as makes these the same; if even all is not enough, less is expected everywhere.
func (d *Detail) Resolving(part, unresolved float64) *Detail {
	less := *d
	part = max(part, LeastEnlarging)
	if unresolved < 1 {
		less.Resolvable = min((1-part)/(1-unresolved), 1)
	}
	less.A += math.Log(min(part/unresolved, 1))
	return &less
}
