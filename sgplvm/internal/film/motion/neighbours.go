package motion

import (
	"slices"
	"sort"
)

// Between two training frames contents do not move evenly. At a time t between the frames a and b, w of the way, they
// have come w·g from a and have (1 − w)·g to go to b along the inter-frame flow g, were they to move evenly.
// With o_i the displacement so expected of the frames a⁻, a, b and b⁺ around t, the polynomial through these at t,
// Σ L_i·o_i, is where the contents leave that straight line, and they are taken to do so by bendShare of it.

// bendShare is that share, and LeastBend the least part of the time from a to b that a frame beside them
// must be away: one that is closer shows only the errors of the flow.
const bendShare, LeastBend = 0.8, 1. / 16

// A Neighbour is a frame of a sequence, its weight in an interpolation, and where the contents at a
// point r of the reference are to be looked for in it: at φ(r + offset(r)); nil stands for no offset.
type Neighbour struct {
	Place  int
	Weight float64
	offset []float64
}

// neighbours returns the frames before and after a time, passing over one frame (−1: none), and their weights in
// linear interpolation.
func (s Sequence) neighbours(t float64, without int) []Neighbour {
	before, after := s.bracket(t, without)
	switch {
	case before < 0 && after == len(s.Times):
		return nil
	case before < 0:
		return []Neighbour{{Place: after, Weight: 1}}
	case after == len(s.Times):
		return []Neighbour{{Place: before, Weight: 1}}
	}
	w := (t - s.Times[before]) / (s.Times[after] - s.Times[before]) // the frame before is earlier
	a, b := Neighbour{Place: before, Weight: 1 - w}, Neighbour{Place: after, Weight: w}
	if g := s.flow(before, after); g != nil {
		a.offset, b.offset = s.offsets(t, w, [2]int{before, after}, g)
	}
	return []Neighbour{a, b}
}

// bracket returns the places of the frames before and after a time, −1 and the number of frames where
// there is none, passing over one frame.
func (s Sequence) bracket(t float64, without int) (before, after int) {
	after = sort.SearchFloat64s(s.Times, t)
	before = after - 1
	if after < len(s.Times) && s.Examples[after] == without {
		after++
	}
	if before >= 0 && s.Examples[before] == without {
		before--
	}
	return before, after
}

// flow returns the inter-frame flow from one frame to another, which is the next or the next but one; nil where
// it is not known.
func (s Sequence) flow(from, to int) []float64 {
	switch {
	case s.Next == nil:
		return nil
	case to == from+1:
		return s.Next[from]
	case s.Over == nil:
		return nil
	}
	return s.Over[from+1]
}

// offsets returns where the contents at time t, w of the way between two frames, are in these, from the flow g between the
// two and those to the frames beside them.
func (s Sequence) offsets(t, w float64, pair [2]int, g []float64) (a, b []float64) {
	before, after := pair[0], pair[1]
	times, expected := []float64{s.Times[before], s.Times[after]}, [][]float64{scaled(-w, g), scaled(1-w, g)}
	near := LeastBend * (s.Times[after] - s.Times[before])
	if p := before - 1; p >= 0 && s.Times[before]-s.Times[p] >= near {
		times, expected = append(times, s.Times[p]), append(expected, plus(expected[0], -1, s.Next[p]))
	}
	if p := after + 1; p < len(s.Times) && s.Times[p]-s.Times[after] >= near {
		times, expected = append(times, s.Times[p]), append(expected, plus(expected[1], 1, s.Next[after]))
	}
	a, b = expected[0], expected[1]
	for i, l := range lagrange(times, t) {
		a, b = plus(a, -bendShare*l, expected[i]), plus(b, -bendShare*l, expected[i])
	}
	return a, b
}

// lagrange returns the weights of the values at some times in the value at time t of the
// polynomial through them. Equal times share the weight of one.
func lagrange(times []float64, t float64) []float64 {
	w := make([]float64, len(times))
	for i, own := range times {
		w[i] = 1
		alike := 1.0
		for j, u := range times {
			switch {
			case u == own && j != i:
				alike++
			case u != own && !slices.Contains(times[:j], u):
				w[i] *= (t - u) / (own - u)
			}
		}
		w[i] /= alike
	}
	return w
}

func scaled(a float64, x []float64) []float64 { return plus(make([]float64, len(x)), a, x) }

// plus returns x + a·y.
func plus(x []float64, a float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range y {
		z[i] = x[i] + a*v
	}
	return z
}

// Offset returns that of a neighbour on a frame of width×height pixels.
func (m *Motion) Offset(n Neighbour, width, height int) *Displacement {
	if n.offset == nil {
		return noDisplacement(width, height)
	}
	return newDisplacement(m.FlowLattice, width, height).of(n.offset)
}
