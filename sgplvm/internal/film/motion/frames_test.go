package motion

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Whole numbers, as of pictures, are kept as they are; others to half a unit of 16 bits.
func TestTrainingFramesKept(t *testing.T) {
	const width, height, n = 8, 6, 5
	film := drawn.Film(drawn.Times(n, 0.5), width, height, 1, drawn.Translation)
	m := &Motion{Width: width, Height: height, Frames: n, Lattice: Lattice{Across: 2, Down: 2, Aspect: 1.5}}
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
		o, err := Keep(context.Background(), m, data.NewSource(values, n, width*height, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for k, v := range o.Picture(i).Data {
				if got, want := o.Least+o.Step*float64(v), values[i*width*height+k]; !(math.Abs(got-want) <= c.most) {
					t.Fatalf("%s: kept %v for %v", name, got, want)
				}
			}
		}
	}
}

func TestTrainingFramesFile(t *testing.T) {
	o, err := newFrames(Head{Width: 3, Height: 2, Channels: 1, Frames: 2, Least: -1, Step: 0.5})
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
	back := new(Frames)
	if err := back.Decode(file); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, back, cmp.AllowUnexported(Frames{}, Head{}), cmp.Comparer(func(_, _ *Cache) bool { return true })); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	if err := back.Check(frame.Shape{Width: 3, Height: 2, Channels: 1, At: make([]data.Instant, 2)}); err != nil {
		t.Error(err)
	}
	for _, f := range []frame.Shape{{Width: 2, Height: 3, Channels: 1, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 3, At: make([]data.Instant, 2)}, {Width: 3, Height: 2, Channels: 1}} {
		if back.Check(f) == nil {
			t.Errorf("a film of the form %v: no error", f)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"Width":3`, `"Width":0`, "0×2 pixels"}, {`"Width":3`, `"Width":1000000`, "1000000×2 pixels"}, {`"Channels":1`, `"Channels":-1`, "-1 channels"},
		{`"Height":2`, `"Height":5`, "24 bytes for 2 frames"}, {`"Frames":2`, `"Frames":3`, "24 bytes for 3 frames"}, {`"Step":0.5`, `"Step":-0.5`, "unit -0.5"},
		{`"Step":0.5`, `"Step":1e308`, "unit 1e+308"}, {`{"W`, `["W`, "invalid"},
	} {
		err := new(Frames).Decode(bytes.Replace(file, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.HasPrefix(err.Error(), "film: attached originals: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, expected %q", c.new, c.old, err, c.want)
		}
	}
}

// Frames of another size than the motion's are a programmer's mistake.
func TestTrainingFramesOfAnotherSize(t *testing.T) {
	m := &Motion{Width: 8, Height: 6, Frames: 2}
	for what, src := range map[string]data.Source{"frames": data.NewSource(make([]float64, 144), 3, 48, 1), "points": data.NewSource(make([]float64, 94), 2, 47, 1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("other %s: no panic", what)
				}
			}()
			Keep(t.Context(), m, src)
		}()
	}
}
