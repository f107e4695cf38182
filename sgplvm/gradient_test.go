package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// gradientShapes has every kernel kind, one to three spatial factors, tied and
// free inducing points, one and three channels, m_ξ = n_ξ and less, isotropic
// kernels and length scales per dimension, with jitter and without.
var gradientShapes = []modelShape{
	{examples: 5, inducing: 5, latent: 2, channels: 1, space: []factorShape{{points: 6, dims: 1, kind: Matern12}}},
	{examples: 5, inducing: 3, latent: 2, channels: 3, space: []factorShape{{points: 6, dims: 2, kind: Matern32, ard: true}}},
	{examples: 4, inducing: 2, latent: 1, channels: 1, jitter: 1e-4, space: []factorShape{{points: 6, dims: 2, kind: Matern52}}},
	{examples: 4, inducing: 4, latent: 3, channels: 3, jitter: 1e-4, space: []factorShape{{points: 5, dims: 2, kind: RBF, ard: true}}},
	{examples: 4, inducing: 3, latent: 2, channels: 1, space: []factorShape{{points: 4, dims: 1, kind: White}}},
	{examples: 4, inducing: 4, latent: 2, channels: 1, space: []factorShape{{points: 6, dims: 2, inducing: 4, kind: Matern12, ard: true}}},
	{examples: 5, inducing: 2, latent: 1, channels: 3, jitter: 1e-4, space: []factorShape{{points: 6, dims: 1, inducing: 3, kind: Matern32}}},
	{examples: 4, inducing: 3, latent: 2, channels: 1, jitter: 1e-4, space: []factorShape{{points: 6, dims: 2, inducing: 6, kind: Matern52, ard: true}}},
	{examples: 3, inducing: 3, latent: 2, channels: 3, space: []factorShape{{points: 7, dims: 2, inducing: 4, kind: RBF}}},
	{examples: 4, inducing: 3, latent: 2, channels: 1, space: []factorShape{{points: 3, dims: 1, kind: Matern32}, {points: 4, dims: 1, kind: RBF}}},
	{examples: 4, inducing: 4, latent: 2, channels: 3, jitter: 1e-4, space: []factorShape{{points: 3, dims: 1, inducing: 2, kind: Matern52}, {points: 4, dims: 1, kind: Matern12}}},
	{examples: 5, inducing: 2, latent: 1, channels: 1, space: []factorShape{{points: 4, dims: 2, kind: White}, {points: 3, dims: 1, inducing: 3, kind: Matern32}}},
	{examples: 3, inducing: 2, latent: 2, channels: 3, jitter: 1e-4, space: []factorShape{{points: 4, dims: 2, inducing: 3, kind: RBF, ard: true}, {points: 3, dims: 1, inducing: 2, kind: Matern12}}},
	{examples: 3, inducing: 3, latent: 2, channels: 1, space: []factorShape{{points: 2, dims: 1, kind: Matern32}, {points: 3, dims: 1, kind: Matern52}, {points: 2, dims: 2, kind: RBF}}},
	{examples: 4, inducing: 3, latent: 1, channels: 3, jitter: 1e-4, space: []factorShape{{points: 2, dims: 1, inducing: 2, kind: Matern32}, {points: 3, dims: 1, kind: White}, {points: 3, dims: 2, inducing: 2, kind: RBF, ard: true}}},
	{examples: 4, inducing: 2, latent: 2, channels: 1, jitter: 1e-4, space: []factorShape{{points: 3, dims: 1, kind: RBF}, {points: 3, dims: 1, inducing: 2, kind: Matern52}, {points: 2, dims: 1, kind: Matern12}}},
	{examples: 3, inducing: 1, latent: 1, channels: 1, space: []factorShape{{points: 6, dims: 1, kind: Matern32}, {points: 2, dims: 1, kind: RBF}}},
	{examples: 3, inducing: 2, latent: 2, channels: 1, space: []factorShape{{points: 2, dims: 1, kind: Matern52}, {points: 7, dims: 2, kind: Matern12, ard: true}}},
	{examples: 1, inducing: 1, latent: 1, channels: 1, space: []factorShape{{points: 1, dims: 1, kind: RBF}}},
	{examples: 20, inducing: 3, latent: 1, channels: 1, space: []factorShape{{points: 2, dims: 1, kind: Matern32}}},
	{examples: 2, inducing: 2, latent: 1, channels: 1, space: []factorShape{{points: 35, dims: 1, inducing: 2, kind: Matern32}}},
}

