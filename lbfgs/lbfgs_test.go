package lbfgs_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// call is one evaluation of an objective.
type call struct {
	x, g []float64
	f    float64
}

// recorded returns f with a log of its calls.
func recorded(f lbfgs.Objective) (lbfgs.Objective, *[]call) {
	log := new([]call)
	return func(x, g []float64) float64 {
		v := f(x, g)
		*log = append(*log, call{clone(x), clone(g), v})
		return v
	}, log
}

func clone(v []float64) []float64 { return append([]float64{}, v...) }

func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

func inner(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// quadratic is ½·(x−1)ᵀ·A·(x−1) with A = Q·diag(λ)·Q. λ takes the given number of
// different values, spread evenly in logarithm from √condition to 1/√condition, and Q
// is a reflection that mixes all axes.
func quadratic(n, values int, condition float64) lbfgs.Objective {
	lambda := sequence(n, func(i int) float64 {
		return math.Pow(condition, 0.5-float64(i%values)/float64(max(values-1, 1)))
	})
	v := sequence(n, func(i int) float64 { return math.Sin(float64(1 + 7*i*i)) })
	reflect := func(u []float64) {
		c := 2 * inner(u, v) / inner(v, v)
		for i := range u {
			u[i] -= float64(c * v[i])
		}
	}
	u := make([]float64, n)
	return func(x, g []float64) float64 {
		for i := range x {
			u[i] = x[i] - 1
		}
		reflect(u)
		var f float64
		for i := range u {
			g[i] = lambda[i] * u[i]
			f += float64(g[i]*u[i]) / 2
		}
		reflect(g)
		return f
	}
}

func rosenbrockObjective(x, g []float64) float64 {
	var f float64
	for i := 0; i < len(x); i += 2 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		f += float64(100*a*a) + float64(b*b)
		g[i], g[i+1] = -400*a*x[i]-2*b, 200*a
	}
	return f
}

func TestSizes(t *testing.T) {
	type row struct {
		name string
		f    lbfgs.Objective
		x0   []float64
		most int // iterations
	}
	var rows []row
	for _, n := range []int{2, 4, 10, 50, 100, 500, 1000, 5000, 10000} {
		rows = append(rows, row{fmt.Sprintf("Rosenbrock n=%d", n), rosenbrockObjective, repeat(n, -1.2, 1), 60})
	}
	for _, condition := range []float64{1, 1e2, 1e4, 1e6, 1e8, 1e10} {
		for _, n := range []int{2, 5, 20, 100, 1000, 10000} {
			if n == 10000 && condition != 1e2 && condition != 1e10 {
				continue
			}
			rows = append(rows, row{fmt.Sprintf("quadratic n=%d condition=%.0e", n, condition), quadratic(n, min(n, 5), condition), make([]float64, n), 300})
		}
		if condition <= 1e4 { // every eigenvalue different: steps grow with √condition
			rows = append(rows, row{fmt.Sprintf("spread quadratic n=100 condition=%.0e", condition), quadratic(100, 100, condition), make([]float64, 100), 1000})
		}
	}
	for _, c := range rows {
		if testing.Short() && len(c.x0) > 100 {
			continue
		}
		r, err := lbfgs.Minimize(t.Context(), c.f, c.x0, lbfgs.Options{Memory: 20, GradTolerance: 1e-7, RelativeDecrease: -1})
		if err != nil || !(r.F <= 1e-8) || !(maxAbs(r.Gradient) <= 1e-6) || r.Iterations > c.most {
			t.Errorf("%s: f = %v, max|∇f| = %.2g, %v after %d iterations (want at most %d), error %v", c.name, r.F, maxAbs(r.Gradient), r.Status, r.Iterations, c.most, err)
		}
	}
}

// lineFunction is φ(a) with its slope.
type lineFunction struct {
	name string
	at   func(a float64) (value, slope float64)
}

// lineFunctions are the six of Moré and Thuente (1994), section 5.
func lineFunctions() []lineFunction {
	wiggly := func(l, beta float64) func(a float64) (float64, float64) {
		return func(a float64) (v, slope float64) {
			switch {
			case a <= 1-beta:
				v, slope = 1-a, -1
			case a >= 1+beta:
				v, slope = a-1, 1
			default:
				v, slope = ((a-1)*(a-1)/beta+beta)/2, (a-1)/beta
			}
			w := l * math.Pi / 2
			return v + (1-beta)/w*math.Sin(w*a), slope + (1-beta)*math.Cos(w*a)
		}
	}
	convex := func(b1, b2 float64) func(a float64) (float64, float64) {
		c1, c2 := math.Sqrt(1+b1*b1)-b1, math.Sqrt(1+b2*b2)-b2
		return func(a float64) (v, slope float64) {
			r1, r2 := math.Hypot(1-a, b2), math.Hypot(a, b1)
			return c1*r1 + c2*r2, c1*(a-1)/r1 + c2*a/r2
		}
	}
	return []lineFunction{
		{"concave to the right", func(a float64) (float64, float64) { d := a*a + 2; return -a / d, (a*a - 2) / (d * d) }},
		{"concave to the left", func(a float64) (float64, float64) {
			b := a + 0.004
			return b * b * b * b * (b - 2), b * b * b * (5*b - 8)
		}},
		{"wiggly", wiggly(39, 0.01)},
		{"convex 0.001, 0.001", convex(0.001, 0.001)},
		{"convex 0.01, 0.001", convex(0.01, 0.001)},
		{"convex 0.001, 0.01", convex(0.001, 0.01)},
	}
}

// wolfeError checks the strong Wolfe conditions from x, f, g to x1, f1, g1, where the
// step along the direction d is x1 − x = a·d, so that a·φ′ = (x1 − x)·g. Each
// product is good to the rounding of x1 − x, ε·(|x| + |x1|) per entry, and of its own
// sum, n·ε; f to Options.Noise.
func wolfeError(x, g []float64, f float64, x1, g1 []float64, f1, c1, c2 float64) error {
	const eps, noise = 0x1p-52, 0x1p-46
	var before, after, rounding float64
	for i := range x {
		s := x1[i] - x[i]
		before += float64(s * g[i])
		after += float64(s * g1[i])
		rounding += (math.Abs(g[i]) + math.Abs(g1[i])) * (eps*(math.Abs(x[i])+math.Abs(x1[i])) + float64(len(x))*eps*math.Abs(s))
	}
	if !(f1 <= f+c1*before+noise*math.Abs(f)+c1*rounding) {
		return fmt.Errorf("f fell from %v to %v, want a decrease of %v", f, f1, -c1*before)
	}
	if !(math.Abs(after) <= c2*math.Abs(before)+rounding) {
		return fmt.Errorf("slope (times step) went from %v to %v, want at most %v times that", before, after, c2)
	}
	return nil
}

