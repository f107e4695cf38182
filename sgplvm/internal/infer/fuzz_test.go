package infer_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// FuzzFormulas tries one of the laws below.
func FuzzFormulas(f *testing.F) {
	fuzz.OneOf(f, tryEvidence, tryState, tryEffective, tryResiduals)
}

// power draws 10^k, k from −most to most.
func power(s *fuzz.Source, most int) float64 { return math.Pow(10, float64(s.IntN(2*most+1)-most)) }

func numbers(s *fuzz.Source, n int, draw func() float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = draw()
	}
	return v
}

// evidence draws L* of d latent dimensions, whose data leave a square of 100 or more.
func evidence(s *fuzz.Source, d int) *infer.Evidence {
	m := 1 + s.IntN(4)
	z, g := fuzz.Normal(s, m, d), fuzz.Normal(s, m, m)
	half := g.Clone()
	mat.Mul(g, -0.1, half, half.T(), 0)
	positive := func() float64 { return 0.3 + s.Float64() }
	var st psi.Statistics
	k := psi.Kernel{Parts: []psi.Part{&psi.RBF{Variance: positive(), LengthScale: numbers(s, d, positive)}}}
	if s.Bool() {
		k.Parts = append(k.Parts, &psi.Linear{Variance: numbers(s, d, positive)})
	}
	st.Set(k, psi.Inducing{Z: z})
	v := &infer.Evidence{Constant: s.NormFloat64(), Square: -100 - 100*s.Float64()}
	v.Form = new(psi.Form)
	st.SetForm(v.Form, -s.Float64(), numbers(s, m, s.NormFloat64), g, nil)
	if s.Bool() {
		v.Prior = &psi.Normal{Mean: numbers(s, d, s.NormFloat64), Variance: numbers(s, d, positive)}
	}
	return v
}

// The slopes of L* are those of differences; the best q(x) is better than where the search began, and a start without
// a number is refused.
func tryEvidence(t *testing.T, s *fuzz.Source) {
	d := 1 + s.IntN(3)
	v := evidence(s, d)
	mu, variance := numbers(s, d, s.NormFloat64), numbers(s, d, func() float64 { return 0.1 + s.Float64() })
	var scratch psi.Scratch
	value := func() float64 { return v.At(&scratch, mu, variance, nil, nil) }
	dmu, ds := make([]float64, d), make([]float64, d)
	start := v.At(&scratch, mu, variance, dmu, ds)
	compare.NearOne(t, "L* beside its slopes", start, value(), 1e-14)
	compare.CheckGradient(t, func(i int) string { return "μ, S" }, compare.Pointers(mu, variance), slices.Concat(dmu, ds), value)

	w := infer.NewOptimiser(d)
	best, err := w.Optimise(t.Context(), v, mu, variance, 1+s.IntN(30))
	if err != nil {
		t.Fatal(err)
	}
	compare.NearOne(t, "L* at what was found", best, value(), 1e-12)
	if !(best >= start-1e-9*max(1, math.Abs(start))) {
		t.Errorf("L* %v, where the search began %v", best, start)
	}
	mu[s.IntN(d)] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[s.IntN(3)]
	var refused *lbfgs.NonFiniteError
	if _, err := w.Optimise(t.Context(), v, mu, variance, 5); !errors.As(err, &refused) {
		t.Errorf("from means %v: error %v", mu, err)
	}
}

// A stream says of the next instant what the joint Gaussian of all instants says that is conditioned step by step.
func tryState(t *testing.T, s *fuzz.Source) {
	d, text := 1+s.IntN(2), ""
	kernels, systems := make([]kernel.Kernel, d), []kernel.System(nil)
	for q := range kernels {
		if q == 0 || s.IntN(2) == 1 {
			text = []string{"matern32(2)", "matern12(3)", "matern52(1.5)", "0.3*matern12(1)+0.7*matern52(4)", "matern32(2)*matern12(5)"}[s.IntN(5)]
		}
		kernels[q] = reference.Parsed(t, text)
		system, _ := kernels[q].System()
		systems = append(systems, system)
	}
	if d == 1 || kernels[0].Equal(kernels[1]) {
		systems = systems[:1] // for all
	}
	state := infer.NewState(systems, d)
	steps := 1 + s.IntN(12)
	at := make([]float64, steps)
	for i := 1; i < steps; i++ {
		at[i] = at[i-1]
		if s.IntN(5) != 1 {
			at[i] += power(s, 1) * s.Float64()
		}
	}
	mean, joint := mat.New(d, steps), make([]mat.Matrix, d)
	for q := range joint {
		k := kernels[q]
		k.Variance = 1
		joint[q] = mat.New(steps, steps)
		for i, a := range at {
			for j, b := range at {
				joint[q].Set(i, j, reference.Covariance(k, []float64{a}, []float64{b}))
			}
		}
	}
	before := 0.0
	m, v := make([]float64, d), make([]float64, d)
	for i, now := range at {
		state.Ahead(m, v, now-before)
		before = now
		seen, unsure := make([]float64, d), make([]float64, d)
		for q := range d {
			compare.NearOne(t, text+": mean", m[q], mean.At(q, i), 1e-7)
			compare.NearOne(t, text+": variance", v[q], joint[q].At(i, i), 1e-7)
			seen[q], unsure[q] = m[q]+float64(math.Sqrt(v[q])*s.NormFloat64()), v[q]
			if v[q] > 1e-2 { // what is left of a variance has the rounding of 1
				unsure[q] *= []float64{0.01, 0.5, 0.99, 1, 2}[s.IntN(5)]
			}
			condition(mean.Row(q), joint[q], i, m[q], v[q], seen[q], unsure[q])
		}
		sites := make([]infer.Site, d)
		for q := range sites {
			sites[q] = infer.SiteOf(m[q], v[q], seen[q], unsure[q])
		}
		state.Update(m, v, sites)
	}
	state.Reset()
	state.Ahead(m, v, 1)
	for q := range d {
		compare.Near(t, text+": after all is forgotten", []float64{m[q], v[q]}, []float64{0, 1}, 1e-12)
	}
}

