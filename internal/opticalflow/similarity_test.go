package opticalflow

import (
	"math"
	"math/cmplx"
	"testing"
)

// taken returns what is in a picture of 160×96 pixels where the similarity takes that of the middle of a larger one.
func taken(p Picture, s Similarity) Picture {
	const width, height = 160, 96
	t := Picture{width, height, make([]float32, width*height)}
	back := Similarity{1 / s.Turn, -s.Shift / s.Turn}
	for k := range t.Pixels {
		x, y := back.At(width, height, float64(k%width), float64(k/width))
		t.Pixels[k] = p.at(float32(x)+0.5*float32(p.Width-width), float32(y)+0.5*float32(p.Height-height))
	}
	return t
}

// Half of a similarity twice is all of it, as is a turn back and forth, and no turn is a straight line.
func TestSimilarityPower(t *testing.T) {
	for _, s := range []Similarity{{cmplx.Rect(1.2, -0.7), 5 - 3i}, {1, 4 + 2i}, {0.9, 0}} {
		half, back := s.Power(0.5), s.Power(-1)
		for _, got := range []Similarity{half.after(half), s.after(s).after(back)} {
			if cmplx.Abs(got.Turn-s.Turn) > 1e-12 || cmplx.Abs(got.Shift-s.Shift) > 1e-12 {
				t.Errorf("%v, want %v", got, s)
			}
		}
	}
	if x, y := (Similarity{1i, 2}).At(11, 21, 8, 10); x != 7 || y != 13 { // a quarter of a turn about (5, 10)
		t.Errorf("(%v, %v), want (7, 13)", x, y)
	}
}

// A picture that turns or is enlarged is found to do so.
func TestSimilar(t *testing.T) {
	scene := grain(5, 320)
	for _, want := range []Similarity{{cmplx.Rect(1, 0.5), 0}, {cmplx.Rect(1, -0.95), 6 - 3i}, {1.31, 0}, {0.77, 4i}, {cmplx.Rect(1.15, 0.33), -9 + 4i}} {
		got, found := Similar(taken(scene, Similarity{1, 0}), taken(scene, want))
		if !found || cmplx.Abs(got.Turn-want.Turn) > 0.03 || cmplx.Abs(got.Shift-want.Shift) > 1 {
			t.Errorf("found %v: %v, want %v", found, got, want)
		}
	}
}

// What a shift explains, what moves in parts and pictures of different things do not turn.
func TestSimilarNone(t *testing.T) {
	scene, other := grain(1, 320), grain(51, 320)
	still := taken(scene, Similarity{1, 0})
	// Bars move before a scene, three times as fast: as wholes the pictures look like an enlargement of one another.
	layers := func(way float64) Picture {
		p, front := taken(scene, Similarity{1, complex(-8*way, 0)}), taken(other, Similarity{1, complex(-25*way, 0)})
		for k := range p.Pixels {
			if math.Sin((float64(k%p.Width)+25*way)/25) > 0.5 {
				p.Pixels[k] = front.Pixels[k]
			}
		}
		return p
	}
	// A smooth picture may look as a whole like its mirror image, turned.
	smooth := func(seed uint64, zoom float32, mirrored bool) Picture {
		g, p := grain(seed, 320), Picture{160, 96, make([]float32, 160*96)}
		for k := range p.Pixels {
			x, y := k%160, k/160
			if mirrored {
				x = 159 - x
			}
			p.Pixels[k] = g.at(float32(x)/zoom+20, float32(y)/zoom+20)
		}
		return p
	}
	for name, pair := range map[string][2]Picture{
		"still": {still, still}, "a pan": {still, taken(scene, Similarity{1, 17 - 6i})}, "a slow turn": {still, taken(scene, Similarity{cmplx.Rect(1, 0.03), 0})},
		"another scene": {still, taken(other, Similarity{1, 0})}, "layers": {layers(0), layers(1)}, "a mirror": {smooth(12, 10, false), smooth(12, 10, true)},
		"another mirror": {smooth(3, 8, false), smooth(3, 8, true)}, "plain": {Picture{64, 48, make([]float32, 64*48)}, Picture{64, 48, make([]float32, 64*48)}},
		"small": {Picture{15, 40, make([]float32, 600)}, Picture{15, 40, make([]float32, 600)}},
	} {
		if s, found := Similar(pair[0], pair[1]); found {
			t.Errorf("%s: %v", name, s)
		}
	}
}

// Flows that lead along arcs, or towards a point, tell the similarity that they follow; those that turn little, that of a shear, of two things that turn apart and that do not lead back tell none.
func TestFollowed(t *testing.T) {
	const width, height = 60, 44
	along := func(to func(x, y float64) (float64, float64)) Flow {
		f := Flow{Width: width, Height: height, Right: make([]float32, width*height), Down: make([]float32, width*height)}
		for k := range f.Right {
			x, y := float64(k%width), float64(k/width)
			u, v := to(x, y)
			f.Right[k], f.Down[k] = float32(u-x), float32(v-y)
		}
		return f
	}
	by := func(s Similarity) Flow {
		return along(func(x, y float64) (float64, float64) { return s.At(width, height, x, y) })
	}
	back := func(s Similarity) Similarity { return s.Power(-1) }
	for _, want := range []Similarity{{cmplx.Rect(1, 0.2), 0}, {1.2, 3 - 2i}, {cmplx.Rect(0.95, -0.15), 4 + 6i}} {
		there, back := by(want), by(back(want))
		if got, found := Followed(&there, &back); !found || cmplx.Abs(got.Turn-want.Turn) > 1e-4 || cmplx.Abs(got.Shift-want.Shift) > 1e-3 {
			t.Errorf("found %v: %v, want %v", found, got, want)
		}
	}
	turn := Similarity{cmplx.Rect(1, 0.3), 0}
	two := func(s Similarity) Flow {
		return along(func(x, y float64) (float64, float64) {
			if x < 20 {
				return x, y
			}
			return s.At(width, height, x, y)
		})
	}
	shear := func(sign float64) Flow {
		return along(func(x, y float64) (float64, float64) { return x + sign*0.35*(y-21.5), y })
	}
	slow := Similarity{cmplx.Rect(1, 0.08), 2}
	for name, flows := range map[string][2]Flow{"slow": {by(slow), by(back(slow))}, "a shift": {by(Similarity{1, 9}), by(Similarity{1, -9})}, "a shear": {shear(1), shear(-1)},
		"two things": {two(turn), two(back(turn))}, "not back": {by(turn), by(turn)}, "at rest": {by(Similarity{1, 0}), by(Similarity{1, 0})}} {
		if s, found := Followed(&flows[0], &flows[1]); found {
			t.Errorf("%s: %v", name, s)
		}
	}
}
