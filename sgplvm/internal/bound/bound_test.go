package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The Kronecker path against the dense one. Kernel matrices have a condition number below 10⁶ and the
// dense formulas use their inverses: 1e-9 leaves one digit.
func TestDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(300)) {
		shape := reference.RandomShape(seed)
		if seed%3 == 2 {
			shape = reference.ResidualShape(seed)
		}
		s := subjectOf(t, shape)
		compare.NearOne(t, shape.String(), s.bound(t), reference.NewDense(s.Model).Bound(), 1e-9)
	}
}

// The same with a part of time beside all others and alone, under a dynamical prior of several
// sequences, whose divergence is tested where it lives.
func TestDenseInTime(t *testing.T) {
	for seed := range uint64(compare.Sizes(24)) {
		shape := reference.TimeShape(seed)
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		compare.NearOne(t, shape.String(), s.bound(t)+s.evaluator.Divergence(s.Params), d.Bound()+d.KL, 1e-9)
	}
}

// With a dynamical prior the bound has its divergence, and Mu and S of its paths.
func TestDynamicalPrior(t *testing.T) {
	for i, text := range []string{"matern32", "rbf", "rbf*periodic+matern12"} {
		s := subjectOf(t, shape{Examples: 7, Inducing: 3, Latent: 1 + i, Channels: 1, Jitter: 1e-6, Time: text, Sequences: 1 + i, Seed: uint64(i),
			Space: []factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}}})
		p := s.Params
		mu, variance := mat.New(7, 1+i), mat.New(7, 1+i)
		want, err := dynamics.NewEvaluator(p.X.Paths.Prior).Marginals(p.X.Paths, mu, variance)
		if err != nil {
			t.Fatal(err)
		}
		d := reference.NewDense(s.Model)
		p.X.Mu.Fill(math.NaN()) // what they were does not count
		p.X.S.Fill(math.NaN())
		got := s.bound(t)
		compare.SameBits(t, text+": Mu", p.X.Mu.Data, mu.Data)
		compare.SameBits(t, text+": S", p.X.S.Data, variance.Data)
		compare.NearOne(t, text, got, d.Bound()+d.KL-want, 1e-9)
	}
}

// The collapsed bound is the uncollapsed one, trace term and all, at q(U) with the model's own α, and
// any other mean of q(U) gives less.
func TestUncollapsed(t *testing.T) {
	for seed := range uint64(compare.Sizes(50)) {
		shape := reference.RandomShape(1000 + seed)
		if seed%3 == 2 {
			shape = reference.ResidualShape(1000 + seed)
		}
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		tensor, err := s.evaluator.Alpha(t.Context(), s.Params)
		if err != nil {
			t.Fatal(err)
		}
		alpha := reference.NewRows(s.Channels(), len(d.Kuu))
		for u := range d.Kuu {
			for c := range alpha {
				alpha[c][u] = tensor.Data[u*s.Channels()+c]
			}
		}
		best := s.bound(t)
		compare.NearOne(t, shape.String(), d.Uncollapsed(alpha), best, 1e-9)

		rng := rand.New(rand.NewPCG(seed, 4))
		for c := range alpha {
			for u := range alpha[c] {
				alpha[c][u] += 0.01 * rng.NormFloat64()
			}
		}
		if v := d.Uncollapsed(alpha); !(v < best) {
			t.Errorf("%v: %v away from the optimal q(U), above the bound %v", shape, v, best)
		}
	}
}

// With S → 0, all points as inducing points and the divergence given back, nothing is approximated;
// with fewer inducing points the bound can only be lower.
func TestBoundAtCertainLatentPoints(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(2000 + seed)
		shape.Parts |= reference.RBF // no jitter
		shape.Jitter = 0
		for f := range shape.Space {
			shape.Space[f].Inducing = 0
		}
		full := shape
		full.Inducing = full.Examples
		s := subjectOf(t, full)
		s.Params.Z = s.Params.X.Mu.Clone()
		s.Params.X.S.Fill(1e-13)
		compare.NearOne(t, full.String(), s.withoutKL(t), reference.LogEvidenceGiven(s.Model, s.Params.X.Mu), 1e-9)

		s = subjectOf(t, shape)
		s.Params.X.S.Fill(1e-13)
		got, exact := s.withoutKL(t), reference.LogEvidenceGiven(s.Model, s.Params.X.Mu)
		if !(got <= exact+1e-9*math.Abs(exact)) {
			t.Errorf("%v: bound %v above the log evidence %v given the latent points", shape, got, exact)
		}
	}
}

