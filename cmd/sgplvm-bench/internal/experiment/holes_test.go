package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Holes take their share of the points; those of clouds lie together, the more the larger the clouds.
func TestHoles(t *testing.T) {
	points := gridPoints(40, 25)
	together := func(h Hole) (share float64) {
		rng := rand.New(rand.NewPCG(1, 2))
		var both, all float64
		for range 20 {
			missing := map[int]bool{}
			list := h.draw(points, rng)
			for _, j := range list {
				missing[j] = true
			}
			if want := int(h.Share*1000 + 0.5); len(list) != want || len(missing) != want || !slices.IsSorted(list) {
				t.Errorf("%v: %d points of %d, expected %d in order", h, len(missing), len(list), want)
			}
			for _, j := range list {
				if j%40 < 39 {
					all++
					if missing[j+1] {
						both++
					}
				}
			}
		}
		return both / all
	}
	for _, c := range []struct {
		text     string
		low, top float64
	}{
		{"random:0.3", 0.25, 0.35}, {"random:0.95", 0.93, 0.97},
		{"clouds:0.3:2", 0.6, 0.85}, {"clouds:0.3:4", 0.75, 0.95}, {"clouds:0.6:4", 0.85, 0.97},
	} {
		list, err := ParseHoles(c.text)
		if err != nil || len(list) != 1 || list[0].String() != c.text {
			t.Fatalf("%s: %v, %v", c.text, list, err)
		}
		if got := together(list[0]); got < c.low || got > c.top {
			t.Errorf("%s: %.3f of the neighbours of missing points are missing, expected %v to %v", c.text, got, c.low, c.top)
		}
	}
	if all := (Hole{Share: 0.9999}).draw(points, rand.New(rand.NewPCG(1, 2))); len(all) != 999 {
		t.Errorf("%d points missing, expected one to stay", len(all))
	}
	list, err := ParseHoles("random:0.5,clouds:0.25")
	if err != nil || len(list) != 2 || list[1] != (Hole{true, 0.25, cloudSize}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, bad := range []string{"", "random", "random:0", "random:1", "random:x", "random:0.3:2", "clouds:0.3:0", "clouds:0.3:-1", "clouds:0.3:1:1", "rain:0.3", "random:0.3,", "random:NaN", "clouds:0.5:Inf"} {
		if list, err := ParseHoles(bad); err == nil {
			t.Errorf("%q: %v, expected an error", bad, list)
		}
	}
}
