package motion

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// shiftedBy draws a picture that has moved by so many pixels, in a light.
func shiftedBy(pixels, gain, offset float64, channels int) frame.Image[float32] {
	p := frame.NewImage[float32](drawn.Width, drawn.Height, channels)
	for k, v := range drawn.Film([]float64{0}, drawn.Width, drawn.Height, channels, func(_, u, v float64) (x, y float64) { return u + pixels/drawn.Width, v }) {
		p.Data[k] = float32(gain*v + offset)
	}
	return p
}

// Contents are followed from a frame to one of which the light has faded, and how bright they are in both is known; where light stays there is nothing of that.
func TestFlowsOfFade(t *testing.T) {
	const moved = 1.5
	for _, c := range []struct {
		name         string
		gain, offset float64
		fades        bool
	}{{"light stays", 1, 0, false}, {"fades", 0.3, 5, true}, {"nearly black", 0.08, 0, true}, {"grows", 2.5, -40, true}, {"a little darker", 0.97, 2, false}} {
		a, b := shiftedBy(0, 1, 0, 2), shiftedBy(moved, c.gain, c.offset, 2)
		f := FlowsBetween(a, b)
		var worst float64
		for y := 8; y < drawn.Height-8; y++ {
			for x := 8; x < drawn.Width-8; x++ {
				u, v := f.There.At(float64(x), float64(y))
				worst = max(worst, math.Hypot(u-moved, v))
			}
		}
		if !(worst < 0.25) {
			t.Errorf("%s: a point is %.3f pixels from its place", c.name, worst)
		}
		if (f.Light != nil) != c.fades {
			t.Errorf("%s: light %v", c.name, f.Light)
		}
		if f.Light == nil {
			continue
		}
		for k := range 2 {
			from, to := f.Light[0], f.Light[1]
			if r := to.Deviation[k] / from.Deviation[k]; !(math.Abs(r/c.gain-1) < 0.02) {
				t.Errorf("%s: contrast %v times as large, want %v", c.name, r, c.gain)
			}
			if d := to.Mean[k] - c.gain*from.Mean[k]; !(math.Abs(d-c.offset) < 0.02*to.Deviation[k]+0.1) {
				t.Errorf("%s: offset %v, want %v", c.name, d, c.offset)
			}
		}
	}
}

// A channel that shows nothing in one of two frames has no light to compare; contents are followed by the other ones.
func TestLightOfEvenChannel(t *testing.T) {
	a, b := shiftedBy(0, 1, 0, 2), shiftedBy(1.5, 0.3, 5, 2)
	if FlowsBetween(a, b).Light == nil {
		t.Fatal("no light where both channels fade")
	}
	for k := 1; k < len(b.Data); k += 2 {
		b.Data[k] = 7 + 1e-3*b.Data[k] // next to even
	}
	if l := FlowsBetween(a, b).Light; l != nil {
		t.Errorf("light %v where a channel is even", *l)
	}
}

// Nothing is followed from a black frame, or to it.
func TestFlowsOfFlat(t *testing.T) {
	shown, black := shiftedBy(0, 1, 0, 1), shiftedBy(0, 1e-3, 0, 1)
	for _, f := range []PairFlow{FlowsBetween(shown, black), FlowsBetween(black, shown), FlowsBetween(black, frame.NewImage[float32](drawn.Width, drawn.Height, 1))} {
		for y := range drawn.Height {
			for x := range drawn.Width {
				u, v := f.There.At(float64(x), float64(y))
				p, q := f.Back.At(float64(x), float64(y))
				if u != 0 || v != 0 || p != 0 || q != 0 {
					t.Fatalf("at %d, %d a flow of %v, %v and %v, %v back", x, y, u, v, p, q)
				}
			}
		}
		if f.Light != nil || f.Turns {
			t.Errorf("light %v, turns %v", f.Light, f.Turns)
		}
	}
}

// Light fades where quantiles are those of the other picture, but for mean and deviation; pictures are in units of their own.
func TestEvened(t *testing.T) {
	picture := func(value func(k int) float64) opticalflow.Picture {
		p := opticalflow.Picture{Width: 40, Height: 30, Pixels: make([]float32, 1200)}
		for k := range p.Pixels {
			p.Pixels[k] = float32(value(k))
		}
		return p
	}
	wave := func(k int) float64 { return math.Sin(0.37 * float64(k)) }
	a := picture(wave)
	for _, c := range []struct {
		name  string
		value func(k int) float64
		fades bool
	}{
		{"the same", wave, false},
		{"moved", func(k int) float64 { return wave(k + 7) }, false},
		{"darker", func(k int) float64 { return wave(k+7) - 0.3 }, true},
		{"of less contrast", func(k int) float64 { return 0.5 * wave(k+7) }, true},
		{"of a little less contrast", func(k int) float64 { return 0.9 * wave(k+7) }, false},
		{"a bright part", func(k int) float64 {
			if k%40 < 4 {
				return 9
			}
			return wave(k)
		}, false},
	} {
		p, q, fades := evened(a, picture(c.value))
		if fades != c.fades {
			t.Errorf("%s: fades %v", c.name, fades)
		}
		if !fades {
			continue
		}
		for _, p := range []opticalflow.Picture{p, q} {
			if mean, deviation := spread(p.Pixels); math.Abs(mean) > 1e-5 || math.Abs(deviation-1) > 1e-5 {
				t.Errorf("%s: mean %v, deviation %v of an even picture", c.name, mean, deviation)
			}
		}
	}
}

// A pair rests where neither flow leads anywhere, and the picture does not turn.
func TestRests(t *testing.T) {
	none := func() opticalflow.Flow {
		return opticalflow.Flow{Width: 2, Height: 1, Right: make([]float32, 2), Down: make([]float32, 2)}
	}
	f := PairFlow{There: none(), Back: none()}
	if !f.Rests() {
		t.Error("something moves")
	}
	for k, v := range []*float32{&f.There.Right[1], &f.There.Down[0], &f.Back.Right[0], &f.Back.Down[1]} {
		*v = -0.1
		if f.Rests() {
			t.Errorf("displacement %d: nothing moves", k)
		}
		*v = 0
	}
	if f.Turns = true; f.Rests() {
		t.Error("what turns rests")
	}
}