// As many inducing points as a kernel has rank determine f everywhere: with certain latent points the
// bound is the log evidence, and one inducing point more rests on the jitter.
func TestInducingPointsOfFullRank(t *testing.T) {
	for parts, rank := range map[reference.Parts]int{reference.Linear: 2, reference.Bias: 1, reference.Linear | reference.Bias: 3} {
		for _, c := range []struct {
			inducing          int
			jitter, tolerance float64
		}{{rank, 0, 1e-9}, {rank + 1, 1e-9, 1e-6}} { // in the second the jitter is 1e-9 of a variance, times about 10³ data
			s := subjectOf(t, shape{Examples: 6, Latent: 2, Channels: 2, Inducing: c.inducing, Jitter: c.jitter, Parts: parts, Seed: uint64(parts),
				Space: []factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}}})
			s.Params.X.S.Fill(1e-13)
			compare.NearOne(t, fmt.Sprintf("%v, %d points", parts, c.inducing), s.withoutKL(t), reference.LogEvidenceGiven(s.Model, s.Params.X.Mu), c.tolerance)
		}
	}
}

// logEvidence is log p(Y) where the covariance depends on one number: for one example with one latent
// dimension, x ~ N(0, 1); for two whose latent kernel has no linear part, x₁ − x₂ ~ N(0, 2).
func logEvidence(m *reference.Model) float64 {
	x := mat.New(m.Examples(), 1)
	variance := float64(x.Rows)
	// The trapezoidal rule converges exponentially for such integrands.
	const step, reach = 0.02, 12.0
	var logs []float64
	for at := -reach; at <= reach; at += step {
		x.Set(0, 0, at)
		logs = append(logs, reference.LogEvidenceGiven(m, x)-at*at/(2*variance))
	}
	largest, sum := slices.Max(logs), 0.0
	for _, v := range logs {
		sum += step * math.Exp(v-largest)
	}
	return largest + math.Log(sum) - 0.5*math.Log(2*math.Pi*variance)
}

// maximise optimises all parameters by some steps.
func (s *subject) maximise(t *testing.T, steps int) float64 {
	t.Helper()
	c := bound.Coordinates{Free: bound.GroupAll}
	p, grad := s.Params, s.Params.Clone()
	r, err := lbfgs.Minimize(t.Context(), func(x, g []float64) float64 {
		c.Unpack(p, x)
		v, err := s.evaluator.Evaluate(t.Context(), p, grad, c.Free)
		if err != nil {
			return math.NaN()
		}
		c.PackGradient(g, p, grad)
		for i := range g {
			g[i] = -g[i]
		}
		return -v
	}, packed(c, p), lbfgs.Options{MaxIterations: steps})
	if err != nil {
		t.Fatal(err)
	}
	c.Unpack(p, r.X)
	return s.bound(t)
}

// The bound is below the log evidence, where it starts and after it was maximised.
func TestBoundBelowEvidence(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(3000 + seed)
		shape.Examples, shape.Inducing, shape.Latent = 1, 1, 1
		if seed%2 == 0 && !shape.Parts.Has(reference.Linear) {
			shape.Examples, shape.Inducing = 2, 1+int(seed/2%2)
		}
		s := subjectOf(t, shape)
		before, exact := s.bound(t), logEvidence(s.Model)
		if !(before <= exact) {
			t.Errorf("%v: bound %v above the log evidence %v", shape, before, exact)
		}
		after := s.maximise(t, 60)
		// Noise that vanishes multiplies the rounding of ‖Y‖² and ψ0.
		slack := 1e-9 + 16*0x1p-52*s.evaluator.Magnitude(s.Params)
		if exact = logEvidence(s.Model); !(after <= exact+slack) || !(after > before) {
			t.Errorf("%v: from %v to %v, log evidence %v", shape, before, after, exact)
		}
	}
}

// What the test above compares with, where it is known: with a latent variance of 0 in the limit the data
// are noise.
func TestLogEvidenceOfNoise(t *testing.T) {
	m := shape{Examples: 2, Inducing: 2, Latent: 1, Channels: 1, Space: []factor{{Points: 3, Dims: 1, Kind: kernel.White}}}.Model(t)
	m.Params.Latent.Part("rbf").(*psi.RBF).Variance = 1e-14
	var want float64
	for _, y := range m.Y.Data {
		want += 0.5*math.Log(m.Params.Noise.Beta/(2*math.Pi)) - m.Params.Noise.Beta/2*y*y
	}
	compare.NearOne(t, "log evidence", logEvidence(m), want, 1e-11)
}

// Without any latent variables the model is Gaussian process regression on time and space: with all times as
// inducing points its bound but for the divergence is the log evidence.
func TestTimePartAloneIsRegression(t *testing.T) {
	s := subjectOf(t, shape{Examples: 5, Inducing: 5, Latent: 1, Channels: 2, Jitter: 1e-9, Time: "rbf", Sequences: 1, TimePart: "matern12", Parts: reference.Time,
		Space: []factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}}})
	p, points := s.Params, reference.GridPoints(s.Space)
	for i := range p.X.Paths.Prior.Times { // no two equal
		p.X.Paths.Prior.Times[i] += 0.1 * float64(i)
	}
	s = newSubject(s.Model)
	part := p.Latent.Part("time").(*psi.Time)
	n, ns := 5*len(points), len(points)
	cov := reference.NewRows(n, n)
	for i := range n {
		for j := range n {
			delta, k := p.X.Paths.Prior.Times[i/ns]-p.X.Paths.Prior.Times[j/ns], make([]float64, 1)
			part.Kernel.Values(k, []float64{delta})
			cov[i][j] = part.Variance * k[0] * reference.SpatialCovariance(p, points[i%ns], points[j%ns])
		}
		cov[i][i] += 1 / p.Noise.Beta
	}
	l := reference.Cholesky(cov)
	var want float64
	for c := range s.Channels() {
		y := work.Column(s.Y, c)
		want -= 0.5 * (float64(n)*math.Log(2*math.Pi) + reference.LogDet(l) + reference.Inner(y, reference.Solve(l, y)))
	}
	got := s.bound(t) + s.evaluator.Divergence(p)
	compare.NearOne(t, "bound", got, want, 1e-6) // the jitter is 1e-9 of the variance
}

