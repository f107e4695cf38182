package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

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

// A frame brought to reference coordinates and back is itself again when it is restored; one
// between two frames comes much closer to the truth.
func TestRestore(t *testing.T) {
	const size = testWidth * testHeight
	times := line(9, 0.25)
	film := drawGrain(times)
	source := data.NewSource(film, len(times), size, 1)
	m := mustFit(t, film, times, 1, nil, quick())
	originals, err := m.Originals(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	still := mat.New(len(times), size)
	if err := m.Register(source).ReadExamples(still.Data, 0, len(times)); err != nil {
		t.Fatal(err)
	}
	frame := func(v []float64) Frame { return Frame{testWidth, testHeight, mat.NewDense(size, 1, v), mat.Matrix{}} }
	for i := range times {
		own := Field{Across: m.lattice.across, Down: m.lattice.down, Mean: m.sequences[0].d.Row(i), aspect: m.lattice.aspect}
		back := make([]float64, size)
		own.Carry(frame(back), frame(still.Row(i)))
		if err := m.Restore(frame(back), originals, own, data.Instant{Time: times[i]}, -1); err != nil {
			t.Fatal(err)
		}
		// Half a unit of 16 bits, float32 splines of values up to 2¹⁶ units, and what the
		// inversion of the field leaves, 1e-6 pixels.
		for k, v := range back {
			if d := math.Abs(v - film[i*size+k]); d > 0.6*originals.step+1e-3 {
				t.Fatalf("frame %d, pixel %d: off by %v in units of %v", i, k, d, originals.step)
			}
		}
	}
	// A middle frame by linear interpolation of the others, without its help.
	const gone = 4
	mean := make([]float64, size)
	for k := range mean {
		mean[k] = (still.At(gone-1, k) + still.At(gone+1, k)) / 2
	}
	at := data.Instant{Time: times[gone]}
	own, without := m.at(m.sequences[0], times[gone:gone+1])[0], make([]float64, size)
	own.Carry(frame(without), frame(mean))
	with := slices.Clone(without)
	if err := m.Restore(frame(with), originals, own, at, gone); err != nil {
		t.Fatal(err)
	}
	truth := film[gone*size : (gone+1)*size]
	if a, b := rms(with, truth), rms(without, truth); !(a < 0.7*b) {
		t.Errorf("error %v restored, %v before", a, b)
	}
	// The neighbours count by their weights in linear interpolation.
	m.sequences[0].next, m.sequences[0].over = nil, nil
	sum, parts := make([]float64, size), mat.New(2, size)
	if err := m.Restore(frame(sum), originals, own, data.Instant{Time: 0.75*times[2] + 0.25*times[3]}, -1); err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		m.restore(frame(parts.Row(k)), originals, own, m.sequences[0], neighbour{place: 2 + k, weight: 1})
	}
	for k, v := range sum {
		if want := 0.75*parts.At(0, k) + 0.25*parts.At(1, k); math.Abs(v-want) > 1e-9 {
			t.Fatalf("pixel %d: %v added at a quarter of the way, want %v", k, v, want)
		}
	}
	if err := (&Motion{width: testWidth, height: testHeight, frames: len(times), sequences: m.sequences}).Restore(frame(sum), originals, Field{}, at, -1); err != nil {
		t.Errorf("without motion: %v", err)
	}
	if err := m.Restore(frame(with), originals, own, data.Instant{Sequence: 3}, -1); err == nil {
		t.Error("an unknown sequence: no error")
	}
	for what, call := range map[string]func(){
		"channels": func() { m.Restore(NewFrame(4, 4, 2), originals, own, at, -1) },
		"frames": func() {
			m.Restore(NewFrame(4, 4, 1), &Originals{channels: 1, values: make([][]uint16, 2)}, own, at, -1)
		},
		"size": func() { m.Originals(context.Background(), data.NewSource(film, 2*len(times), size/2, 1)) },
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
func TestOriginalsKept(t *testing.T) {
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
		o, err := m.Originals(context.Background(), data.NewSource(values, n, width*height, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for k, v := range o.values[i] {
				if got, want := o.least+o.step*float64(v), values[i*width*height+k]; !(math.Abs(got-want) <= c.most) {
					t.Fatalf("%s: kept %v for %v", name, got, want)
				}
			}
		}
	}
}

// The frames around a time share the weight in linear interpolation; a frame that is not used gives
// its place to the next one.
func TestAround(t *testing.T) {
	s := sequence{frames: []int{5, 4, 3, 2, 1}, times: []float64{0, 2, 3, 3, 7}}
	for _, c := range []struct {
		at   float64
		but  int
		want string
	}{
		{-1, -1, "[{0 1 []}]"}, {-1, 5, "[{1 1 []}]"}, {8, -1, "[{4 1 []}]"}, {8, 1, "[{3 1 []}]"},
		{0.5, -1, "[{0 0.75 []} {1 0.25 []}]"}, {2, -1, "[{0 0 []} {1 1 []}]"}, {2, 4, "[{0 0.33333333333333337 []} {2 0.6666666666666666 []}]"},
		{5, -1, "[{3 0.5 []} {4 0.5 []}]"}, {3, 3, "[{1 0 []} {3 1 []}]"}, {0, -1, "[{0 1 []}]"}, {0, 5, "[{1 1 []}]"}, {7, 1, "[{3 1 []}]"},
	} {
		if got := fmt.Sprint(s.around(c.at, c.but)); got != c.want {
			t.Errorf("around %v but frame %d: %s, want %s", c.at, c.but, got, c.want)
		}
	}
	alone := sequence{frames: []int{7}, times: []float64{1}}
	if got := alone.around(1, 7); got != nil {
		t.Errorf("around the only frame: %v", got)
	}
}

// What is said of a frame from the others does not depend on its own displacement, and is less sure.
func TestLeftOut(t *testing.T) {
	times := []float64{0, 1, 2, 3.5, 4, 5, 9}
	m := mustFit(t, draw(times, testWidth, testHeight, 1, translation), times, 1, []int{1, 1, 1, 1, 1, 1, 4}, quick())
	const gone = 3
	before, known := m.LeftOut(gone), m.at(m.sequences[0], times[gone:gone+1])[0]
	for k := range m.sequences[0].d.Row(gone) {
		m.sequences[0].d.Row(gone)[k] += 0.01
	}
	if after := m.LeftOut(gone); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the displacement of the frame that is left out counts")
	}
	if !(before.Covariance[0] > 2*known.Covariance[0]) {
		t.Errorf("variance %v of a frame left out, %v of one that is known", before.Covariance[0], known.Covariance[0])
	}
	alone := m.LeftOut(6)
	for k, v := range alone.Mean {
		if v != 0 {
			t.Fatalf("component %d of the only frame of a sequence, left out: %v", k, v)
		}
	}
	if alone.Covariance[0] != m.covariance[0] {
		t.Errorf("variance %v of the only frame of a sequence, left out, want the prior's, %v", alone.Covariance[0], m.covariance[0])
	}
}

func TestOriginalsFile(t *testing.T) {
	o := &Originals{width: 3, height: 2, channels: 1, least: -1, step: 0.5, values: [][]uint16{{1, 2, 3, 65535, 2570, 0}, {10, 10, 13, 10, 0, 1}}} // line feeds, too
	file, err := o.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back := new(Originals)
	if err := back.UnmarshalBinary(file); err != nil || fmt.Sprint(back) != fmt.Sprint(o) {
		t.Fatalf("read %v, %v, want %v", back, err, o)
	}
	if err := back.Check(Form{Width: 3, Height: 2, Channels: 1, At: make([]data.Instant, 2)}); err != nil {
		t.Error(err)
	}
	for _, f := range []Form{{Width: 2, Height: 3, Channels: 1, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 3, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 1}} {
		if back.Check(f) == nil {
			t.Errorf("a film of the form %v: no error", f)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"Width":3`, `"Width":0`, "0×2 pixels"}, {`"Width":3`, `"Width":1000000`, "1000000×2 pixels"}, {`"Channels":1`, `"Channels":-1`, "-1 channels"},
		{`"Height":2`, `"Height":5`, "24 bytes for 2 frames"}, {`"Frames":2`, `"Frames":3`, "24 bytes for 3 frames"}, {`"Step":0.5`, `"Step":-0.5`, "unit -0.5"},
		{`"Step":0.5`, `"Step":1e308`, "unit 1e+308"}, {`{"W`, `["W`, "invalid"},
	} {
		var bad *FormatError
		err := new(Originals).UnmarshalBinary(bytes.Replace(file, []byte(c.old), []byte(c.new), 1))
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, expected %q", c.new, c.old, err, c.want)
		}
	}
}
