package data

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Mirrors are the reflections that take a set of points to itself, one for each dimension q that has one:
// x_q to lo_q + hi_q − x_q. Together they make a group, whose element g, a set of them, has the bit of each in it.
//
// A stationary kernel takes a function that is even or odd under each of them to one that is so too: its matrix falls
// into a block for each such parity (docs/math.md, "Mirrored points").
type Mirrors struct {
	Orbits [][]int // points that reflections take to one another: Orbits[a][g] is where g takes the first of orbit a
	Sizes  []int   // how many different points an orbit has
	Orbit  []int   // of each point
	By     []int   // what takes the first point of its orbit to each point
}

// MostMirrors is how many dimensions count: of more that have a reflection, the first ones.
const MostMirrors = 3

// mirrorTolerance is how far from its place a mirrored coordinate may lie, in units of rounding.
const mirrorTolerance = 4

// FindMirrors returns the reflections of points x (n×d), nil where there are none.
func FindMirrors(x mat.Matrix) *Mirrors {
	levels, counts, flips, size := make([][]int, x.Cols), make([]int, x.Cols), []int{}, 1
	for q := range x.Cols {
		var mirrored bool
		levels[q], counts[q], mirrored = levelsOf(x, q)
		if size > math.MaxInt/counts[q] {
			return nil
		}
		size *= counts[q]
		if mirrored {
			flips = append(flips, q)
		}
	}
	at := make(map[int]int, x.Rows) // the point at some levels
	key := func(i int, flipped []int) (k int) {
		for q, l := range levels {
			own := l[i]
			if slices.Contains(flipped, q) {
				own = counts[q] - 1 - own
			}
			k = k*counts[q] + own
		}
		return k
	}
	for i := range x.Rows {
		at[key(i, nil)] = i
	}
	if len(at) < x.Rows { // some points are the same
		return nil
	}
	flips = slices.DeleteFunc(flips, func(q int) bool {
		for i := range x.Rows {
			if _, found := at[key(i, []int{q})]; !found {
				return true
			}
		}
		return false
	})
	if len(flips) == 0 {
		return nil
	}
	flips = flips[:min(len(flips), MostMirrors)]
	m := &Mirrors{Orbit: make([]int, x.Rows), By: make([]int, x.Rows)}
	seen := make([]bool, x.Rows)
	for i := range x.Rows {
		if seen[i] {
			continue
		}
		orbit, points := make([]int, 1<<len(flips)), 0
		for g := range orbit {
			var flipped []int
			for b, q := range flips {
				if g>>b&1 == 1 {
					flipped = append(flipped, q)
				}
			}
			j := at[key(i, flipped)]
			orbit[g] = j
			if !seen[j] {
				seen[j], m.Orbit[j], m.By[j] = true, len(m.Orbits), g
				points++
			}
		}
		m.Orbits, m.Sizes = append(m.Orbits, orbit), append(m.Sizes, points)
	}
	return m
}

// levelsOf numbers the different values of coordinate q, from the least on, and says whether they lie the same from
// both ends and are more than one.
func levelsOf(x mat.Matrix, q int) (levels []int, count int, mirrored bool) {
	order := make([]int, x.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x.At(i, q), x.At(j, q)) })
	least, most := x.At(order[0], q), x.At(order[x.Rows-1], q)
	near := mirrorTolerance * (math.Nextafter(1, 2) - 1) * max(math.Abs(least), math.Abs(most))
	levels = make([]int, x.Rows)
	var values []float64
	for _, i := range order {
		if v := x.At(i, q); len(values) == 0 || v-values[len(values)-1] > near {
			values = append(values, v)
		}
		levels[i] = len(values) - 1
	}
	for i, v := range values {
		if math.Abs(v+values[len(values)-1-i]-least-most) > near {
			return levels, len(values), false
		}
	}
	return levels, len(values), len(values) > 1
}
