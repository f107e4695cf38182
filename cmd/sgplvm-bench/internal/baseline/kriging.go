package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A localKriging is optimal interpolation in space and time (L. S. Gandin, "Objective Analysis of Meteorological Fields", 1963;
// F. P. Bretherton, R. E. Davis and C. B. Fandry, Deep-Sea Research 23, 1976): each value is predicted
// from the observed ones nearest to it in scaled space and time. Anomalies, in units of their deviation, have the covariance
//
//	(1−π)·k(x, x′)·k_t(t, t′) + π·k(x, x′) + τ²·δ
//
// whose second term is what all pictures have in common beyond the mean that is taken off.
type localKriging struct {
	d   Incomplete // of one channel after another
	law krigingParameters

	observed mat.Matrix // places of observed values of a channel, scaled as the covariance is: N×(d_s+1), time last
	values   []float64  // their anomalies
	tree     *simple.Tree
	mean     []float64 // that was taken off, of each point
	scale    float64   // of the anomalies
}

// krigingParameters are the covariance: length scales in mean spacings and in mean intervals of time.
type krigingParameters struct {
	kind       kernel.Kind
	space      []float64 // ℓ of each dimension
	time       float64   // ℓ_t
	persistent float64   // π
	noise      float64   // τ²
	local      bool      // the mean of each point is taken off, not that of all
	neighbours int
}

// krigingKinds are the candidates for k; k_t is a Matérn kernel of order 3/2.
var krigingKinds = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF}

// krigingAxes are the parameters of a kriging of points in so many dimensions.
func krigingAxes(dimensions int, timed bool) []axis {
	lengths := geometric(0.7, math.Sqrt2, 15)
	axes := []axis{{"own mean", []float64{0, 1}, 0}}
	for q := range dimensions {
		axes = append(axes, axis{fmt.Sprintf("length %d", q), lengths, 6})
	}
	if timed {
		axes = append(axes, axis{"time scale", geometric(0.35, math.Sqrt2, 13), 6})
	}
	return append(axes,
		axis{"persistent part", []float64{0, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9}, 3},
		axis{"noise", geometric(1e-6, 3.1623, 12), 6},
		axis{"kernel", []float64{0, 1, 2, 3}, 1},
		axis{"neighbours", []float64{25, 40, 60}, 1})
}

// geometric returns n numbers from first, each the last times ratio.
func geometric(first, ratio float64, n int) []float64 {
	v := []float64{first}
	for len(v) < n {
		v = append(v, v[len(v)-1]*ratio)
	}
	return v
}

// krigingOf reads parameters in the order of krigingAxes.
func krigingOf(p []float64, dimensions int, timed bool) krigingParameters {
	k := krigingParameters{local: p[0] == 1, space: p[1 : 1+dimensions], time: apart}
	p = p[1+dimensions:]
	if timed {
		k.time, p = p[0], p[1:]
	}
	k.persistent, k.noise, k.kind, k.neighbours = p[0], p[1], krigingKinds[int(p[2])], int(p[3])
	return k
}

// apart is a time scale, in intervals, over which nothing is correlated.
const apart = 1e-3

// newKriging prepares the interpolation of one channel of pictures.
func newKriging(d Incomplete, channel int, k krigingParameters) *localKriging {
	m := &localKriging{d: d, law: k}
	level, variance := seenMoments(d.Pictures, channel, d.Channels)
	m.mean, m.scale = constant(d.Points.Rows, level), math.Sqrt(max(variance, least*square(level), math.SmallestNonzeroFloat32))
	if k.local {
		m.takeMeans(channel)
	}
	var places []float64
	var list []float64
	for i := range d.Pictures.Rows {
		for j := range d.Points.Rows {
			if v := d.Pictures.At(i, j*d.Channels+channel); !math.IsNaN(v) {
				places = m.place(places, i, j)
				list = append(list, v-m.mean[j])
			}
		}
	}
	if k.local {
		m.scale = max(math.Sqrt(asm.SumSquares(list)/float64(len(list))), 1e-4*m.scale)
	}
	asm.Scale(list, 1/m.scale, list)
	m.values = list
	m.observed = mat.NewDense(len(list), d.Points.Cols+1, places)
	m.tree = simple.NewTree(m.observed)
	return m
}