func init() {
	// Every other latent kernel with three of the shapes, m_ξ above its rank and not.
	for parts := LatentLinear; parts <= LatentRBF|LatentLinear|LatentBias; parts++ {
		for i := range 3 {
			gradientShapes = append(gradientShapes, gradientShapes[(5*int(parts)+4*i)%21].of(parts))
		}
	}
	// Structured residuals, of all kinds and over spatial kernels of all kinds.
	for i, kind := range []KernelKind{Matern12, Matern32, Matern52, RBF, Matern32} {
		gradientShapes = append(gradientShapes, modelShape{examples: 4, inducing: 3, latent: 2, channels: 1 + i%3, jitter: 1e-6, residual: kind,
			space: []factorShape{{points: 5 + i, dims: 1 + i%2, kind: KernelKinds[i], ard: i%2 == 1}}})
	}
	// Dynamical priors, one of them beside a structured residual.
	for i, kernel := range []string{"matern12", "matern32", "matern52", "rbf", "periodic", "rbf*periodic+matern12", "0.2*matern32(0.8)+0.5*matern52(2)*(rbf+periodic(3))+0.3*rbf(4)", "0.4*matern32*matern12+0.6*matern52"} {
		gradientShapes = append(gradientShapes, modelShape{examples: 6, inducing: 2 + i%2, latent: 1 + i%2, channels: 1, jitter: 1e-6, time: kernel, sequences: 1 + i%3,
			residual: map[int]KernelKind{2: Matern32}[i], space: []factorShape{{points: 5, dims: 1, kind: Matern32}}})
	}
	// Latent kernels with a time part, of its own kernel, beside every other part and alone.
	for i, kernel := range []string{"matern12", "0.3*matern32+0.7*rbf*periodic", "matern52", "rbf", "matern32", "matern12", "matern32", "matern52"} {
		gradientShapes = append(gradientShapes, modelShape{examples: 5, inducing: 3 + i%3, latent: 1 + i%2, channels: 1 + i%2, jitter: 1e-3, time: "matern32", sequences: 1 + i%2,
			timePart: kernel, parts: LatentTime | LatentParts(i), space: []factorShape{{points: 4, dims: 1, kind: Matern32, inducing: 3 * (i % 2)}}})
	}
}

// checkGradient compares grad with central differences of f in every
// coordinate of x. With h = 1e-5 the differences have an error of h² times the
// third derivative and of ε·|f|/h, which the two terms of the tolerance cover.
func checkGradient(t *testing.T, name func(i int) string, x, grad []float64, f func() float64) {
	t.Helper()
	value := f()
	for i, at := range x {
		h := 1e-5 * max(1, math.Abs(at))
		x[i] = at + h
		high := f()
		x[i] = at - h
		low := f()
		x[i] = at
		if d := math.Abs((high-low)/(2*h) - grad[i]); !(d <= 1e-6*max(1, math.Abs(grad[i]))+1e-10*math.Abs(value)) {
			t.Errorf("%s: derivative %v, differences give %v", name(i), grad[i], (high-low)/(2*h))
		}
	}
}

// natural lists all parameters of p, whose latent kernel has the given parts, as
// slices that share them, with names; the scalars are copied, and set puts the
// copies back.
func natural(p *Params, parts LatentParts) (names []string, values [][]float64, set func()) {
	add := func(name string, v []float64) {
		names, values = append(names, name), append(values, v)
	}
	var scalars []*float64
	var copies [][]float64
	addScalar := func(name string, v *float64) {
		scalars, copies = append(scalars, v), append(copies, one(*v))
		add(name, copies[len(copies)-1])
	}
	addScalar("β", &p.Beta)
	if parts&LatentRBF != 0 {
		addScalar("latent variance", &p.Latent.Variance)
	}
	if parts&LatentBias != 0 {
		addScalar("bias", &p.Latent.Bias)
	}
	add("latent length scale", p.Latent.LengthScale)
	add("linear variance", p.Latent.Linear)
	if p.dynamic() {
		add("μ̄", p.MuBar.Data)
		add("Λ", p.Lambda.Data)
		var addKernel func(k *TimeKernel)
		addKernel = func(k *TimeKernel) {
			addScalar("time scale", &k.LengthScale)
			addScalar("period", &k.Period)
			add("weight", k.Weights)
			for i := range k.Terms {
				addKernel(&k.Terms[i])
			}
		}
		addKernel(&p.Dynamics.Kernel)
		if parts&LatentTime != 0 {
			addScalar("variance of the time part", &p.Latent.Time.Variance)
			addKernel(&p.Latent.Time.Kernel)
		}
	} else {
		add("μ", p.Mu.Data)
		add("S", p.S.Data)
	}
	add("Z", p.Z.Data)
	for f := range p.Spatial {
		addScalar(fmt.Sprintf("variance %d", f), &p.Spatial[f].Variance)
		add(fmt.Sprintf("length scale %d", f), p.Spatial[f].LengthScale)
		add(fmt.Sprintf("X_u %d", f), p.Xu[f].Data)
	}
	if p.structured() {
		addScalar("residual variance", &p.Residual.Variance)
		add("residual length scale", p.Residual.LengthScale)
	}
	return names, values, func() {
		for i, v := range scalars {
			*v = copies[i][0]
		}
	}
}