// Space as a product of two factors or as one, where the kernel factorises: squared exponential with a
// length scale per axis.
func TestProductIsJoint(t *testing.T) {
	for seed := range uint64(10) {
		m := shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Seed: seed,
			Space: []factor{{Points: 3, Dims: 1, Kind: kernel.RBF}, {Points: 2, Dims: 2, Kind: kernel.RBF, ARD: true}}}.Model(t)
		p := m.Params.Clone()
		a, b := p.Space[0].Kernel, p.Space[1].Kernel
		p.Space = []bound.Spatial{{Kernel: kernel.Kernel{Kind: kernel.RBF, Variance: a.Variance * b.Variance, LengthScale: slices.Concat(a.LengthScale, b.LengthScale)}}}
		joint := mat.New(6, 3)
		for i := range 6 {
			copy(joint.Row(i), m.Space[0].Row(i/2))
			copy(joint.Row(i)[1:], m.Space[1].Row(i%2))
		}
		n := newSubject(m.Rebuilt(field.Grid{joint}, p, m.Y))
		compare.NearOne(t, "bound", n.bound(t), newSubject(m).bound(t), 1e-9)
	}
}

// A white spatial kernel knows nothing between points: they are so many more channels of a plain Bayesian
// GP-LVM, whose space is a single point.
func TestWhiteSpaceIsPlain(t *testing.T) {
	for seed := range uint64(10) {
		m := shape{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Seed: seed, Jitter: 1e-6,
			Space: []factor{{Points: 3, Dims: 1, Kind: kernel.White}, {Points: 2, Dims: 1, Kind: kernel.White}}}.Model(t)
		p := m.Params.Clone()
		variance := p.SpatialVariance()
		p.Space = []bound.Spatial{{Kernel: kernel.Kernel{Kind: kernel.Matern32, Variance: variance, LengthScale: []float64{1}}}}
		plain := newSubject(m.Rebuilt(field.Grid{mat.New(1, 1)}, p, mat.NewDense(5, 12, m.Y.Data)))
		compare.NearOne(t, "bound", plain.bound(t), newSubject(m).bound(t), 1e-9)
	}
}

// A bias is a linear part in one more latent dimension where all examples and inducing points are 1, as
// far as the RBF part does not see it.
func TestBiasIsAConstantDimension(t *testing.T) {
	for i, parts := range []reference.Parts{reference.RBF | reference.Linear | reference.Bias, reference.Linear | reference.Bias} {
		m := shape{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Seed: uint64(i), Space: []factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}}}.With(parts).Model(t)
		p := m.Params.Clone()
		wider := func(a mat.Matrix, v float64) mat.Matrix {
			b := mat.New(a.Rows, a.Cols+1)
			b.Fill(v)
			mat.Copy(b.Slice(0, a.Rows, 0, a.Cols), a)
			return b
		}
		p.X.Mu, p.X.S, p.Z = wider(p.X.Mu, 1), wider(p.X.S, 1e-14), wider(p.Z, 1)
		linear := p.Latent.Part("linear").(*psi.Linear)
		linear.Variance = append(linear.Variance, p.Latent.Part("bias").(*psi.Bias).Variance)
		p.Latent.Parts = slices.DeleteFunc(p.Latent.Parts, func(part psi.Part) bool { return part.Name() == "bias" })
		if rbf, is := p.Latent.Part("rbf").(*psi.RBF); is {
			rbf.LengthScale = append(rbf.LengthScale, 1e8)
		}
		constant := newSubject(m.Rebuilt(m.Space, p, m.Y))
		compare.NearOne(t, parts.String(), constant.withoutKL(t), newSubject(m).withoutKL(t), 1e-9)
	}
}

// What should change nothing changes nothing but rounding.
func TestInvariances(t *testing.T) {
	for name, change := range reference.Twins {
		for seed := range uint64(compare.Sizes(20)) {
			shape := reference.RandomShape(4000 + seed)
			m := shape.Model(t)
			other := change(rand.New(rand.NewPCG(seed, 5)), m)
			compare.NearOne(t, name+": "+shape.String(), newSubject(other.Model).bound(t), newSubject(m).bound(t), 1e-9)
		}
	}
}
