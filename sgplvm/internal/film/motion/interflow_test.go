package motion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// bulge moves what is near the middle of the frame, and the rest as translation does.
func bulge(t, u, v float64) (x, y float64) {
	x, y = drawn.Translation(t, u, v)
	near := math.Exp(-(frame.Square(u-0.5) + frame.Square(v-0.37)) / 0.006)
	return x + 0.03*math.Sin(1.1*t)*near, y + 0.02*math.Cos(1.1*t)*near
}

// What a coarse lattice cannot follow is followed from frame to frame: frames agree far better along
// the flow, and points go where the contents went.
func TestInterFrameFlow(t *testing.T) {
	times := drawn.Times(5, 0.4)[:drawn.Cases(2)+3]
	source := data.NewSource(drawn.Film(times, drawn.Width, drawn.Height, 1, bulge), len(times), drawn.Width*drawn.Height, 1)
	m := mustFit(t, drawn.Film(times, drawn.Width, drawn.Height, 1, bulge), times, 1, nil, Options{Nodes: []int{5}, Strengths: []float64{1e-2}, Gain: -100})
	f, err := load(context.Background(), source, drawn.Width, drawn.Height, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.estimateFlow(context.Background(), f, true); err != nil {
		t.Fatal(err)
	}
	s := m.Sequences[0]
	for p := range times[1:] {
		own, next := m.Displacement(drawn.Width, drawn.Height, s, p), m.Displacement(drawn.Width, drawn.Height, s, p+1)
		disagree := func(flow []float64) (e float64) {
			g := newDisplacement(m.FlowLattice, drawn.Width, drawn.Height).of(flow)
			a, b := frame.NewImage[float32](drawn.Width, drawn.Height, 1), frame.NewImage[float32](drawn.Width, drawn.Height, 1)
			resampleAlong(a, f.levels[0][p], own, g, -0.5)
			resampleAlong(b, f.levels[0][p+1], next, g, 0.5)
			for i, v := range a.Data {
				e += frame.Square(float64(v - b.Data[i]))
			}
			return e
		}
		if with, without := disagree(s.Next[p]), disagree(make([]float64, m.FlowLattice.size())); !(with < 0.7*without) {
			t.Errorf("frames %d and %d differ by %v along the flow, %v without", p, p+1, with, without)
		}
		flow := newDisplacement(m.FlowLattice, drawn.Width, drawn.Height).of(s.Next[p])
		for _, r := range [][2]float64{{32, 23}, {30, 25}, {35, 22}} {
			gu, gv := flow.Value(r[0], r[1])
			u, v := own.Value(r[0]-gu/2, r[1]-gv/2)
			px, py := (r[0]-gu/2+u+0.5)/drawn.Width, (r[1]-gv/2+v+0.5)/drawn.Width
			a, b := px, py // the reference point of bulge's that is there
			for range 60 {
				mx, my := bulge(times[p], a, b)
				a, b = a+px-mx, b+py-my
			}
			tx, ty := bulge(times[p+1], a, b)
			u, v = next.Value(r[0]+gu/2, r[1]+gv/2)
			if d := math.Hypot(r[0]+gu/2+u-(tx*drawn.Width-0.5), r[1]+gv/2+v-(ty*drawn.Width-0.5)); !(d < 0.25) {
				t.Errorf("from frame %d: %v pixels off", p, d)
			}
		}
	}
	for p := 1; p+1 < len(times); p++ {
		// From the frame before to the one after directly is about as far as by way of the frame.
		for k, v := range s.Over[p] {
			if d := math.Abs(v - s.Next[p-1][k] - s.Next[p][k]); !(d*drawn.Width < 0.2) {
				t.Errorf("node %d around frame %d: %v pixels from the two flows", k, p, d*drawn.Width)
			}
		}
	}
	// The text keeps the flow, to the bit.
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(Motion)
	if err := back.Decode(text); err != nil || back.FlowLattice != m.FlowLattice || fmt.Sprint(back.Sequences[0].Next) != fmt.Sprint(s.Next) {
		t.Errorf("read %v, %v", back.Sequences[0].Next, err)
	}
	form := frame.Shape{Width: drawn.Width, Height: drawn.Height, Channels: 1}
	for _, t := range times {
		form.At = append(form.At, data.Instant{Time: t})
	}
	if err := back.Check(form); err != nil {
		t.Error(err)
	}
	form.At[1].Time += 0.1
	if err := back.Check(form); err == nil || !strings.Contains(err.Error(), "frame 1 at 0.4 of sequence 0, expected 0.5 of 0") {
		t.Errorf("other times: error %v", err)
	}
	m.Sequences[0].Next[1] = m.Sequences[0].Next[1][1:]
	if text, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := back.Decode(text); err == nil || !strings.Contains(err.Error(), "path 1 of ") {
		t.Errorf("a short flow: error %v", err)
	}
}

// The flow is chosen where frames left out are predicted better along it, and only there.
func TestFlowChosen(t *testing.T) {
	times := drawn.Times(10, 1)
	for _, c := range []struct {
		speed  float64
		chosen bool
	}{{0.02, true}, {0.04, false}}[:drawn.Cases(2)] { // the faster one leaves its own place from frame to frame
		m := mustFit(t, drawn.Disc(times, c.speed), times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-3}, Gain: -100})
		coarse, fine := m.trials[1], m.trials[2]
		if m.chosen.Flow != c.chosen || (m.Sequences[0].Next != nil) != c.chosen || (m.FlowLattice.Across > 0) != c.chosen {
			t.Errorf("speed %v: chosen %+v of %+v", c.speed, m.chosen, m.trials)
		}
		if c.chosen && !(fine.Error < 0.6*coarse.Error) {
			t.Errorf("speed %v: error %v with flow, %v without", c.speed, fine.Error, coarse.Error)
		}
		for p, over := range m.Sequences[0].Over {
			if inside := p > 0 && p+1 < len(times); (over != nil) != inside {
				t.Errorf("speed %v: frame %d has a flow around it: %v", c.speed, p, over != nil)
			}
		}
		if m = mustFit(t, drawn.Disc(times, c.speed), times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-3}, Gain: -100, NoFlow: true}); len(m.trials) != 2 || m.chosen != coarse || m.FlowLattice.Across > 0 {
			t.Errorf("speed %v: without flow chosen %+v of %+v", c.speed, m.chosen, m.trials)
		}
	}
}

