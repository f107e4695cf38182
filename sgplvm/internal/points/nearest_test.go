package points

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// scattered returns a workspace of points at random in three dimensions, on whole numbers, so that some are equally far.
func scattered(rng *rand.Rand, n int) *Workspace {
	x := mat.New(3, n)
	for k := range x.Data {
		x.Data[k] = float64(rng.IntN(9))
	}
	w := &Workspace{m: &Model{c: &Contents{Points: n, Channels: 1}, scaled: points{x: x}, spacings: points{x: x}}}
	r := &w.room
	r.reach, r.row, r.pairs, r.gathered, r.sorted, r.merged, r.near512 = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 3*n), make([]float64, n), make([]int, n), make([]int, 0, n)
	return w
}

// The observed points nearest to a centre, or to any of some points, are those that a search through all finds, but for ties.
func TestNearest(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const n = 50
		w := scattered(rng, n)
		x := w.m.scaled.x
		perm := rng.Perm(n)
		group, seen := perm[:7], perm[7:40]
		slices.Sort(group)
		slices.Sort(seen)
		far := func(i int, to func(q int) float64) (d float64) {
			for q := range x.Rows {
				d += math.Pow(x.At(q, i)-to(q), 2)
			}
			return d
		}
		centre := func(i int) float64 {
			return far(i, func(q int) (mean float64) {
				for _, j := range group {
					mean += x.At(q, j) / float64(len(group))
				}
				return mean
			})
		}
		any := func(i int) float64 {
			nearest := math.Inf(1)
			for _, j := range group {
				nearest = min(nearest, far(i, func(q int) float64 { return x.At(q, j) }))
			}
			return nearest
		}
		for name, c := range map[string]struct {
			got []int
			of  func(i int) float64
		}{"centre": {slices.Clone(w.nearest(group, seen, 9)), centre}, "any": {slices.Clone(w.nearestToAny(group, seen, 9)), any}} {
			limit := make([]float64, len(seen))
			for k, i := range seen {
				limit[k] = c.of(i)
			}
			slices.Sort(limit)
			if len(c.got) != 9 || !slices.IsSorted(c.got) {
				t.Errorf("seed %d, %s: points %v", seed, name, c.got)
			}
			for _, i := range c.got {
				if d := c.of(i); !slices.Contains(seen, i) || d > limit[8]*(1+1e-12) {
					t.Errorf("seed %d, %s: point %d at %v is not among the nearest, up to %v", seed, name, i, d, limit[8])
				}
			}
		}
	}
}

// Of points missing here and there each is given the observed point nearest to it; a block is one group, whose border is all that it is given.
func TestApartNear(t *testing.T) {
	const side, few = 30, 48
	w := scattered(rand.New(rand.NewPCG(1, 3)), side*side)
	x := w.m.scaled.x
	for k := range x.Row(0) {
		x.Row(0)[k], x.Row(1)[k], x.Row(2)[k] = float64(k/side), float64(k%side), 0
	}
	for _, share := range []float64{0.05, 0.3, 0.7, 0} {
		rng := rand.New(rand.NewPCG(uint64(100*share), 5))
		var points, seen []int
		for k := range side * side {
			if missing := k/side >= 10 && k/side < 16 && k%side >= 10 && k%side < 16; share == 0 && missing || rng.Float64() < share {
				points = append(points, k)
			} else {
				seen = append(seen, k)
			}
		}
		far := func(i, j int) float64 {
			return math.Hypot(x.Row(0)[i]-x.Row(0)[j], x.Row(1)[i]-x.Row(1)[j])
		}
		count, groups, split := 0, 0, func([]int) {}
		split = func(group []int) {
			if h := w.apartNear(group, seen, few); h > 0 {
				split(group[:h])
				split(group[h:])
				return
			}
			groups++
			near := w.nearestToAny(group, seen, few)
			for _, i := range group {
				count++
				closer := func(list []int) float64 {
					return far(i, slices.MinFunc(list, func(a, b int) int { return cmp.Compare(far(i, a), far(i, b)) }))
				}
				if got, want := closer(near), closer(seen); got > want {
					t.Errorf("%v missing: a point is given observed ones from %v on, of which the nearest is at %v", share, got, want)
				}
			}
		}
		split(slices.Clone(points))
		if count != len(points) || share == 0 && groups != 1 {
			t.Errorf("%v missing: %d of %d points in %d groups", share, count, len(points), groups)
		}
	}
}

// Parts hold every point once and are as large as one another; a long strip is cut across.
func TestHalveParts(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		w := scattered(rng, 60)
		if seed%3 == 0 {
			long := w.m.spacings.x.Row(1)
			for i := range long {
				long[i] *= 100
			}
		}
		all := rng.Perm(60)[:8+rng.IntN(50)]
		slices.Sort(all)
		w.parts = slices.Clone(all)
		w.halveParts(0, len(w.parts), 4)
		if len(w.ends) != 4 {
			t.Fatalf("seed %d: %d parts", seed, len(w.ends))
		}
		last := math.Inf(-1)
		for p := range w.ends {
			part := w.part(p)
			if 4*len(part) < len(all)-7 || 4*len(part) > len(all)+7 || !slices.IsSorted(part) {
				t.Errorf("seed %d: a part %v of %d points", seed, part, len(all))
			}
			if seed%3 == 0 {
				low, high := math.Inf(1), math.Inf(-1)
				for _, i := range part {
					low, high = min(low, w.m.spacings.x.At(1, i)), max(high, w.m.spacings.x.At(1, i))
				}
				if low < last {
					t.Errorf("seed %d: part %d begins at %v, before the end %v of the one before", seed, p, low, last)
				}
				last = high
			}
		}
		slices.Sort(w.parts)
		if !slices.Equal(w.parts, all) {
			t.Errorf("seed %d: parts hold %v, expected %v", seed, w.parts, all)
		}
	}
}
