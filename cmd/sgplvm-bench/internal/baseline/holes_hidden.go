package baseline

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
)

// hidden are values that cross-validation hides, and what is left of the pictures without them.
type hidden struct {
	pictures mat.Matrix // NaN also where hidden
	cells    []cell
	truth    []float64
}

// hideSome takes values away as others are missing; see hiddenCells.
func hideSome(d Incomplete, seed uint64) hidden {
	h := hidden{pictures: d.Pictures.Clone()}
	h.cells = hiddenCells(d, rand.New(rand.NewPCG(seed, 0x686f6c6573)))
	for _, c := range h.cells {
		h.truth = append(h.truth, d.Pictures.At(c.picture, c.value))
		h.pictures.Set(c.picture, c.value, math.NaN())
	}
	return h
}

// some returns at most n of the hidden cells, evenly spread over their list, with their truths.
func (h *hidden) some(n int) (cells []cell, truth []float64) {
	n = min(n, len(h.cells))
	for k := range n {
		i := k * len(h.cells) / n
		cells, truth = append(cells, h.cells[i]), append(truth, h.truth[i])
	}
	return cells, truth
}

// Cross-validation hides values as others are missing.
const (
	nearlyWhole   = 0.95 // share of a picture that is seen from which it may borrow a whole mask
	wholeShare    = 0.2  // of the nearly whole pictures that borrow one
	blobShare     = 0.1  // of all pictures that borrow a part of a blob
	blobPart      = 1. / 3
	randomShare   = 0.05 // of observed values that are hidden where holes are scattered
	clusteredFrom = 0.3  // see clustering
)

// hiddenCells draws observed values for cross-validation to hide, in order of pictures and values:
//
//   - where some pictures are nearly whole, a fifth of them get the masks of pictures with holes;
//   - else, where holes are scattered, a twentieth of all observed values;
//   - else, for blobs, a tenth of the pictures get that part of another picture's holes which
//     is nearest to one of its points, so much that two thirds of what was seen stay.
//
// Every picture of which something was seen keeps a value at least, and so does every column.
func hiddenCells(d Incomplete, rng *rand.Rand) (cells []cell) {
	y := d.Pictures
	seen := make([]int, y.Rows)
	var donors, whole, some []int
	for i := range seen {
		for _, v := range y.Row(i) {
			if !math.IsNaN(v) {
				seen[i]++
			}
		}
		if seen[i] > 0 && seen[i] < y.Cols {
			donors = append(donors, i)
		}
		if seen[i] > 1 {
			some = append(some, i)
		}
		if seen[i] > 1 && float64(seen[i]) >= nearlyWhole*float64(y.Cols) {
			whole = append(whole, i)
		}
	}
	switch {
	case len(donors) > 0 && len(whole) >= 5:
		shuffle(rng, donors)
		shuffle(rng, whole)
		for k, i := range whole[:max(2, int(wholeShare*float64(len(whole))))] {
			cells = append(cells, borrowed(y, i, donors[k%len(donors)], nil, seen[i]-1)...)
		}
	case len(donors) > 1 && clustering(d) > clusteredFrom:
		shuffle(rng, some)
		for _, i := range some[:max(min(3, len(some)), int(blobShare*float64(len(some))))] {
			donor := donors[rng.IntN(len(donors))]
			if donor == i {
				donor = donors[(slices.Index(donors, i)+1)%len(donors)]
			}
			cells = append(cells, borrowed(y, i, donor, nearestFirst(d, donor, rng), max(1, int(blobPart*float64(seen[i]))))...)
		}
	}
	if len(cells) == 0 {
		for _, i := range some {
			left := seen[i] - 1
			for j, v := range y.Row(i) {
				if !math.IsNaN(v) && left > 0 && rng.Float64() < randomShare {
					cells = append(cells, cell{i, j})
					left--
				}
			}
		}
	}
	if len(cells) == 0 { // of few values at least one
		cells = oneOf(y, some, rng)
	}
	slices.SortFunc(cells, func(a, b cell) int {
		if a.picture != b.picture {
			return a.picture - b.picture
		}
		return a.value - b.value
	})
	return keepColumns(y, cells)
}

// oneOf returns one observed value of a picture with several, or of any.
func oneOf(y mat.Matrix, some []int, rng *rand.Rand) []cell {
	i := 0
	if len(some) > 0 {
		i = some[rng.IntN(len(some))]
	}
	for k := range y.Rows {
		r := (i + k) % y.Rows
		for j, v := range y.Row(r) {
			if !math.IsNaN(v) {
				return []cell{{r, j}}
			}
		}
	}
	return nil
}

// keepColumns gives values back where all of a column were hidden, unless none would stay hidden.
func keepColumns(y mat.Matrix, cells []cell) []cell {
	left := make([]int, y.Cols)
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			if !math.IsNaN(v) {
				left[j]++
			}
		}
	}
	var kept []cell
	for _, c := range cells {
		if left[c.value] > 1 {
			left[c.value]--
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return cells[:1]
	}
	return kept
}

// borrowed lists observed values of a picture that are missing in a donor, at most so many, in the
// given order of values or, without one, ascending.
func borrowed(y mat.Matrix, picture, donor int, order []int, most int) (cells []cell) {
	if order == nil {
		order = make([]int, y.Cols)
		for j := range order {
			order[j] = j
		}
	}
	for _, j := range order {
		if len(cells) < most && math.IsNaN(y.At(donor, j)) && !math.IsNaN(y.At(picture, j)) {
			cells = append(cells, cell{picture, j})
		}
	}
	return cells
}

// nearestFirst orders all values by the distance of their point from that of a random missing value of a picture.
func nearestFirst(d Incomplete, picture int, rng *rand.Rand) []int {
	var missing []int
	for j, v := range d.Pictures.Row(picture) {
		if math.IsNaN(v) {
			missing = append(missing, j)
		}
	}
	centre := d.Points.Row(missing[rng.IntN(len(missing))] / d.Channels)
	distance := make([]float64, d.Pictures.Cols)
	order := make([]int, d.Pictures.Cols)
	for j := range order {
		order[j] = j
		for q, v := range d.Points.Row(j / d.Channels) {
			distance[j] += square(v - centre[q])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case distance[a] < distance[b]:
			return -1
		case distance[a] > distance[b]:
			return 1
		}
		return 0
	})
	return order
}

// clustering is how much likelier a value is missing where that of the nearest other point is missing
// too: (P(missing | neighbour missing) − P(missing))/(1 − P(missing)), 0 for scattered holes and
// near 1 for blobs.
func clustering(d Incomplete) float64 {
	if d.Points.Rows < 2 {
		return 0
	}
	neighbour := nearestPoints(d.Points)
	var missing, both, all float64
	for i := range d.Pictures.Rows {
		row := d.Pictures.Row(i)
		for j, v := range row {
			all++
			if !math.IsNaN(v) {
				continue
			}
			missing++
			if math.IsNaN(row[neighbour[j/d.Channels]*d.Channels+j%d.Channels]) {
				both++
			}
		}
	}
	if missing == 0 || missing == all {
		return 0
	}
	return (both/missing - missing/all) / (1 - missing/all)
}

// nearestPoints returns the nearest other point of each point.
func nearestPoints(x mat.Matrix) []int {
	tree := simple.NewTree(x)
	nearest := make([]int, x.Rows)
	mat.Parallel(x.Rows, func(i int) {
		for _, k := range tree.Nearest(nil, x.Row(i), 2) {
			if k != i {
				nearest[i] = k
				break
			}
		}
	})
	return nearest
}

func shuffle(rng *rand.Rand, list []int) {
	rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
}
