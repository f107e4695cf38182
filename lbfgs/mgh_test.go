package lbfgs_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// problem is a sum of squares from the collection of Moré, Garbow and Hillstrom,
// Testing unconstrained optimization software, ACM Transactions on Mathematical
// Software 7 (1981) 17–41; number counts as in its section 3's list of problems for
// unconstrained minimisation.
type problem struct {
	number    int
	name      string
	start     []float64
	residuals int
	// at writes the residuals rᵢ(x) and their derivatives jac[i][j] = ∂rᵢ/∂xⱼ; jac
	// arrives as zeros.
	at        func(x, r []float64, jac [][]float64)
	minimum   float64
	tolerance float64 // what is asked of max|∇f|
	// others are the values of other local minima; plateaus those that f tends to towards
	// infinity, where the start that is 100 times as far may end.
	others, plateaus []float64
}

// objective is f = Σ rᵢ² with ∇f = 2·Jᵀ·r.
func (p problem) objective() lbfgs.Objective {
	r := make([]float64, p.residuals)
	jac := make([][]float64, p.residuals)
	for i := range jac {
		jac[i] = make([]float64, len(p.start))
	}
	return func(x, grad []float64) float64 {
		for i := range jac {
			clear(jac[i])
		}
		p.at(x, r, jac)
		clear(grad)
		var f float64
		for i, ri := range r {
			f += float64(ri * ri)
			for j, d := range jac[i] {
				grad[j] += float64(2 * ri * d)
			}
		}
		return f
	}
}

// from returns the standard start times factor; where that is the origin, the point
// with every coordinate factor.
func (p problem) from(factor float64) []float64 {
	x := make([]float64, len(p.start))
	zero := true
	for i, v := range p.start {
		x[i] = v * factor
		zero = zero && v == 0
	}
	for i := range x {
		if zero && factor != 1 {
			x[i] = factor
		}
	}
	return x
}

func repeat(n int, block ...float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = block[i%len(block)]
	}
	return v
}

func sequence(n int, at func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = at(i)
	}
	return v
}

func mghProblems() []problem {
	return []problem{
		{1, "helical valley", []float64{-1, 0, 0}, 3, helicalValley, 0, 1e-10, nil, nil},
		{2, "Biggs EXP6", []float64{1, 2, 1, 1, 1, 1}, 13, biggs, 0, 1e-6, []float64{5.655649925e-3}, []float64{0.306366773}},
		{3, "Gaussian", []float64{0.4, 1, 0}, 15, gaussian, 1.12793277e-8, 1e-6, nil, nil},
		{4, "Powell badly scaled", []float64{0, 1}, 2, powellBadlyScaled, 0, 1e-6, nil, []float64{1.0201e-8}},
		{5, "box three-dimensional", []float64{0, 10, 20}, 10, box, 0, 1e-10, nil, []float64{7.558874075e-2}},
		{6, "variably dimensioned", sequence(10, func(i int) float64 { return 1 - float64(i+1)/10 }), 12, variablyDimensioned, 0, 1e-10, nil, nil},
		{7, "Watson", make([]float64, 6), 31, watson, 2.28767005e-3, 1e-6, nil, nil},
		{8, "penalty I", sequence(10, func(i int) float64 { return float64(i + 1) }), 11, penalty1, 7.08765146e-5, 1e-10, nil, nil},
		{9, "penalty II", repeat(4, 0.5), 8, penalty2, 9.37629300e-6, 1e-6, nil, nil},
		{10, "Brown badly scaled", []float64{1, 1}, 3, brownBadlyScaled, 0, 1e-6, nil, nil},
		{11, "Brown and Dennis", []float64{25, 5, -5, -1}, 20, brownDennis, 85822.20162635634, 1e-6, nil, nil},
		{12, "Gulf research and development", []float64{5, 2.5, 0.15}, 99, gulf, 0, 1e-10, nil, []float64{32.835}},
		{13, "trigonometric", repeat(10, 0.1), 10, trigonometric, 0, 1e-6, []float64{2.79505612e-5, 4.21862886e-5}, nil},
		{14, "extended Rosenbrock", repeat(10, -1.2, 1), 10, rosenbrock, 0, 1e-10, nil, nil},
		{15, "extended Powell singular", repeat(8, 3, -1, 0, 1), 8, powellSingular, 0, 1e-10, nil, nil},
		{16, "Beale", []float64{1, 1}, 3, beale, 0, 1e-10, nil, nil},
		{17, "Wood", []float64{-3, -1, -3, -1}, 6, wood, 0, 1e-6, nil, nil},
		{18, "Chebyquad", sequence(8, func(i int) float64 { return float64(i+1) / 9 }), 8, chebyquad, 3.51687373e-3, 1e-6, nil, nil},
	}
}