func TestStrongWolfeOnLineFunctions(t *testing.T) {
	for _, l := range lineFunctions() {
		for _, first := range []float64{1e-3, 0.1, 1, 10, 1e3} {
			for _, c := range []struct{ c1, c2 float64 }{{1e-3, 1e-3}, {0.1, 0.1}, {1e-4, 0.9}} {
				f := func(x, g []float64) (v float64) {
					v, g[0] = l.at(x[0])
					return v
				}
				name := fmt.Sprintf("%s, first step %v, c1 %v, c2 %v", l.name, first, c.c1, c.c2)
				steps := 0
				r, err := lbfgs.Minimize(t.Context(), f, []float64{0}, lbfgs.Options{
					C1: c.c1, C2: c.c2, InitialStep: first, GradTolerance: -1,
					Progress: func(p lbfgs.Progress) bool {
						steps++
						f0, g0 := l.at(0)
						if err := wolfeError([]float64{0}, []float64{g0}, f0, p.X, p.Gradient, p.F, c.c1, c.c2); err != nil || !p.Wolfe {
							t.Errorf("%s: Wolfe = %v, %v", name, p.Wolfe, err)
						}
						return false
					},
				})
				// Moré and Thuente's own search needs up to 17 evaluations at these tolerances.
				if err != nil || steps != 1 || r.Evaluations > 1+17 {
					t.Errorf("%s: %d steps, %d evaluations, error %v", name, steps, r.Evaluations, err)
				}
			}
		}
	}
}

// A random smooth function, bounded below: quartics with ripples and a coupling.
func randomFunction(r *rand.Rand, n int) lbfgs.Objective {
	normal := func(scale float64) []float64 {
		return sequence(n, func(int) float64 { return scale * r.NormFloat64() })
	}
	quartic, centre, ripple, coupling := normal(1), normal(3), normal(2), normal(1)
	return func(x, g []float64) float64 {
		c := inner(coupling, x)
		f := c * c / 2
		for i, v := range x {
			d, a := v-centre[i], 0.01+math.Abs(quartic[i])
			f += float64(a*d*d*d*d) + float64(ripple[i]*math.Sin(3*v))
			g[i] = float64(c*coupling[i]) + float64(4*a*d*d*d) + float64(3*ripple[i]*math.Cos(3*v))
		}
		return f
	}
}

func TestStrongWolfeAtEveryStep(t *testing.T) {
	type row struct {
		name string
		f    lbfgs.Objective
		x0   []float64
		o    lbfgs.Options
	}
	var rows []row
	for _, p := range mghProblems() {
		rows = append(rows, row{p.name, p.objective(), p.from(1), lbfgs.Options{C1: 1e-4, C2: 0.9}})
	}
	for seed := range uint64(170) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(8)
		x0 := sequence(n, func(int) float64 { return 5 * r.NormFloat64() })
		rows = append(rows, row{fmt.Sprint("seed ", seed), randomFunction(r, n), x0, lbfgs.Options{
			C1: []float64{1e-4, 0.01, 0.1}[r.IntN(3)], C2: []float64{0.1, 0.5, 0.9}[r.IntN(3)],
			InitialStep: math.Pow(10, 6*r.Float64()-3), Memory: 1 + r.IntN(12),
		}})
	}
	checked, relaxed := 0, 0
	for _, c := range rows {
		g := make([]float64, len(c.x0))
		x, f := clone(c.x0), c.f(c.x0, g)
		c.o.Progress = func(p lbfgs.Progress) bool {
			if p.Wolfe {
				checked++
				if err := wolfeError(x, g, f, p.X, p.Gradient, p.F, c.o.C1, c.o.C2); err != nil {
					t.Errorf("%s, iteration %d: %v", c.name, p.Iteration, err)
				}
			} else {
				relaxed++
				if !(p.F < f) {
					t.Errorf("%s, iteration %d: f went from %v to %v without the Wolfe conditions", c.name, p.Iteration, f, p.F)
				}
			}
			copy(x, p.X)
			copy(g, p.Gradient)
			f = p.F
			return true
		}
		if _, err := lbfgs.Minimize(t.Context(), c.f, c.x0, c.o); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if checked < 2000 || relaxed > checked/1000 {
		t.Errorf("%d steps met the conditions and %d only decreased f, want at least 2000 and nearly none", checked, relaxed)
	}
}

// The result against all calls of the objective: the lowest of them, bit for bit.
func checkBest(t *testing.T, name string, r lbfgs.Result, log []call) {
	t.Helper()
	lowest, found := math.Inf(1), false
	for _, c := range log {
		if feasible(c) {
			lowest = min(lowest, c.f)
		}
	}
	for _, c := range log {
		found = found || sameBits(c.x, r.X) && sameBits(c.g, r.Gradient) && math.Float64bits(c.f) == math.Float64bits(r.F)
	}
	if !found || r.F != lowest {
		t.Errorf("%s: F = %v, the lowest evaluated is %v, and X, F, Gradient are of one call: %v", name, r.F, lowest, found)
	}
	if r.Evaluations != len(log) {
		t.Errorf("%s: Evaluations = %d, %d calls were made", name, r.Evaluations, len(log))
	}
}

