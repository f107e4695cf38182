package simple

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A cubic interpolation is made of so many observed values: the nearest, on a line the nearest on each side.
const (
	cubicNeighbours = 30
	cubicSide       = 8
)

// fillCubic interpolates within each example and channel. Variances are mean squared residuals, as a part of the variance of the column, of hidden
// values as far from an observed one.
func fillCubic(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	const judged = 4000 // hidden values
	left, cells := d.hide()
	if len(cells) > judged {
		thinned := make([]int, judged)
		for k := range thinned {
			thinned[k] = cells[k*len(cells)/judged]
		}
		cells = thinned
	}
	m := d.moments()
	y := make([]float64, len(cells))
	distance, squares := make([]float64, len(cells)), make([]float64, len(cells))
	left.interpolate(ctx, cells, y, distance)
	var known int
	for k, cell := range cells {
		if !math.IsNaN(y[k]) {
			i, j := cell/d.Y.Cols, cell%d.Y.Cols
			distance[known], squares[known] = distance[k], square(d.Y.At(i, j)-y[k])/m.variance[j]
			known++
		}
	}
	law := NewLaw(distance[:known], squares[:known], 1)
	cells = cells[:0]
	for k, missing := range d.Missing {
		if missing && (d.Wanted == nil || d.Wanted[k]) {
			cells = append(cells, k)
		}
	}
	y, distance = make([]float64, len(cells)), make([]float64, len(cells))
	d.interpolate(ctx, cells, y, distance)
	for k, cell := range cells {
		if i, j := cell/d.Y.Cols, cell%d.Y.Cols; !math.IsNaN(y[k]) {
			mean.Set(i, j, y[k])
			variance.Set(i, j, m.variance[j]*max(minVariance, law.At(distance[k])))
		}
	}
	return ctx.Err()
}

// interpolate sets the values of cells, which are in the order of Missing, and how far each is from an observed value of its example; NaN where there is none.
func (d *Data) interpolate(ctx context.Context, cells []int, y, distance []float64) {
	p := d.Y.Cols
	var from []int // the first cell of each example
	for k, cell := range cells {
		if k == 0 || cell/p != cells[k-1]/p {
			from = append(from, k)
		}
	}
	from = append(from, len(cells))
	mat.Parallel(len(from)-1, func(e int) {
		if ctx.Err() != nil {
			return
		}
		i := cells[from[e]] / p
		row := append([]float64(nil), d.Y.Row(i)...)
		for j, missing := range d.missing(i) {
			if missing {
				row[j] = math.NaN()
			}
		}
		for c := range d.Channels {
			m := NewCubic(d.Points, row, c, d.Channels)
			for k := from[e]; k < from[e+1]; k++ {
				if j := cells[k] % p; j%d.Channels == c {
					if y[k] = math.NaN(); m != nil {
						y[k], distance[k] = m.At(d.Points.Row(j / d.Channels))
					}
				}
			}
		}
	})
}

// A Cubic interpolates within one channel of one picture by radial basis functions r³ and a linear polynomial
// (J. Duchon, Lecture Notes in Mathematics 571, 1977) through the nearest observed values: scattered data's like of a cubic spline, of
// continuous second derivatives. Outside the convex hull of two-dimensional points, or their box in other dimensions, the nearest
// observed value is taken.
type Cubic struct {
	points mat.Matrix // observed, N×d
	values []float64
	tree   *Tree
	hull   mat.Matrix // corners of the convex hull, counterclockwise, where d is 2

	low, high []float64 // corners of the box
}

