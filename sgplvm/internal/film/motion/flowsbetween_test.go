package motion

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Frames between which the picture turns by so little that a shift comes near it, but not so little that paths are straight, have flows beside the turn, which are more precise; others have none.
func TestFlowsBetweenTurns(t *testing.T) {
	const width, height = 160, 96
	between := func(angle float64) PairFlow {
		turn := func(t, u, v float64) (x, y float64) {
			sin, cos := math.Sincos(angle * t)
			u, v = u-0.5, v-0.3
			return 0.5 + u*cos - v*sin, 0.3 + u*sin + v*cos
		}
		film := drawn.Film([]float64{0, 1}, width, height, 1, turn)
		var frames [2]frame.Image[float32]
		for i := range frames {
			frames[i] = frame.NewImage[float32](width, height, 1)
			for k := range frames[i].Data {
				frames[i].Data[k] = float32(film[i*width*height+k])
			}
		}
		return FlowsBetween(frames[0], frames[1])
	}
	const angle = 0.18
	f := between(angle)
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
	if slow := between(0.06); slow.Turns {
		t.Errorf("a slow turn: %v", slow.Whole)
	}
}
