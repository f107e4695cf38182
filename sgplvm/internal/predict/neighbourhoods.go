package predict

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// conditionLimits say when and how missing values are conditioned on the
// observed ones directly.
type conditionLimits struct {
	exact      int     // observed points up to which all of them are used at once
	group      int     // missing points predicted together beyond that
	neighbours int     // observed points nearest to such a group that are used
	work       float64 // multiplications beyond which conditioning by groups is left out
}

// Tests change it.
var conditioning = conditionLimits{exact: 2048, group: 256, neighbours: 512, work: 2e13}

// neighbourhoods orders points so that they are groups of neighbours, one behind the other, by halving along the
// longest side, again and again. It appends the groups' ends to others, behind so many points.
func (on *projection) neighbourhoods(points []int, before int, ends []int) []int {
	if len(points) <= conditioning.group {
		return append(ends, before+len(points))
	}
	x := on.scaled()
	longest, length := 0, -1.0
	for d := range x.Cols {
		low, high := x.At(points[0], d), x.At(points[0], d)
		for _, p := range points {
			low, high = min(low, x.At(p, d)), max(high, x.At(p, d))
		}
		if high-low > length {
			longest, length = d, high-low
		}
	}
	slices.SortFunc(points, func(a, b int) int {
		return cmp.Or(cmp.Compare(x.At(a, longest), x.At(b, longest)), cmp.Compare(a, b))
	})
	h := len(points) / 2
	ends = on.neighbourhoods(points[:h], before, ends)
	return on.neighbourhoods(points[h:], before+h, ends)
}

// nearest returns the observed points nearest to a group's centre, ascending; of those equally near the first.
func (e *example) nearest(group, seen []int) []int {
	x, r := e.on.scaled(), e.room
	centre, distances := r.vector(x.Cols), r.vector(x.Rows)
	for _, p := range group {
		asm.Axpy(1/float64(len(group)), x.Row(p), centre)
	}
	for _, p := range seen {
		distances[p] = work.SquaredDistance(x.Row(p), centre)
	}
	return work.Least(append(r.list(len(seen)), seen...), distances, r.vector(len(seen)), conditioning.neighbours)
}

// partFrom returns where part k begins, given where all end.
func partFrom(ends []int, k int) int {
	if k == 0 {
		return 0
	}
	return ends[k-1]
}
