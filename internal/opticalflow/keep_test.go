package opticalflow

import (
	"math"
	"testing"
)

// ballScene returns two pictures of a plain ground with some grain, before which a ball of a few pixels moves far.
func ballScene(shown bool) (a, b Picture) {
	const width, height = 160, 96
	ground := grain(5, 256)
	at := func(cx, cy float64) Picture {
		p := Picture{width, height, make([]float32, width*height)}
		for k := range p.Pixels {
			x, y := k%width, k/width
			p.Pixels[k] = 0.1 * ground.row(y)[x]
			if r := math.Hypot(float64(x)-cx, float64(y)-cy); shown && r < 4 {
				p.Pixels[k] += 3 * float32(min(1, 4-r))
			}
		}
		return p
	}
	return at(60, 40), at(69, 43)
}

// A ball that is small and moves far is followed to its end, there and back, though along its outline the flow tears; and the ground around it stays.
func TestKeep(t *testing.T) {
	a, b := ballScene(true)
	there, back := Between(a, b)
	for _, c := range []struct {
		name       string
		flow       Flow
		x, y, u, v float64
	}{{"there", there, 60, 40, 9, 3}, {"back", back, 69, 43, -9, -3}, {"the ground", there, 30, 70, 0, 0}, {"the ground back", back, 120, 20, 0, 0}} {
		if u, v := c.flow.At(c.x, c.y); math.Hypot(u-c.u, v-c.v) > 0.5 {
			t.Errorf("%s: (%v, %v), want (%v, %v)", c.name, u, v, c.u, c.v)
		}
	}
	a, b = ballScene(false)
	still, _ := Between(a, b)
	for k, u := range still.Right {
		if math.Hypot(float64(u), float64(still.Down[k])) > 1e-3 {
			t.Fatalf("without a ball pixel %d moves by (%v, %v)", k, u, still.Down[k])
		}
	}
}

// What was found is kept only where it fits far better, the way back was found, and it leads elsewhere inside the second picture.
func TestKept(t *testing.T) {
	a, b := ballScene(true)
	flow := func(u, v float32) Flow {
		f := newFlow(a.Width, a.Height)
		for k := range f.Right {
			f.Right[k], f.Down[k] = u, v
		}
		return f
	}
	ball := 40*a.Width + 60
	for _, c := range []struct {
		name        string
		found, back Flow
		kept        bool
	}{{"right", flow(9, 3), flow(-9, -3), true}, {"no way back", flow(9, 3), flow(-6, -3), false}, {"fits no better", flow(20, 20), flow(-20, -20), false},
		{"near", flow(0.5, 0), flow(-0.5, 0), false}, {"outside", flow(-70, 0), flow(70, 0), false}} {
		f := flow(0, 0)
		keep(a, b, c.found, c.back, f)
		if kept := f.Right[ball] == c.found.Right[ball]; kept != c.kept {
			t.Errorf("%s: the ball moves by (%v, %v)", c.name, f.Right[ball], f.Down[ball])
		}
	}
	for k := range a.Pixels { // so faint that noise might as well be all
		a.Pixels[k], b.Pixels[k] = 0.02*a.Pixels[k], 0.02*b.Pixels[k]
	}
	f := flow(0, 0)
	if keep(a, b, flow(9, 3), flow(-9, -3), f); f.Right[ball] != 0 {
		t.Errorf("a ball that is hardly seen moves by (%v, %v)", f.Right[ball], f.Down[ball])
	}
}
