package frame

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Ranges are those of each channel over all values of all frames that are not missing.
func TestFind(t *testing.T) {
	nan := math.NaN()
	frames := data.NewSource([]float64{5, 7, 30.5, 5, nan, 31.5, nan, nan, nan, 9, 7, 30.5, -1, 7, nan, 8, nan, nan}, 2, 3, 3)
	got, err := FindLimits(context.Background(), frames)
	if err != nil {
		t.Fatal(err)
	}
	want := Limits{Channels: []Range{{Least: -1, Most: 9}, {Least: 7, Most: 7}, {Least: 30.5, Most: 31.5}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FindLimits(ctx, frames); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Values are clipped at an end where more lie than next to it, and more than a few, or where pictures end.
func TestClipped(t *testing.T) {
	const n = 1 << 16
	for name, c := range map[string]struct {
		value        func(u float64) float64
		below, above bool
	}{
		"even":                   {func(u float64) float64 { return 3 + math.Floor(200*u) }, false, false},
		"fading out":             {func(u float64) float64 { return 3 + math.Round(30*math.Log(1/(u+1e-4))) }, false, false},
		"a wave":                 {func(u float64) float64 { return math.Sin(20 * u) }, false, false},
		"a wave, rounded":        {func(u float64) float64 { return 3 + math.Floor(50.9999*(1+math.Sin(20*u))) }, false, false},
		"bright":                 {func(u float64) float64 { return 3 + min(math.Floor(300*u), 205) }, false, true},
		"dark":                   {func(u float64) float64 { return 3 + max(math.Floor(300*u)-40, 0) }, true, false},
		"both, in fractions":     {func(u float64) float64 { return min(max(300*u-40, 0), 200) / 7 }, true, true},
		"of 8 bits":              {func(u float64) float64 { return math.Floor(256 * u) }, true, true},
		"of 16 bits":             {func(u float64) float64 { return 1000 + math.Floor(64000*u) }, false, false},
		"of 16 bits, to the end": {func(u float64) float64 { return 1000 + min(math.Floor(64600*u), 64535) }, false, true},
		"a few at the end":       {func(u float64) float64 { return 3 + min(math.Floor(80*u/(1.0004-u)), 1e5) }, false, false},
		"few values":             {func(u float64) float64 { return min(math.Floor(5000*u), 4998) }, false, false},
		"one value":              {func(float64) float64 { return 3 }, false, false},
		"two values":             {func(u float64) float64 { return math.Round(u) }, false, false},
	} {
		values := make([]float64, n)
		for k := range values {
			values[k] = c.value((float64(k) + 0.5) / n)
		}
		l, err := FindLimits(context.Background(), data.NewSource(values, 2, n/2, 1))
		if err != nil {
			t.Fatal(err)
		}
		if r := l.Channels[0]; r.Below != c.below || r.Above != c.above {
			t.Errorf("%s: %+v, want clipped below %v, above %v", name, r, c.below, c.above)
		}
	}
}

// Where most values are missing the share of the others counts.
func TestClippedOfObserved(t *testing.T) {
	values := make([]float64, 1<<18)
	for k := range values {
		values[k] = math.NaN()
		if k%16 == 0 {
			values[k] = min(3+float64(k/16%1000), 994) // nine in a thousand are more
		}
	}
	l, err := FindLimits(context.Background(), data.NewSource(values, 2, len(values)/2, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := Limits{Step: 1, Channels: []Range{{Least: 3, Most: 994, Above: true}}}
	if d := cmp.Diff(want, l); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Means beyond the range of their channel go to its end, clipped or not, and variances stay.
func TestWithin(t *testing.T) {
	l := Limits{Channels: []Range{{Least: -1, Most: 9}, {Least: 7, Most: 8, Above: true}}}
	f := New(2, 1, 2)
	copy(f.Mean.Data, []float64{-3, 3, 12, 7.5})
	copy(f.Variance.Data, []float64{1, 2, 3, 4})
	l.Within(f)
	if d := cmp.Diff([]float64{-1, 7, 9, 7.5}, f.Mean.Data); d != "" {
		t.Errorf("means (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]float64{1, 2, 3, 4}, f.Variance.Data); d != "" {
		t.Errorf("variances (-want +got):\n%s", d)
	}
}

// Variances are those of values within the range at most; a channel of one value has no range.
func TestBound(t *testing.T) {
	l := Limits{Channels: []Range{{Least: -1, Most: 9}, {Least: 7, Most: 7}}}
	f := New(2, 1, 2)
	copy(f.Variance.Data, []float64{24, 30, 26, 30})
	l.Bound(f)
	if d := cmp.Diff([]float64{24, 30, 25, 30}, f.Variance.Data); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	none := Limits{}
	none.Bound(f)
	none.Clip(f)
	if d := cmp.Diff([]float64{24, 30, 25, 30}, f.Variance.Data); d != "" {
		t.Errorf("without limits (-want +got):\n%s", d)
	}
}

// What is written is read, and nothing else.
func TestLimitsFile(t *testing.T) {
	l := &Limits{Step: 1, Channels: []Range{{Least: 0, Most: 255, Above: true}, {Least: 3, Most: 3.5, Below: true}}}
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read := new(Limits)
	if err := read.Decode(text); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l, read); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := read.Check(Shape{Channels: 3}); err == nil || !strings.Contains(err.Error(), "those of 2 channels, expected 3") {
		t.Errorf("of 3 channels: %v", err)
	}
	if err := read.Check(Shape{Channels: 2}); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{`: "unexpected end",
		`{"Step":2,"Channels":[{"Least":0,"Most":1}]}`: "a step of 2",
		`{"Channels":[{"Least":2,"Most":1}]}`:          "from 2 to 1 in channel 0, expected a range",
	} {
		if err := read.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
	if d := cmp.Diff(l, read); d != "" {
		t.Errorf("after errors (-want +got):\n%s", d)
	}
}