func feasible(c call) bool {
	ok := !math.IsNaN(c.f) && !math.IsInf(c.f, 0)
	for _, v := range c.g {
		ok = ok && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return ok
}

func TestResultIsBestPoint(t *testing.T) {
	for _, p := range mghProblems() {
		for most := range 51 { // 0: no limit
			f, log := recorded(p.objective())
			r, err := lbfgs.Minimize(t.Context(), f, p.from(1), lbfgs.Options{MaxEvaluations: most})
			name := fmt.Sprintf("%s, MaxEvaluations %d", p.name, most)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkBest(t, name, r, *log)
			if most > 0 && (len(*log) > most || (r.Status == lbfgs.EvaluationLimit) != (len(*log) == most) && r.Status != lbfgs.GradientConverged && r.Status != lbfgs.Stalled) {
				t.Errorf("%s: %d calls, %v", name, len(*log), r.Status)
			}
		}
	}
}

// poisons are the ways for an evaluation to be infeasible.
var poisons = map[string]func(f float64, g []float64) float64{
	"f = NaN":  func(f float64, g []float64) float64 { return math.NaN() },
	"f = +Inf": func(f float64, g []float64) float64 { return math.Inf(1) },
	"f = -Inf": func(f float64, g []float64) float64 { return math.Inf(-1) },
	"g = NaN":  func(f float64, g []float64) float64 { g[len(g)-1] = math.NaN(); return f - 1e9 },
	"g = +Inf": func(f float64, g []float64) float64 { g[0] = math.Inf(1); return f - 1e9 },
}

func TestInfeasibleAtCall(t *testing.T) {
	const most = 300
	for name, poison := range poisons {
		for k := 1; k <= 30; k++ {
			for _, lasting := range []bool{false, true} {
				calls := 0
				f, log := recorded(func(x, g []float64) float64 {
					calls++
					v := rosenbrockObjective(x, g)
					if calls == k || lasting && calls > k {
						v = poison(v, g)
					}
					return v
				})
				r, err := lbfgs.Minimize(t.Context(), f, []float64{-1.2, 1}, lbfgs.Options{MaxEvaluations: most})
				label := fmt.Sprintf("%s at call %d, lasting %v", name, k, lasting)
				var bad *lbfgs.NonFiniteError
				if k == 1 {
					if !errors.As(err, &bad) || r.Status != lbfgs.Infeasible || !sameBits(r.X, []float64{-1.2, 1}) {
						t.Errorf("%s: status %v, X = %v, error %v", label, r.Status, r.X, err)
					}
					continue
				}
				want := lbfgs.GradientConverged
				if lasting {
					want = lbfgs.Infeasible
				}
				if err != nil || r.Status != want || len(*log) > most {
					t.Errorf("%s: %v after %d calls, error %v", label, r.Status, len(*log), err)
				}
				checkBest(t, label, r, *log)
			}
		}
	}
}

// A search that sees only infeasible points fails; the next one, down the gradient,
// gets through.
func TestRestartAfterFailedSearch(t *testing.T) {
	restarts := 0
	for first := 5; first <= 30; first++ {
		calls := 0
		f, log := recorded(func(x, g []float64) float64 {
			calls++
			v := rosenbrockObjective(x, g)
			if first <= calls && calls < first+24 { // a search of tenths ends after some 17: ten to that power is the rounding of x
				return math.NaN()
			}
			return v
		})
		pairs := 0
		r, err := lbfgs.Minimize(t.Context(), f, []float64{-1.2, 1}, lbfgs.Options{Progress: func(p lbfgs.Progress) bool {
			var s lbfgs.State
			p.Save(&s)
			if len(s.S) < pairs {
				restarts++
			}
			pairs = len(s.S)
			return true
		}})
		if err != nil || r.Status != lbfgs.GradientConverged {
			t.Errorf("infeasible from call %d: %v after %d calls, error %v", first, r.Status, len(*log), err)
		}
		checkBest(t, "stretch", r, *log)
	}
	if restarts < 20 { // the other searches had found a lower point before the stretch
		t.Errorf("%d restarts in 26 runs, want at least 20", restarts)
	}
}

// Minima against the wall of an infeasible region.
func TestWall(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(x float64) (v, slope float64)
		x0     float64
		want   float64
		within float64
		most   int // evaluations
	}{
		{"falling to a wall at 1", func(x float64) (float64, float64) {
			if x > 1 {
				return math.NaN(), math.NaN()
			}
			return -x, -1
		}, -3, 1, 1e-12, 300},
		{"minimum 1e-9 from a wall", func(x float64) (float64, float64) {
			if x > 1+1e-9 {
				return math.Inf(1), math.NaN()
			}
			return (x - 1) * (x - 1), 2 * (x - 1)
		}, -3, 1, 1e-6, 100},
		{"logarithmic barrier", func(x float64) (float64, float64) {
			return x - 1e-6*math.Log(x), 1 - 1e-6/x
		}, 5, 1e-6, 1e-9, 150},
		{"minus infinity beyond 1", func(x float64) (float64, float64) {
			if x >= 1 {
				return math.Inf(-1), 0
			}
			return math.Log(1 - x), -1 / (1 - x)
		}, 0, 1, 1e-12, 1200},
		{"cliff of 1e308 at 0.5", func(x float64) (float64, float64) {
			if x > 0.5 {
				return 1e308, 1e308
			}
			return (x - 1) * (x - 1), 2 * (x - 1)
		}, -0.2, 0.5, 1e-9, 1200},
		{"cliff of 1e200 at 900", func(x float64) (float64, float64) {
			if x > 900 {
				return 1e200, 1e200
			}
			return (x - 1000) * (x - 1000), 2 * (x - 1000)
		}, 0, 900, 1e-6, 320},
		{"concave to a wall at 10", func(x float64) (float64, float64) {
			if x > 10 {
				return math.NaN(), 0
			}
			return -x * x, -2 * x
		}, 1, 10, 1e-11, 250},
	} {
		f, log := recorded(func(x, g []float64) (v float64) {
			v, g[0] = c.f(x[0])
			g[1] = x[1]
			return v + x[1]*x[1]/2
		})
		r, err := lbfgs.Minimize(t.Context(), f, []float64{c.x0, 1}, lbfgs.Options{Progress: func(p lbfgs.Progress) bool {
			if p.Iteration == 1 && p.Evaluations > 1+20 {
				t.Errorf("%s: %d evaluations in the first step, want at most 20", c.name, p.Evaluations-1)
			}
			return true
		}})
		if err != nil || !(math.Abs(r.X[0]-c.want) <= c.within) || r.Evaluations > c.most {
			t.Errorf("%s: X = %v, want %v; %v after %d iterations, %d evaluations; error %v", c.name, r.X, c.want, r.Status, r.Iterations, r.Evaluations, err)
		}
		checkBest(t, c.name, r, *log)
		for i, p := range r.State.S {
			if !(inner(p, r.State.Y[i]) > 0) {
				t.Errorf("%s: pair %d has the product %v", c.name, i, inner(p, r.State.Y[i]))
			}
		}
	}
}

func TestEndsAtOnce(t *testing.T) {
	constant := func(x, g []float64) float64 { clear(g); return 7 }
	for _, c := range []struct {
		name   string
		f      lbfgs.Objective
		x0     []float64
		o      lbfgs.Options
		status lbfgs.Status
	}{
		{"n = 0", constant, []float64{}, lbfgs.Options{}, lbfgs.GradientConverged},
		{"n = 0, nil", constant, nil, lbfgs.Options{}, lbfgs.GradientConverged},
		{"n = 0, no tolerance", constant, nil, lbfgs.Options{GradTolerance: -1, RelativeDecrease: -1}, lbfgs.GradientConverged},
		{"constant, n = 1", constant, []float64{3}, lbfgs.Options{}, lbfgs.GradientConverged},
		{"constant, no tolerance", constant, []float64{3, 4}, lbfgs.Options{GradTolerance: -1, RelativeDecrease: -1}, lbfgs.GradientConverged},
		{"minimum of a parabola", quadratic(1, 1, 1), []float64{1}, lbfgs.Options{GradTolerance: -1}, lbfgs.GradientConverged},
		{"minimum of a quadratic", quadratic(5, 5, 100), repeat(5, 1), lbfgs.Options{GradTolerance: -1}, lbfgs.GradientConverged},
		{"minimum of Rosenbrock", rosenbrockObjective, repeat(6, 1), lbfgs.Options{}, lbfgs.GradientConverged},
		{"within the tolerance", quadratic(1, 1, 1), []float64{1 + 1e-3}, lbfgs.Options{GradTolerance: 1.1e-3}, lbfgs.GradientConverged},
		{"budget of one", rosenbrockObjective, []float64{-1.2, 1}, lbfgs.Options{MaxEvaluations: 1}, lbfgs.EvaluationLimit},
	} {
		f, log := recorded(c.f)
		r, err := lbfgs.Minimize(t.Context(), f, c.x0, c.o)
		if err != nil || r.Status != c.status || r.Iterations != 0 || len(*log) != 1 || !sameBits(r.X, c.x0) {
			t.Errorf("%s: %v after %d iterations and %d calls at %v, error %v", c.name, r.Status, r.Iterations, len(*log), r.X, err)
		}
	}
	for _, condition := range []float64{1, 1e6} { // n = 1 away from the minimum
		r, err := lbfgs.Minimize(t.Context(), quadratic(1, 1, condition), []float64{-5}, lbfgs.Options{})
		if err != nil || !(math.Abs(r.X[0]-1) <= 1e-6) {
			t.Errorf("n = 1: X = %v, want 1; error %v", r.X, err)
		}
	}
}

