package detail

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// One pixel of another frame leaves 1/(1 + W·θ/4), spread over 3×3 pixels: θ is 1 where it lies half way between two pixels, 2 between four, and ½ a quarter of the way.
func TestUnresolvedFormula(t *testing.T) {
	const noise, mismatch, texture, evidence, unlike = 0.5, 2, 3, 6, 0.25
	r := SuperResolution{noise, mismatch, 2}
	weight := evidence / (noise*texture + mismatch*unlike)
	for _, c := range []struct {
		right, down, theta float64 // of the pixel's centre
	}{{3, 2, 0}, {3.5, 2, 1}, {3, 2.5, 1}, {3.5, 2.5, 2}, {3.25, 2, 0.5}, {3, 1.75, 0.5}} {
		var p shownPixel
		p.column, p.across, _ = covered(c.right, 16)
		p.row, p.down, _ = covered(c.down, 12)
		p.evidence, p.unlike = evidence, unlike
		x := &shownPixels{bands: [][]shownPixel{{p}}, texture: texture}
		for _, part := range []float64{1, 0.25} {
			left := x.unresolved(frame.Size{Width: 8, Height: 6}, r, part)
			known := weight * c.theta / 4 / 9
			i, j := int(c.right+0.5), int(c.down+0.5)
			if got, want := float64(left.Data[j*8+i]), 1-part*known/(1+known); math.Abs(got-want) > 1e-6 {
				t.Errorf("a pixel at %v, %v, part %v: %v, want %v", c.right, c.down, part, got, want)
			}
			if got := left.Data[5*8]; got != 1 {
				t.Errorf("%v far from all pixels", got)
			}
		}
	}
	var even shownPixel // of an even frame, as others are
	even.across, even.down = 0.5, 0.5
	if left := (&shownPixels{bands: [][]shownPixel{{even}}}).unresolved(frame.Size{Width: 8, Height: 6}, r, 1); slices.ContainsFunc(left.Data, func(v float32) bool { return v != 1 }) {
		t.Errorf("of an even frame %v is left, want 1", left.Data)
	}
	var whole training.SharpPicture
	if whole.UnresolvedAt(3, 4) != 1 {
		t.Error("a frame that is enlarged by itself resolves something")
	}
	few := training.SharpPicture{Unresolved: frame.Image[float32]{Width: 2, Height: 2, Channels: 1, Data: []float32{1, 2, 3, 4}}}
	for _, c := range [][3]float64{{0, 0, 1}, {0.6, 0.4, 2}, {0.4, 0.6, 3}, {5, 5, 4}, {-5, -5, 1}} {
		if got := few.UnresolvedAt(c[0], c[1]); got != c[2] {
			t.Errorf("%v at %v, %v, want %v", got, c[0], c[1], c[2])
		}
	}
}

// What was measured is what is left on an average: as much as is resolvable makes it so, or all of less.
func TestResolving(t *testing.T) {
	for _, c := range []struct{ part, unresolved, resolvable, scale float64 }{
		{0.6, 0.2, 0.5, 1}, {1, 0.5, 0, 1}, {0.5, 0.5, 1, 1}, {0.3, 0.6, 1, 0.5}, {0.4, 1, 0, 0.4}, {0, 1, 0, LeastEnlarging}, {1, 1, 0, 1},
	} {
		d := (&Detail{A: 0.25}).Resolving(c.part, c.unresolved)
		if math.Abs(d.Resolvable-c.resolvable) > 1e-12 || math.Abs(d.A-0.25-math.Log(c.scale)) > 1e-12 {
			t.Errorf("%v of it where %v is left: %v is resolvable, of %v", c.part, c.unresolved, d.Resolvable, math.Exp(d.A-0.25))
		}
		if got, want := math.Exp(d.A-0.25)*d.Left(c.unresolved), max(c.part, LeastEnlarging); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v of it where %v is left, want %v", got, c.unresolved, want)
		}
	}
}

// Cells have the means of what is unresolved over them, and all of it where nothing is known.
func TestUnresolvedOver(t *testing.T) {
	u := Unresolved{frame.Image[float64]{Width: 4, Height: 2, Channels: 1, Data: []float64{0, 1, 0.5, 0.5, 1, 0, 0, 1}}}
	cells := frame.NewImage[float64](2, 1, 1)
	if u.Over(cells); cells.Data[0] != 0.5 || cells.Data[1] != 0.5 {
		t.Errorf("cells %v", cells.Data)
	}
	u.Data[0] = 1
	if u.Over(cells); cells.Data[0] != 0.75 {
		t.Errorf("cells %v of more", cells.Data)
	}
	if (Unresolved{}).Over(cells); cells.Data[0] != 1 || cells.Data[1] != 1 {
		t.Errorf("cells %v where nothing is known", cells.Data)
	}
}
