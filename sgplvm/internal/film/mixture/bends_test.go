package mixture

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// drifting returns frames at some times, whose contents all move along x(t), y(t) in pixels, with the flows between neighbours known.
func drifting(times []float64, at func(t float64) (x, y float64)) (*motion.Frames, motion.Sequence) {
	const width, height = 6, 5
	f := &motion.Frames{Head: motion.Head{Width: width, Height: height, Channels: 1, Frames: len(times)}, Cache: new(motion.Cache)}
	even := func(u, v float64) opticalflow.Flow {
		flow := opticalflow.Flow{Width: width, Height: height, Right: make([]float32, width*height), Down: make([]float32, width*height)}
		for k := range flow.Right {
			flow.Right[k], flow.Down[k] = float32(u), float32(v)
		}
		return flow
	}
	for i := range times[1:] {
		x, y := at(times[i])
		u, v := at(times[i+1])
		f.Cache.Flows(i, i+1, func() motion.PairFlow { return motion.PairFlow{There: even(u-x, v-y), Back: even(x-u, y-v)} })
	}
	return f, motion.SequencesOf(times, nil)[0]
}

// departures returns by how much a path from the frame before a time and one from the frame after it bend, and what they should by: between the places of contents at their ends.
func departures(times []float64, t float64, at func(t float64) (x, y float64)) (got, want [2][2]float64) {
	f, s := drifting(times, at)
	x := motion.Moment{Shot: s, Time: t, Without: -1}
	around := x.Neighbours()
	bends := bendsAround(f, x, around, f.FlowsBetween(s.Examples[around[0].Place], s.Examples[around[1].Place]))
	p, q := at(t)
	for k, from := range around {
		to := around[1-k]
		x0, y0 := at(times[from.Place])
		x1, y1 := at(times[to.Place])
		right, down := bends[k].along(to.Weight, x1-x0, y1-y0, 2, 2)
		evenRight, evenDown := to.Weight*(x1-x0), to.Weight*(y1-y0)
		got[k] = [2]float64{right - evenRight, down - evenDown}
		want[k] = [2]float64{p - x0 - evenRight, q - y0 - evenDown}
	}
	return got, want
}

// Contents that move along a parabola, of which both sides say the same, are where it leads, from either frame and at any times; what one side says counts half, and less if it is near. Of a cubic as
// much counts as both sides have in common.
func TestBends(t *testing.T) {
	parabola := func(t float64) (x, y float64) { return 1 + 2*t + 0.3*t*t, 3 - t - 0.7*t*t }
	cube := func(t float64) (x, y float64) { return 1 + 2*t + 0.9*t*t - 0.2*t*t*t, 3 - t + 0.9*t*t - 0.2*t*t*t }
	for _, c := range []struct {
		name  string
		times []float64
		at    func(t float64) (x, y float64)
		part  float64
	}{
		{"both sides", []float64{-1, 0, 1, 2}, parabola, 1},
		{"uneven times", []float64{-1.5, 0, 1, 1.4}, parabola, 1},
		{"a cubic, three times as much before as after", []float64{-1, 0, 1, 2}, cube, 0.75},
		{"a cubic that turns", []float64{-1, 0, 1, 2}, func(t float64) (x, y float64) { return (t - 0.5) * (t - 0.5) * (t - 0.5), 0 }, 0},
		{"the frame before tells", []float64{-1, 0, 1}, parabola, 1},
		{"the frame after tells", []float64{0, 1, 2}, parabola, 1},
		{"a far frame after tells", []float64{0, 1, 3}, parabola, 1},
		{"a near frame after tells", []float64{0, 1, 1.5}, parabola, 0.5},
		{"a near frame before tells", []float64{-0.25, 0, 1}, parabola, 0.25},
		{"a frame that is very near", []float64{-0.0625, 0, 1}, parabola, 0.0625},
		{"no frame beside", []float64{0, 1}, parabola, 0},
	} {
		got, want := departures(c.times, 0.3, c.at)
		for k := range got {
			for i, v := range got[k] {
				if math.Abs(v-c.part*want[k][i]) > 1e-5 {
					t.Errorf("%s, path %d: bends by %v, want %v of %v", c.name, k, got[k], c.part, want[k])
				}
			}
		}
	}
}

// What one side says counts as far as the other one says so too: not where they say the opposite, and in part where one says more.
func TestBendsAgree(t *testing.T) {
	for _, c := range []struct {
		a, b [2]float64
		want float64
	}{
		{[2]float64{1, 2}, [2]float64{1, 2}, 1},
		{[2]float64{1, 2}, [2]float64{-1, -2}, 0},
		{[2]float64{1, 0}, [2]float64{0, 1}, 0},
		{[2]float64{1, 0}, [2]float64{3, 0}, 0.75},
		{[2]float64{0, 0}, [2]float64{0, 0}, 0},
	} {
		if got := alike(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v and %v: %v counts, want %v", c.a, c.b, got, c.want)
		}
	}
}

// What the other side says is that of where contents are there.
func TestBendsWhereContentsAre(t *testing.T) {
	const width, height = 8, 3
	flow := func(at func(x float64) float64) *opticalflow.Flow {
		f := &opticalflow.Flow{Width: width, Height: height, Right: make([]float32, width*height), Down: make([]float32, width*height)}
		for k := range f.Right {
			f.Right[k] = float32(at(float64(k % width)))
		}
		return f
	}
	there, back := flow(func(float64) float64 { return 2 }), flow(func(x float64) float64 { return -2 })
	beside := [2]neighbourFrame{{flow: flow(func(float64) float64 { return -3 }), time: 1}, {flow: flow(func(x float64) float64 { return x }), time: 1}}
	b := bendOf(there, back, beside, 0.25)
	for x := range width - 2 {
		own, other := 0.5, -(-2+float64(x+2))/2
		if want := alike([2]float64{own}, [2]float64{other}) * (0.25*own + 0.75*other); math.Abs(float64(b.Right[width+x])-want) > 1e-6 {
			t.Errorf("pixel %d: bends by %v, want %v of %v and %v", x, b.Right[width+x], want, own, other)
		}
	}
}
