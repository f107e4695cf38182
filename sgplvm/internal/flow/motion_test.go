package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A move is the place in the frame, both coordinates in widths, where the contents of the
// reference point (u, v) are at time t.
type move func(t, u, v float64) (x, y float64)

// pattern is a smooth picture with structure everywhere, for u and v in widths.
func pattern(u, v float64, c int) float64 {
	return 100 + 40*math.Sin(17*u+5*v+float64(c))*math.Cos(13*v-6*u) + 25*math.Sin(23*v+9*u+2*float64(c)) + 15*math.Cos(31*u-8*v)
}

// draw returns frames of a moving pattern: at each pixel the pattern at the point that m brings
// there.
func draw(times []float64, width, height, channels int, m move) []float64 {
	film := make([]float64, 0, len(times)*width*height*channels)
	for _, t := range times {
		for y := range height {
			for x := range width {
				px, py := (float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(width)
				u, v := px, py
				for range 40 {
					mx, my := m(t, u, v)
					u, v = u+px-mx, v+py-my
				}
				for c := range channels {
					film = append(film, pattern(u, v, c))
				}
			}
		}
	}
	return film
}

const testWidth, testHeight = 64, 48

func translation(t, u, v float64) (x, y float64) {
	return u + 0.03*math.Sin(0.9*t), v + 0.025*math.Cos(0.7*t) - 0.01
}

func rotation(t, u, v float64) (x, y float64) {
	a := 0.08 * math.Sin(0.8*t)
	du, dv := u-0.5, v-0.375
	return 0.5 + du*math.Cos(a) - dv*math.Sin(a), 0.375 + du*math.Sin(a) + dv*math.Cos(a)
}

func bending(t, u, v float64) (x, y float64) {
	return u + 0.02*math.Sin(0.8*t)*math.Sin(3*v), v + 0.025*math.Cos(0.6*t)*math.Sin(4*u+1)
}

func line(n int, spacing float64) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i) * spacing
	}
	return t
}

