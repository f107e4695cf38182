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

// neighbourhoods divides points into groups of neighbours by halving along the
// longest side, again and again.
func (q *Posterior) neighbourhoods(on *projection, points []int) [][]int {
	if len(points) <= conditioning.group {
		return [][]int{points}
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
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b int) int {
		return cmp.Or(cmp.Compare(x.At(a, longest), x.At(b, longest)), cmp.Compare(a, b))
	})
	h := len(points) / 2
	return append(q.neighbourhoods(on, points[:h]), q.neighbourhoods(on, points[h:])...)
}

// nearest returns the observed points nearest to a group's centre, ascending; of those equally near the first.
func (e *example) nearest(group, seen []int) []int {
	if len(seen) <= conditioning.neighbours {
		return seen
	}
	x := e.on.scaled()
	centre, distances := e.room.vector(x.Cols), e.room.vector(len(seen))
	for _, p := range group {
		asm.Axpy(1/float64(len(group)), x.Row(p), centre)
	}
	for k, p := range seen {
		distances[k] = work.SquaredDistance(x.Row(p), centre)
	}
	sorted := e.room.vector(len(seen))
	copy(sorted, distances)
	most := kthSmallest(sorted, conditioning.neighbours-1)
	equal := conditioning.neighbours // how many there is room for at the largest distance
	for _, d := range distances {
		if d < most {
			equal--
		}
	}
	near := e.room.list(conditioning.neighbours)
	for k, d := range distances {
		if d == most {
			equal--
		}
		if d < most || d == most && equal >= 0 {
			near = append(near, seen[k])
		}
	}
	return near
}

// kthSmallest returns element k of the numbers if they were sorted, and reorders them (quickselect: Hoare, Commun. ACM 4, 1961).
func kthSmallest(x []float64, k int) float64 {
	for len(x) > 1 {
		a, b, c := x[0], x[len(x)/2], x[len(x)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(x)-1
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch { // x[:j+1] is at most, x[i:] at least the pivot, which is what lies between
		case k <= j:
			x = x[:j+1]
		case k >= i:
			x, k = x[i:], k-i
		default:
			return pivot
		}
	}
	return x[0]
}
