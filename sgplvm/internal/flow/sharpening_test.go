package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A picture that is enlarged loses less sharpened as its own next octave says than through a spline alone.
func TestSharpened(t *testing.T) {
	const width, height = 192, 128
	rng := rand.New(rand.NewPCG(8, 8))
	fine := image[float64]{width, height, 1, octaves(width, height, 0.35, rng)}
	half := newImage[float64](width/2, height/2, 1)
	downsample(half, fine)
	d, err := MeasureDetail(context.Background(), data.NewSource(half.data, 1, len(half.data), 1), width/2, height/2)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(f Frame) (sum float64) {
		up := newImage[float64](width, height, 1)
		Field{}.Warp(frameOf(up), f)
		for k, v := range up.data {
			sum += square(v - fine.data[k])
		}
		return math.Sqrt(sum / float64(len(up.data)))
	}
	spline, sharp := lost(frameOf(half)), lost(d.Sharpened(frameOf(half), width))
	if sharp > 0.97*spline {
		t.Errorf("sharpened: error %v, want less than that of the spline, %v", sharp, spline)
	}
	if same := d.Sharpened(frameOf(half), width/2); &same.Mean.Data[0] != &half.data[0] {
		t.Error("pixels that are none finer are sharpened")
	}
	if part := lost(d.Sharpened(frameOf(half), width*5/7)); !(sharp < part && part < spline) {
		t.Errorf("half an octave: error %v of the full size, want one between %v and %v", part, sharp, spline)
	}
}

// The filter leaves plain areas as they are, and does the same in all eight directions.
func TestSharpeningSymmetry(t *testing.T) {
	s := sharpening{0.3, -0.2, 0.1, 0.05, 0.4}
	plain := image[float64]{7, 5, 1, make([]float64, 35)}
	for k := range plain.data {
		plain.data[k] = 3
	}
	for k, v := range sharpened(plain, s, 1).data {
		if math.Abs(v-3) > 1e-14 {
			t.Fatalf("pixel %d of a plain picture: %v, want 3", k, v)
		}
	}
	spot := newImage[float64](7, 7, 1)
	spot.data[3*7+3] = 1
	got := sharpened(spot, s, 1)
	at := func(x, y int) float64 { return got.data[(3+y)*7+3+x] }
	for k, r := range rings {
		offsets := ringOffsets(k)
		for _, o := range offsets {
			if want := -s[k] / float64(len(offsets)); math.Abs(at(o[0], o[1])-want) > 1e-15 {
				t.Errorf("ring %v: %v at %v, want %v", r, at(o[0], o[1]), o, want)
			}
		}
	}
}

// Where nothing is to be learned nothing is done.
func TestSharpeningOfPlainFrames(t *testing.T) {
	f := Frame{Width: 32, Height: 32, Mean: mat.New(1024, 1)}
	law := newDetailLaw(32, 32, 1, 1)
	law.add(f)
	if d := law.detail(); d.sharpening != (sharpening{}) {
		t.Errorf("sharpening %v of plain frames, want none", d.sharpening)
	}
}
