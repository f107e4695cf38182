package outlier

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Examples are values to be searched.
type Examples struct {
	Y         mat.Matrix // n×(points·channels), without gaps, the channels of a point side by side; NaN is missing
	Channels  int
	Points    mat.Matrix // coordinates, points×dimensions, in mean spacings; neighbours are known in 1 to 3 dimensions
	Times     []float64  // n; nil: none are known
	Sequences []int      // labels, n; nil: one sequence
}

// Find returns the values that nothing around them explains, in order, without each other: of two that are the same
// neither predicts the other. Zeros that are repeated in a column, the values of a channel at a point, are data, and so are columns
// of which all values are far, such as land in maps of the sea. It takes time proportional to the number of values, but for sorting.
func Find(e Examples) []field.Outlier {
	s := &search{Examples: e, n: e.Y.Rows, size: e.Y.Cols}
	s.far = make([]float64, len(e.Y.Data))
	s.marginal()
	s.predicted[0] = s.inSpace()
	s.predicted[1], s.jumps = s.inTime()
	for c := range e.Channels {
		s.judge(c)
	}
	return s.found()
}

// found returns the values that are marked and not data.
func (s *search) found() (found []field.Outlier) {
	zeros, good := make([]int, s.size), make([]int, s.size)
	for k, v := range s.Y.Data {
		if v == 0 {
			zeros[k%s.size]++
		}
		if v == v && s.far[k] == 0 {
			good[k%s.size]++
		}
	}
	for k, score := range s.far {
		at := k % s.size
		if v := s.Y.Data[k]; score > 0 && !(v == 0 && zeros[at] > 1) && (good[at] > 0 || s.n == 1) {
			found = append(found, field.Outlier{Example: k / s.size, Point: at / s.Channels, Channel: at % s.Channels, Value: v, Score: score})
		}
	}
	return found
}

// A search is the search of some examples.
type search struct {
	Examples
	n, size   int
	far       []float64    // of each value: its score where it is far, else 0
	predicted [2][]float64 // of each value: its distances from its neighbours in space and in time; NaN where it has none, nil: of all
	jumps     []float64    // of each value: the distance between those before it and those after it
}

// marginal marks the values far from the median of their columns, or of all values of their channel.
func (s *search) marginal() {
	points := s.size / s.Channels
	mat.Parallel(s.size, func(j int) {
		column := make([]int, s.n)
		for i := range column {
			column[i] = i*s.size + j
		}
		s.mark(column)
	})
	if points == 1 {
		return
	}
	mat.Parallel(s.Channels, func(c int) {
		pool := make([]int, 0, s.n*points)
		for k := c; k < len(s.far); k += s.Channels {
			pool = append(pool, k)
		}
		s.mark(pool)
	})
}

