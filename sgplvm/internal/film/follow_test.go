package film

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Holes are hidden once more where their mirror image was seen, if enough is left; half of a frame has none but its other half.
func TestMirrored(t *testing.T) {
	const w, h = 12, 10
	for name, c := range map[string]struct {
		missing func(x, y, c int) bool
		hidden  func(x, y, c int) bool // nil: nothing
	}{
		"a hole at the left":      {func(x, y, c int) bool { return x < 3 && y > 3 && y < 6 }, func(x, y, c int) bool { return x >= w-3 && y > 3 && y < 6 }},
		"the upper part":          {func(x, y, c int) bool { return y < 3 }, func(x, y, c int) bool { return y >= h-3 }},
		"two edges":               {func(x, y, c int) bool { return x == 0 && y < 9 || y == 0 && x < 9 }, func(x, y, c int) bool { return x == w-1 && y > 0 || y == h-1 && x > 2 }},
		"of one channel":          {func(x, y, c int) bool { return c == 1 && x == 2 }, func(x, y, c int) bool { return c == 1 && x == w-3 }},
		"one half":                {func(x, y, c int) bool { return x >= w/2 }, nil},
		"nothing":                 {func(x, y, c int) bool { return false }, nil},
		"everything":              {func(x, y, c int) bool { return true }, nil},
		"its own image each time": {func(x, y, c int) bool { return x == 0 || x == w-1 || y == 0 || y == h-1 }, nil},
	} {
		s := &seenFrame{frame: frame.New(w, h, 2), values: mat.New(w*h, 2)}
		for i := range w * h {
			for k := range 2 {
				if s.values.Set(i, k, float64(2*i+k)); c.missing(i%w, i/w, k) {
					s.values.Set(i, k, math.NaN())
				}
			}
		}
		rest, hidden, some := s.mirrored()
		if want := c.hidden != nil; some != want {
			t.Errorf("%s: something is hidden %v, want %v", name, some, want)
		}
		if !some {
			continue
		}
		for i := range w * h {
			for k := range 2 {
				want := [2]float64{s.values.At(i, k), math.NaN()}
				if c.hidden(i%w, i/w, k) {
					want[0], want[1] = want[1], want[0]
				}
				for j, m := range []mat.Matrix{rest, hidden} {
					if v := m.At(i, k); v != want[j] && (v == v || want[j] == want[j]) {
						t.Fatalf("%s: channel %d of pixel %d, %d is %v, want %v", name, k, i%w, i/w, v, want[j])
					}
				}
			}
		}
	}
}
