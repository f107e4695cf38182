package film

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
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

// Frames of training pixels within a shot are followed, no finer ones, and none between two shots.
func TestFollowWhere(t *testing.T) {
	scene := func(i, column, y int) float64 {
		x := float64(column) + 0.5*float64(i)
		if i >= n/2 {
			return 60 + 40*math.Sin(1.3*float64(y)+0.5*x) + 25*math.Cos(2.2*x)
		}
		return 150 + 30*math.Sin(2.1*x+0.4*float64(y)) + 25*math.Cos(1.7*float64(y)-0.5*x)
	}
	f, _, _, _ := moving(t, 0, scene)
	m := &Model{Film: f}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		time     float64
		scale    int
		followed bool
	}{
		"within a shot":     {2, 1, true},
		"finer":             {2, 2, false},
		"between two shots": {n/2 - 0.5, 1, false},
	} {
		s := &seenFrame{law: &plainErrors, frame: f.room(c.scale*width, c.scale*height, true), values: mat.New(c.scale*width*c.scale*height, 1), unitX: 1 / float64(c.scale), unitY: 1 / float64(c.scale)}
		for i := range s.values.Rows {
			v := scene(2, i%s.frame.Width/c.scale, i/s.frame.Width/c.scale)
			s.frame.Mean.Data[i], s.frame.Variance.Data[i] = v+20*rng.NormFloat64(), 400
			if s.values.Data[i] = v; rng.IntN(5) == 0 {
				s.values.Data[i] = math.NaN()
			}
		}
		filled := copied(s.frame)
		if _, err := s.fill(context.Background(), filled); err != nil {
			t.Fatal(err)
		}
		before := copied(filled)
		if err := m.follow(context.Background(), s, filled, data.Instant{Time: c.time}); err != nil {
			t.Fatal(err)
		}
		if changed := !slices.Equal(filled.Mean.Data, before.Mean.Data); changed != c.followed {
			t.Errorf("%s: followed %v, want %v", name, changed, c.followed)
		}
	}
}
