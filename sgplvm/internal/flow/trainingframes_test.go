package flow

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// grain is a pattern of which much is as fine as pixels are.
func grain(u, v float64) float64 {
	return pattern(u, v, 0) + 20*math.Sin(2.4*testWidth*u)*math.Cos(2.2*testWidth*v)
}

// drawGrain returns frames of grain that moves by translation.
func drawGrain(times []float64) []float64 {
	var film []float64
	for _, t := range times {
		x0, y0 := translation(t, 0, 0)
		for y := range testHeight {
			for x := range testWidth {
				film = append(film, grain((float64(x)+0.5)/testWidth-x0, (float64(y)+0.5)/testWidth-y0))
			}
		}
	}
	return film
}

func rms(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += square(v-b[i]) / float64(len(a))
	}
	return math.Sqrt(s)
}

// A frame that was registered and warped back is itself again with its motion-compensated residual; one
// between two frames comes much closer to the truth.
func TestAddResidual(t *testing.T) {
	const size = testWidth * testHeight
	times := line(9, 0.25)
	film := drawGrain(times)
	source := data.NewSource(film, len(times), size, 1)
	m := mustFit(t, film, times, 1, nil, quick())
	frames, err := m.TrainingFrames(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	registered := mat.New(len(times), size)
	if err := m.Register(source).ReadExamples(registered.Data, 0, len(times)); err != nil {
		t.Fatal(err)
	}
	frame := func(v []float64) Frame { return Frame{testWidth, testHeight, mat.NewDense(size, 1, v), mat.Matrix{}} }
	for i := range times {
		own := Field{Across: m.lattice.across, Down: m.lattice.down, Mean: m.sequences[0].d.Row(i), aspect: m.lattice.aspect}
		back := make([]float64, size)
		own.Warp(frame(back), frame(registered.Row(i)))
		m.AddResidual(frame(back), frames, own, new(Detail), momentAt(t, m, times[i], -1))
		// Half a unit of 16 bits, float32 splines of values up to 2¹⁶ units, and what the
		// inversion of the field leaves, 1e-6 pixels.
		for k, v := range back {
			if d := math.Abs(v - film[i*size+k]); d > 0.6*frames.Step+1e-3 {
				t.Fatalf("frame %d, pixel %d: off by %v in units of %v", i, k, d, frames.Step)
			}
		}
	}
	// A middle frame by linear interpolation of the others, without its help.
	const gone = 4
	mean := make([]float64, size)
	for k := range mean {
		mean[k] = (registered.At(gone-1, k) + registered.At(gone+1, k)) / 2
	}
	x := m.LeftOut(gone)
	own, without := m.fields(m.sequences[0], times[gone:gone+1])[0], make([]float64, size)
	own.Warp(frame(without), frame(mean))
	with := slices.Clone(without)
	m.AddResidual(frame(with), frames, own, new(Detail), x)
	truth := film[gone*size : (gone+1)*size]
	if a, b := rms(with, truth), rms(without, truth); !(a < 0.7*b) {
		t.Errorf("error %v with the residual, %v without", a, b)
	}
	// The neighbours count by their weights in linear interpolation.
	m.sequences[0].next, m.sequences[0].over = nil, nil
	sum, parts := make([]float64, size), mat.New(2, size)
	m.AddResidual(frame(sum), frames, own, new(Detail), momentAt(t, m, 0.75*times[2]+0.25*times[3], -1))
	for k := range 2 {
		m.addNeighbours(frame(parts.Row(k)), frames, own, new(Detail), Moment{shot: m.sequences[0], without: -1}, []neighbour{{place: 2 + k, weight: 1}})
	}
	for k, v := range sum { // to the rounding of float32 splines of values up to 2¹⁶ units
		if want := 0.75*parts.At(0, k) + 0.25*parts.At(1, k); math.Abs(v-want) > 0.2*frames.Step {
			t.Fatalf("pixel %d: %v added at a quarter of the way, want %v", k, v, want)
		}
	}
	before := slices.Clone(sum)
	if (&Motion{width: testWidth, height: testHeight, frames: len(times), sequences: m.sequences}).AddResidual(frame(sum), frames, Field{}, new(Detail), x); !slices.Equal(sum, before) {
		t.Error("a residual where nothing moves")
	}
	if _, err := m.Moments(data.Instant{Sequence: 3}); err == nil {
		t.Error("an unknown sequence: no error")
	}
	for what, call := range map[string]func(){
		"channels": func() { m.AddResidual(NewFrame(4, 4, 2), frames, own, new(Detail), x) },
		"frames": func() {
			m.AddResidual(NewFrame(4, 4, 1), &TrainingFrames{framesHead: framesHead{Channels: 1, Frames: 2}}, own, new(Detail), x)
		},
		"size": func() { m.TrainingFrames(context.Background(), data.NewSource(film, 2*len(times), size/2, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that do not fit: no panic", what)
				}
			}()
			call()
		}()
	}
}

// Whole numbers, as of pictures, are kept as they are; others to half a unit of 16 bits.
func TestTrainingFramesKept(t *testing.T) {
	const width, height, n = 8, 6, 5
	film := draw(line(n, 0.5), width, height, 1, translation)
	m := &Motion{width: width, height: height, frames: n, lattice: lattice{2, 2, 1.5}}
	for name, c := range map[string]struct {
		of   func(v float64) float64
		most float64
	}{
		"whole":       {math.Round, 0},
		"large":       {func(v float64) float64 { return 1000 * math.Round(v) }, 3},
		"fractions":   {func(v float64) float64 { return v / 1000 }, 3e-6},
		"all alike":   {func(float64) float64 { return 0.3 }, 0},
		"wide ranges": {func(v float64) float64 { return math.Copysign(1e300, v-100) }, 1e286},
	} {
		values := make([]float64, len(film))
		for i, v := range film {
			values[i] = c.of(v)
		}
		o, err := m.TrainingFrames(context.Background(), data.NewSource(values, n, width*height, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for k, v := range o.picture(i).data {
				if got, want := o.Least+o.Step*float64(v), values[i*width*height+k]; !(math.Abs(got-want) <= c.most) {
					t.Fatalf("%s: kept %v for %v", name, got, want)
				}
			}
		}
	}
}

func TestTrainingFramesFile(t *testing.T) {
	o, err := newTrainingFrames(framesHead{Width: 3, Height: 2, Channels: 1, Frames: 2, Least: -1, Step: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for k := range o.values {
		o.values[k] = []byte{1, 255, 10, '}', 13, 0}[k%6] // line feeds, too
	}
	file, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(TrainingFrames)
	if err := back.Decode(file); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, back, cmp.AllowUnexported(TrainingFrames{}, framesHead{}), cmp.Comparer(func(_, _ *flowCache) bool { return true })); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	if err := back.Check(Shape{Width: 3, Height: 2, Channels: 1, At: make([]data.Instant, 2)}); err != nil {
		t.Error(err)
	}
	for _, f := range []Shape{{Width: 2, Height: 3, Channels: 1, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 3, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 1}} {
		if back.Check(f) == nil {
			t.Errorf("a film of the form %v: no error", f)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"Width":3`, `"Width":0`, "0×2 pixels"}, {`"Width":3`, `"Width":1000000`, "1000000×2 pixels"}, {`"Channels":1`, `"Channels":-1`, "-1 channels"},
		{`"Height":2`, `"Height":5`, "24 bytes for 2 frames"}, {`"Frames":2`, `"Frames":3`, "24 bytes for 3 frames"}, {`"Step":0.5`, `"Step":-0.5`, "unit -0.5"},
		{`"Step":0.5`, `"Step":1e308`, "unit 1e+308"}, {`{"W`, `["W`, "invalid"},
	} {
		err := new(TrainingFrames).Decode(bytes.Replace(file, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.HasPrefix(err.Error(), "film: attached originals: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, expected %q", c.new, c.old, err, c.want)
		}
	}
}
