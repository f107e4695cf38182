package frame

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Ranges are those of each channel over all values of all frames that are not missing.
func TestFind(t *testing.T) {
	nan := math.NaN()
	frames := field.NewSource([]float64{5, 7, 30.5, 5, nan, 31.5, nan, nan, nan, 9, 7, 30.5, -1, 7, nan, 8, nan, nan}, 2, 3, 3)
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

// Means beyond the range of their channel go to its end, and variances stay.
func TestClip(t *testing.T) {
	l := Limits{Channels: []Range{{Least: -1, Most: 9}, {Least: 7, Most: 8}}}
	f := New(2, 1, 2)
	copy(f.Mean.Data, []float64{-3, 3, 12, 7.5})
	copy(f.Variance.Data, []float64{1, 2, 3, 4})
	l.Clip(f)
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
	l := &Limits{Channels: []Range{{Least: 0, Most: 255}, {Least: 3, Most: 3.5}}}
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
		`{`:                                   "unexpected end",
		`{"Channels":[{"Least":2,"Most":1}]}`: "from 2 to 1 in channel 0, expected a range",
	} {
		if err := read.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
	if d := cmp.Diff(l, read); d != "" {
		t.Errorf("after errors (-want +got):\n%s", d)
	}
}
