package predict

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Groups partition the points, and the nearest observed points are those that a
// search through all finds.
func TestNeighbourhoods(t *testing.T) {
	for seed := range uint64(20) {
		shape := reference.Shape{Examples: 2, Inducing: 2, Latent: 1, Channels: 1, Seed: seed, Space: []reference.Factor{
			{Points: 9, Dims: 1, Kind: kernel.Matern32}, {Points: 7, Dims: 2, Kind: kernel.RBF, ARD: true}, {Points: 2, Dims: 1, Kind: kernel.White}}}
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 43))
		values := reference.Masked(rng, m.grid.Len(), 1, 0.5, true)
		e := m.mustObserve(t, nil, values)
		absent := complement(e.seen[0], m.grid.Len())
		points := reference.GridPoints(m.grid)
		distance := func(p int, centre reference.Rows) float64 {
			var d float64
			for f := range m.params.Space {
				scales := m.params.Space[f].Kernel.LengthScale
				for i, v := range points[p][f] {
					scale := 1.0
					if len(scales) > 0 {
						scale = scales[min(i, len(scales)-1)]
					}
					d += math.Pow((v-centre[f][i])/scale, 2)
				}
			}
			return d
		}
		conditionWith(conditionLimits{group: 5, neighbours: 4}, func() {
			var all []int
			for _, group := range groupsOf(e.on, absent) {
				if len(group) == 0 || len(group) > 5 {
					t.Errorf("a group of %d", len(group))
				}
				all = append(all, group...)

				centre := reference.Rows{make([]float64, 1), make([]float64, 2), make([]float64, 1)}
				for _, p := range group {
					for f := range centre {
						for i := range centre[f] {
							centre[f][i] += points[p][f][i] / float64(len(group))
						}
					}
				}
				want := slices.Clone(e.seen[0])
				slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(distance(a, centre), distance(b, centre)) })
				got := e.nearest(group, e.seen[0])
				if !slices.IsSorted(got) || len(got) != min(4, len(want)) {
					t.Errorf("nearest points %v", got)
					continue
				}
				// Ties and rounding may pick another point at the same distance.
				for _, p := range got {
					if d, limit := distance(p, centre), distance(want[len(got)-1], centre); !(d <= limit*(1+1e-12)) {
						t.Errorf("point %d at %g is not among the nearest, up to %g", p, d, limit)
					}
				}
			}
			slices.Sort(all)
			if !slices.Equal(all, absent) {
				t.Errorf("groups hold %v, want %v", all, absent)
			}
		})
	}
}

// A long strip is cut across, not along.
func TestNeighbourhoodsCutTheLongSide(t *testing.T) {
	shape := reference.Shape{Examples: 2, Inducing: 2, Latent: 1, Channels: 1, Space: []reference.Factor{{Points: 16, Dims: 1, Kind: kernel.Matern32}, {Points: 4, Dims: 1, Kind: kernel.Matern32}}}
	m := modelOf(t, shape)
	e := m.mustObserve(t, nil, missing(64, 1))
	conditionWith(conditionLimits{group: 16}, func() {
		for _, group := range groupsOf(e.on, complement(nil, 64)) {
			rows := map[int]bool{}
			for _, p := range group {
				rows[p/4] = true
			}
			if len(group) != 16 || len(rows) != 4 {
				t.Errorf("a group of %d points in %d rows, want 16 in 4", len(group), len(rows))
			}
		}
	})
}

// groupsOf returns the groups that neighbourhoods orders points to.
func groupsOf(on *projection, points []int) (groups [][]int) {
	points = slices.Clone(points)
	ends := on.neighbourhoods(points, 0, nil)
	for k, to := range ends {
		groups = append(groups, points[partFrom(ends, k):to])
	}
	return groups
}
