package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A picture that is enlarged loses less sharpened as its own next octave says than through a spline alone.
func TestSharpened(t *testing.T) {
	const width, height = 192, 128
	rng := rand.New(rand.NewPCG(8, 8))
	fine := frame.Image[float64]{Width: width, Height: height, Channels: 1, Data: octaves(width, height, 0.35, rng)}
	half := frame.NewImage[float64](width/2, height/2, 1)
	frame.DownsampleImage(half, fine)
	d, err := Measure(context.Background(), field.NewSource(half.Data, 1, len(half.Data), 1), width/2, height/2)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(f frame.Frame) (sum float64) {
		up := frame.NewImage[float64](width, height, 1)
		frame.Resize(frame.FrameOf(up), f)
		for k, v := range up.Data {
			sum += frame.Square(v - fine.Data[k])
		}
		return math.Sqrt(sum / float64(len(up.Data)))
	}
	spline, sharp := lost(frame.FrameOf(half)), lost(d.Sharpened(frame.FrameOf(half), width))
	if sharp > 0.97*spline {
		t.Errorf("sharpened: error %v, want less than that of the spline, %v", sharp, spline)
	}
	if same := d.Sharpened(frame.FrameOf(half), width/2); &same.Mean.Data[0] != &half.Data[0] {
		t.Error("pixels that are none finer are sharpened")
	}
	if part := lost(d.Sharpened(frame.FrameOf(half), width*5/7)); !(sharp < part && part < spline) {
		t.Errorf("half an octave: error %v of the full size, want one between %v and %v", part, sharp, spline)
	}
}

// The filter leaves plain areas as they are, and does the same in all eight directions.
func TestSharpeningSymmetry(t *testing.T) {
	s := Sharpening{0.3, -0.2, 0.1, 0.05, 0.4}
	plain := frame.Image[float64]{Width: 7, Height: 5, Channels: 1, Data: make([]float64, 35)}
	for k := range plain.Data {
		plain.Data[k] = 3
	}
	for k, v := range sharpened(plain, s, 1).Data {
		if math.Abs(v-3) > 1e-14 {
			t.Fatalf("pixel %d of a plain picture: %v, want 3", k, v)
		}
	}
	spot := frame.NewImage[float64](7, 7, 1)
	spot.Data[3*7+3] = 1
	got := sharpened(spot, s, 1)
	at := func(x, y int) float64 { return got.Data[(3+y)*7+3+x] }
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
	f := frame.Frame{Width: 32, Height: 32, Mean: mat.New(1024, 1)}
	law := newDetailLaw(32, 32, 1, 1)
	law.add(f)
	if d := law.detail(); d.Sharpening != (Sharpening{}) {
		t.Errorf("sharpening %v of plain frames, want none", d.Sharpening)
	}
}
