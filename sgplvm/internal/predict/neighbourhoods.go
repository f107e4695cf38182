package predict

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
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

// scaledCoordinates returns the coordinates (over all factors) of a grid
// point in units of the kernel's length scale.
func (q *Posterior) scaledCoordinates(on *projection, point int) []float64 {
	dims := on.grid.Dims()
	index := make([]int, len(dims))
	data.Split(index, point, dims)
	var x []float64
	for f := range q.params.Space {
		scale := q.params.Space[f].Kernel.LengthScale
		for d, v := range on.grid[f].Row(index[f]) {
			if len(scale) > 0 {
				v /= scale[min(d, len(scale)-1)]
			}
			x = append(x, v)
		}
	}
	return x
}

// neighbourhoods divides points into groups of neighbours by halving along the
// longest side, again and again.
func (q *Posterior) neighbourhoods(on *projection, points []int) [][]int {
	if len(points) <= conditioning.group {
		return [][]int{points}
	}
	x := make(map[int][]float64, len(points))
	for _, p := range points {
		x[p] = q.scaledCoordinates(on, p)
	}
	longest, length := 0, -1.0
	for d := range x[points[0]] {
		low, high := x[points[0]][d], x[points[0]][d]
		for _, p := range points {
			low, high = min(low, x[p][d]), max(high, x[p][d])
		}
		if high-low > length {
			longest, length = d, high-low
		}
	}
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a][longest], x[b][longest]), cmp.Compare(a, b))
	})
	h := len(points) / 2
	return append(q.neighbourhoods(on, points[:h]), q.neighbourhoods(on, points[h:])...)
}

// nearest returns the observed points nearest to a group's centre, ascending.
func (q *Posterior) nearest(on *projection, group, seen []int) []int {
	var centre []float64
	for _, p := range group {
		x := q.scaledCoordinates(on, p)
		if centre == nil {
			centre = make([]float64, len(x))
		}
		asm.Axpy(1/float64(len(group)), x, centre)
	}
	type candidate struct {
		point    int
		distance float64
	}
	c := make([]candidate, len(seen))
	for k, p := range seen {
		c[k].point = p
		for d, v := range q.scaledCoordinates(on, p) {
			c[k].distance += (v - centre[d]) * (v - centre[d])
		}
	}
	slices.SortFunc(c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.point, b.point))
	})
	near := make([]int, min(conditioning.neighbours, len(c)))
	for k := range near {
		near[k] = c[k].point
	}
	slices.Sort(near)
	return near
}