func helicalValley(x, r []float64, jac [][]float64) {
	theta := math.Atan(x[1]/x[0]) / (2 * math.Pi)
	if x[0] < 0 {
		theta += 0.5
	}
	h := math.Hypot(x[0], x[1])
	r[0], r[1], r[2] = 10*(x[2]-10*theta), 10*(h-1), x[2]
	c := 50 / (math.Pi * h * h)
	jac[0][0], jac[0][1], jac[0][2] = c*x[1], -c*x[0], 10
	jac[1][0], jac[1][1] = 10*x[0]/h, 10*x[1]/h
	jac[2][2] = 1
}

func biggs(x, r []float64, jac [][]float64) {
	for i := range r {
		t := float64(i+1) / 10
		y := math.Exp(-t) - 5*math.Exp(-10*t) + 3*math.Exp(-4*t)
		a, b, c := math.Exp(-t*x[0]), math.Exp(-t*x[1]), math.Exp(-t*x[4])
		r[i] = x[2]*a - x[3]*b + x[5]*c - y
		copy(jac[i], []float64{-t * x[2] * a, t * x[3] * b, a, -b, -t * x[5] * c, c})
	}
}

func gaussian(x, r []float64, jac [][]float64) {
	half := []float64{0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989}
	for i := range r {
		t := float64(7-i)/2 - x[2]
		e := math.Exp(-x[1] * t * t / 2)
		r[i] = x[0]*e - half[min(i, 14-i)]
		copy(jac[i], []float64{e, -x[0] * e * t * t / 2, x[0] * e * x[1] * t})
	}
}

func powellBadlyScaled(x, r []float64, jac [][]float64) {
	a, b := math.Exp(-x[0]), math.Exp(-x[1])
	r[0], r[1] = 1e4*x[0]*x[1]-1, a+b-1.0001
	jac[0][0], jac[0][1] = 1e4*x[1], 1e4*x[0]
	jac[1][0], jac[1][1] = -a, -b
}

func box(x, r []float64, jac [][]float64) {
	for i := range r {
		t := float64(i+1) / 10
		a, b, c := math.Exp(-t*x[0]), math.Exp(-t*x[1]), math.Exp(-t)-math.Exp(-10*t)
		r[i] = a - b - x[2]*c
		copy(jac[i], []float64{-t * a, t * b, -c})
	}
}

func variablyDimensioned(x, r []float64, jac [][]float64) {
	n := len(x)
	var s float64
	for j, v := range x {
		s += float64(j+1) * (v - 1)
	}
	for j, v := range x {
		r[j] = v - 1
		jac[j][j] = 1
		jac[n][j] = float64(j + 1)
		jac[n+1][j] = 2 * s * float64(j+1)
	}
	r[n], r[n+1] = s, s*s
}

func watson(x, r []float64, jac [][]float64) {
	for i := range 29 {
		t := float64(i+1) / 29
		var value, slope float64
		for j, power := 0, 1.0; j < len(x); j++ {
			value += x[j] * power
			if j+1 < len(x) {
				slope += float64(j+1) * x[j+1] * power
			}
			power *= t
		}
		r[i] = slope - value*value - 1
		for j := range x {
			jac[i][j] = float64(j)*math.Pow(t, float64(j-1)) - 2*value*math.Pow(t, float64(j))
		}
	}
	r[29], jac[29][0] = x[0], 1
	r[30], jac[30][0], jac[30][1] = x[1]-x[0]*x[0]-1, -2*x[0], 1
}