// noisy adds to f and every gradient entry noise of the given size, a fixed function of
// the bits of x.
func noisy(f lbfgs.Objective, size float64, seed uint64) lbfgs.Objective {
	return func(x, g []float64) float64 {
		v := f(x, g)
		h := seed
		for _, xi := range x {
			h = (h ^ math.Float64bits(xi)) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		r := rand.New(rand.NewPCG(h, seed))
		for i := range g {
			g[i] += size * r.NormFloat64()
		}
		return v + size*r.NormFloat64()
	}
}

// Under noise, and down a concave slope to a wall, every pair kept has positive
// curvature and γ is finite; a pair without it leaves no trace.
func TestCurvatureSkip(t *testing.T) {
	check := func(name string, s *lbfgs.State) {
		if !(s.Gamma > 0) || math.IsInf(s.Gamma, 0) || len(s.S) != len(s.Y) {
			t.Errorf("%s: γ = %v, %d and %d pairs", name, s.Gamma, len(s.S), len(s.Y))
		}
		for i := range s.S {
			ss, sy, yy := inner(s.S[i], s.S[i]), inner(s.S[i], s.Y[i]), inner(s.Y[i], s.Y[i])
			if !(sy > 0x1p-50*math.Sqrt(ss*yy)) {
				t.Errorf("%s: pair %d has the product %v for lengths %v and %v", name, i, sy, math.Sqrt(ss), math.Sqrt(yy))
			}
		}
	}
	for seed := range uint64(20) {
		name := fmt.Sprint("noise ", seed)
		f, log := recorded(noisy(quadratic(10, 10, 1e3), 1e-8, seed))
		var s lbfgs.State
		r, err := lbfgs.Minimize(t.Context(), f, make([]float64, 10), lbfgs.Options{
			GradTolerance: 1e-12, Noise: []float64{0, 1e-8, 1}[seed%3], MaxEvaluations: 2000,
			Progress: func(p lbfgs.Progress) bool {
				p.Save(&s)
				check(name, &s)
				return true
			},
		})
		// The gradient's noise of 1e-8 moves x by 1e-8·condition along the flattest axis and
		// f by 1e-16·condition; the value's noise hides 1e-8.
		if err != nil || !(r.F <= 1e-7) {
			t.Errorf("%s: f = %v after %d iterations: %v, error %v", name, r.F, r.Iterations, r.Status, err)
		}
		checkBest(t, name, r, *log)
	}

	hill := func(x, g []float64) float64 {
		g[0] = -2 * x[0]
		if x[0] > 10 {
			return math.NaN()
		}
		return -x[0] * x[0]
	}
	var gammas []float64
	r, err := lbfgs.Minimize(t.Context(), hill, []float64{1}, lbfgs.Options{InitialStep: 1, MaxIterations: 3, Progress: func(p lbfgs.Progress) bool {
		var s lbfgs.State
		p.Save(&s)
		gammas = append(gammas, s.Gamma)
		if len(s.S) != 0 || p.Wolfe {
			t.Errorf("concave: iteration %d kept %d pairs, Wolfe = %v", p.Iteration, len(s.S), p.Wolfe)
		}
		return true
	}})
	if err != nil || len(gammas) == 0 || gammas[len(gammas)-1] != 0.5 {
		t.Errorf("concave: γ = %v, want the first one, 1/|f′| = 0.5; %v, error %v", gammas, r.Status, err)
	}
}

// trace runs a problem and returns the bits of every accepted point.
type trace struct {
	points [][]float64
	result lbfgs.Result
}

func run(t *testing.T, f lbfgs.Objective, x0 []float64, o lbfgs.Options) trace {
	t.Helper()
	var tr trace
	inner := o.Progress
	o.Progress = func(p lbfgs.Progress) bool {
		tr.points = append(tr.points, append(clone(p.X), p.F))
		return inner == nil || inner(p)
	}
	var err error
	if tr.result, err = lbfgs.Minimize(t.Context(), f, x0, o); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (a trace) differs(b trace) string {
	if len(a.points) != len(b.points) {
		return fmt.Sprintf("%d steps and %d", len(a.points), len(b.points))
	}
	for i := range a.points {
		if !sameBits(a.points[i], b.points[i]) {
			return fmt.Sprintf("step %d leads to %v and %v", i, a.points[i], b.points[i])
		}
	}
	bits := cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
	return cmp.Diff(a.result, b.result, bits, cmpopts.IgnoreFields(lbfgs.Result{}, "State"))
}

// reload sends a state through a file format.
func reload(t *testing.T, s *lbfgs.State, useGob bool) *lbfgs.State {
	t.Helper()
	var (
		buffer bytes.Buffer
		back   lbfgs.State
		err    error
	)
	if useGob {
		if err = gob.NewEncoder(&buffer).Encode(s); err == nil {
			err = gob.NewDecoder(&buffer).Decode(&back)
		}
	} else {
		if err = json.NewEncoder(&buffer).Encode(s); err == nil {
			err = json.NewDecoder(&buffer).Decode(&back)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return &back
}

func resumeProblems() []problem {
	all := mghProblems()
	return []problem{all[0], all[2], all[6], all[13], all[15], all[17]} // helical valley, Gaussian, Watson, Rosenbrock, Beale, Chebyquad
}

// scaled is c·f.
func scaled(f lbfgs.Objective, c float64) lbfgs.Objective {
	return func(x, g []float64) float64 {
		v := f(x, g)
		for i := range g {
			g[i] *= c
		}
		return v * c
	}
}

// flat is 7 + 2⁻⁶⁰·f, in which rounding leaves of f only the gradient.
func flat(f lbfgs.Objective) lbfgs.Objective {
	small := scaled(f, 0x1p-60)
	return func(x, g []float64) float64 {
		small(x, g)
		return 7
	}
}

func TestResumeGivesSameBits(t *testing.T) {
	type row struct {
		name string
		f    func() lbfgs.Objective
		x0   []float64
		o    lbfgs.Options
	}
	var rows []row
	for _, p := range resumeProblems() {
		rows = append(rows,
			row{p.name, p.objective, p.from(1), lbfgs.Options{Memory: 5, GradTolerance: p.tolerance}},
			row{p.name + " to the floor", p.objective, p.from(1), lbfgs.Options{GradTolerance: -1}})
	}
	for most := 4; most <= 12; most++ { // the gradient, which alone tells the best point here, falls unevenly
		rows = append(rows, row{fmt.Sprint("flat, ", most, " steps"), func() lbfgs.Objective { return flat(quadratic(5, 5, 100)) }, make([]float64, 5),
			lbfgs.Options{GradTolerance: -1, RelativeDecrease: -1, MaxIterations: most}})
	}
	for _, c := range rows {
		whole := run(t, c.f(), c.x0, c.o)
		resume := func(first trace, s *lbfgs.State) trace {
			rest := c.o
			rest.InitialState = s
			second := run(t, c.f(), nil, rest)
			second.points = append(first.points, second.points...)
			return second
		}
		for k := 1; k < whole.result.Iterations; k++ {
			stop := c.o
			stop.Progress = func(p lbfgs.Progress) bool { return p.Iteration < k }
			first := run(t, c.f(), c.x0, stop)
			if first.result.Status != lbfgs.Stopped || len(first.points) != k {
				t.Errorf("%s: %v after %d steps, want stopped after %d", c.name, first.result.Status, len(first.points), k)
			}
			if d := whole.differs(resume(first, reload(t, first.result.State, k%2 == 0))); d != "" {
				t.Errorf("%s, stopped at step %d: %s", c.name, k, d)
			}
		}
		for k := 1; k < whole.result.Evaluations; k++ { // also within a line search
			stop := c.o
			stop.MaxEvaluations = k
			first := run(t, c.f(), c.x0, stop)
			if d := whole.differs(resume(first, first.result.State)); d != "" {
				t.Errorf("%s, stopped at call %d: %s", c.name, k, d)
			}
		}
	}
}

// A state with more pairs than the memory may hold gives its newest ones.
func TestResumeWithLessMemory(t *testing.T) {
	s := run(t, rosenbrockObjective, []float64{-1.2, 1}, lbfgs.Options{MaxIterations: 15}).result.State
	less := run(t, rosenbrockObjective, nil, lbfgs.Options{MaxIterations: 15, Memory: 3, InitialState: s}).result.State
	if len(s.S) != 10 || len(less.S) != 3 || len(less.Y) != 3 {
		t.Fatalf("%d pairs, then %d and %d, want 10, then 3", len(s.S), len(less.S), len(less.Y))
	}
	for i := range 3 {
		if !sameBits(less.S[i], s.S[7+i]) || !sameBits(less.Y[i], s.Y[7+i]) {
			t.Errorf("pair %d is not pair %d of the longer memory", i, 7+i)
		}
	}
	if less.Gamma != s.Gamma {
		t.Errorf("γ = %v, want %v", less.Gamma, s.Gamma)
	}
}

// A run that starts from the pairs of another, a little away from where that was
// cut short, is ahead of one that starts without them.
func TestInitialPairs(t *testing.T) {
	f := quadratic(60, 40, 1e4)
	first := run(t, f, repeat(60, 3), lbfgs.Options{Memory: 20, MaxIterations: 40}).result
	moved := clone(first.X)
	for i := range moved {
		moved[i] += 1e-3 * math.Sin(float64(i))
	}
	short := lbfgs.Options{Memory: 20, MaxIterations: 5}
	without := run(t, f, moved, short).result
	short.InitialPairs = &lbfgs.State{S: first.State.S, Y: first.State.Y, Gamma: first.State.Gamma}
	logged, log := recorded(f)
	with := run(t, logged, moved, short).result
	if !(with.F < 0.95*without.F) || with.Iterations != 5 {
		t.Errorf("%g after %d steps with pairs, %g without", with.F, with.Iterations, without.F)
	}
	if x := (*log)[0].x; !sameBits(x, moved) {
		t.Errorf("the first point is %v", x)
	}
	alone := run(t, f, nil, lbfgs.Options{Memory: 20, InitialState: first.State}).result
	both := run(t, f, nil, lbfgs.Options{Memory: 20, InitialState: first.State, InitialPairs: with.State}).result
	if !sameBits(alone.X, both.X) {
		t.Error("pairs changed a run that continues from a state")
	}
}

// A run near the value 0 ends when f falls by less than Decrease in ten steps, and
// not before.
func TestDecrease(t *testing.T) {
	f := quadratic(60, 40, 1e8) // the least value is 0
	var values []float64
	o := lbfgs.Options{Memory: 3, GradTolerance: -1, Decrease: 1e-3, Progress: func(p lbfgs.Progress) bool {
		values = append(values, p.F)
		return true
	}}
	r, err := lbfgs.Minimize(t.Context(), f, repeat(60, 3), o)
	if err != nil || r.Status != lbfgs.Stalled {
		t.Fatalf("%v, error %v", r.Status, err)
	}
	for i := 10; i < len(values); i++ {
		if fell := values[i-10] - values[i]; (fell <= 1e-3) != (i == len(values)-1) {
			t.Errorf("step %d of %d: fell by %g", i+1, len(values), fell)
		}
	}
	o.Decrease = 0
	if longer, err := lbfgs.Minimize(t.Context(), f, repeat(60, 3), o); err != nil || longer.Iterations <= r.Iterations {
		t.Errorf("%d steps with the limit, %d without, error %v", r.Iterations, longer.Iterations, err)
	}
}

func TestDeterminism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var m lbfgs.Minimizer
	for _, p := range resumeProblems() {
		o := lbfgs.Options{GradTolerance: p.tolerance}
		want := run(t, p.objective(), p.from(1), o)
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			if d := want.differs(run(t, p.objective(), p.from(1), o)); d != "" {
				t.Errorf("%s, GOMAXPROCS %d: %s", p.name, threads, d)
			}
		}
		var reused trace // in memory that other problems have used
		o.Progress = func(p lbfgs.Progress) bool {
			reused.points = append(reused.points, append(clone(p.X), p.F))
			return true
		}
		var err error
		if reused.result, err = m.Minimize(t.Context(), p.objective(), p.from(1), o); err != nil {
			t.Fatal(err)
		}
		if d := want.differs(reused); d != "" {
			t.Errorf("%s, used Minimizer: %s", p.name, d)
		}
	}
}

func TestScaleInvariance(t *testing.T) {
	for _, p := range resumeProblems() {
		want := run(t, p.objective(), p.from(1), lbfgs.Options{GradTolerance: 1e-9})
		for _, k := range []int{-40, 40} {
			scale := math.Ldexp(1, k)
			got := run(t, scaled(p.objective(), scale), p.from(1), lbfgs.Options{GradTolerance: 1e-9 * scale})
			for _, point := range got.points {
				point[len(point)-1] /= scale
			}
			got.result.F /= scale
			for i := range got.result.Gradient {
				got.result.Gradient[i] /= scale
			}
			if d := want.differs(got); d != "" {
				t.Errorf("%s × 2^%d: %s", p.name, k, d)
			}
		}
	}
}

func TestMinimizerDoesNotAllocate(t *testing.T) {
	const n = 60
	var (
		m     lbfgs.Minimizer
		state lbfgs.State
		steps int
		f     = quadratic(n, n, 1e4)
		x0    = make([]float64, n)
		o     = lbfgs.Options{Progress: func(p lbfgs.Progress) bool { steps++; p.Save(&state); return true }}
		ctx   = t.Context()
	)
	solve := func() {
		if r, err := m.Minimize(ctx, f, x0, o); err != nil || r.Status != lbfgs.GradientConverged {
			t.Errorf("%v, error %v", r.Status, err)
		}
	}
	solve()
	if steps < 20 {
		t.Fatalf("only %d steps: the memory was not filled", steps)
	}
	if allocs := testing.AllocsPerRun(5, solve); allocs != 0 {
		t.Errorf("a run in used memory allocates %v times, want 0", allocs)
	}
	o.InitialState = &state
	if allocs := testing.AllocsPerRun(5, solve); allocs != 0 {
		t.Errorf("a continued run in used memory allocates %v times, want 0", allocs)
	}
}

// A result of a Minimizer may be the start of its next run.
func TestMinimizerFromItsOwnResult(t *testing.T) {
	var m lbfgs.Minimizer
	r, err := m.Minimize(t.Context(), rosenbrockObjective, []float64{-1.2, 1}, lbfgs.Options{MaxIterations: 7})
	if err != nil {
		t.Fatal(err)
	}
	x := clone(r.X)
	f, log := recorded(rosenbrockObjective)
	if r, err = m.Minimize(t.Context(), f, r.X, lbfgs.Options{}); err != nil || r.Status != lbfgs.GradientConverged || !sameBits((*log)[0].x, x) {
		t.Errorf("%v, first call at %v, want %v, error %v", r.Status, (*log)[0].x, x, err)
	}
}

func TestCancellation(t *testing.T) {
	for k := range 40 { // cancelled before the start, and during call k
		ctx, cancel := context.WithCancel(t.Context())
		if k == 0 {
			cancel()
		}
		calls := 0
		f, log := recorded(func(x, g []float64) float64 {
			if calls++; calls == k {
				cancel()
			}
			return rosenbrockObjective(x, g)
		})
		r, err := lbfgs.Minimize(ctx, f, []float64{-1.2, 1}, lbfgs.Options{})
		if !errors.Is(err, context.Canceled) || r.Status != lbfgs.Cancelled || len(*log) != k {
			t.Errorf("cancelled in call %d: %v after %d calls, error %v", k, r.Status, len(*log), err)
		}
		if k > 0 {
			checkBest(t, fmt.Sprintf("cancelled in call %d", k), r, *log)
			rest, err := lbfgs.Minimize(t.Context(), rosenbrockObjective, nil, lbfgs.Options{InitialState: r.State})
			if err != nil || rest.Status != lbfgs.GradientConverged {
				t.Errorf("continued after call %d: %v, error %v", k, rest.Status, err)
			}
		} else if !math.IsNaN(r.F) || !sameBits(r.X, []float64{-1.2, 1}) || r.State != nil {
			t.Errorf("cancelled before the start: X = %v, F = %v, state %v", r.X, r.F, r.State)
		}
		cancel()
	}
}

func TestProgress(t *testing.T) {
	for stop := 1; stop <= 20; stop++ {
		var seen []lbfgs.Progress
		f, log := recorded(rosenbrockObjective)
		r, err := lbfgs.Minimize(t.Context(), f, []float64{-1.2, 1}, lbfgs.Options{Progress: func(p lbfgs.Progress) bool {
			last := (*log)[len(*log)-1]
			if p.Evaluations != len(*log) || p.Wolfe && !sameBits(p.X, last.x) || p.GradNorm != maxAbs(p.Gradient) || !(p.Step > 0) {
				t.Errorf("progress %+v after call %+v", p, last)
			}
			seen = append(seen, p)
			return len(seen) < stop
		}})
		if err != nil || r.Status != lbfgs.Stopped || len(seen) != stop || r.Iterations != stop || seen[stop-1].Iteration != stop {
			t.Errorf("stopped at step %d: %v after %d steps, error %v", stop, r.Status, r.Iterations, err)
		}
		checkBest(t, "stopped", r, *log)
	}
}

func TestLimits(t *testing.T) {
	for _, most := range []int{1, 2, 5, 20} {
		r, err := lbfgs.Minimize(t.Context(), rosenbrockObjective, []float64{-1.2, 1}, lbfgs.Options{MaxIterations: most})
		if err != nil || r.Status != lbfgs.IterationLimit || r.Iterations != most {
			t.Errorf("MaxIterations %d: %v after %d, error %v", most, r.Status, r.Iterations, err)
		}
	}
	// f falls by a factor per step towards 1: a stall in the 10-step window, well before
	// the gradient is small enough.
	f := quadratic(30, 30, 100)
	shifted := func(x, g []float64) float64 { return 1 + f(x, g) }
	r, err := lbfgs.Minimize(t.Context(), shifted, make([]float64, 30), lbfgs.Options{GradTolerance: -1, RelativeDecrease: 1e-4})
	if err != nil || r.Status != lbfgs.Stalled || !(r.F-1 < 1e-3) || r.Iterations < 11 {
		t.Errorf("RelativeDecrease: %v at f = %v after %d iterations, error %v", r.Status, r.F, r.Iterations, err)
	}
	// A gradient of the wrong sign: nothing to find in any direction.
	wrong := func(x, g []float64) float64 { g[0] = -2 * x[0]; return x[0] * x[0] }
	if r, err := lbfgs.Minimize(t.Context(), wrong, []float64{1}, lbfgs.Options{}); err != nil || r.Status != lbfgs.SearchFailed || r.X[0] != 1 {
		t.Errorf("wrong gradient: %v at %v, error %v", r.Status, r.X, err)
	}
}

// Gradients from 1e-150 to 1e150: the first trial point is a distance of InitialStep
// away, and the scale of f is found.
func TestFirstStep(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e-150, 1e-20, 1e-3, 1, 1e3, 1e20, 1e150} {
		for _, first := range []float64{0, 1e-3, 50} {
			f, log := recorded(scaled(quadratic(6, 6, 10), scale))
			r, err := lbfgs.Minimize(t.Context(), f, make([]float64, 6), lbfgs.Options{InitialStep: first, GradTolerance: 1e-6 * scale})
			if _, err := lbfgs.Minimize(t.Context(), f, nil, lbfgs.Options{InitialState: r.State, GradTolerance: 1e-6 * scale}); err != nil {
				t.Errorf("f × %v, InitialStep %v: continued: %v", scale, first, err)
			}
			want := first
			if first == 0 {
				want = 1
			}
			distance := math.Sqrt(inner((*log)[1].x, (*log)[1].x))
			if err != nil || !(math.Abs(distance-want) <= 1e-12*want) || r.Status != lbfgs.GradientConverged || r.Evaluations > 60 {
				t.Errorf("f × %v, InitialStep %v: first trial at distance %v, want %v; %v after %d evaluations, error %v", scale, first, distance, want, r.Status, r.Evaluations, err)
			}
		}
	}
}

// A first step below the rounding of x₀ is lengthened until it moves.
func TestFirstStepFromAfar(t *testing.T) {
	for _, x := range []float64{1e17, -1e30} {
		r, err := lbfgs.Minimize(t.Context(), quadratic(1, 1, 1), []float64{x}, lbfgs.Options{})
		if err != nil || !(math.Abs(r.X[0]-1) <= 1e-6) || r.Evaluations > 60 {
			t.Errorf("from %v: X = %v, want 1; %v after %d evaluations, error %v", x, r.X, r.Status, r.Evaluations, err)
		}
	}
}

// Asked for more than rounding allows, a run ends soon after the accuracy that it can
// reach. (Powell's singular function is left out: its minimum of zero, approached
// linearly, has no such floor.)
func TestRoundingFloor(t *testing.T) {
	for _, p := range mghProblems() {
		if p.number == 15 {
			continue
		}
		good, err := lbfgs.Minimize(t.Context(), p.objective(), p.from(1), lbfgs.Options{GradTolerance: min(p.tolerance, 1e-8)})
		if err != nil {
			t.Fatal(err)
		}
		last, err := lbfgs.Minimize(t.Context(), p.objective(), p.from(1), lbfgs.Options{GradTolerance: -1})
		if err != nil || last.F > good.F || last.Evaluations > good.Evaluations+80 {
			t.Errorf("%s: f = %v after %d calls, then %v after %d (%v), error %v", p.name, good.F, good.Evaluations, last.F, last.Evaluations, last.Status, err)
		}
	}
}

// Where rounding hides f, the slope leads: of equal values the one with the smaller
// gradient is returned.
func TestFlatValue(t *testing.T) {
	f, log := recorded(flat(quadratic(5, 5, 100)))
	r, err := lbfgs.Minimize(t.Context(), f, make([]float64, 5), lbfgs.Options{GradTolerance: 0x1p-80, RelativeDecrease: -1})
	least := math.Inf(1)
	for _, c := range *log {
		least = min(least, maxAbs(c.g))
	}
	if err != nil || r.Status != lbfgs.GradientConverged || maxAbs(r.Gradient) != least {
		t.Errorf("%v with max|∇f| = %v, least %v, error %v", r.Status, maxAbs(r.Gradient), least, err)
	}
}

// A start whose value rounding has made the lowest: the run ends at the minimum, but
// returns the start.
func TestLowestByRounding(t *testing.T) {
	for _, c := range []struct {
		name       string
		slope      lbfgs.Objective
		n          int
		kick       float64 // makes the gradient at the start large
		tolerance  float64
		iterations int
	}{
		{"gradient of zero", quadratic(1, 1, 1), 1, 0, -1, 1},
		{"small gradient", quadratic(10, 10, 1e4), 10, 1e4, 1e3 * 0x1p-60, 10},
	} {
		slope := scaled(c.slope, 0x1p-60)
		f := func(x, g []float64) float64 {
			slope(x, g)
			if maxAbs(x) == 0 {
				g[0] -= c.kick * 0x1p-60
				return 1
			}
			return 1 + 4*0x1p-52
		}
		r, err := lbfgs.Minimize(t.Context(), f, make([]float64, c.n), lbfgs.Options{GradTolerance: c.tolerance, RelativeDecrease: -1})
		if err != nil || r.Status != lbfgs.Stalled || r.Iterations != c.iterations || r.F != 1 || maxAbs(r.X) != 0 {
			t.Errorf("%s: %v after %d iterations at f = %v, X = %v, error %v", c.name, r.Status, r.Iterations, r.F, r.X, err)
		}
	}
}

// A value that rises by 0.4 of Noise per call, while the gradient promises descent,
// cannot climb by more than Noise in ten steps.
func TestNoiseDoesNotAddUp(t *testing.T) {
	const noise = 1e-9
	slope := scaled(quadratic(10, 10, 1e4), 1e-10)
	f, log := recorded(slope)
	rising := func(x, g []float64) float64 {
		f(x, g)
		return 1 + float64(0.4*noise*float64(len(*log)))
	}
	var values []float64
	_, err := lbfgs.Minimize(t.Context(), rising, make([]float64, 10), lbfgs.Options{
		Noise: noise, GradTolerance: -1, RelativeDecrease: -1,
		Progress: func(p lbfgs.Progress) bool {
			if values = append(values, p.F); p.F > 1+0.4*noise+1.01*noise {
				t.Errorf("iteration %d: f = %v", p.Iteration, p.F)
			}
			return true
		},
	})
	if err != nil || len(values) < 2 {
		t.Errorf("steps to %v, want at least two upward; error %v", values, err)
	}
}

// Unbounded functions: the walk ends, and the objective never sees an overflow.
func TestUnbounded(t *testing.T) {
	linear := func(x, g []float64) float64 { g[0], g[1] = 0.25, -0.5; return x[0]/4 - x[1]/2 }
	for name, f := range map[string]lbfgs.Objective{
		"linear":                   linear,
		"linear, first step 1e306": linear,
		"cubic":                    func(x, g []float64) float64 { g[0], g[1] = 3*x[0]*x[0], 2*x[1]; return x[0]*x[0]*x[0] + x[1]*x[1] },
		"exponential": func(x, g []float64) float64 {
			g[0], g[1] = -math.Exp(x[0]), 0
			return -math.Exp(x[0])
		},
	} {
		f, log := recorded(f)
		o := lbfgs.Options{MaxEvaluations: 3000}
		if strings.HasSuffix(name, "1e306") {
			o.InitialStep = 1e306
		}
		r, err := lbfgs.Minimize(t.Context(), f, []float64{-1, 1}, o)
		if err != nil || !(r.F < -1e25) {
			t.Errorf("%s: f = %v, %v after %d evaluations, error %v", name, r.F, r.Status, r.Evaluations, err)
		}
		for i, c := range *log {
			if !(maxAbs(c.x) <= math.MaxFloat64) {
				t.Errorf("%s: call %d at %v", name, i, c.x)
			}
		}
		checkBest(t, name, r, *log)
	}
}

func TestRefusals(t *testing.T) {
	ok := func(x, g []float64) float64 { return rosenbrockObjective(x, g) }
	good := run(t, ok, []float64{-1.2, 1}, lbfgs.Options{MaxIterations: 12}).result.State
	broken := func(damage func(s *lbfgs.State)) lbfgs.Options {
		s := reload(t, good, true)
		damage(s)
		return lbfgs.Options{InitialState: s}
	}
	state := new(*lbfgs.StateError)
	option := new(*lbfgs.OptionError)
	value := new(*lbfgs.NonFiniteError)
	nan := math.NaN()
	for _, c := range []struct {
		f    lbfgs.Objective
		x0   []float64
		o    lbfgs.Options
		kind any
		want string // a part of the message
	}{
		{ok, []float64{0, nan}, lbfgs.Options{}, value, "x0: entry 1 is NaN"},
		{ok, []float64{math.Inf(-1), 0}, lbfgs.Options{}, value, "x0: entry 0 is -Inf"},
		{func(x, g []float64) float64 { clear(g); return nan }, []float64{0, 0}, lbfgs.Options{}, value, "objective at x0 is NaN"},
		{func(x, g []float64) float64 { g[0] = 1; return 1 }, []float64{0, 0}, lbfgs.Options{}, value, "gradient at x0: entry 1 is NaN"},
		{ok, []float64{0, 0}, lbfgs.Options{Memory: -1}, option, "Options.Memory is -1"},
		{ok, []float64{0, 0}, lbfgs.Options{MaxIterations: -2}, option, "Options.MaxIterations is -2"},
		{ok, []float64{0, 0}, lbfgs.Options{MaxEvaluations: -3}, option, "Options.MaxEvaluations is -3"},
		{ok, []float64{0, 0}, lbfgs.Options{GradTolerance: nan}, option, "Options.GradTolerance is NaN"},
		{ok, []float64{0, 0}, lbfgs.Options{RelativeDecrease: math.Inf(1)}, option, "Options.RelativeDecrease is +Inf"},
		{ok, []float64{0, 0}, lbfgs.Options{Noise: nan}, option, "Options.Noise is NaN"},
		{ok, []float64{0, 0}, lbfgs.Options{C1: -0.1}, option, "Options.C1 is -0.1"},
		{ok, []float64{0, 0}, lbfgs.Options{C1: 0.5, C2: 0.4}, option, "Options.C2 is 0.4"},
		{ok, []float64{0, 0}, lbfgs.Options{C2: 1}, option, "Options.C2 is 1"},
		{ok, []float64{0, 0}, lbfgs.Options{InitialStep: -1}, option, "Options.InitialStep is -1"},
		{ok, []float64{0, 0}, lbfgs.Options{Decrease: -1}, option, "Options.Decrease is -1"},
		{ok, []float64{0, 0}, lbfgs.Options{Decrease: nan}, option, "Options.Decrease is NaN"},
		{ok, []float64{0, 0, 0}, lbfgs.Options{InitialPairs: good}, state, "State.S[0]: 2 entries, want 3"},
		{ok, []float64{0, 0}, lbfgs.Options{InitialPairs: &lbfgs.State{}}, state, "State.Gamma: 0"},
		{ok, []float64{0, 0, 0}, lbfgs.Options{InitialState: good}, state, "State.X: 2 entries, want 3"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Gradient = s.Gradient[:1] }), state, "State.Gradient: 1 entries, want 2"},
		{ok, nil, broken(func(s *lbfgs.State) { s.BestX[1] = nan }), state, "State.BestX: entry 1 is NaN"},
		{ok, nil, broken(func(s *lbfgs.State) { s.BestGradient = nil }), state, "State.BestGradient: 0 entries"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Y = s.Y[1:] }), state, "State.Y: 9 rows, want 10"},
		{ok, nil, broken(func(s *lbfgs.State) { s.S[3] = s.S[3][:1] }), state, "State.S[3]: 1 entries, want 2"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Y[4][0] = nan }), state, "State.Y[4]: entry 0 is NaN"},
		{ok, nil, broken(func(s *lbfgs.State) { clear(s.Y[2]) }), state, "State.S[2]: product with Y[2] is 0"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Gamma = 0 }), state, "State.Gamma: 0"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Recent = nil }), state, "State.Recent: 0 entries, want 1 to 11"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Recent = repeat(12, s.F) }), state, "State.Recent: 12 entries"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Recent[0] = nan }), state, "State.Recent: entry 0 is NaN"},
		{ok, nil, broken(func(s *lbfgs.State) { s.F++ }), state, "State.F"},
		{ok, nil, broken(func(s *lbfgs.State) { s.BestF = s.F + 1 }), state, "State.BestF"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Iterations = -1 }), state, "State.Iterations: -1"},
		{ok, nil, broken(func(s *lbfgs.State) { s.Evaluations = 0 }), state, "State.Evaluations: 0"},
	} {
		r, err := lbfgs.Minimize(t.Context(), c.f, c.x0, c.o)
		if err == nil || !errors.As(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want a %T with %q", err, c.kind, c.want)
		}
		if c.x0 != nil && !sameBits(r.X, c.x0) {
			t.Errorf("%s: X = %v, want x0 = %v", c.want, r.X, c.x0)
		}
	}
}

