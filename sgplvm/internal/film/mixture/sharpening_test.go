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

// Where nothing is to be learned nothing is done.
func TestSharpeningOfPlainFrames(t *testing.T) {
	f := frame.Frame{Width: 32, Height: 32, Mean: mat.New(1024, 1)}
	law := newDetailLaw(32, 32, 1, 1)
	law.add(f)
	if d := law.detail(); d.Sharpening != (Sharpening{}) {
		t.Errorf("sharpening %v of plain frames, want none", d.Sharpening)
	}
}
