package flow

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// drifting returns frames at some times, whose contents all move along x(t), y(t) in pixels, with the flows between neighbours known.
func drifting(times []float64, at func(t float64) (x, y float64)) (*TrainingFrames, sequence) {
	const width, height = 6, 5
	f := &TrainingFrames{framesHead: framesHead{Width: width, Height: height, Channels: 1, Frames: len(times)}, cache: new(flowCache)}
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
		f.cache.flows(i, i+1, func() pairFlow { return pairFlow{there: even(u-x, v-y), back: even(x-u, y-v)} })
	}
	return f, sequencesOf(times, nil)[0]
}

// departures returns by how much a path from the frame before a time and one from the frame after it bend, and what they should by: between the places of contents at their ends.
func departures(times []float64, t float64, at func(t float64) (x, y float64)) (got, want [2][2]float64) {
	f, s := drifting(times, at)
	x := Moment{shot: s, time: t, without: -1}
	around := x.neighbours()
	bends := f.bends(x, around, f.flowsBetween(s.Examples[around[0].place], s.Examples[around[1].place]))
	p, q := at(t)
	for k, from := range around {
		to := around[1-k]
		x0, y0 := at(times[from.place])
		x1, y1 := at(times[to.place])
		right, down := bends[k].along(to.weight, x1-x0, y1-y0, 2, 2)
		evenRight, evenDown := to.weight*(x1-x0), to.weight*(y1-y0)
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
		{"the frame before tells", []float64{-1, 0, 1}, parabola, oneSided},
		{"the frame after tells", []float64{0, 1, 2}, parabola, oneSided},
		{"a far frame after tells", []float64{0, 1, 3}, parabola, oneSided},
		{"a near frame after tells", []float64{0, 1, 1.5}, parabola, oneSided / 2},
		{"a near frame before tells", []float64{-0.25, 0, 1}, parabola, oneSided / 4},
		{"a frame too near to tell", []float64{-0.05, 0, 1}, parabola, 0},
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

// Paths bend where contents do so in frames that are left out, which brings a frame between others nearer; not where they move evenly, or by steps that nothing tells, and not in shots of few frames.
func TestBending(t *testing.T) {
	times := line(12, 1)
	size := testWidth * testHeight
	for _, c := range []struct {
		name   string
		frames int
		m      move
		bends  bool
	}{
		{"swinging", 12, translation, true},
		{"even", 12, func(t, u, v float64) (x, y float64) { return u + 0.02*t, v - 0.01*t }, false},
		{"in steps", 12, func(t, u, v float64) (x, y float64) { return u + 0.04*math.Floor(t/2), v }, false},
		{"swinging, three frames", 3, translation, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := times[:c.frames]
			m := &Motion{width: testWidth, height: testHeight, frames: c.frames, sequences: sequencesOf(known, nil)}
			frames, err := m.TrainingFrames(context.Background(), data.NewSource(draw(known, testWidth, testHeight, 1, c.m), c.frames, size, 1))
			if err != nil {
				t.Fatal(err)
			}
			even := &Detail{width: testWidth, height: testHeight}
			d, err := m.Bending(context.Background(), frames, even)
			if err != nil {
				t.Fatal(err)
			}
			if d.bends != c.bends {
				t.Fatalf("paths bend: %v", d.bends)
			}
			if even.bends {
				t.Error("the detail that was given has changed")
			}
			if !c.bends {
				return
			}
			truth := draw([]float64{5.5}, testWidth, testHeight, 1, c.m)
			missed := func(d *Detail) (sum float64) {
				for k, v := range frames.Others(d, Moment{shot: m.sequences[0], time: 5.5, without: -1}, testWidth, testHeight).means[others-1].data {
					sum += square(v - truth[k])
				}
				return sum
			}
			if bent, straight := missed(d), missed(even); !(bent < 0.5*straight) {
				t.Errorf("squared error %v along paths that bend, %v along straight ones", bent, straight)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := &Motion{width: testWidth, height: testHeight, frames: 12, sequences: sequencesOf(times, nil)}
	frames, err := m.TrainingFrames(context.Background(), data.NewSource(draw(times, testWidth, testHeight, 1, translation), 12, size, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bending(ctx, frames, new(Detail)); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// A detail keeps whether paths bend; in a file that does not tell they are straight.
func TestBendsFile(t *testing.T) {
	d := &Detail{width: 64, height: 48, gamma: 1, bends: true}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Detail)
	if err := again.Decode(text); err != nil || !again.bends {
		t.Errorf("paths bend: %v, %v", again.bends, err)
	}
	if err := again.Decode([]byte(`{"Width":64,"Height":48}`)); err != nil || again.bends {
		t.Errorf("without it: %v, %v", again.bends, err)
	}
	if err := again.Decode([]byte(`{"Width":64,"Height":48,"Bends":2}`)); err == nil || !strings.HasPrefix(err.Error(), "film: attached detail: ") {
		t.Errorf("a number: %v", err)
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
	beside := [2]besideFrame{{oneWay{flow: flow(func(float64) float64 { return -3 })}, 1}, {oneWay{flow: flow(func(x float64) float64 { return x })}, 1}}
	b := bendOf(there, back, beside, 0.25)
	for x := range width - 2 {
		own, other := 0.5, -(-2+float64(x+2))/2
		if want := alike([2]float64{own}, [2]float64{other}) * (0.25*own + 0.75*other); math.Abs(float64(b.Right[width+x])-want) > 1e-6 {
			t.Errorf("pixel %d: bends by %v, want %v of %v and %v", x, b.Right[width+x], want, own, other)
		}
	}
}

// Where the whole picture turns paths are arcs and do not bend besides.
func TestBendsOfTurns(t *testing.T) {
	f, s := drifting([]float64{-1, 0, 1, 2}, func(t float64) (x, y float64) { return t * t, 0 })
	x := Moment{shot: s, time: 0.3, without: -1}
	flows := f.flowsBetween(1, 2)
	if b := f.bends(x, x.neighbours(), flows); b[0] == nil || b[1] == nil {
		t.Fatal("paths are straight")
	}
	flows.turns = true
	if b := f.bends(x, x.neighbours(), flows); b[0] != nil || b[1] != nil {
		t.Error("arcs bend")
	}
}
