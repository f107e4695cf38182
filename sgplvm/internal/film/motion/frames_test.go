package motion

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Whole numbers, as of pictures, are kept as they are; others to half a unit of 16 bits.
func TestTrainingFramesKept(t *testing.T) {
	const width, height, n = 8, 6, 5
	film := drawn.Film(drawn.Times(n, 0.5), width, height, 1, drawn.Translation)
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
		o, err := Keep(context.Background(), field.NewSource(values, n, width*height, 1), width, height)
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
		{`"Width":3`, `"Width":0`, "size of frames 0,"}, {`"Width":3`, `"Width":1000000`, "size of frames 1e+06,"}, {`"Channels":1`, `"Channels":-1`, "size of frames -1,"},
		{`"Height":2`, `"Height":5`, "24 bytes for 2 frames"}, {`"Frames":2`, `"Frames":3`, "24 bytes for 3 frames"}, {`"Step":0.5`, `"Step":-0.5`, "unit -0.5"},
		{`"Step":0.5`, `"Step":1e308`, "unit 1e+308"}, {`{"W`, `["W`, "invalid"},
	} {
		err := new(Frames).Decode(bytes.Replace(file, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.HasPrefix(err.Error(), "film: attached originals: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, expected %q", c.new, c.old, err, c.want)
		}
	}
}

// Frames of another size than the source's are refused, and so are values that are no numbers, by their place.
func TestTrainingFramesRefused(t *testing.T) {
	bad := make([]float64, 96)
	bad[50] = math.NaN()
	for want, src := range map[string]field.Source{
		"8×6 pixels for 47 points":                 field.NewSource(make([]float64, 94), 2, 47, 1),
		"example 1, point 2, channel 0: value NaN": field.NewSource(bad, 2, 48, 1),
	} {
		if _, err := Keep(t.Context(), src, 8, 6); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