func mustFit(t testing.TB, film []float64, times []float64, channels int, sequences []int, o Options) *Motion {
	t.Helper()
	o.Width, o.Height = testWidth, testHeight
	m, err := Fit(context.Background(), data.NewSource(film, len(times), testWidth*testHeight, channels), times, sequences, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// quick are options with one trial beside no motion.
// quick takes motion whatever it brings.
func quick() Options { return Options{Nodes: []int{5}, Strengths: []float64{1e-5}, Gain: -100} }

// What can be known of a motion is how a point moves from one frame to another: the
// estimate of that is right to a tenth of a pixel in the middle of the frame.
func TestFitRecoversMotion(t *testing.T) {
	times := line(9, 1)
	for name, move := range map[string]move{"translation": translation, "rotation": rotation, "bending": bending} {
		if testing.Short() && name != "bending" {
			continue
		}
		m := mustFit(t, draw(times, testWidth, testHeight, 1, move), times, 1, nil, quick())
		if m.Still() {
			t.Errorf("%s: no motion found; trials %+v", name, m.Trials())
			continue
		}
		s := m.sequences[0]
		var worst float64
		for p := range times[1:] {
			from, to := m.flow(testWidth, testHeight, s, p), m.flow(testWidth, testHeight, s, p+1)
			for y := 8.; y < testHeight-8; y += 3 {
				for x := 8.; x < testWidth-8; x += 3 {
					u, v := from.at(x, y)
					x1, y1 := x+u, y+v // in frame p
					u, v = to.at(x, y)
					x2, y2 := x+u, y+v // in frame p+1, by the estimate
					px, py := (x1+0.5)/testWidth, (y1+0.5)/testWidth
					a, b := px, py
					for range 40 {
						mx, my := move(times[p], a, b)
						a, b = a+px-mx, b+py-my
					}
					mx, my := move(times[p+1], a, b)
					worst = max(worst, math.Hypot(mx*testWidth-0.5-x2, my*testWidth-0.5-y2))
				}
			}
		}
		t.Logf("%s: worst error %.3f pixels", name, worst)
		if !(worst < 0.1) {
			t.Errorf("%s: a point is %.3f pixels from its place, expected less than 0.1", name, worst)
		}
	}
}

// A film that does not move, or has nothing in it, is left as it is.
func TestFitStill(t *testing.T) {
	times := []float64{0, 1, 2, 3, 3, 3, 4}
	still := draw(times, testWidth, testHeight, 2, func(t, u, v float64) (x, y float64) { return u, v })
	brighter := append([]float64(nil), still...)
	for i := range brighter {
		brighter[i] *= 1 + 0.1*math.Sin(float64(i/(testWidth*testHeight*2)))
	}
	half := append([]float64(nil), still...)
	for i := 1; i < len(half); i += 2 {
		half[i] = 1e6
	}
	o := Options{}
	if testing.Short() {
		o = Options{Nodes: []int{5}, Strengths: []float64{1e-5}}
	}
	for name, film := range map[string][]float64{"still": still, "brighter": brighter, "one channel constant": half, "constant": make([]float64, len(still))} {
		m := mustFit(t, film, times, 2, nil, o)
		src := data.NewSource(film, 7, testWidth*testHeight, 2)
		if !m.Still() || m.Register(src) != src || m.Chosen().Across != 0 {
			t.Errorf("%s: chosen %+v of %+v, expected no motion", name, m.Chosen(), m.Trials())
		}
		fields, err := m.At(0, []float64{1.5})
		if err != nil {
			t.Fatal(err)
		}
		mean := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
		carried(fields[0], mean, mat.Matrix{}, 3, 2)
		if mean.Data[3] != 4 {
			t.Errorf("%s: carried to %v", name, mean.Data)
		}
	}
}

// The strength and the number of nodes that predict best are chosen, and that choice does not
// depend on the units of intensities and times.
func TestFitChooses(t *testing.T) {
	if testing.Short() {
		t.Skip("ten estimates")
	}
	times := line(10, 1)
	film := draw(times, testWidth, testHeight, 1, bending)
	for i, v := range film { // edges, which no interpolation over time moves
		film[i] = math.Tanh(3 * math.Sin(6*v))
	}
	o := Options{Nodes: []int{4, 7}, Strengths: []float64{100, 1e-3}, Gain: -1}
	m := mustFit(t, film, times, 1, nil, o)
	if len(m.Trials()) != 5 || m.Still() {
		t.Fatalf("trials %+v", m.Trials())
	}
	best, limit := m.Trials()[0], 2.
	for _, trial := range m.Trials()[1:] {
		if trial.Error < limit*best.Error {
			best, limit = trial, 0.99
		}
	}
	if m.Chosen() != best || best.Strength != 1e-3 {
		t.Errorf("chosen %+v of %+v, expected %+v", m.Chosen(), m.Trials(), best)
	}
	scaled := make([]float64, len(film))
	for i, v := range film {
		scaled[i] = 1e-3*v + 1e5
	}
	other := mustFit(t, scaled, line(10, 1e3), 1, nil, o)
	for i, trial := range other.Trials() {
		if e := m.Trials()[i].Error; math.Abs(trial.Error-e) > 1e-2*e {
			t.Errorf("trial %d: error %v, in other units %v", i, e, trial.Error)
		}
	}
	if a, b := m.Process(), other.Process(); math.Abs(b.LengthScale-1e3*a.LengthScale) > 0.05*b.LengthScale {
		t.Errorf("length scale %v, in other units %v", a.LengthScale, b.LengthScale)
	}
}

// Frames left out are interpolated at their times: exactly where brightness is linear in time.
func TestScoreTimes(t *testing.T) {
	times := []float64{0, 1, 5, 6, 9, 9.5, 10}
	film := draw(times, testWidth, testHeight, 1, func(t, u, v float64) (x, y float64) { return u, v })
	for i := range film {
		film[i] *= 1 + 0.05*times[i/(testWidth*testHeight)]
	}
	// The frames are kept as float32 numbers of order 1.
	if m := mustFit(t, film, times, 1, nil, quick()); !(m.Trials()[0].Error < 1e-5) {
		t.Errorf("error %v without motion, expected 0", m.Trials()[0].Error)
	}
}

// A frame that was registered and carried back is itself but for what resampling loses.
func TestCarryOfRegister(t *testing.T) {
	times := line(9, 1)
	film := draw(times, testWidth, testHeight, 2, bending)
	m := mustFit(t, film, times, 2, nil, quick())
	if m.Still() {
		t.Fatal("no motion found")
	}
	reg := m.Register(data.NewSource(film, 9, testWidth*testHeight, 2))
	size := testWidth * testHeight * 2
	both := make([]float64, 2*size)
	if err := reg.ReadExamples(both, 3, 5); err != nil {
		t.Fatal(err)
	}
	frame := mat.NewDense(testWidth*testHeight, 2, both[size:])
	l := m.lattice
	f := Field{l.across, l.down, m.sequences[0].d.Row(4), make([]float64, 3*l.nodes()), l.aspect}
	var moved float64
	for i, v := range frame.Data {
		moved = max(moved, math.Abs(v-film[4*size+i]))
	}
	variance := mat.New(frame.Rows, 2)
	for i := range variance.Data {
		variance.Data[i] = 2
	}
	carried(f, frame, variance, testWidth, testHeight)
	for y := 6; y < testHeight-6; y++ {
		for x := 6; x < testWidth-6; x++ {
			for c := range 2 {
				i := y*testWidth + x
				// Two samplings of a picture whose waves have 12 pixels or more lose about 1e-3 of it.
				if got, want := frame.At(i, c), film[4*size+2*i+c]; math.Abs(got-want) > 0.25 {
					t.Fatalf("pixel (%d, %d): %v, expected %v", x, y, got, want)
				}
				if math.Abs(variance.At(i, c)-2) > 1e-12 {
					t.Fatalf("variance %v without an uncertain displacement, expected 2", variance.At(i, c))
				}
			}
		}
	}
	if moved < 5 {
		t.Errorf("registering changes no pixel by more than %v: the test says little", moved)
	}
}

// An uncertain displacement adds (∇mean)ᵀ·C·∇mean: exact for a plane, in any resolution.
func TestCarryVariance(t *testing.T) {
	for _, size := range [][2]int{{40, 30}, {80, 60}} {
		w, h := size[0], size[1]
		mean, variance := mat.New(w*h, 1), mat.New(w*h, 1)
		for i := range w * h {
			mean.Set(i, 0, 3*(float64(i%w)+0.5)/float64(w)+5*(float64(i/w)+0.5)/float64(w)) // per width
		}
		f := Field{2, 2, []float64{.1, .1, .1, .1, -.05, -.05, -.05, -.05}, []float64{4, 4, 4, 4, 1, 1, 1, 1, 9, 9, 9, 9}, 4. / 3}
		before := mean.Clone()
		carried(f, mean, variance, w, h)
		const want = 3*3*4 + 2*3*5*1 + 5*5*9
		for y := h / 4; y < 3*h/4; y++ {
			for x := w / 4; x < 3*w/4; x++ {
				i := y*w + x
				if got, want := mean.At(i, 0), before.At(i, 0)-3*.1+5*.05; math.Abs(got-want) > 1e-3 {
					t.Fatalf("%d×%d: mean %v at (%d, %d), expected %v", w, h, got, x, y, want)
				}
				if got := variance.At(i, 0); math.Abs(got-want) > 1e-2*want {
					t.Fatalf("%d×%d: variance %v at (%d, %d), expected %v", w, h, got, x, y, float64(want))
				}
			}
		}
	}
}

// The variance over time is small at frames, larger in gaps, and the prior's far away.
func TestAtVariance(t *testing.T) {
	times := []float64{0, 1, 2, 3, 4, 5, 12, 13, 14, 15}
	m := mustFit(t, draw(times, testWidth, testHeight, 1, translation), times, 1, nil, quick())
	if m.Still() {
		t.Fatal("no motion found")
	}
	fields, err := m.At(0, []float64{3, 3.5, 8.5, 1e6})
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) float64 { return fields[i].Covariance[0] }
	if !(at(0) < at(1) && at(1) < at(2) && at(2) < at(3)) || at(3) != m.covariance[0] {
		t.Errorf("variances %v, %v, %v, %v at a frame, between two, in a gap and far away; prior %v", at(0), at(1), at(2), at(3), m.covariance[0])
	}
	for j, v := range fields[3].Mean {
		if math.Abs(v) > 1e-100 {
			t.Fatalf("mean %v of component %d far away, expected 0", v, j)
		}
	}
}

// Sequences are estimated and predicted apart, whatever the order of the frames.
func TestSequences(t *testing.T) {
	times := line(8, 1)
	one, two := draw(times, testWidth, testHeight, 1, translation), draw(times, testWidth, testHeight, 1, bending)
	size := testWidth * testHeight
	var film, when []float64
	var labels []int
	for i := range 16 { // backwards, and in turns
		p := 7 - i/2
		part, label := one, 5
		if i%2 == 1 {
			part, label = two, -3
		}
		film, when, labels = append(film, part[p*size:(p+1)*size]...), append(when, times[p]), append(labels, label)
	}
	both := mustFit(t, film, when, 1, labels, quick())
	alone := mustFit(t, one, times, 1, nil, quick())
	if both.Still() || alone.Still() {
		t.Fatal("no motion found")
	}
	d, e := both.sequences[1], alone.sequences[0]
	if d.label != 5 || d.frames[0] != 14 {
		t.Fatalf("sequence %d begins with frame %d", d.label, d.frames[0])
	}
	for p := range 8 {
		for j, v := range d.d.Row(p) {
			// the pictures are scaled alike, the prior by the gradients of both sequences
			if w := e.d.At(p, j); math.Abs(v-w) > 0.1/testWidth {
				t.Fatalf("frame %d, component %d: %v beside another sequence, %v alone", p, j, v, w)
			}
		}
	}
	if _, err := both.At(4, times); err == nil || err.Error() != "motion: sequence: no frames with the label 4" {
		t.Errorf("error %v", err)
	}
	if _, err := both.At(-3, []float64{1, math.Inf(1)}); err == nil || err.Error() != "motion: times: time 1 is +Inf, expected a finite number" {
		t.Errorf("error %v", err)
	}
}

// A text gives the same motion back.
func TestJSON(t *testing.T) {
	times := line(7, 0.04)
	film := draw(line(7, 1), testWidth, testHeight, 1, bending)
	for _, m := range []*Motion{mustFit(t, film, times, 1, nil, quick()), mustFit(t, make([]float64, len(film)), times, 1, nil, quick())} {
		text, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Motion
		if err := back.UnmarshalBinary(text); err != nil {
			t.Fatal(err)
		}
		again, err := back.MarshalBinary()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("another text, error %v", err)
		}
		if back.Still() != m.Still() || fmt.Sprint(back.Trials(), back.Chosen()) != fmt.Sprint(m.Trials(), m.Chosen()) {
			t.Errorf("trials %+v, expected %+v", back.Trials(), m.Trials())
		}
		a, _ := m.At(0, []float64{0.1})
		b, _ := back.At(0, []float64{0.1})
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Error("another field")
		}
	}
}