func penalty1(x, r []float64, jac [][]float64) {
	n, root := len(x), math.Sqrt(1e-5)
	r[n] = -0.25
	for j, v := range x {
		r[j], jac[j][j] = root*(v-1), root
		r[n] += v * v
		jac[n][j] = 2 * v
	}
}

func penalty2(x, r []float64, jac [][]float64) {
	n, root := len(x), math.Sqrt(1e-5)
	r[0], jac[0][0] = x[0]-0.2, 1
	for i := 1; i < n; i++ {
		a, b := math.Exp(x[i]/10), math.Exp(x[i-1]/10)
		y := math.Exp(float64(i+1)/10) + math.Exp(float64(i)/10)
		r[i], jac[i][i], jac[i][i-1] = root*(a+b-y), root*a/10, root*b/10
		r[n+i-1], jac[n+i-1][i] = root*(a-math.Exp(-0.1)), root*a/10
	}
	r[2*n-1] = -1
	for j, v := range x {
		r[2*n-1] += float64(n-j) * v * v
		jac[2*n-1][j] = 2 * float64(n-j) * v
	}
}

func brownBadlyScaled(x, r []float64, jac [][]float64) {
	r[0], r[1], r[2] = x[0]-1e6, x[1]-2e-6, x[0]*x[1]-2
	jac[0][0], jac[1][1], jac[2][0], jac[2][1] = 1, 1, x[1], x[0]
}

func brownDennis(x, r []float64, jac [][]float64) {
	for i := range r {
		t := float64(i+1) / 5
		a := x[0] + t*x[1] - math.Exp(t)
		b := x[2] + x[3]*math.Sin(t) - math.Cos(t)
		r[i] = a*a + b*b
		copy(jac[i], []float64{2 * a, 2 * a * t, 2 * b, 2 * b * math.Sin(t)})
	}
}

func gulf(x, r []float64, jac [][]float64) {
	for i := range r {
		t := float64(i+1) / 100
		d := 25 + math.Pow(-50*math.Log(t), 2.0/3) - x[1]
		p := math.Pow(math.Abs(d), x[2]) / x[0]
		e := math.Exp(-p)
		r[i] = e - t
		copy(jac[i], []float64{e * p / x[0], e * p * x[2] / d, -e * p * math.Log(math.Abs(d))})
	}
}

func trigonometric(x, r []float64, jac [][]float64) {
	n := float64(len(x))
	var cosines float64
	for _, v := range x {
		cosines += math.Cos(v)
	}
	for i, v := range x {
		r[i] = n - cosines + float64(i+1)*(1-math.Cos(v)) - math.Sin(v)
		for j, w := range x {
			jac[i][j] = math.Sin(w)
		}
		jac[i][i] += float64(i+1)*math.Sin(v) - math.Cos(v)
	}
}

func rosenbrock(x, r []float64, jac [][]float64) {
	for i := 0; i < len(x); i += 2 {
		r[i], jac[i][i], jac[i][i+1] = 10*(x[i+1]-x[i]*x[i]), -20*x[i], 10
		r[i+1], jac[i+1][i] = 1-x[i], -1
	}
}

func powellSingular(x, r []float64, jac [][]float64) {
	root5, root10 := math.Sqrt(5), math.Sqrt(10)
	for i := 0; i < len(x); i += 4 {
		a, b := x[i+1]-2*x[i+2], x[i]-x[i+3]
		r[i], jac[i][i], jac[i][i+1] = x[i]+10*x[i+1], 1, 10
		r[i+1], jac[i+1][i+2], jac[i+1][i+3] = root5*(x[i+2]-x[i+3]), root5, -root5
		r[i+2], jac[i+2][i+1], jac[i+2][i+2] = a*a, 2*a, -4*a
		r[i+3], jac[i+3][i], jac[i+3][i+3] = root10*b*b, 2*root10*b, -2*root10*b
	}
}

