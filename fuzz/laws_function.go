package fuzz

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

var functionLaws = []Law{
	{"gradient", "each derivative is that of central differences, to 1e-6·max(1, ‖g‖) + 1e-10·|f|", []string{"Gradient", "Start"}, 1, func(t *Trial, x Library) {
		p := t.Given("x", mat.Vector(x.Start(t.Source)))
		t.Judge("the worst derivative is off, in units of its error bound, by", gradientError(x.Gradient, p.Clone().Data))
	}},
	{"minimum: best point", "f at the point returned is the value returned, to the bit, and the lowest that was seen", []string{"Minimize"}, 0, func(t *Trial, x Library) {
		o, x0 := t.objective()
		y, fy, err := x.Minimize(context.Background(), o.value, x0)
		t.Fail(err)
		t.judgeBest(o, y, fy)
	}},
	{"minimum: quadratic", "a convex quadratic function is solved", []string{"Minimize"}, 1, func(t *Trial, x Library) {
		n := 1 + t.Size(8)
		o, centre := t.quadratic(n)
		y, _, err := x.Minimize(context.Background(), o.value, make([]float64, n))
		t.Fail(err)
		var off float64
		for i := range y {
			off = max(off, math.Abs(y[i]-centre[i]))
		}
		t.Judge("distance from the minimum, in units of 1e-3,", off/1e-3)
	}},
	{"minimum: cancelled", "a cancelled search ends soon, with the best point so far", []string{"Minimize"}, 0, func(t *Trial, x Library) {
		o, x0 := t.objective()
		at := 1 + t.IntN(10)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		o.after = func(calls int, v float64) float64 {
			if calls == at {
				cancel()
			}
			return v
		}
		y, fy, _ := x.Minimize(ctx, o.value, x0)
		if o.calls > at+20 {
			t.Failf("%d calls of the objective after the search was cancelled", o.calls-at)
		}
		t.judgeBest(o, y, fy)
	}},
	{"minimum: non-finite", "where f is NaN or infinite for once the best finite point is returned", []string{"Minimize"}, 0, func(t *Trial, x Library) {
		o, x0 := t.objective()
		at := 2 + t.IntN(20)
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[t.IntN(3)]
		o.after = func(calls int, v float64) float64 {
			if calls == at {
				return bad
			}
			return v
		}
		y, fy, _ := x.Minimize(context.Background(), o.value, x0)
		t.judgeBest(o, y, fy)
	}},
	{"minimum: again", "the same search gives the same bits, and leaves its start as it was", []string{"Minimize"}, 0, func(t *Trial, x Library) {
		o, x0 := t.objective()
		start := mat.Vector(x0).Clone()
		y, fy, _ := x.Minimize(context.Background(), o.f, x0)
		z, fz, _ := x.Minimize(context.Background(), o.f, x0)
		t.Fail(SameBits(mat.Vector(x0), start))
		t.Fail(SameBits(mat.Vector(z), mat.Vector(y)))
		if math.Float64bits(fy) != math.Float64bits(fz) {
			t.Failf("%v and %v", fy, fz)
		}
	}},
}

// gradientError compares the gradient that f writes with differences of order four, (8(f(x+h)-f(x-h)) - f(x+2h) + f(x-2h))/(12h),
// and returns the largest difference in units of 1e-6·max(1, ‖g‖∞) + 1e-10·|f|. A gradient that is not finite gives +Inf.
func gradientError(f func(x, grad []float64) float64, x []float64) float64 {
	n := len(x)
	g, ignored := make([]float64, n), make([]float64, n)
	value := f(x, g)
	norm := 1.0
	for _, v := range g {
		if v-v != 0 {
			return math.Inf(1)
		}
		norm = max(norm, math.Abs(v))
	}
	y := make([]float64, n)
	at := func(i int, step float64) float64 {
		copy(y, x)
		y[i] += step
		return f(y, ignored)
	}
	var worst float64
	for i := range x {
		h := 1e-3 * max(1, math.Abs(x[i]))
		d := (8*(at(i, h)-at(i, -h)) - (at(i, 2*h) - at(i, -2*h))) / (12 * h)
		off := math.Abs(d-g[i]) / (1e-6*norm + 1e-10*math.Abs(value))
		if off != off {
			return math.Inf(1)
		}
		worst = max(worst, off)
	}
	return worst
}

// objective is a smooth function that remembers the lowest value it gave.
type objective struct {
	f      func(x, grad []float64) float64
	calls  int
	lowest float64
	after  func(calls int, v float64) float64 // what to do with the value; nil: nothing
}

func (o *objective) value(x, grad []float64) float64 {
	v := o.f(x, grad)
	o.calls++
	if o.after != nil {
		v = o.after(o.calls, v)
	}
	if v-v == 0 {
		o.lowest = min(o.lowest, v)
	}
	return v
}

// objective draws a convex quadratic function, or Rosenbrock's, and a start.
func (t *Trial) objective() (o *objective, x0 []float64) {
	n := 1 + t.Size(8)
	if t.Bool() {
		o, _ = t.quadratic(n)
	} else {
		n = max(n, 2)
		o = &objective{f: rosenbrock, lowest: math.Inf(1)}
	}
	start := t.Given("start", Normal(t.Source, n, 1))
	return o, start.Clone().Data
}

// rosenbrock is Σ 100(x_{i+1} - x_i²)² + (1 - x_i)² (Rosenbrock 1960).
func rosenbrock(x, grad []float64) float64 {
	clear(grad)
	var v float64
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		v += 100*a*a + b*b
		grad[i] -= 400*a*x[i] + 2*b
		grad[i+1] += 200 * a
	}
	return v
}

// quadratic draws ½(x-c)ᵀA(x-c) + 1 with a definite A of condition 100.
func (t *Trial) quadratic(n int) (o *objective, centre []float64) {
	a := t.Given("A", WithSpectrum(t.Source, "quadratic", Spectrum(t.Source, Geometric, n, 100)).A)
	centre = t.vector("c", n, 1)
	return &objective{lowest: math.Inf(1), f: func(x, grad []float64) float64 {
		v := 1.0
		for i := range x {
			grad[i] = 0
			for j := range x {
				grad[i] += a.At(i, j) * (x[j] - centre[j])
			}
			v += 0.5 * grad[i] * (x[i] - centre[i])
		}
		return v
	}}, centre
}

// judgeBest judges what Minimize returned by what the objective saw.
func (t *Trial) judgeBest(o *objective, x []float64, fx float64) {
	if len(x) == 0 || !finite(mat.Vector(x)) {
		t.Failf("the point returned is %v", x)
	}
	if v := o.f(x, make([]float64, len(x))); math.Float64bits(v) != math.Float64bits(fx) {
		t.Failf("f is %v at the point returned, and said to be %v", v, fx)
	}
	if !(fx <= o.lowest) {
		t.Failf("%v is returned, %v was seen", fx, o.lowest)
	}
}