// Frames at the same time, also at the first and the last one, have a flow and a residual.
func TestFlowEqualTimes(t *testing.T) {
	times := []float64{0, 0, 0, 1, 2, 2, 3, 4, 4}
	film := drawn.Disc(times, 0.02)
	m := mustFit(t, film, times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-2}, Gain: -1e9})
	if trials := m.trials; len(trials) != 3 || !(trials[2].Error < 1) {
		t.Fatalf("trials %+v", trials)
	}
	f, err := load(context.Background(), data.NewSource(film, len(times), drawn.Width*drawn.Height, 1), drawn.Width, drawn.Height, maxPixels)
	if err == nil {
		err = m.estimateFlow(context.Background(), f, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Sequences {
		for p, flow := range slices.Concat(s.Next, s.Over) {
			for _, v := range flow {
				if v-v != 0 {
					t.Fatalf("flow %d has the displacement %v", p, v)
				}
			}
		}
	}
}

// Along a flow of 0 frames left out are predicted as by linear interpolation.
func TestScoreFlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	times := []float64{0, 1, 3, 4, 4.5, 6}
	values := drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation)
	for i := range values {
		values[i] += 30 * rng.NormFloat64() // so that linear interpolation beats that by cubics
	}
	f, err := load(context.Background(), data.NewSource(values, len(times), drawn.Width*drawn.Height, 1), drawn.Width, drawn.Height, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	all := SequencesOf(times, nil)
	m := &Motion{Width: drawn.Width, Height: drawn.Height, Sequences: all}
	m.Sequences = m.withoutLeftOut().Sequences
	l := f.latticeOf(5)
	d := mat.New(len(m.Sequences[0].Examples), l.size())
	for i := range d.Data {
		d.Data[i] = 0.01 * rng.NormFloat64()
	}
	m.setDisplacements(l, d)
	want := m.score(f, all)
	m.FlowLattice = f.latticeAcross(7)
	s := &m.Sequences[0]
	for range s.Examples {
		s.Next = append(s.Next, make([]float64, m.FlowLattice.size()))
	}
	if got := m.scoreFlow(f, all); math.Abs(got-want) > 1e-6*want {
		t.Errorf("error %v along a flow of 0, %v by linear interpolation", got, want)
	}
}

// A step solves its normal equations, with the smoothness of what has been found so far in them.
func TestFlowStep(t *testing.T) {
	const width, height, smooth = 40, 30, 0.2
	rng := rand.New(rand.NewPCG(7, 7))
	l := Lattice{9, 7, 4. / 3}
	first := frame.NewImage[float32](width, height, 1)
	s := newPairing(l, width, height)
	second := frame.NewImage[float32](width, height, 1)
	for i := range first.Data {
		first.Data[i], second.Data[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	cells := make([]cell, (l.Across-1)*(l.Down-1))
	s.sum(cells, first, second)
	g := make([]float64, l.size())
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	h, r := mat.New(l.size(), l.size()), make([]float64, l.size())
	l.addCurvature(h, r, cells)
	l.addTo(h, block{0, smooth})
	l.multiply(r, g, block{0, smooth})
	left, size := mat.New(l.size(), 1), mat.NormFro(mat.Vector(r))
	mat.Copy(left, mat.Vector(r))
	mat.Mul(left, 1, h, mat.Vector(l.flowStep(cells, g, smooth)), 1)
	// The residual falls by flowPrecision in the norm of the blocks' inverse.
	if d := mat.NormFro(left); d > 3*flowPrecision*size {
		t.Errorf("normal equations missed by %v of %v", d, size)
	}
}

// The estimation of the flow ends with its context.
func TestFlowCancelled(t *testing.T) {
	times := drawn.Times(4, 0.4)
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Width: drawn.Width, Height: drawn.Height, Nodes: []int{5}, Strengths: []float64{1e-2}, Gain: -100}
	o.Progress = func(trial Trial) {
		if trial.Across > 0 {
			cancel() // after the last trial of the nodes
		}
	}
	m, err := Fit(ctx, data.NewSource(drawn.Film(times, drawn.Width, drawn.Height, 1, bulge), len(times), drawn.Width*drawn.Height, 1), times, nil, o)
	if m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", m, err)
	}
}
