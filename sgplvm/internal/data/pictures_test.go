package data_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A subset has the examples of its numbers, in their order.
func TestSubset(t *testing.T) {
	s := field.Subset{Examples: field.NewSource([]float64{0, 1, 10, 11, 20, 21}, 3, 2, 1), Numbers: []int{2, 0, 2}}
	if n, points, channels := s.Dims(); n != 3 || points != 2 || channels != 1 {
		t.Errorf("%d examples of %d points and %d channels", n, points, channels)
	}
	got := make([]float64, 4)
	if err := s.ReadExamples(got, 1, 3); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, 1, 20, 21}, got); diff != "" {
		t.Error(diff)
	}
}

// Pixels of a halved picture are means of those that it has, at the end of an odd side too.
func TestHalved(t *testing.T) {
	const n, width, height, channels = 3, 5, 3, 2
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*width*height*channels)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	pictures := data.Halved(field.NewSource(values, n, width*height, channels), width, height)
	if frames, points, c := pictures.Dims(); frames != n || points != 3*2 || c != channels {
		t.Fatalf("%d frames of %d points and %d channels", frames, points, c)
	}
	got := make([]float64, 2*3*2*channels)
	for i := range got {
		got[i] = math.NaN()
	}
	if err := pictures.ReadExamples(got, 1, 3); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for row, rows := range [][]int{{0, 1}, {2}} {
			for column, columns := range [][]int{{0, 1}, {2, 3}, {4}} {
				for c := range channels {
					var want float64
					for _, r := range rows {
						for _, k := range columns {
							want += values[(((i+1)*height+r)*width+k)*channels+c] / float64(len(rows)*len(columns))
						}
					}
					// four products and sums of numbers up to 4
					if v := got[((i*2+row)*3+column)*channels+c]; !(math.Abs(v-want) <= 8*4*0x1p-53) {
						t.Errorf("frame %d, row %d, column %d, channel %d: %v, want %v", i, row, column, c, v, want)
					}
				}
			}
		}
	}
	broken := &counting{Source: field.NewSource(values, n, width*height, channels), failAt: 2}
	if err := data.Halved(broken, width, height).ReadExamples(got, 0, 2); err != errSource || broken.calls != 2 {
		t.Errorf("error %v in read %d of pictures that cannot be read", err, broken.calls)
	}
}

// A picture is halved once, and then until few enough numbers or one pixel remains.
func TestDownsample(t *testing.T) {
	for _, c := range []struct{ width, height, most, wantWidth, wantHeight int }{
		{20, 9, 1000, 10, 5},
		{20, 9, 2 * 3 * 10 * 5, 10, 5},
		{20, 9, 2*3*10*5 - 1, 5, 3},
		{20, 1, 40, 5, 1},
		{1, 1, 1, 1, 1},
		{3, 2, 0, 1, 1},
	} {
		pictures := field.NewSource(slices.Repeat([]uint8{7}, 2*3*c.width*c.height), 2, c.width*c.height, 3)
		small, width, height, err := data.Downsample(t.Context(), pictures, c.width, c.height, c.most)
		if err != nil || width != c.wantWidth || height != c.wantHeight {
			t.Errorf("%+v: %d×%d %v", c, width, height, err)
			continue
		}
		values := make([]float64, 2*3*c.wantWidth*c.wantHeight)
		if err := small.ReadExamples(values, 0, 2); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if math.Abs(v-7) > 7*0x1p-24 { // in float32
				t.Errorf("%+v: value %d of a grey picture of 7 is %v", c, i, v)
			}
		}
	}
}

// What is downsampled or read into memory ends with the context and with the source's error.
func TestInMemoryEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source := &counting{Source: field.NewSource(make([]uint8, 12), 3, 4, 1), failAt: 2}
	if _, err := data.InMemory(ctx, source); err != context.Canceled || source.calls != 0 {
		t.Errorf("error %v after %d reads", err, source.calls)
	}
	if _, _, _, err := data.Downsample(t.Context(), source, 2, 2, 1); err != errSource {
		t.Errorf("error %v", err)
	}
	source.calls, source.failAt = 0, 2
	if _, err := data.InMemory(t.Context(), source); err != errSource || source.calls != 2 {
		t.Errorf("error %v after %d reads", err, source.calls)
	}
	if err := (field.Subset{Examples: &counting{Source: source.Source, failAt: 2}, Numbers: []int{0, 1, 2}}).ReadExamples(make([]float64, 12), 0, 3); err != errSource {
		t.Errorf("error %v of a subset", err)
	}
}
