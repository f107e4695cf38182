package mixture

import (
	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Contents do not move evenly between two frames a and b (docs/math.md, 19.2; by parabolas Xu et al. 2019). All displacements are in pixels of training. Along the flows from a to b and from a to the frame before it, a⁻, the displacement is
// known at three times, and the parabola through them departs from the straight line, w of the way, by w·(1 − w) times
//
//	κ_a = −h·(f_ab + (h/h⁻)·f_aa⁻)/(h + h⁻)
//
// h and h⁻ the times from a to b and from a⁻ to a; and κ_b follows in the same way from b, a and the frame after b. The cubic through all four, in
// Neville's form, has κ = α·κ_a + (1 − α)·κ_b with α = (t⁺ − t)/(t⁺ − t⁻). Where both sides say the same it is to be relied on: of two numbers with
// independent errors the part
//
//	4·κ_a·κ_b/|κ_a + κ_b|²
//
// of their mean's square is the signal's (Wiener's filter), from 0 to 1. Flows that are wrong need no look at: one that lost what moves far between a and b
// is put right in part by those beside it. Where one side says nothing, the other counts the less the nearer its frame is: errors of its flow count as many times.

// A bend is, of each pixel of a frame, by how much the path that starts there departs from the straight line: w of the way by w·(1 − w) times that.
type bend struct{ opticalflow.Flow }

// along returns how far a path that starts at (x, y) and is displaced by (u, v) has come, w of the way; b may be nil.
func (b *bend) along(w, u, v, x, y float64) (right, down float64) {
	right, down = w*u, w*v
	if b != nil {
		p, q := b.At(x, y)
		right, down = right+w*(1-w)*p, down+w*(1-w)*q
	}
	return right, down
}

// A besideFrame is what the frame beside one of the two around a time tells of paths that start from that one: the flow to it and over how much time, counted from that between the two.
type neighbourFrame struct {
	flow *opticalflow.Flow
	time float64
}

// known tells whether it tells anything.
func (b *neighbourFrame) known() bool { return b.time > 0 }

// kappa returns κ of a point of a frame, with the displacement (u, v) to the other one.
func (b *neighbourFrame) kappa(x, y, u, v float64) (right, down float64) {
	p, q := motion.Follow(b.flow, x, y)
	return -(u + (p-x)/b.time) / (1 + b.time), -(v + (q-y)/b.time) / (1 + b.time)
}

// besideAround returns what the frames beside the two around a moment tell; nothing where there is none, or it is too near.
func neighboursAround(f *motion.Frames, x motion.Moment, around []motion.Neighbour) (beside [2]neighbourFrame) {
	s, a, b := x.Shot, around[0].Place, around[1].Place
	span := s.Times[b] - s.Times[a]
	if !(span > 0) {
		return beside
	}
	if a > 0 {
		beside[0].time = (s.Times[a] - s.Times[a-1]) / span
	}
	if b+1 < len(s.Times) {
		beside[1].time = (s.Times[b+1] - s.Times[b]) / span
	}
	if beside[0].known() {
		flow := f.FlowsBetween(s.Examples[a-1], s.Examples[a])
		beside[0].flow = &flow.Back
	}
	if beside[1].known() {
		flow := f.FlowsBetween(s.Examples[b], s.Examples[b+1])
		beside[1].flow = &flow.There
	}
	return beside
}

// bendsAround returns those of paths that start from each of the two frames around a moment; nil where there is nothing beside.
func bendsAround(f *motion.Frames, x motion.Moment, around []motion.Neighbour, flows motion.PairFlow) (of [2]*bend) {
	beside, share := neighboursAround(f, x, around), 0.5
	if beside[0].known() && beside[1].known() {
		s, a, b := x.Shot, around[0].Place, around[1].Place
		share = (s.Times[b+1] - x.Time) / (s.Times[b+1] - s.Times[a-1])
	}
	of[0] = bendOf(&flows.There, &flows.Back, beside, share)
	of[1] = bendOf(&flows.Back, &flows.There, [2]neighbourFrame{beside[1], beside[0]}, 1-share)
	return of
}

// bendOf returns that of paths that start from a frame, given the flow from it and the one back, what frames beside it and beside the other one tell, and the share of the first.
func bendOf(there, back *opticalflow.Flow, beside [2]neighbourFrame, share float64) *bend {
	if !beside[0].known() && !beside[1].known() {
		return nil
	}
	b := &bend{opticalflow.Flow{Width: there.Width, Height: there.Height, Right: make([]float32, len(there.Right)), Down: make([]float32, len(there.Right))}}
	mat.Parallel(there.Height, func(row int) {
		for column := range there.Width {
			k := row*there.Width + column
			x, y, u, v := float64(column), float64(row), float64(there.Right[k]), float64(there.Down[k])
			var own, other [2]float64
			if beside[0].known() {
				own[0], own[1] = beside[0].kappa(x, y, u, v)
			}
			if beside[1].known() {
				p, q := back.At(x+u, y+v)
				other[0], other[1] = beside[1].kappa(x+u, y+v, p, q)
			}
			var part float64
			switch {
			case !beside[1].known():
				other, part = own, min(beside[0].time, 1)
			case !beside[0].known():
				own, part = other, min(beside[1].time, 1)
			default:
				part = alike(own, other)
			}
			b.Right[k] = float32(part * (share*own[0] + (1-share)*other[0]))
			b.Down[k] = float32(part * (share*own[1] + (1-share)*other[1]))
		}
	})
	return b
}

// alike returns the part of their mean's square that two bends have in common, from 0 to 1.
func alike(a, b [2]float64) float64 {
	signal, all := 4*(a[0]*b[0]+a[1]*b[1]), frame.Square(a[0]+b[0])+frame.Square(a[1]+b[1])
	if !(signal > 0) {
		return 0
	}
	return min(signal/all, 1)
}
