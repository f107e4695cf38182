package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// bulge moves what is near the middle of the frame, and the rest as translation does.
func bulge(t, u, v float64) (x, y float64) {
	x, y = translation(t, u, v)
	near := math.Exp(-(square(u-0.5) + square(v-0.37)) / 0.006)
	return x + 0.03*math.Sin(1.1*t)*near, y + 0.02*math.Cos(1.1*t)*near
}

// What a coarse lattice cannot follow is followed from frame to frame: frames agree far better along
// the flow, and points go where the contents went.
func TestInterFrameFlow(t *testing.T) {
	times := line(5, 0.4)[:sizes(2)+3]
	source := data.NewSource(draw(times, testWidth, testHeight, 1, bulge), len(times), testWidth*testHeight, 1)
	m := mustFit(t, draw(times, testWidth, testHeight, 1, bulge), times, 1, nil, Options{Nodes: []int{5}, Strengths: []float64{1e-2}, Gain: -100})
	f, err := load(context.Background(), source, testWidth, testHeight, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.estimateFlow(context.Background(), f, true); err != nil {
		t.Fatal(err)
	}
	s := m.sequences[0]
	for p := range times[1:] {
		own, next := m.displacement(testWidth, testHeight, s, p), m.displacement(testWidth, testHeight, s, p+1)
		disagree := func(flow []float64) (e float64) {
			g := newDisplacement(m.flowLattice, testWidth, testHeight).of(flow)
			a, b := newImage[float32](testWidth, testHeight, 1), newImage[float32](testWidth, testHeight, 1)
			resampleAlong(a, f.levels[0][p], own, g, -0.5)
			resampleAlong(b, f.levels[0][p+1], next, g, 0.5)
			for i, v := range a.data {
				e += square(float64(v - b.data[i]))
			}
			return e
		}
		if with, without := disagree(s.next[p]), disagree(make([]float64, m.flowLattice.size())); !(with < 0.7*without) {
			t.Errorf("frames %d and %d differ by %v along the flow, %v without", p, p+1, with, without)
		}
		flow := newDisplacement(m.flowLattice, testWidth, testHeight).of(s.next[p])
		for _, r := range [][2]float64{{32, 23}, {30, 25}, {35, 22}} {
			gu, gv := flow.value(r[0], r[1])
			u, v := own.value(r[0]-gu/2, r[1]-gv/2)
			px, py := (r[0]-gu/2+u+0.5)/testWidth, (r[1]-gv/2+v+0.5)/testWidth
			a, b := px, py // the reference point of bulge's that is there
			for range 60 {
				mx, my := bulge(times[p], a, b)
				a, b = a+px-mx, b+py-my
			}
			tx, ty := bulge(times[p+1], a, b)
			u, v = next.value(r[0]+gu/2, r[1]+gv/2)
			if d := math.Hypot(r[0]+gu/2+u-(tx*testWidth-0.5), r[1]+gv/2+v-(ty*testWidth-0.5)); !(d < 0.25) {
				t.Errorf("from frame %d: %v pixels off", p, d)
			}
		}
	}
	for p := 1; p+1 < len(times); p++ {
		// From the frame before to the one after directly is about as far as by way of the frame.
		for k, v := range s.over[p] {
			if d := math.Abs(v - s.next[p-1][k] - s.next[p][k]); !(d*testWidth < 0.2) {
				t.Errorf("node %d around frame %d: %v pixels from the two flows", k, p, d*testWidth)
			}
		}
	}
	// The text keeps the flow, to the bit.
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(Motion)
	if err := back.Decode(text); err != nil || back.flowLattice != m.flowLattice || fmt.Sprint(back.sequences[0].next) != fmt.Sprint(s.next) {
		t.Errorf("read %v, %v", back.sequences[0].next, err)
	}
	form := Shape{Width: testWidth, Height: testHeight, Channels: 1}
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
	m.sequences[0].next[1] = m.sequences[0].next[1][1:]
	if text, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := back.Decode(text); err == nil || !strings.Contains(err.Error(), "path 1 of ") {
		t.Errorf("a short flow: error %v", err)
	}
}

// drawDisc returns frames of a textured disc that crosses a picture that does not move, by speed widths
// in a unit of time.
func drawDisc(times []float64, speed float64) []float64 {
	var film []float64
	for _, t := range times {
		for y := range testHeight {
			for x := range testWidth {
				u, v := (float64(x)+0.5)/testWidth, (float64(y)+0.5)/testWidth
				du, dv := u-0.3-speed*t, v-0.3-speed/2*t
				disc := 1 / (1 + math.Exp((math.Hypot(du, dv)-0.1)/0.01))
				film = append(film, (1-disc)*pattern(u, v, 0)+disc*(100+60*math.Sin(40*du)*math.Cos(35*dv)))
			}
		}
	}
	return film
}

// The flow is chosen where frames left out are predicted better along it, and only there.
func TestFlowChosen(t *testing.T) {
	times := line(10, 1)
	for _, c := range []struct {
		speed  float64
		chosen bool
	}{{0.02, true}, {0.04, false}}[:sizes(2)] { // the faster one leaves its own place from frame to frame
		m := mustFit(t, drawDisc(times, c.speed), times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-3}, Gain: -100})
		coarse, fine := m.trials[1], m.trials[2]
		if m.chosen.Flow != c.chosen || (m.sequences[0].next != nil) != c.chosen || (m.flowLattice.across > 0) != c.chosen {
			t.Errorf("speed %v: chosen %+v of %+v", c.speed, m.chosen, m.trials)
		}
		if c.chosen && !(fine.Error < 0.6*coarse.Error) {
			t.Errorf("speed %v: error %v with flow, %v without", c.speed, fine.Error, coarse.Error)
		}
		for p, over := range m.sequences[0].over {
			if inside := p > 0 && p+1 < len(times); (over != nil) != inside {
				t.Errorf("speed %v: frame %d has a flow around it: %v", c.speed, p, over != nil)
			}
		}
		if m = mustFit(t, drawDisc(times, c.speed), times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-3}, Gain: -100, NoFlow: true}); len(m.trials) != 2 || m.chosen != coarse || m.flowLattice.across > 0 {
			t.Errorf("speed %v: without flow chosen %+v of %+v", c.speed, m.chosen, m.trials)
		}
	}
}