// Every derivative in the natural parameters, the spatial variances included,
// which training never frees.
func TestGradient(t *testing.T) {
	for i, shape := range gradientShapes {
		repeats := 2
		if testing.Short() {
			repeats = 1
		}
		for repeat := range repeats {
			shape.seed = uint64(100*i + repeat)
			t.Run(shape.String(), func(t *testing.T) {
				m := shape.model(t)
				p := m.params
				m.mustBound(t)
				grad := p.clone()
				m.problem.gradientOf(grad, p, groupAll)
				names, values, set := natural(p, p.Latent.Parts())
				_, slopes, _ := natural(grad, p.Latent.Parts())
				for k, x := range values {
					checkGradient(t, func(i int) string { return fmt.Sprintf("%s[%d]", names[k], i) }, x, slopes[k], func() float64 {
						set()
						return m.mustBound(t)
					})
				}
			})
		}
	}
}

// In the variables of the optimiser, logarithms of the positive parameters, for
// every set of parameters that training frees.
func TestPackedGradient(t *testing.T) {
	for i, shape := range gradientShapes {
		shape.seed = uint64(100*i + 50)
		m := shape.model(t)
		p := m.params
		if i%2 == 0 {
			p.Whitening = p.Dynamics.Kernel.clone()
		}
		groups := []group{groupAll, groupLatent, groupNoise, groupSpatial, groupLatent | groupNoise}
		if testing.Short() {
			groups = groups[:1]
		}
		for _, free := range groups {
			x, slope := make([]float64, p.count(free)), make([]float64, p.count(free))
			p.pack(x, free)
			m.mustBound(t)
			grad := p.clone()
			m.problem.gradientOf(grad, p, free)
			p.packGradient(slope, grad, free)
			checkGradient(t, func(i int) string { return fmt.Sprintf("%v: group %b, entry %d", shape, free, i) }, x, slope, func() float64 {
				p.unpack(x, free)
				return m.mustBound(t)
			})
			p.unpack(x, free)
		}
	}
}

// A bound at other parameters in between, as a line search makes them, leaves
// nothing behind: bound and gradient have the same bits afterwards.
func TestBoundKeepsNoTrace(t *testing.T) {
	for i, shape := range gradientShapes {
		shape.seed = uint64(100*i + 70)
		m, fresh := shape.model(t), shape.model(t)
		m.mustBound(t)
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		trial := m.params.clone()
		x := make([]float64, trial.count(groupAll))
		trial.pack(x, groupAll)
		for k := range x {
			x[k] += 0.1 * rng.NormFloat64()
		}
		trial.unpack(x, groupAll)
		if _, err := m.problem.bound(trial); err != nil {
			t.Fatal(err)
		}
		if got, want := m.mustBound(t), fresh.mustBound(t); got != want {
			t.Errorf("%v: bound %v, %v without a trial before", shape, got, want)
		}
		got, want := m.params.clone(), m.params.clone()
		m.problem.gradientOf(got, m.params, groupAll)
		fresh.problem.gradientOf(want, fresh.params, groupAll)
		_, g, _ := natural(got, m.params.Latent.Parts())
		_, w, _ := natural(want, m.params.Latent.Parts())
		for k := range g {
			sameBits(t, shape.String(), g[k], w[k])
		}
	}
}