// takeMeans sets the mean of each point of which something is seen, and those of the others to that of the nearest one.
func (m *localKriging) takeMeans(channel int) {
	var with []int
	for j := range m.mean {
		var sum, count float64
		for i := range m.d.Pictures.Rows {
			if v := m.d.Pictures.At(i, j*m.d.Channels+channel); !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		if count > 0 {
			m.mean[j] = sum / count
			with = append(with, j)
		}
	}
	t := simple.NewTree(rows(m.d.Points, with))
	for j := range m.mean {
		if _, found := slices.BinarySearch(with, j); !found {
			m.mean[j] = m.mean[with[t.Nearest(nil, m.d.Points.Row(j), 1)[0]]]
		}
	}
}

// place appends the scaled place of a point of a picture. Points and times are in mean spacings.
func (m *localKriging) place(dst []float64, picture, point int) []float64 {
	for q, v := range m.d.Points.Row(point) {
		dst = append(dst, v/m.law.space[q])
	}
	return append(dst, m.d.Times[picture]/m.law.time)
}

// krigingRoom is the room to predict one value.
type krigingRoom struct {
	near          []int
	place         []float64
	x, at         mat.Matrix // neighbours and the place, space alone
	s, t          []float64  // times
	oo, ot        mat.Matrix // covariances
	time, timeOne mat.Matrix
	factor        chol.Factor
}

func newKrigingRoom(n, dimensions int) *krigingRoom {
	return &krigingRoom{x: mat.New(n, dimensions), at: mat.New(1, dimensions), s: make([]float64, n), t: make([]float64, 1),
		oo: mat.New(n, n), ot: mat.New(n, 1), time: mat.New(n, n), timeOne: mat.New(n, 1)}
}

// predict returns mean and variance, noise included, of a point of a picture.
func (m *localKriging) predict(r *krigingRoom, picture, point int) (mean, variance float64, err error) {
	k := m.law
	n, d := min(k.neighbours, len(m.values)), m.d.Points.Cols
	r.place = m.place(r.place[:0], picture, point)
	r.near = m.tree.Nearest(r.near[:0], r.place, n)
	copy(r.at.Row(0), r.place[:d])
	r.t[0] = r.place[d]
	target := mat.New(n, 1)
	for a, i := range r.near {
		copy(r.x.Row(a), m.observed.Row(i)[:d])
		r.s[a] = m.observed.At(i, d)
		target.Set(a, 0, m.values[i])
	}
	space := kernel.Kernel{Kind: k.kind, Variance: 1, LengthScale: []float64{1}}
	time := oneScale(kernel.Matern32, 1)
	space.Matrix(r.oo, r.x, r.x)
	space.Matrix(r.ot, r.x, r.at)
	time.TimeMatrix(r.time, r.s, r.s)
	time.TimeMatrix(r.timeOne, r.s, r.t)
	own := func(dst, times mat.Matrix) {
		for i, v := range dst.Data {
			dst.Data[i] = v * (k.persistent + (1-k.persistent)*times.Data[i])
		}
	}
	own(r.oo, r.time)
	own(r.ot, r.timeOne)
	if err := r.factor.RefactorizeShifted(r.oo, k.noise); err != nil {
		return 0, 0, fmt.Errorf("baseline: covariance of the neighbours: %w", err)
	}
	r.factor.SolveHalf(r.ot)
	r.factor.SolveHalf(target)
	mean = m.mean[point] + m.scale*mat.Dot(r.ot, target)
	variance = max(1-mat.Dot(r.ot, r.ot), 0) + k.noise
	return mean, square(m.scale) * variance, nil
}

// cells predicts some values, several at a time.
func (m *localKriging) cells(ctx context.Context, list []cell, mean, variance []float64) error {
	const size = 64
	parts := (len(list) + size - 1) / size
	failures := make([]error, parts)
	mat.Parallel(parts, func(part int) {
		if ctx.Err() != nil {
			return
		}
		r := newKrigingRoom(min(m.law.neighbours, len(m.values)), m.d.Points.Cols)
		for k := part * size; k < min((part+1)*size, len(list)) && failures[part] == nil; k++ {
			mean[k], variance[k], failures[part] = m.predict(r, list[k].picture, list[k].value/m.d.Channels)
		}
	})
	return firstError(ctx, failures)
}
