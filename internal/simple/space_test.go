package simple

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The tree finds what looking at all points finds, also among many at equal places, and among those with lower numbers.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 2, 3, 10, 200} {
		x := mat.New(n, 3)
		for k := range x.Data {
			x.Data[k] = float64(rng.IntN(4))
		}
		tree := NewTree(x)
		for range 50 {
			place := []float64{4 * rng.Float64(), float64(rng.IntN(4)), float64(rng.IntN(4))}
			k := 1 + rng.IntN(12)
			order := make([]found, n)
			for i := range order {
				order[i] = found{i, square(x.At(i, 0)-place[0]) + square(x.At(i, 1)-place[1]) + square(x.At(i, 2)-place[2])}
			}
			slices.SortFunc(order, func(a, b found) int {
				if a.less(b) {
					return -1
				}
				return 1
			})
			var want []int
			before := 1 + rng.IntN(n)
			for _, f := range order {
				if f.number < before && len(want) < k {
					want = append(want, f.number)
				}
			}
			if got := tree.NearestBefore(nil, place, k, before); !slices.Equal(got, want) {
				t.Fatalf("%d points, %d of %d nearest %v: %v, expected %v", n, k, before, place, got, want)
			}
		}
	}
}

// Cubic interpolation is exact for planes, close for smooth fields, and outside the hull or on a line the nearest value.
func TestCubic(t *testing.T) {
	points := grid(9, 9)
	plane := func(x []float64) float64 { return 3 + 2*x[0] - x[1] }
	wave := func(x []float64) float64 { return math.Sin(x[0]/2) * math.Cos(x[1]/3) }
	for _, c := range []struct {
		f         func(x []float64) float64
		tolerance float64
	}{{plane, 1e-9}, {wave, 0.01}} {
		row := make([]float64, points.Rows)
		for j := range row {
			row[j] = c.f(points.Row(j))
			if (j*7)%5 == 0 && j != 0 && j != 80 {
				row[j] = math.NaN()
			}
		}
		m := NewCubic(points, row, 0, 1)
		for j, v := range row {
			got, distance := m.At(points.Row(j))
			if math.IsNaN(v) && m.inside(points.Row(j)) && (math.Abs(got-c.f(points.Row(j))) > c.tolerance || distance < 1) {
				t.Errorf("point %d: %v, expected %v; distance %v", j, got, c.f(points.Row(j)), distance)
			}
			if !math.IsNaN(v) && (got != v || distance != 0) {
				t.Errorf("point %d: %v, expected the observed %v", j, got, v)
			}
		}
		if got, distance := m.At([]float64{-3, -4}); got != row[0] || distance != 5 {
			t.Errorf("outside: %v at %v, expected the corner's %v at 5", got, distance, row[0])
		}
	}
	row := make([]float64, points.Rows)
	for j := range row {
		if row[j] = points.At(j, 1); points.At(j, 0) != 4 {
			row[j] = math.NaN()
		}
	}
	m := NewCubic(points, row, 0, 1)
	if got, _ := m.At([]float64{3, 2}); got != 2 {
		t.Errorf("beside a line: %v, expected the nearest value 2", got)
	}
}

// The variance by distance rises in steps, whatever the residuals.
func TestLaw(t *testing.T) {
	var distance, squares []float64
	for k := range 900 {
		r := float64(1 + k/300) // 1, 2, 3
		distance, squares = append(distance, r), append(squares, []float64{4, 1, 9}[k/300])
	}
	l := NewLaw(distance, squares, 50)
	for r, want := range map[float64]float64{0.5: 2.5, 1: 2.5, 2: 2.5, 2.9: 2.5, 3: 9, 7: 9, math.Inf(1): 50} {
		if got := l.At(r); got != want {
			t.Errorf("at %v: %v, expected %v", r, got, want)
		}
	}
}

// On a line a cubic is the natural spline through the observed values, whose second derivatives solve a tridiagonal system.
func TestSpline(t *testing.T) {
	x := []float64{0, 1, 2.5, 3, 4.5, 6, 7}
	points, row := mat.New(len(x)+1, 1), []float64{1, 3, -2, 0, 1, 4, 2, math.NaN()}
	copy(points.Data, x)
	n := len(x)
	a, second := mat.New(n, n), make([]float64, n)
	for k := range n {
		if a.Set(k, k, 1); k == 0 || k == n-1 {
			continue
		}
		h, g := x[k]-x[k-1], x[k+1]-x[k]
		a.Set(k, k-1, h/6)
		a.Set(k, k, (h+g)/3)
		a.Set(k, k+1, g/6)
		second[k] = (row[k+1]-row[k])/g - (row[k]-row[k-1])/h
	}
	if !eliminate(a, second) {
		t.Fatal("singular")
	}
	m := NewCubic(points, row, 0, 1)
	for _, at := range []float64{0.3, 1.7, 2.9, 5, 6.99} {
		k := sort.SearchFloat64s(x, at)
		h, u, v := x[k]-x[k-1], x[k]-at, at-x[k-1]
		want := (second[k-1]*u*u*u+second[k]*v*v*v)/(6*h) + (row[k-1]/h-second[k-1]*h/6)*u + (row[k]/h-second[k]*h/6)*v
		if got, _ := m.At([]float64{at}); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, expected %v", at, got, want)
		}
	}
}

