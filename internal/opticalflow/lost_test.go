package opticalflow

import (
	"math"
	"testing"
)

// lostScene returns two pictures of a texture: what the first one shows in a square of some pixels at (60, 40) is hidden in the second, and seen at
// (90, 55); with the patches of the first, at rest, and how many are in a row.
func lostScene(side int) (a, b Picture, patches []patch, across int) {
	const width, height = 160, 96
	back, other := grain(3, 256), grain(4, 256)
	a, b = Picture{width, height, make([]float32, width*height)}, Picture{width, height, make([]float32, width*height)}
	for k := range a.Pixels {
		x, y := k%width, k/width
		a.Pixels[k], b.Pixels[k] = back.row(y)[x], back.row(y)[x]
		if u, v := x-60, y-40; min(u, v) >= 0 && max(u, v) < side {
			b.Pixels[k] = other.row(v)[u]
		}
		if u, v := x-90, y-55; min(u, v) >= 0 && max(u, v) < side {
			b.Pixels[k] = back.row(v + 40)[u+60]
		}
	}
	dx, dy := a.slopes()
	xs, ys := patchEdge(width), patchEdge(height)
	patches = make([]patch, len(xs)*len(ys))
	for k := range patches {
		p := &patches[k]
		p.place(xs[k%len(xs)], ys[k/len(xs)], dx, dy)
		p.cost = p.distance(a, b, 0, 0)
	}
	return a, b, patches, len(xs)
}

// Patches are found where some of them have gone together. A single one that looks like another place has not moved there.
func TestFindLost(t *testing.T) {
	for _, c := range []struct{ side, found int }{{8, 0}, {12, 4}, {20, 16}} {
		a, b, patches, across := lostScene(c.side)
		findLost(a, b, patches, across)
		n := 0
		for k := range patches {
			switch p := &patches[k]; {
			case math.Hypot(float64(p.u)-30, float64(p.v)-15) < 0.1:
				n++
			case p.u != 0 || p.v != 0:
				t.Errorf("a square of %d pixels: the patch at (%d, %d) moves by (%v, %v)", c.side, p.x, p.y, p.u, p.v)
			}
		}
		if n != c.found {
			t.Errorf("a square of %d pixels: %d patches are found, want %d", c.side, n, c.found)
		}
	}
}

// The distance by whole pixels is that by any, or ends where it is no less than asked.
func TestWholeDistance(t *testing.T) {
	a, b, patches, _ := lostScene(20)
	for k := range patches {
		p := &patches[k]
		u, v := 7-k%15, k%11-5
		if p.u, p.v = float32(u), float32(v); !p.within(b) {
			continue
		}
		want := p.distance(a, b, p.u, p.v)
		for _, least := range []float32{4, 1.01 * want} {
			if got := p.wholeDistance(a, b, u, v, least); want < least && math.Abs(float64(got-want)) > 1e-5 {
				t.Fatalf("patch %d at (%d, %d): %v, want %v", k, u, v, got, want)
			}
		}
		if got := p.wholeDistance(a, b, u, v, want/4); got < want/4 {
			t.Fatalf("patch %d at (%d, %d): %v, want at least %v", k, u, v, got, want/4)
		}
	}
}
