package sgplvm

import (
	"cmp"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// conditionLimits say when and how missing values are conditioned on the
// observed ones directly.
type conditionLimits struct {
	exact      int     // observed points up to which all of them are used at once
	group      int     // missing points predicted together beyond that
	neighbours int     // observed points nearest to such a group that are used
	work       float64 // multiplications beyond which local conditioning is left out
}

var conditioning = conditionLimits{exact: 2048, group: 256, neighbours: 512, work: 2e13}

// conditional returns the distribution of f at every point given the latent
// posterior l and the example's observed values, in the model's units.
//
// q(x) has already seen the observations, so they must not be used again to
// learn about x. Given x, y is Gaussian with covariance C = the predictive
// covariance without its last term, plus noise; with G = C_MO·C_OO⁻¹ the missing
// values have
//
//	mean = mean_M + G·(y_O − mean_O)
//	cov  = C_MM − G·C_OM + (P_M − G·P_O)·(Ψ2 − ψ1ψ1ᵀ)·(P_M − G·P_O)ᵀ
//
// which is exact for a linear map. (Atkinson and Zabaras condition the
// moment-matched Gaussian instead and so count the data twice.)
func (q *posterior) conditional(e *example, l Latent) (Prediction, error) {
	t := q.momentsOf(l)
	p := q.marginal(e.on, t)
	p.Conditioning = "none"
	n := e.on.grid.Len()
	done := make([]bool, len(e.seen))
	for c, seen := range e.seen {
		if done[c] || len(seen) == 0 || len(seen) == n {
			continue
		}
		var channels []int // that miss the same points
		for c2 := c; c2 < len(e.seen); c2++ {
			if slices.Equal(e.seen[c2], seen) {
				channels = append(channels, c2)
				done[c2] = true
			}
		}
		missing := complement(seen, n)
		if len(seen) <= conditioning.exact {
			p.Conditioning = "exact"
			if err := q.condition(p, e, t, channels, missing, seen); err != nil {
				return p, err
			}
			continue
		}
		size := float64(conditioning.group + conditioning.neighbours)
		if size*float64(len(missing))/float64(conditioning.group)*size*float64(len(t.h)) > conditioning.work {
			continue
		}
		p.Conditioning = "local"
		for _, group := range q.neighbourhoods(e.on, missing) {
			if err := q.condition(p, e, t, channels, group, q.nearest(e.on, group, seen)); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// complement returns the numbers below n that are not in the ascending list.
func complement(list []int, n int) []int {
	rest := make([]int, 0, n-len(list))
	for i := range n {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
			continue
		}
		rest = append(rest, i)
	}
	return rest
}

// condition overwrites mean and variance of the missing points given the
// observed ones, in the given channels.
func (q *posterior) condition(p Prediction, e *example, t moments, channels, missing, seen []int) error {
	coo := q.sharedCovariance(e.on, t, seen, seen)
	for i := range seen {
		coo.Data[i*coo.RowStride+i] += 1 / q.params.Beta
	}
	l, err := chol.Factorize(coo)
	if err != nil {
		return err
	}
	x := q.sharedCovariance(e.on, t, seen, missing)
	l.SolveHalf(x) // L⁻¹C_OM, so that G = xᵀL⁻¹
	explained := make([]float64, len(missing))
	for k := range seen {
		for i, v := range x.Row(k) {
			explained[i] += v * v
		}
	}
	byInducing := q.explained(e.on, t)
	prior := q.priorVariance()
	for _, c := range channels {
		residual := mat.New(len(seen), 1)
		for k, i := range seen {
			residual.Data[k] = e.values.At(i, c) - p.Mean.At(i, c)
		}
		l.SolveHalf(residual)
		shift := mat.New(len(missing), 1)
		mat.Mul(shift, 1, x.T(), residual, 0)

		po := gather(e.on.p[c], seen)
		l.SolveHalf(po)
		left := gather(e.on.p[c], missing)
		mat.Mul(left, -1, x.T(), po, 1) // P_M − G·P_O
		spread := mat.New(left.Rows, left.Cols)
		mat.Mul(spread, 1, left, t.spread, 0)
		for k, i := range missing {
			p.Mean.Set(i, c, p.Mean.At(i, c)+shift.Data[k])
			p.Variance.Set(i, c, max(0, prior-byInducing[i]-explained[k]+asm.Dot(spread.Row(k), left.Row(k))))
		}
	}
	return nil
}

// scaledCoordinate returns coordinate q (counted over all factors) of a grid
// point in units of the kernel's length scale.
func (q *posterior) scaledCoordinates(on *projection, point int) []float64 {
	dims := gridDims(on.grid)
	index := make([]int, len(dims))
	split(index, point, dims)
	var x []float64
	for f, k := range q.params.Spatial {
		for d, v := range on.grid[f].Row(index[f]) {
			if len(k.LengthScale) > 0 {
				v /= k.LengthScale[min(d, len(k.LengthScale)-1)]
			}
			x = append(x, v)
		}
	}
	return x
}

// neighbourhoods divides points into groups of neighbours by halving along the
// longest side, again and again.
func (q *posterior) neighbourhoods(on *projection, points []int) [][]int {
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
func (q *posterior) nearest(on *projection, group, seen []int) []int {
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