// Frames at the same time, also at the first and the last one, have a flow and a residual.
func TestFlowEqualTimes(t *testing.T) {
	times := []float64{0, 0, 0, 1, 2, 2, 3, 4, 4}
	film := drawDisc(times, 0.02)
	m := mustFit(t, film, times, 1, nil, Options{Nodes: []int{4}, Strengths: []float64{1e-2}, Gain: -1e9})
	if trials := m.trials; len(trials) != 3 || !(trials[2].Error < 1) {
		t.Fatalf("trials %+v", trials)
	}
	f, err := load(context.Background(), data.NewSource(film, len(times), testWidth*testHeight, 1), testWidth, testHeight, maxPixels)
	if err == nil {
		err = m.estimateFlow(context.Background(), f, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	trainingFrames, err := m.TrainingFrames(context.Background(), data.NewSource(film, len(times), testWidth*testHeight, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, time := range []float64{-1, 0, 0.5, 2, 4, 5} {
		frame := NewFrame(testWidth, testHeight, 1)
		fields, err := m.Fields(0, []float64{time})
		if err == nil {
			m.AddResidual(frame, trainingFrames, fields[0], new(Detail), momentAt(t, m, time, 4))
		}
		if i, _, bad := mat.NonFinite(frame.Mean); bad || err != nil {
			t.Errorf("time %v: %v at pixel %d, error %v", time, frame.Mean.At(i, 0), i, err)
		}
	}
}

// Along a flow of 0 frames left out are predicted as by linear interpolation.
func TestScoreFlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	times := []float64{0, 1, 3, 4, 4.5, 6}
	values := draw(times, testWidth, testHeight, 1, translation)
	for i := range values {
		values[i] += 30 * rng.NormFloat64() // so that linear interpolation beats that by cubics
	}
	f, err := load(context.Background(), data.NewSource(values, len(times), testWidth*testHeight, 1), testWidth, testHeight, maxPixels)
	if err != nil {
		t.Fatal(err)
	}
	all := sequencesOf(times, nil)
	m := &Motion{width: testWidth, height: testHeight, sequences: all}
	m.sequences = m.withoutLeftOut().sequences
	l := f.latticeOf(5)
	d := mat.New(len(m.sequences[0].Examples), l.size())
	for i := range d.Data {
		d.Data[i] = 0.01 * rng.NormFloat64()
	}
	m.setDisplacements(l, d)
	want := m.score(f, all)
	m.flowLattice = f.latticeAcross(7)
	s := &m.sequences[0]
	for range s.Examples {
		s.next = append(s.next, make([]float64, m.flowLattice.size()))
	}
	if got := m.scoreFlow(f, all); math.Abs(got-want) > 1e-6*want {
		t.Errorf("error %v along a flow of 0, %v by linear interpolation", got, want)
	}
}

// A step solves its normal equations, with the smoothness of what has been found so far in them.
func TestFlowStep(t *testing.T) {
	const width, height, smooth = 40, 30, 0.2
	rng := rand.New(rand.NewPCG(7, 7))
	l := lattice{9, 7, 4. / 3}
	first := newImage[float32](width, height, 1)
	s := newPairing(l, width, height)
	second := newImage[float32](width, height, 1)
	for i := range first.data {
		first.data[i], second.data[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	cells := make([]cell, (l.across-1)*(l.down-1))
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
	times := line(4, 0.4)
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Width: testWidth, Height: testHeight, Nodes: []int{5}, Strengths: []float64{1e-2}, Gain: -100}
	o.Progress = func(trial Trial) {
		if trial.Across > 0 {
			cancel() // after the last trial of the nodes
		}
	}
	m, err := Fit(ctx, data.NewSource(draw(times, testWidth, testHeight, 1, bulge), len(times), testWidth*testHeight, 1), times, nil, o)
	if m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", m, err)
	}
}
