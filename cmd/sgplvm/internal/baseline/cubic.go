package baseline

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// cubicNeighbours is how many observed values a cubic interpolation is made of.
const cubicNeighbours = 30

// A cubic interpolates within one channel of one picture by radial basis functions r³ and a linear polynomial
// (J. Duchon, Lecture Notes in Mathematics 571, 1977) through the nearest observed values: scattered data's like of a cubic spline, of
// continuous second derivatives. Outside the convex hull of two-dimensional points, or their box in other dimensions, the nearest
// observed value is taken.
type cubic struct {
	points mat.Matrix // observed, N×d
	values []float64
	tree   *tree
	hull   mat.Matrix // corners of the convex hull, counterclockwise, where d is 2
}

// newCubic takes the observed values of a channel of a picture; nil if there is none.
func newCubic(points mat.Matrix, row []float64, channel, channels int) *cubic {
	m := new(cubic)
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
	m.tree = newTree(m.points)
	if points.Cols == 2 {
		m.hull = hull(m.points)
	}
	return m
}

// at returns the value at a place, and the distance from there to the nearest observed one.
func (m *cubic) at(place []float64) (value, distance float64) {
	near := m.tree.nearest(nil, place, cubicNeighbours)
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

func between(x, y []float64) float64 {
	var d float64
	for q, v := range x {
		d += square(v - y[q])
	}
	return math.Sqrt(d)
}

// interpolate solves Σ a_k·|x_i − x_k|³ + b_0 + bᵀx_i = y_i, Σ a_k·(1, x_k) = 0 about the place, so that b_0 and the cubes give the
// value there; false where the neighbours lie on a line or nearly so.
func (m *cubic) interpolate(near []int, place []float64) (value float64, ok bool) {
	n, d := len(near), len(place)
	size := n + d + 1
	if n <= d {
		return 0, false
	}
	a, y := mat.New(size, size), make([]float64, size)
	reach := between(place, m.points.Row(near[n-1]))
	for i, k := range near {
		y[i] = m.values[k] - m.values[near[0]]
		for j, l := range near[:i] {
			v := cube(between(m.points.Row(k), m.points.Row(l)) / reach)
			a.Set(i, j, v)
			a.Set(j, i, v)
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
			for j := k + 1; j < n; j++ {
				row[j] -= float64(f * top[j])
			}
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
func (m *cubic) inside(place []float64) bool {
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
		low, high := math.Inf(1), math.Inf(-1)
		for i := range m.points.Rows {
			low, high = min(low, m.points.At(i, q)), max(high, m.points.At(i, q))
		}
		if v < low || v > high {
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

// cubicCells interpolates values, and tells how far each is from an observed one in its picture: +Inf where none is, whose
// value is the mean of the point's observed values, or that of all.
func cubicCells(ctx context.Context, d Incomplete, list []cell) (mean, distance []float64, err error) {
	mean, distance = make([]float64, len(list)), make([]float64, len(list))
	y := d.Pictures
	level := make([]float64, y.Cols)
	for j := range level {
		var sum, count float64
		for i := range y.Rows {
			if v := y.At(i, j); !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		if level[j] = sum / count; count == 0 {
			level[j], _ = seenMoments(y, j%d.Channels, d.Channels)
		}
	}
	byPicture := make([][]int, y.Rows)
	for k, c := range list {
		byPicture[c.picture] = append(byPicture[c.picture], k)
	}
	mat.Parallel(y.Rows, func(i int) {
		if ctx.Err() != nil || len(byPicture[i]) == 0 {
			return
		}
		for c := range d.Channels {
			m := newCubic(d.Points, y.Row(i), c, d.Channels)
			for _, k := range byPicture[i] {
				j := list[k].value
				if j%d.Channels != c {
					continue
				}
				if mean[k], distance[k] = level[j], math.Inf(1); m != nil {
					mean[k], distance[k] = m.at(d.Points.Row(j / d.Channels))
				}
			}
		}
	})
	return mean, distance, ctx.Err()
}

// completeCubic fills in what is missing by interpolation within each picture. Variances are mean squared residuals of
// hidden values as far from an observed one as the value is.
func completeCubic(ctx context.Context, d Incomplete, o HoleOptions) (Completion, error) {
	d.Points = inSpacings(d.Points)
	h := hideSome(d, o.Seed)
	left := d
	left.Pictures = h.pictures
	cells, truth := h.some(20 * o.Most)
	mean, distance, err := cubicCells(ctx, left, cells)
	if err != nil {
		return Completion{}, err
	}
	law := newDistanceLaw(distance, mean, truth, seenSpread(d.Pictures, d.Channels))
	missing := missingCells(d.Pictures)
	if mean, distance, err = cubicCells(ctx, d, missing); err != nil {
		return Completion{}, err
	}
	variance := make([]float64, len(missing))
	for k, r := range distance {
		variance[k] = law.at(r)
	}
	return Completion{put(d, missing, mean, variance, 1), nil}, nil
}
