package motion

import (
	"testing"

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
	}
}