// condition gives component i, N(mean, variance) so far, another mean and no larger a variance, and all others what follows.
func condition(all []float64, joint mat.Matrix, i int, mean, variance, seen, unsure float64) {
	column := make([]float64, len(all))
	for j := range column {
		column[j] = joint.At(j, i)
	}
	known := max(0, variance-unsure) / (variance * variance)
	for j, c := range column {
		all[j] += c * (seen - mean) / variance
		for l, e := range column {
			joint.Set(j, l, joint.At(j, l)-float64(known*c*e))
		}
	}
}

// Weights of similar examples add up to 1, are the larger the nearer, and as many count as asked for; the order of the
// examples and the unit of distances do not matter.
func tryEffective(t *testing.T, s *fuzz.Source) {
	n, unit, number := 1+s.IntN(30), power(s, 8), 1+30*s.Float64()
	d := numbers(s, n, func() float64 { return unit * float64(s.IntN(4)) * s.Float64() })
	w := make([]float64, n)
	infer.Effective(w, d, number)
	var sum, squares float64
	for _, v := range w {
		sum, squares = sum+v, squares+float64(v*v)
	}
	if !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("weights %v add up to %v", w, sum)
	}
	nearest := 0.0 // as many examples lie nearest, and no fewer can count
	for _, v := range d {
		if v == slices.Min(d) {
			nearest++
		}
	}
	want := min(max(number, nearest), float64(n))
	if got := 1 / squares; number <= float64(n) && !(math.Abs(got-want) <= 1e-3*want) {
		t.Errorf("%v examples count of distances %v, want %v", got, d, want)
	}
	order := s.Perm(n)
	moved, scaled := make([]float64, n), make([]float64, n)
	for i, j := range order {
		moved[i] = math.Ldexp(d[j], 3)
	}
	infer.Effective(scaled, moved, number)
	for i, j := range order {
		compare.NearOne(t, "another order and unit", scaled[i], w[j], 1e-6)
		for k := range d {
			if d[j] < d[k] && w[j] < w[k] {
				t.Errorf("distances %v and %v have weights %v and %v", d[j], d[k], w[j], w[k])
			}
		}
	}
	white := unit * s.Float64()
	infer.Weights(w, d, 0.7, white)
	least := slices.Min(d)
	for i, v := range d {
		want := math.Exp(-(v - least) / (2 * 0.7 * 0.7 * max(least, white)))
		if v == least {
			want = 1
		}
		compare.NearOne(t, "weight by definition", w[i], want, 1e-12)
	}
}

// Leave-one-out residuals are those of conditioning each value on all others, and variances follow them alike in any unit.
func tryResiduals(t *testing.T, s *fuzz.Source) {
	n := 1 + s.IntN(8)
	half, r := fuzz.Normal(s, n, n), numbers(s, n, s.NormFloat64)
	c := reference.NewRows(n, n)
	for i := range n {
		for j := range n {
			c[i][j] = reference.Inner(half.Row(i), half.Row(j))
		}
		c[i][i] += 0.5
	}
	factor := reference.Cholesky(c)
	inverse, precision, z := reference.Inverse(factor), make([]float64, n), make([]float64, n)
	for i := range n {
		precision[i] = inverse[i][i]
	}
	mean, total := infer.LeaveOneOut(z, reference.Solve(factor, r), precision), 0.0
	for i := range n {
		var rest []int
		for j := range n {
			if j != i {
				rest = append(rest, j)
			}
		}
		own, cross, others := reference.NewRows(n-1, n-1), make([]float64, n-1), make([]float64, n-1)
		for a, j := range rest {
			for b, k := range rest {
				own[a][b] = c[j][k]
			}
			cross[a], others[a] = c[i][j], r[j]
		}
		l := reference.Cholesky(own)
		left, variance := r[i]-reference.Inner(cross, reference.Solve(l, others)), c[i][i]-reference.Inner(cross, reference.Solve(l, cross))
		compare.NearOne(t, "a leave-one-out residual", z[i], left*left/variance, 1e-9)
		total += z[i] / float64(n)
	}
	compare.NearOne(t, "their mean", mean, total, 1e-12)
	weights := numbers(s, n, s.Float64)
	near, again := make([]float64, n), make([]float64, n)
	for i, w := range weights {
		near[i], again[i] = w*z[i], 16*w*z[i]
	}
	infer.NearbyScale(near, weights, mean)
	infer.NearbyScale(again, weights, 16*mean)
	compare.Near(t, "in another unit", again, near, 1e-14)
	for i, v := range near {
		if largest := slices.Max(z) / mean; !(v >= 0 && v <= max(1, largest)*(1+1e-12)) {
			t.Errorf("scale %v of weight %v, residuals %v", v, weights[i], z)
		}
	}
	degrees, chi, telling := power(s, 2), power(s, 2), infer.StudentWeight(power(s, 2), power(s, 2))
	compare.NearOne(t, "as sure as expected", infer.StudentScale(degrees, float64(n), n, telling), 1, 1e-14)
	if a, b := infer.StudentScale(degrees, chi, n, telling), infer.StudentScale(degrees, 2*chi, n, telling); !(a > 0 && b > a && b < 2*a) {
		t.Errorf("scales %v and %v of χ = %v and its double", a, b, chi)
	}
	if infer.StudentScale(0, chi, n, telling) != 1 {
		t.Error("a Gaussian has a scale")
	}
}