// mark marks those of some values that are far from their median.
func (s *search) mark(values []int) {
	v := make([]float64, 0, len(values))
	for _, k := range values {
		if x := s.Y.Data[k]; x == x {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return
	}
	middle := median(v)
	for i, x := range v {
		v[i] = math.Abs(x - middle)
	}
	t := tailOf(v, true)
	for _, k := range values {
		if d := math.Abs(s.Y.Data[k] - middle); d >= t.bound {
			s.far[k] = max(s.far[k], d/t.unit)
		}
	}
}

// judge leaves only those values of a channel marked that are far from what each kind of neighbours predicts, and marks others that are.
// What neighbours do not predict stays as it is.
func (s *search) judge(c int) {
	var tails []tail
	for p, d := range s.predicted {
		var pool []float64
		for k := c; k < len(d); k += s.Channels {
			if d[k] == d[k] && s.far[k] == 0 {
				pool = append(pool, d[k])
			}
		}
		if p == 1 {
			for k := c; k < len(s.jumps); k += s.Channels {
				if v := s.jumps[k]; v == v && s.far[k] == 0 {
					pool = append(pool, v)
				}
			}
		}
		tails = append(tails, tailOf(pool, false))
	}
	for k := c; k < len(s.far); k += s.Channels {
		score, known := math.Inf(1), false
		for p, d := range s.predicted {
			if d == nil || d[k] != d[k] || math.IsInf(tails[p].bound, 1) {
				continue
			}
			known = true
			if d[k] < tails[p].bound {
				score = 0
			}
			score = min(score, d[k]/tails[p].unit)
		}
		if known {
			s.far[k] = score
		}
	}
}

// A nearest collects how far other values are from value x.
type nearest struct {
	s         *search
	x         int
	distances []float64
	trusted   int // of them: those of values that are not far
}

func (n *nearest) begin(x int) { n.x, n.distances, n.trusted = x, n.distances[:0], 0 }

// add adds value k, unless it is missing, or far and the same.
func (n *nearest) add(k int) {
	if v, x := n.s.Y.Data[k], n.s.Y.Data[n.x]; v == v && !(n.s.far[k] > 0 && v == x) {
		n.distances = append(n.distances, math.Abs(v-x))
		if n.s.far[k] == 0 {
			n.trusted++
		}
	}
}

// second returns the distance of the second nearest: two outliers side by side do not explain each other, and values on
// either side of an edge are explained; so is what is not far and has too few neighbours that are not. NaN: x is missing or has too few.
func (n *nearest) second() float64 {
	switch x := n.s.Y.Data[n.x]; {
	case x != x || len(n.distances) < minNear:
		return math.NaN()
	case n.s.far[n.x] == 0 && n.trusted < minNear:
		return 0
	}
	slices.Sort(n.distances)
	return n.distances[1]
}

// minNear is how many neighbours a value has to be judged by them.
const minNear = 3

// inSpace returns the distance of every value from the second nearest one of those at neighbouring points; nil where no point has neighbours.
func (s *search) inSpace() []float64 {
	points := s.Points.Rows
	if points < minNear+1 || s.Points.Cols < 1 || s.Points.Cols > 3 {
		return nil
	}
	near := neighbours(s.Points)
	d := make([]float64, len(s.far))
	mat.Parallel(points, func(p int) {
		around := near(p)
		v := nearest{s: s}
		for k := p * s.Channels; k < len(d); k += s.size {
			for c := range s.Channels {
				v.begin(k + c)
				for _, q := range around {
					v.add(k + c + (q-p)*s.Channels)
				}
				d[k+c] = v.second()
			}
		}
	})
	return d
}

// reach is how far apart neighbours are at most, in mean spacings.
const reach = 1.5

// neighbours returns a function that lists the neighbours of a point.
func neighbours(x mat.Matrix) func(p int) []int {
	type cell [3]int
	cellOf := func(p int) (c cell) {
		for i, v := range x.Row(p) {
			c[i] = int(math.Floor(v / reach))
		}
		return c
	}
	cells := map[cell][]int{}
	for p := range x.Rows {
		cells[cellOf(p)] = append(cells[cellOf(p)], p)
	}
	return func(p int) (near []int) {
		middle := cellOf(p)
		for k := range 27 {
			at := middle
			for i, step := range []int{k % 3, k / 3 % 3, k / 9} {
				at[i] += step - 1
			}
			for _, q := range cells[at] {
				square := 0.0
				for i, v := range x.Row(q) {
					square += (v - x.At(p, i)) * (v - x.At(p, i))
				}
				if q != p && square <= reach*reach {
					near = append(near, q)
				}
			}
		}
		return near
	}
}

// beside is how many values of the same column before a value, and after it, predict it.
const beside = 3

// inTime returns the distance of every value from the second nearest one of those beside it in time, and the distances between the medians
// of those before it and after it; NaN where there are not both. nil: no times are known.
func (s *search) inTime() (d, jumps []float64) {
	if s.Times == nil {
		return nil, nil
	}
	order, label := make([]int, s.n), make([]int, s.n)
	for i := range order {
		order[i] = i
	}
	copy(label, s.Sequences)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(label[a], label[b]), cmp.Compare(s.Times[a], s.Times[b]))
	})
	d, jumps = make([]float64, len(s.far)), make([]float64, len(s.far))
	mat.Parallel(s.size, func(j int) {
		v, side := nearest{s: s}, make([]float64, 0, beside)
		for at, i := range order {
			v.begin(i*s.size + j)
			var middle [2]float64
			for b, step := range []int{-1, 1} {
				side = side[:0]
				for k := 1; k <= beside; k++ {
					to := at + k*step
					if to < 0 || to >= s.n || label[order[to]] != label[i] {
						break
					}
					other := order[to]*s.size + j
					v.add(other)
					if y := s.Y.Data[other]; y == y && s.far[other] == 0 {
						side = append(side, y)
					}
				}
				middle[b] = median(side)
			}
			jumps[v.x] = math.Abs(middle[0] - middle[1])
			if d[v.x] = v.second(); jumps[v.x] != jumps[v.x] {
				d[v.x] = math.NaN()
			}
		}
	})
	return d, jumps
}

// median returns that of some values, which it sorts; NaN of none.
func median(v []float64) float64 {
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return v[(n-1)/2]/2 + v[n/2]/2
}