// Inducing points at data points: the Matérn 1/2 kernel has a kink there, and
// its slope is taken as 0; the others are smooth, so their derivatives hold.
func TestGradientAtCoincidentPoints(t *testing.T) {
	for _, kind := range []KernelKind{Matern12, Matern32, Matern52, RBF} {
		shape := modelShape{examples: 3, inducing: 2, latent: 2, channels: 2, jitter: 1e-4, seed: 5,
			space: []factorShape{{points: 5, dims: 2, inducing: 3, kind: kind, ard: true}}}
		m := shape.model(t)
		mat.Copy(m.params.Xu[0], m.space[0].Slice(1, 4, 0, 2))
		m.mustBound(t)
		grad := m.params.clone()
		m.problem.gradientOf(grad, m.params, groupAll)
		names, values, set := natural(m.params, LatentRBF)
		_, slopes, _ := natural(grad, LatentRBF)
		for k, x := range values {
			if kind == Matern12 && names[k] == "X_u 0" {
				for i, v := range slopes[k] {
					if v-v != 0 {
						t.Errorf("%s: derivative %v of X_u[%d]", kind, v, i)
					}
				}
				continue
			}
			checkGradient(t, func(i int) string { return fmt.Sprintf("%s: %s[%d]", kind, names[k], i) }, x, slopes[k], func() float64 {
				set()
				return m.mustBound(t)
			})
		}
	}
}

// L* with its own gradient, in μ* and S*.
func TestEvidenceGradient(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := randomShape(5000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 8))
		q := m.mustReady(t)
		e, err := m.observe(q, Observed{Values: m.scaler.unscaled(masked(rng, m.space.Len(), shape.channels, 0.3, false))})
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			prior := randomLatent(rng, shape.latent)
			e.prior = normalOf(&prior)
		}
		v, scratch := q.mustEvidence(e), q.psi.newScratch()
		l := randomLatent(rng, shape.latent)
		dmu, ds := make([]float64, shape.latent), make([]float64, shape.latent)
		value := v.bound(q.psi, scratch, l.Mu, l.S, dmu, ds)
		f := func() float64 { return v.bound(q.psi, scratch, l.Mu, l.S, nil, nil) }
		if f() != value {
			t.Errorf("%v: L* is %v with its gradient, %v without", shape, value, f())
		}
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: μ*[%d]", shape, i) }, l.Mu, dmu, f)
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: S*[%d]", shape, i) }, l.S, ds, f)
	}
}

// An example's own noise: L* with it is the dense one under noise of that multiple and the
// prior's price, no other multiple gives more, its gradient is that of the maximum, and
// predictions are made with it.
func TestOwnNoise(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := randomShape(6000 + seed)
		if seed%2 == 0 {
			shape = residualShape(6000 + seed)
		}
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 13))
		q := m.mustReady(t)
		values := masked(rng, m.space.Len(), shape.channels, 0.3, false)
		values.Set(0, 0, 2)
		e, err := m.observe(q, Observed{Values: m.scaler.unscaled(values)})
		if err != nil {
			t.Fatal(err)
		}
		v, scratch, l, strength := q.mustEvidence(e), q.psi.newScratch(), randomLatent(rng, shape.latent), 10*rng.Float64()
		dmu, ds := make([]float64, shape.latent), make([]float64, shape.latent)
		value, multiple := v.boundWith(strength, q.psi, scratch, l.Mu, l.S, dmu, ds)

		d := newDense(m)
		with := func(multiple float64) float64 {
			d.p = m.params.clone()
			d.p.Beta /= multiple
			d.p.Residual.Variance *= multiple
			return d.testBound(l, m.space, values) + 0.5*strength*(1-math.Log(multiple)-1/multiple)
		}
		near(t, shape.String()+": L*", one(value), one(with(multiple)), 1e-9)
		for _, other := range []float64{0.5, 0.9, 1.1, 2} {
			if w := with(other * multiple); w > value+1e-9*math.Abs(value) {
				t.Errorf("%v: L* %v with noise %v, %v with %v", shape, value, multiple, w, other*multiple)
			}
		}
		f := func() float64 {
			value, _ := v.boundWith(strength, q.psi, scratch, l.Mu, l.S, nil, nil)
			return value
		}
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: μ*[%d]", shape, i) }, l.Mu, dmu, f)
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: S*[%d]", shape, i) }, l.S, ds, f)

		l.Noise = multiple
		p, err := q.conditional(e, l)
		if err != nil {
			t.Fatal(err)
		}
		with(multiple)
		mean, variance := d.conditional(l, m.space, values)
		near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-8)
		near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-8)

		best, err := q.infer(t.Context(), e, InferOptions{NoiseStrength: strength})
		if err != nil {
			t.Fatal(err)
		}
		if again, noise := v.boundWith(strength, q.psi, scratch, best.Mu, best.S, nil, nil); noise != best.Noise || math.Abs(again-best.Bound) > 1e-9*math.Abs(again) || !(best.Bound >= value) {
			t.Errorf("%v: noise %v, bound %v reported; %v and %v there, %v elsewhere", shape, best.Noise, best.Bound, noise, again, value)
		}
	}
}