func beale(x, r []float64, jac [][]float64) {
	for i, y := range []float64{1.5, 2.25, 2.625} {
		k := float64(i + 1)
		p := math.Pow(x[1], k)
		r[i], jac[i][0], jac[i][1] = y-x[0]*(1-p), p-1, x[0]*k*math.Pow(x[1], k-1)
	}
}

func wood(x, r []float64, jac [][]float64) {
	root90, root10 := math.Sqrt(90), math.Sqrt(10)
	r[0], jac[0][0], jac[0][1] = 10*(x[1]-x[0]*x[0]), -20*x[0], 10
	r[1], jac[1][0] = 1-x[0], -1
	r[2], jac[2][2], jac[2][3] = root90*(x[3]-x[2]*x[2]), -2*root90*x[2], root90
	r[3], jac[3][2] = 1-x[2], -1
	r[4], jac[4][1], jac[4][3] = root10*(x[1]+x[3]-2), root10, root10
	r[5], jac[5][1], jac[5][3] = (x[1]-x[3])/root10, 1/root10, -1/root10
}

func chebyquad(x, r []float64, jac [][]float64) {
	n := float64(len(x))
	clear(r)
	for j, v := range x {
		u := 2*v - 1 // T₀, T₁, … at u by their recurrence, with derivatives in v
		t0, t1, d0, d1 := 1.0, u, 0.0, 2.0
		for i := range r {
			r[i] += t1 / n
			jac[i][j] = d1 / n
			t0, t1, d0, d1 = t1, 2*u*t1-t0, d1, 4*t1+2*u*d1-d0
		}
	}
	for i := 1; i < len(r); i += 2 {
		k := float64(i + 1)
		r[i] += 1 / (k*k - 1)
	}
}

// The Jacobians above against central differences: an error of h²·|f‴| + ε·|f|/h
// with h = 1e-5·max(1, |x|), so about 1e-6 of the gradient.
func TestMGHGradients(t *testing.T) {
	for _, p := range mghProblems() {
		f := p.objective()
		x := p.from(1)
		for i := range x {
			x[i] += 0.01 * float64(i+1) // off symmetric points and the branch of atan
		}
		g, scratch := make([]float64, len(x)), make([]float64, len(x))
		value := f(x, g)
		for i, xi := range x {
			h := 1e-5 * max(1, math.Abs(xi))
			x[i] = xi + h
			up := f(x, scratch)
			x[i] = xi - h
			down := f(x, scratch)
			x[i] = xi
			slope := (up - down) / (2 * h)
			if diff := math.Abs(slope - g[i]); !(diff <= 1e-6*max(1, math.Abs(g[i]))+1e-10*math.Abs(value)) {
				t.Errorf("%s: ∂f/∂x[%d] is %v, central difference %v", p.name, i, g[i], slope)
			}
		}
	}
}

// From the standard start, and from 10 and 100 times as far: f ≤ f* + 1e-8·(1 + |f*|)
// and max|∇f| ≤ 1e-6, or 1e-10 on the problems that gonum solves to 1e-12.
func TestMGH(t *testing.T) {
	for _, p := range mghProblems() {
		for _, factor := range []float64{1, 10, 100} {
			minima := append([]float64{p.minimum}, p.others...)
			if factor == 100 {
				minima = append(minima, p.plateaus...)
			}
			r, err := lbfgs.Minimize(t.Context(), p.objective(), p.from(factor), lbfgs.Options{GradTolerance: min(p.tolerance, 1e-8)})
			if err != nil {
				t.Errorf("%d %s, start × %v: %v", p.number, p.name, factor, err)
				continue
			}
			reached := slices.ContainsFunc(minima, func(want float64) bool {
				return math.Abs(r.F-want) <= 1e-8*(1+math.Abs(want))
			})
			if !reached || !(maxAbs(r.Gradient) <= p.tolerance) {
				t.Errorf("%d %s, start × %v: f = %v, want one of %v; max|∇f| = %.2g, want %.0g; %v after %d iterations, %d evaluations",
					p.number, p.name, factor, r.F, minima, maxAbs(r.Gradient), p.tolerance, r.Status, r.Iterations, r.Evaluations)
			}
		}
	}
}

func maxAbs(v []float64) float64 {
	var m float64
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