// The first step has the length that is asked for, however large or small the gradient is.
func TestFirstStepOfAnySize(t *testing.T) {
	for _, size := range []float64{1e-300, 1e-160, 1, 1e160, 1e300} {
		var points [][]float64
		f := func(x, g []float64) float64 {
			points = append(points, append([]float64(nil), x...))
			g[0], g[1] = 0.6*size, 0.8*size
			return size * (0.6*x[0] + 0.8*x[1])
		}
		lbfgs.Minimize(context.Background(), f, []float64{0, 0}, lbfgs.Options{InitialStep: 0.25, MaxEvaluations: 2, GradTolerance: 1e-310})
		if len(points) != 2 {
			t.Errorf("gradient of %g: %d points, want 2", size, len(points))
			continue
		}
		if d := math.Hypot(points[1][0], points[1][1]); !(math.Abs(d-0.25) <= 1e-14) {
			t.Errorf("gradient of %g: the first step has the length %g, want 0.25", size, d)
		}
	}
}

// Without a context nothing is cancelled, and the result is the same.
func TestWithoutContext(t *testing.T) {
	f := func(x, g []float64) float64 {
		g[0], g[1] = 4*x[0]*x[0]*x[0]-2*x[1], 2*x[1]-2*x[0]
		return x[0]*x[0]*x[0]*x[0] - 2*x[0]*x[1] + x[1]*x[1]
	}
	want, err := lbfgs.Minimize(context.Background(), f, []float64{3, -2}, lbfgs.Options{MaxEvaluations: 15})
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	got, err := lbfgs.Minimize(none, f, []float64{3, -2}, lbfgs.Options{MaxEvaluations: 15})
	if err != nil || got.F != want.F || got.Status != want.Status || got.Evaluations != want.Evaluations {
		t.Errorf("%+v, %v, with a context %+v", got, err, want)
	}
}
