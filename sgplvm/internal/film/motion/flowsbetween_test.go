package motion

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Frames between which the picture turns by so little that a shift comes near it on small pictures, but not so little that paths are straight, have flows beside the turn, which are more precise; others have none.
func TestFlowsBetweenTurns(t *testing.T) {
	const width, height = 160, 96
	rng := rand.New(rand.NewPCG(3, 5))
	var waves [40][4]float64 // the frequency to the right and down, the phase and the length in pixels
	for k := range waves {
		length, direction := 6*math.Pow(20, rng.Float64()), 2*math.Pi*rng.Float64()
		waves[k] = [4]float64{2 * math.Pi / length * math.Cos(direction), 2 * math.Pi / length * math.Sin(direction), 2 * math.Pi * rng.Float64(), length}
	}
	turned := func(angle float64) frame.Image[float32] {
		sin, cos := math.Sincos(angle)
		f := frame.NewImage[float32](width, height, 1)
		for k := range f.Data {
			x, y := float64(k%width)-79.5, float64(k/width)-47.5
			u, v := x*cos+y*sin, y*cos-x*sin
			for _, w := range waves {
				f.Data[k] += float32(math.Pow(w[3], 0.8) * math.Sin(w[0]*u+w[1]*v+w[2]))
			}
		}
		return f
	}
	const angle = 0.2
	a, b := turned(0), turned(angle)
	if s, found := opticalflow.Similar(luminance(a, b)); found {
		t.Fatalf("small pictures tell the turn: %v", s)
	}
	f := FlowsBetween(a, b)
	if !f.Turns || cmplx.Abs(f.Whole.Turn-cmplx.Rect(1, angle)) > 0.01 {
		t.Fatalf("turns %v by %v, want %v", f.Turns, f.Whole.Turn, cmplx.Rect(1, angle))
	}
	there := f.From(false)
	sin, cos := math.Sincos(angle)
	for _, p := range [][2]float64{{80, 48}, {40, 30}, {120, 60}, {60, 80}} {
		x, y := there.Follow(p[0], p[1])
		u, v := p[0]-79.5, p[1]-47.5
		if apart := math.Hypot(x-79.5-u*cos+v*sin, y-47.5-u*sin-v*cos); apart > 0.1 {
			t.Errorf("%v leads to (%v, %v), %v pixels off", p, x, y, apart)
		}
	}
	if slow := FlowsBetween(a, turned(0.1)); slow.Turns {
		t.Errorf("a slow turn: %v", slow.Whole)
	}
}