// Whatever is wrong in a text is refused by name.
func TestTextRefused(t *testing.T) {
	const good = `{"format":1,"width":4,"height":2,"across":2,"down":2,"process":{"kernel":"matern32","lengthScale":2,"noise":0.01},` +
		`"covariance":[1,1,1,1,0,0,0,0,1,1,1,1],"sequences":[{"label":0,"frames":[1,0],"times":[0,1],"displacements":[[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0.1]]}],` +
		`"chosen":{"across":2,"down":2,"strength":1,"error":0.5},"trials":null}`
	if err := new(Motion).UnmarshalBinary([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"format":1`, `"format":2`, "format: 2, expected 1"},
		{`"width":4`, `"width":0`, "width, height: 0×2 pixels"},
		{`"width":4`, `"width":1000000`, "1000000×2 pixels"},
		{`"height":2`, `"height":-2`, "4×-2 pixels"},
		{`"width":4`, `"width":1e99`, "number 1e99"},
		{`"across":2`, `"across":1`, "across, down: 1×2 nodes"},
		{`"down":2,"process"`, `"down":1000000000,"process"`, "2×1000000000 nodes"},
		{`"across":2,"down":2,"process"`, `"across":0,"down":0,"process"`, "2 frames, 2 times and 2 displacements"},
		{`matern32`, `rbf`, `unknown kernel "rbf"`},
		{`"lengthScale":2`, `"lengthScale":0`, "length scale 0"},
		{`"noise":0.01`, `"noise":0`, "noise 0"},
		{`{"kernel":"matern32","lengthScale":2,"noise":0.01}`, `null`, "process: missing"},
		{`[1,1,1,1,0`, `[1,1,1,0`, "11 numbers, expected 12"},
		{`[1,1,1,1,0`, `[1,1,-1,1,0`, "of node 2 is no covariance"},
		{`[1,1,1,1,0`, `[1,1e300,1,1,0`, "of node 1 is no covariance"},
		{`[1,1,1,1,0`, `[1,1,1,1,1.1`, "of node 0 is no covariance"},
		{`"frames":[1,0]`, `"frames":[1,1]`, "frame 1, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[2,0]`, "frame 2, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[-1,0]`, "frame -1, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[0]`, "1 frames, 2 times and 2 displacements"},
		{`"times":[0,1]`, `"times":[1,0]`, "the times do not increase"},
		{`"label":0`, `"label":3000000000`, "3000000000"},
		{`0,0,0.1]`, `0,0.1]`, "frame 1 has 7 displacements, expected 8"},
		{`0,0,0.1]`, `0,0,0.9]`, "frame 1 is displaced by more than 4 widths or stretched by 0.7 or more"},
		{`0,0,0.1]`, `0,0,1e200]`, "frame 1 is displaced by more than 4 widths"},
		{`[{"label":0`, `[],"x":[{"label":0`, "sequences: no frames"},
		{`"chosen"`, `"pathAcross":2,"pathDown":1,"chosen"`, "pathAcross, pathDown: 2×1 nodes"},
		{`"chosen"`, `"pathAcross":2,"pathDown":100,"chosen"`, "2×100 nodes"},
		{`"chosen"`, `"pathAcross":2,"pathDown":2,"chosen"`, "0 paths between 2 frames"},
		{`"displacements"`, `"paths":[[1]],"displacements"`, "paths without their nodes"},
		{good, `{`, "syntax"},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		m := Motion{width: 77}
		err := m.UnmarshalBinary([]byte(text))
		var bad *FormatError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c[2]) || m.width != 77 {
			t.Errorf("%s for %s: error %v, expected %q", c[1], c[0], err, c[2])
		}
	}
}

// failing is a source whose disk fails at a frame.
type failing struct {
	data.Source
	at int
}

var errDisk = errors.New("the disk is gone")

func (f failing) ReadExamples(dst []float64, from, to int) error {
	if from <= f.at && f.at < to {
		return errDisk
	}
	return f.Source.ReadExamples(dst, from, to)
}

func TestFitErrors(t *testing.T) {
	good := data.NewSource(draw(line(4, 1), 8, 6, 1, translation), 4, 48, 1)
	values := draw(line(4, 1), 8, 6, 1, translation)
	values[100] = math.NaN()
	bad := data.NewSource(values, 4, 48, 1)
	size := Options{Width: 8, Height: 6}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx       context.Context
		src       data.Source
		times     []float64
		sequences []int
		o         Options
		want      string
	}{
		{nil, good, line(4, 1), nil, Options{}, "motion: Width and Height: 0×0 pixels for frames of 48 points"},
		{nil, good, line(4, 1), nil, Options{Width: 6, Height: 6}, "6×6 pixels"},
		{nil, good, line(4, 1), nil, Options{Width: 48 << 12, Height: 1}, "expected 1 to 32768 each way"},
		{nil, good, line(3, 1), nil, size, "motion: times: 3 times for 4 frames"},
		{nil, good, []float64{0, 1, math.NaN(), 3}, nil, size, "time 2 is NaN"},
		{nil, good, line(4, 1), []int{1}, size, "motion: sequences: 1 labels of sequences for 4 frames"},
		{nil, good, line(4, 1), []int{0, 0, math.MinInt, 0}, size, "of frame 2, expected at most 2147483647 in size"},
		{nil, good, line(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{1}}, "1 nodes across"},
		{nil, good, line(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{65}}, "65 nodes across"},
		{nil, good, line(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{}}, "nothing to choose from"},
		{nil, good, line(4, 1), nil, Options{Width: 8, Height: 6, Strengths: []float64{0}}, "motion: Strengths: 0"},
		{nil, bad, line(4, 1), nil, size, "example 2, point 4, channel 0: value NaN, expected a finite number"},
		{nil, failing{good, 0}, line(4, 1), nil, size, "reading examples 0 to 0: the disk is gone"},
		{nil, failing{good, 2}, line(4, 1), nil, size, "reading examples 2 to 2: the disk is gone"},
		{cancelled, good, line(4, 1), nil, size, "context canceled"},
	} {
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		if m, err := Fit(c.ctx, c.src, c.times, c.sequences, c.o); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
	// Films of one or two frames and frames of a pixel have no motion.
	for _, n := range [][3]int{{1, 8, 6}, {2, 8, 6}, {5, 1, 1}, {5, 1, 7}, {5, 9, 1}} {
		film := draw(line(n[0], 1), n[1], n[2], 1, translation)
		m, err := Fit(context.Background(), data.NewSource(film, n[0], n[1]*n[2], 1), line(n[0], 1), nil, Options{Width: n[1], Height: n[2]})
		if err != nil {
			t.Errorf("%v: %v", n, err)
			continue
		}
		m.Register(data.NewSource(film, n[0], n[1]*n[2], 1))
	}
	m := mustFit(t, make([]float64, 3*testWidth*testHeight), line(3, 1), 1, nil, quick())
	for want, f := range map[string]func(){
		"motion: Register: 4 frames of 48 points for the motion of 3 frames of 64×48 pixels": func() { m.Register(good) },
		"motion: Carry: a frame to write with mean 5×1 and variance 0×0 for 3×2 pixels":      func() { carried(Field{}, mat.New(5, 1), mat.Matrix{}, 3, 2) },
		"motion: Carry: from 1 channels, variances true, to 2 channels, variances true":      func() { Field{}.Carry(NewFrame(3, 2, 2), NewFrame(3, 2, 1)) },
		"motion: Carry: a frame to write with mean 6×1 and variance 6×2 for 3×2 pixels":      func() { carried(Field{}, mat.New(6, 1), mat.New(6, 2), 3, 2) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, expected %q", got, want)
				}
			}()
			f()
		}()
	}
}

// The same bits at any number of processors.
func TestDeterminism(t *testing.T) {
	times := line(6, 1)
	film := draw(times, testWidth, testHeight, 2, bending)
	run := func() string {
		m := mustFit(t, film, times, 2, nil, quick())
		text, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		frame := make([]float64, testWidth*testHeight*2)
		if err := m.Register(data.NewSource(film, 6, testWidth*testHeight, 2)).ReadExamples(frame, 2, 3); err != nil {
			t.Fatal(err)
		}
		mean, variance := mat.NewDense(testWidth*testHeight, 2, frame), mat.New(testWidth*testHeight, 2)
		fields, err := m.At(0, []float64{2.5})
		if err != nil {
			t.Fatal(err)
		}
		carried(fields[0], mean, variance, testWidth, testHeight)
		return fmt.Sprint(string(text), frame, variance.Data)
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := run()
	for _, procs := range []int{2, 5} {
		runtime.GOMAXPROCS(procs)
		if run() != want {
			t.Errorf("%d processors: other bits", procs)
		}
	}
}

// carried carries a frame over itself.
func carried(f Field, mean, variance mat.Matrix, width, height int) {
	frame := Frame{width, height, mean, variance}
	f.Carry(frame, frame)
}

// Carrying to finer pixels is sampling the spline between the coarse ones: a cubic in space
// comes out exactly, with the coarse pixel's centre amid its fine ones, and the variance that
// the displacement adds does not depend on the pixels.
func TestCarryFiner(t *testing.T) {
	cubic := func(x, y float64) float64 { return 0.3 + x*(1-x)*(0.5+x) + y*y - 0.7*x*y } // in frame widths
	const width, height, times = 48, 32, 3
	picture := func(scale int) Frame {
		f := NewFrame(width*scale, height*scale, 1)
		for y := range f.Height {
			for x := range f.Width {
				f.Mean.Set(y*f.Width+x, 0, cubic((float64(x)+0.5)/float64(f.Width), (float64(y)+0.5)/float64(f.Width)))
			}
		}
		f.Variance.Fill(0.25)
		return f
	}
	still := Field{}
	shifted := Field{Across: 2, Down: 2, Mean: make([]float64, 8), Covariance: make([]float64, 12), aspect: float64(height) / width}
	for k := range 4 {
		shifted.Mean[k], shifted.Mean[4+k] = 0.05, -0.02
		shifted.Covariance[k], shifted.Covariance[4+k], shifted.Covariance[8+k] = 1e-4, 2e-5, 4e-4
	}
	for _, f := range []Field{still, shifted} {
		coarse, fine := picture(1), picture(times)
		got, want := NewFrame(width*times, height*times, 1), NewFrame(width*times, height*times, 1)
		f.Carry(got, coarse)
		f.Carry(want, fine)
		for y := 8 * times; y < (height-8)*times; y++ { // away from the edges, where splines are mirrored
			for x := 8 * times; x < (width-8)*times; x++ {
				i := y*width*times + x
				if d := got.Mean.At(i, 0) - want.Mean.At(i, 0); !(math.Abs(d) <= 1e-5) {
					t.Fatalf("pixel (%d, %d): mean %v from coarse pixels, %v from fine ones", x, y, got.Mean.At(i, 0), want.Mean.At(i, 0))
				}
				if d := got.Variance.At(i, 0) - want.Variance.At(i, 0); !(math.Abs(d) <= 1e-5) {
					t.Fatalf("pixel (%d, %d): variance %v from coarse pixels, %v from fine ones", x, y, got.Variance.At(i, 0), want.Variance.At(i, 0))
				}
			}
		}
	}
}

// The weights are those of the polynomial through values at distinct times; equal times share.
func TestLagrange(t *testing.T) {
	times := []float64{-1, 0.5, 2, 7}
	at := 1.2
	w := lagrange(times, at)
	for power := range 4 {
		var got float64
		for i, time := range times {
			got += w[i] * math.Pow(time, float64(power))
		}
		if want := math.Pow(at, float64(power)); math.Abs(got-want) > 1e-12 {
			t.Errorf("power %d: %v, want %v", power, got, want)
		}
	}
	for i, want := range []float64{0.25, 0.25, 0.5} {
		if got := lagrange([]float64{1, 1, 3}, 2)[i]; got != want {
			t.Errorf("weight %d of equal times is %v, want %v", i, got, want)
		}
	}
}