// NewCubic takes the observed values of a channel of a picture; nil if there is none.
func NewCubic(points mat.Matrix, row []float64, channel, channels int) *Cubic {
	m := new(Cubic)
	var seen []int
	for j := range points.Rows {
		if v := row[j*channels+channel]; !math.IsNaN(v) {
			seen, m.values = append(seen, j), append(m.values, v)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	m.points = rows(points, seen)
	m.tree = NewTree(m.points)
	m.low, m.high = slices.Clone(m.points.Row(0)), slices.Clone(m.points.Row(0))
	for i := range m.points.Rows {
		for q, v := range m.points.Row(i) {
			m.low[q], m.high[q] = min(m.low[q], v), max(m.high[q], v)
		}
	}
	if points.Cols == 2 {
		m.hull = hull(m.points)
	}
	return m
}

// At returns the value at a place, and the distance from there to the nearest observed one.
func (m *Cubic) At(place []float64) (value, distance float64) {
	near := m.near(place)
	distance = between(place, m.points.Row(near[0]))
	value = m.values[near[0]]
	if distance == 0 || !m.inside(place) {
		return value, distance
	}
	if v, ok := m.interpolate(near, place); ok {
		value = v
	}
	return value, distance
}

// near lists the observed values that an interpolation is made of, the nearest first.
func (m *Cubic) near(place []float64) []int {
	if len(place) > 1 {
		return m.tree.Nearest(nil, place, cubicNeighbours)
	}
	t := m.tree // in order of the coordinate
	at := sort.Search(t.x.Rows, func(k int) bool { return t.x.At(k, 0) >= place[0] })
	near := slices.Clone(t.list[max(0, at-cubicSide):min(t.x.Rows, at+cubicSide)])
	slices.SortFunc(near, func(a, b int) int {
		return cmp.Or(cmp.Compare(between(place, m.points.Row(a)), between(place, m.points.Row(b))), a-b)
	})
	return near
}

func between(x, y []float64) float64 {
	var d float64
	for q, v := range x {
		d += square(v - y[q])
	}
	return math.Sqrt(d)
}

// interpolate solves Σ a_k·|x_i − x_k|³ + b_0 + bᵀx_i = y_i, Σ a_k·(1, x_k) = 0 about the place, so that b_0 and the cubes give the
// value there; false where the neighbours lie on a line or nearly so.
func (m *Cubic) interpolate(near []int, place []float64) (value float64, ok bool) {
	n, d := len(near), len(place)
	size := n + d + 1
	if n <= d {
		return 0, false
	}
	a, y := mat.New(size, size), make([]float64, size)
	reach := between(place, m.points.Row(near[n-1]))
	for i, k := range near {
		y[i] = m.values[k] - m.values[near[0]]
		at, row := m.points.Row(k), a.Row(i)
		for j, l := range near[:i] {
			row[j] = cube(between(at, m.points.Row(l)) / reach)
			a.Data[j*size+i] = row[j]
		}
		a.Set(i, n, 1)
		a.Set(n, i, 1)
		for q, v := range m.points.Row(k) {
			a.Set(i, n+1+q, (v-place[q])/reach)
			a.Set(n+1+q, i, (v-place[q])/reach)
		}
	}
	if !eliminate(a, y) {
		return 0, false
	}
	value = m.values[near[0]] + y[n]
	for i, k := range near {
		value += y[i] * cube(between(place, m.points.Row(k))/reach)
	}
	return value, value-value == 0
}

func cube(x float64) float64 { return x * x * x }

// eliminate solves a·x = y in place by Gaussian elimination with partial pivoting; false where a pivot is lost to rounding.
func eliminate(a mat.Matrix, y []float64) bool {
	n := len(y)
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a.At(i, k)) > math.Abs(a.At(pivot, k)) {
				pivot = i
			}
		}
		if !(math.Abs(a.At(pivot, k)) > 1e-11) {
			return false
		}
		if pivot != k {
			up, down := a.Row(k), a.Row(pivot)
			for j := k; j < n; j++ {
				up[j], down[j] = down[j], up[j]
			}
			y[k], y[pivot] = y[pivot], y[k]
		}
		top := a.Row(k)
		for i := k + 1; i < n; i++ {
			row := a.Row(i)
			f := row[k] / top[k]
			if f == 0 {
				continue
			}
			asm.Axpy(-f, top[k+1:], row[k+1:])
			y[i] -= float64(f * y[k])
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			y[k] -= float64(a.At(k, j) * y[j])
		}
		y[k] /= a.At(k, k)
	}
	return true
}

// inside reports whether a place is within the hull of two-dimensional points, or the box of others.
func (m *Cubic) inside(place []float64) bool {
	if len(place) == 2 {
		if m.hull.Rows < 3 {
			return false
		}
		for k := range m.hull.Rows {
			if turn(m.hull.Row(k), m.hull.Row((k+1)%m.hull.Rows), place) < -1e-9 {
				return false
			}
		}
		return true
	}
	for q, v := range place {
		if v < m.low[q] || v > m.high[q] {
			return false
		}
	}
	return true
}

// turn is twice the area of the triangle a, b, c: positive where it is counterclockwise.
func turn(a, b, c []float64) float64 {
	return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
}

// hull returns the corners of the convex hull of points in the plane, counterclockwise (A. M. Andrew, Information Processing Letters 9(5), 1979).
func hull(x mat.Matrix) mat.Matrix {
	order := make([]int, x.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(x.Row(a), x.Row(b)) })
	half := func() (chain []int) {
		for _, i := range order {
			for len(chain) > 1 && turn(x.Row(chain[len(chain)-2]), x.Row(chain[len(chain)-1]), x.Row(i)) <= 0 {
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, i)
		}
		return chain[:len(chain)-1]
	}
	corners := half()
	slices.Reverse(order)
	return rows(x, append(corners, half()...))
}