// Where some missing values are asked for, cubic interpolation says of these what it says where all are, and of others nothing.
func TestCubicWanted(t *testing.T) {
	const n, p = 6, 25
	d := Data{Y: mat.New(n, p), Missing: make([]bool, n*p), Points: mat.New(p, 2), Channels: 1}
	for j := range p {
		d.Points.Set(j, 0, float64(j/5))
		d.Points.Set(j, 1, float64(j%5))
	}
	wanted := make([]bool, n*p)
	for k := range d.Missing {
		d.Y.Data[k] = math.Sin(float64(k%p)) + float64(k/p)
		d.Missing[k], wanted[k] = k%4 == 1, k%8 == 1
	}
	cubic := Method{"cubic in space", fillCubic}
	all, variances, err := cubic.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.Wanted = wanted
	some, own, err := cubic.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for k, missing := range d.Missing {
		switch {
		case missing && !wanted[k]:
			if !math.IsNaN(some.Data[k]) {
				t.Errorf("value %d, for which nobody asked, is %v", k, some.Data[k])
			}
		case some.Data[k] != all.Data[k] || own.Data[k] != variances.Data[k]:
			t.Errorf("value %d is %v, %v where all are asked for", k, some.Data[k], all.Data[k])
		}
	}
}

// Weights at points are those of the dense equations of their priors and the data, whatever the shape: points in a grid of which some are missing, two channels, a column that nobody has seen.
func TestSmoothDense(t *testing.T) {
	const n, channels, q = 40, 2, 3
	x := rows(grid(4, 5), []int{0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18})
	p := channels * x.Rows
	d := Data{Y: lowRank(n, p, q, 0.3, 5), Missing: scattered(n*p, 0.5, 5), Points: x, Channels: channels}
	for i := range n {
		d.Missing[i*p+9] = true
	}
	e := newEM(d, d.moments())
	e.grow(q, rand.New(rand.NewPCG(1, 1)))
	if err := e.climb(t.Context(), 3, 0); err != nil {
		t.Fatal(err)
	}
	s := &sums{mat.New(p, q+1), mat.New(p, (q+1)*(q+1)), make([]float64, p)}
	next := factors{w: mat.New(p, q), cov: mat.New(p, q*q)}
	rng := rand.New(rand.NewPCG(6, 6))
	l := mat.New(p, p) // the Laplacian
	for j := range p {
		for k := range p {
			dx := math.Hypot(x.At(j/channels, 0)-x.At(k/channels, 0), x.At(j/channels, 1)-x.At(k/channels, 1))
			if near := slices.Contains(e.near[j], k); j != k && j%channels == k%channels && (near || dx == 1) {
				if !near {
					t.Errorf("points %d and %d are no neighbours", j/channels, k/channels)
				}
				l.Set(j, k, -1)
				l.Set(j, j, l.At(j, j)+1)
			}
		}
	}
	a, want := mat.New(p*q, p*q), make([]float64, p*q)
	roughness := mat.New(p, q)
	for k := range roughness.Data {
		roughness.Data[k] = []float64{2, 0.1, 10}[k%q]
	}
	square := mat.New(p, p)
	mat.Mul(square, 1, l, l, 0)
	for j := range p {
		m := lowRank(9, q+1, q+1, 1, uint64(j))
		mat.Mul(mat.NewDense(q+1, q+1, s.moments.Row(j)), 1, m.T(), m, 0)
		for k := range q {
			s.b.Set(j, k, rng.NormFloat64())
			want[j*q+k] = s.b.At(j, k) / e.model.noise[j]
			for r := range q {
				a.Set(j*q+k, j*q+r, s.moments.At(j, k*(q+1)+r)/e.model.noise[j])
			}
			for i := range p {
				a.Set(j*q+k, i*q+k, a.At(j*q+k, i*q+k)+roughness.At(j, k)*square.At(j, i))
			}
			a.Set(j*q+k, j*q+k, a.At(j*q+k, j*q+k)+1)
			next.cov.Set(j, k*(q+1), 1/a.At(j*q+k, j*q+k))
		}
	}
	if !eliminate(a, want) {
		t.Fatal("singular")
	}
	for range 20 { // rounds, each a few steps
		e.smooth(&next, s, roughness)
		mat.Copy(e.model.w, next.w)
	}
	for k, v := range want {
		if got := next.w.Data[k]; math.Abs(got-v) > 1e-6*(1+math.Abs(v)) {
			t.Errorf("weight %d of column %d: %v, expected %v", k%q, k/q, got, v)
		}
	}
}

// Smooth components below clouds that hide half of few noisy fields are found better than by a point at a time: with weights that are independent of their neighbours the error is 0.91.
func TestClouds(t *testing.T) {
	const n = 40
	x := grid(14, 12)
	p := x.Rows
	fields, z := waves(4, x, 20, 3), mat.New(n, 4)
	rng := rand.New(rand.NewPCG(8, 8))
	for k := range z.Data {
		z.Data[k] = rng.NormFloat64()
	}
	truth := mat.New(n, p)
	mat.Mul(truth, 1, z, fields, 0)
	d := Data{Y: truth.Clone(), Channels: 1, Points: x}
	for i := range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for j := range p {
			d.Y.Set(i, j, truth.At(i, j)+rng.NormFloat64())
			d.Missing = append(d.Missing, a*(x.At(j, 0)-7)+b*(x.At(j, 1)-6) > 3*c)
		}
	}
	mean, variance, err := PrincipalComponents.Fill(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.Y = truth
	rmse, coverage, _ := judge(d, mean, variance)
	if t.Logf("error %.3f, %.2f within 90 %% intervals", rmse, coverage); rmse > 0.8 {
		t.Errorf("error %.3f", rmse)
	}
}
