package motion

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// What can be known of a motion is how a point moves from one frame to another: the
// estimate of that is right to a tenth of a pixel in the middle of the frame.
func TestFitRecoversMotion(t *testing.T) {
	times := drawn.Times(9, 1)
	for name, move := range map[string]drawn.Move{"translation": drawn.Translation, "rotation": drawn.Rotation, "bending": drawn.Bending} {
		if testing.Short() && name != "bending" {
			continue
		}
		m := mustFit(t, drawn.Film(times, drawn.Width, drawn.Height, 1, move), times, 1, nil, quick())
		if m.Still() {
			t.Errorf("%s: no motion found; trials %+v", name, m.trials)
			continue
		}
		s := m.Sequences[0]
		var worst float64
		for p := range times[1:] {
			from, to := m.Displacement(drawn.Width, drawn.Height, s, p), m.Displacement(drawn.Width, drawn.Height, s, p+1)
			for y := 8.; y < drawn.Height-8; y += 3 {
				for x := 8.; x < drawn.Width-8; x += 3 {
					u, v := from.Value(x, y)
					x1, y1 := x+u, y+v // in frame p
					u, v = to.Value(x, y)
					x2, y2 := x+u, y+v // in frame p+1, by the estimate
					px, py := (x1+0.5)/drawn.Width, (y1+0.5)/drawn.Width
					a, b := px, py
					for range 40 {
						mx, my := move(times[p], a, b)
						a, b = a+px-mx, b+py-my
					}
					mx, my := move(times[p+1], a, b)
					worst = max(worst, math.Hypot(mx*drawn.Width-0.5-x2, my*drawn.Width-0.5-y2))
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
	constant := drawn.Film(times, drawn.Width, drawn.Height, 2, func(t, u, v float64) (x, y float64) { return u, v })
	brighter := slices.Clone(constant)
	for i := range brighter {
		brighter[i] *= 1 + 0.1*math.Sin(float64(i/(drawn.Width*drawn.Height*2)))
	}
	half := slices.Clone(constant)
	for i := 1; i < len(half); i += 2 {
		half[i] = 1e6
	}
	o := Options{}
	if testing.Short() {
		o = Options{Nodes: []int{5}, Strengths: []float64{1e-5}}
	}
	for name, film := range map[string][]float64{"without motion": constant, "brighter": brighter, "one channel constant": half, "constant": make([]float64, len(constant))} {
		m := mustFit(t, film, times, 2, nil, o)
		src := data.NewSource(film, 7, drawn.Width*drawn.Height, 2)
		if !m.Still() || m.Register(src) != src || m.chosen.Across != 0 {
			t.Errorf("%s: chosen %+v of %+v, expected no motion", name, m.chosen, m.trials)
		}
		fields, err := m.Fields(0, []float64{1.5})
		if err != nil {
			t.Fatal(err)
		}
		mean := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
		warpInPlace(fields[0], mean, mat.Matrix{}, 3, 2)
		if mean.Data[3] != 4 {
			t.Errorf("%s: warped to %v", name, mean.Data)
		}
	}
}

// The strength and the number of nodes that predict best are chosen, and that choice does not
// depend on the units of intensities and times.
func TestFitChooses(t *testing.T) {
	if testing.Short() {
		t.Skip("ten estimates")
	}
	times := drawn.Times(10, 1)
	film := drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Bending)
	for i, v := range film { // edges, which no interpolation over time moves
		film[i] = math.Tanh(3 * math.Sin(6*v))
	}
	o := Options{Nodes: []int{4, 7}, Strengths: []float64{100, 1e-3}, Gain: -1}
	m := mustFit(t, film, times, 1, nil, o)
	if len(m.trials) != 5 || m.Still() {
		t.Fatalf("trials %+v", m.trials)
	}
	best, limit := m.trials[0], 2.
	for _, trial := range m.trials[1:] {
		if trial.Error < limit*best.Error {
			best, limit = trial, 0.99
		}
	}
	if m.chosen != best || best.Strength != 1e-3 {
		t.Errorf("chosen %+v of %+v, expected %+v", m.chosen, m.trials, best)
	}
	scaled := make([]float64, len(film))
	for i, v := range film {
		scaled[i] = 1e-3*v + 1e5
	}
	other := mustFit(t, scaled, drawn.Times(10, 1e3), 1, nil, o)
	for i, trial := range other.trials {
		if e := m.trials[i].Error; math.Abs(trial.Error-e) > 1e-2*e {
			t.Errorf("trial %d: error %v, in other units %v", i, e, trial.Error)
		}
	}
	if a, b := m.process, other.process; math.Abs(b.LengthScale-1e3*a.LengthScale) > 0.05*b.LengthScale {
		t.Errorf("length scale %v, in other units %v", a.LengthScale, b.LengthScale)
	}
}

// On however few pixels the motion is estimated, it is judged on those that frames have: what is fine enough to move by a pixel may not be seen on few.
func TestFitJudgesAllPixels(t *testing.T) {
	times := drawn.Times(8, 1)
	film := drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation)
	for i := range film { // detail that moves with the contents, gone in means of 2×2 pixels
		x, y, time := i%drawn.Width, i/drawn.Width%drawn.Height, times[i/(drawn.Width*drawn.Height)]
		u, v := drawn.Translation(time, 0, 0)
		film[i] += 15 * math.Cos(math.Pi*(float64(x)-drawn.Width*u)) * math.Cos(math.Pi*(float64(y)-drawn.Width*v))
	}
	o := Options{Nodes: []int{4}, Strengths: []float64{1e-3}}
	all := mustFit(t, film, times, 1, nil, o)
	o.Pixels = drawn.Width * drawn.Height / 4
	few := mustFit(t, film, times, 1, nil, o)
	if a, b := all.trials[0].Error, few.trials[0].Error; a != b {
		t.Errorf("without motion the error is %v, judged with motion on fewer pixels %v", a, b)
	}
	if few.Still() || slices.Equal(few.Sequences[0].Displacements.Data, all.Sequences[0].Displacements.Data) {
		t.Errorf("%v: %+v, expected motion as fewer pixels have it", few, few.trials)
	}
}

// Frames left out are interpolated at their times: exactly where brightness is linear in time.
func TestScoreTimes(t *testing.T) {
	times := []float64{0, 1, 5, 6, 9, 9.5, 10}
	film := drawn.Film(times, drawn.Width, drawn.Height, 1, func(t, u, v float64) (x, y float64) { return u, v })
	for i := range film {
		film[i] *= 1 + 0.05*times[i/(drawn.Width*drawn.Height)]
	}
	// The frames are kept as float32 numbers of order 1.
	if m := mustFit(t, film, times, 1, nil, quick()); !(m.trials[0].Error < 1e-5) {
		t.Errorf("error %v without motion, expected 0", m.trials[0].Error)
	}
}

func TestFitErrors(t *testing.T) {
	good := data.NewSource(drawn.Film(drawn.Times(4, 1), 8, 6, 1, drawn.Translation), 4, 48, 1)
	values := drawn.Film(drawn.Times(4, 1), 8, 6, 1, drawn.Translation)
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
		{nil, good, drawn.Times(4, 1), nil, Options{}, "sgplvm: Width and Height: 0×0 pixels for frames of 48 points"},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 6, Height: 6}, "6×6 pixels"},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 48 << 12, Height: 1}, "expected 1 to 32768 each way"},
		{nil, good, drawn.Times(3, 1), nil, size, "sgplvm: times: 3 times, expected 4, one for each example"},
		{nil, good, []float64{0, 1, math.NaN(), 3}, nil, size, "time 2 is NaN"},
		{nil, good, drawn.Times(4, 1), []int{1}, size, "sgplvm: times: 1 labels of sequences, expected 4, one for each example"},
		{nil, good, drawn.Times(4, 1), []int{0, 0, math.MinInt, 0}, size, fmt.Sprintf("example 2 is of sequence %d", math.MinInt)},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{1}}, "1 nodes across"},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{65}}, "65 nodes across"},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 8, Height: 6, Nodes: []int{}}, "nothing to choose from"},
		{nil, good, drawn.Times(4, 1), nil, Options{Width: 8, Height: 6, Strengths: []float64{0}}, "sgplvm: Strengths: 0"},
		{nil, bad, drawn.Times(4, 1), nil, size, "example 2, point 4, channel 0: value NaN, expected a finite number"},
		{nil, drawn.Failing{Source: good, At: 0}, drawn.Times(4, 1), nil, size, "reading examples 0 to 0: the disk is gone"},
		{nil, drawn.Failing{Source: good, At: 2}, drawn.Times(4, 1), nil, size, "reading examples 2 to 2: the disk is gone"},
		{cancelled, good, drawn.Times(4, 1), nil, size, "context canceled"},
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
		film := drawn.Film(drawn.Times(n[0], 1), n[1], n[2], 1, drawn.Translation)
		m, err := Fit(context.Background(), data.NewSource(film, n[0], n[1]*n[2], 1), drawn.Times(n[0], 1), nil, Options{Width: n[1], Height: n[2]})
		if err != nil {
			t.Errorf("%v: %v", n, err)
			continue
		}
		m.Register(data.NewSource(film, n[0], n[1]*n[2], 1))
	}
	m := mustFit(t, make([]float64, 3*drawn.Width*drawn.Height), drawn.Times(3, 1), 1, nil, quick())
	for want, f := range map[string]func(){
		"film: Register: 4 frames of 48 points for the motion of 3 frames of 64×48 pixels": func() { m.Register(good) },
		"film: Warp: a frame to write with mean 5×1 and variance 0×0 for 3×2 pixels":       func() { warpInPlace(Field{}, mat.New(5, 1), mat.Matrix{}, 3, 2) },
		"film: Warp: from 1 channels, variances true, to 2 channels, variances true":       func() { Field{}.Warp(frame.New(3, 2, 2), frame.New(3, 2, 1)) },
		"film: Warp: a frame to write with mean 6×1 and variance 6×2 for 3×2 pixels":       func() { warpInPlace(Field{}, mat.New(6, 1), mat.New(6, 2), 3, 2) },
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
	times := drawn.Times(6, 1)
	film := drawn.Film(times, drawn.Width, drawn.Height, 2, drawn.Bending)
	run := func() string {
		m := mustFit(t, film, times, 2, nil, quick())
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		frame := make([]float64, drawn.Width*drawn.Height*2)
		if err := m.Register(data.NewSource(film, 6, drawn.Width*drawn.Height, 2)).ReadExamples(frame, 2, 3); err != nil {
			t.Fatal(err)
		}
		mean, variance := mat.NewDense(drawn.Width*drawn.Height, 2, frame), mat.New(drawn.Width*drawn.Height, 2)
		fields, err := m.Fields(0, []float64{2.5})
		if err != nil {
			t.Fatal(err)
		}
		warpInPlace(fields[0], mean, variance, drawn.Width, drawn.Height)
		return fmt.Sprint(string(text), frame, variance.Data)
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := run()
	for _, procs := range []int{5, 2}[:drawn.Cases(2)] {
		runtime.GOMAXPROCS(procs)
		if run() != want {
			t.Errorf("%d processors: other bits", procs)
		}
	}
}
