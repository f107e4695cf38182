package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// everyLatentKernel lists all sums of parts.
func everyLatentKernel() []LatentParts {
	var all []LatentParts
	for parts := LatentRBF; parts <= LatentRBF|LatentLinear|LatentBias; parts++ {
		all = append(all, parts)
	}
	return all
}

// randomLatentKernel is randomPsi with a kernel of the given parts.
func randomLatentKernel(rng *rand.Rand, parts LatentParts, n, m, d int, widest float64) (k LatentKernel, z, mu, s mat.Matrix) {
	rbf, z, mu, s := randomPsi(rng, n, m, d, widest)
	if parts&LatentRBF != 0 {
		k.Variance, k.LengthScale = rbf.Variance, rbf.LengthScale
	}
	if parts&LatentLinear != 0 {
		for range d {
			k.Linear = append(k.Linear, 0.2+rng.Float64())
		}
	}
	if parts&LatentBias != 0 {
		k.Bias = 0.2 + rng.Float64()
	}
	return k, z, mu, s
}

func randomMatrix(rng *rand.Rand, rows, cols int) mat.Matrix {
	a := mat.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	return a
}

// All statistics of every kernel by quadrature, as in TestPsiQuadrature; the
// polynomials of degree 4 beside the exponentials cost no digit.
func TestLatentPsiQuadrature(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for _, parts := range everyLatentKernel() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {3, 4, 1}, {2, 3, 2}, {1, 2, 3}, {17, 3, 1}} {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(parts)))
			k, z, mu, s := randomLatentKernel(rng, parts, c.n, c.m, c.d, 0.4)
			average := func(n int, f func(x []float64) float64) float64 {
				return expectation(nodes, weights, mu.Row(n), s.Row(n), f)
			}
			value := func(x []float64, i int) float64 { return latentCovarianceOf(k, x, z.Row(i)) }
			var want0 float64
			want1, want2 := mat.New(c.n, c.m), mat.New(c.m, c.m)
			for n := range c.n {
				want0 += average(n, func(x []float64) float64 { return latentCovarianceOf(k, x, x) })
				for i := range c.m {
					want1.Set(n, i, average(n, func(x []float64) float64 { return value(x, i) }))
					for j := range i + 1 {
						v := average(n, func(x []float64) float64 { return value(x, i) * value(x, j) })
						want2.Set(i, j, want2.At(i, j)+v)
					}
				}
			}
			mat.MirrorLower(want2)
			ps := newLatentPsi(k, z)
			psi1, psi2, sum := mat.New(c.n, c.m), mat.New(c.m, c.m), mat.New(c.m, c.m)
			ps.psi1(psi1, mu, s)
			ps.psi2(psi2, mu, s)
			near(t, fmt.Sprintf("%v: ψ0", parts), one(k.psi0(mu, s)), one(want0), 1e-10)
			near(t, fmt.Sprintf("%v: Ψ1", parts), psi1.Data, want1.Data, 1e-10)
			near(t, fmt.Sprintf("%v: Ψ2", parts), psi2.Data, want2.Data, 1e-10)

			scratch := ps.newScratch()
			for n := range c.n {
				ps.psi2Example(scratch, mu.Row(n), s.Row(n))
				mat.Add(sum, sum, 1, scratch.e)
			}
			mat.MirrorLower(sum)
			near(t, fmt.Sprintf("%v: Ψ2 example by example", parts), sum.Data, want2.Data, 1e-10)
		}
	}
}

// Every derivative of g0·ψ0 + Σ g1∘Ψ1 + tr(g2·Ψ2) + tr(g2·K), and for a single
// example the same sum and its derivatives as inference takes them.
func TestLatentPsiGradient(t *testing.T) {
	for _, parts := range everyLatentKernel() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {1, 4, 2}, {5, 3, 2}, {3, 2, 3}} {
			rng := rand.New(rand.NewPCG(uint64(seed), 30+uint64(parts)))
			k, z, mu, s := randomLatentKernel(rng, parts, c.n, c.m, c.d, 1)
			for i := range s.Data {
				s.Data[i] += 0.05
			}
			g0, g1, g2 := rng.NormFloat64(), randomMatrix(rng, c.n, c.m), randomMatrix(rng, c.m, c.m)
			mat.MirrorLower(g2)
			psi1, psi2, kernel := mat.New(c.n, c.m), mat.New(c.m, c.m), mat.New(c.m, c.m)
			value := func() float64 {
				ps := newLatentPsi(k, z)
				ps.psi1(psi1, mu, s)
				ps.psi2(psi2, mu, s)
				return g0*k.psi0(mu, s) + mat.Dot(g1, psi1) + mat.Dot(g2, psi2)
			}
			withKernel := func() float64 {
				k.matrix(kernel, z, z)
				return value() + mat.Dot(g2, kernel)
			}
			withKernel()
			grad, dz, dmu, ds := k.clone(), mat.New(c.m, c.d), mat.New(c.n, c.d), mat.New(c.n, c.d)
			grad.zero()
			ps := newLatentPsi(k, z)
			ps.psi2(psi2, mu, s)
			ps.backward(&grad, dz, dmu, ds, g1, g2, psi1, mu, s)
			k.psi0Backward(&grad, dmu, ds, g0, mu, s)
			k.addGradient(&grad, dz, g2, kernel, z)
			check := func(what string, x, slope []float64) {
				checkGradient(t, func(i int) string { return fmt.Sprintf("%v, %+v: %s[%d]", parts, c, what, i) }, x, slope, withKernel)
			}
			check("μ", mu.Data, dmu.Data)
			check("S", s.Data, ds.Data)
			check("Z", z.Data, dz.Data)
			check("ℓ", k.LengthScale, grad.LengthScale)
			check("v", k.Linear, grad.Linear)
			scalar := func(what string, v *float64, slope float64) {
				if *v == 0 { // there is no such part
					near(t, fmt.Sprintf("%v: derivative in %s", parts, what), one(slope), one(0), 0)
					return
				}
				x := one(*v)
				checkGradient(t, func(int) string { return fmt.Sprintf("%v, %+v: %s", parts, c, what) }, x, one(slope), func() float64 {
					*v = x[0]
					return withKernel()
				})
				*v = x[0]
			}
			scalar("σ²", &k.Variance, grad.Variance)
			scalar("b", &k.Bias, grad.Bias)

			if c.n > 1 {
				continue
			}
			gotMu, gotS := make([]float64, c.d), make([]float64, c.d)
			want := value()
			scratch, w := ps.newScratch(), ps.slope2(g2)
			for _, slopes := range [][2][]float64{{nil, nil}, {gotMu, gotS}} {
				got := ps.linear(scratch, g0, g1.Row(0), w, mu.Row(0), s.Row(0), slopes[0], slopes[1])
				near(t, fmt.Sprintf("%v: of one example", parts), one(got), one(want), 1e-13)
			}
			near(t, fmt.Sprintf("%v: its derivatives in μ", parts), gotMu, dmu.Data, 1e-13)
			near(t, fmt.Sprintf("%v: its derivatives in S", parts), gotS, ds.Data, 1e-13)
		}
	}
}

// The Jacobian of ψ1 is what psi1Backward multiplies with.
func TestLatentPsiJacobian(t *testing.T) {
	for _, parts := range everyLatentKernel() {
		k, z, mu, s := randomLatentKernel(rand.New(rand.NewPCG(40, uint64(parts))), parts, 1, 4, 3, 1)
		ps := newLatentPsi(k, z)
		jacobian, psi1 := mat.New(4, 3), mat.New(1, 4)
		jacobian.Fill(math.NaN())
		ps.psi1Jacobian(jacobian, mu.Row(0), s.Row(0))
		for i := range 4 {
			checkGradient(t, func(q int) string { return fmt.Sprintf("%v: ∂ψ1[%d]/∂μ[%d]", parts, i, q) }, mu.Row(0), jacobian.Row(i), func() float64 {
				ps.psi1(psi1, mu, s)
				return psi1.At(0, i)
			})
		}
	}
}

func TestLatentPsiSameBitsAtAnyWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 0))
	k, z, mu, s := randomLatentKernel(rng, LatentRBF|LatentLinear|LatentBias, 70, 40, 5, 1)
	g1, g2 := randomMatrix(rng, 70, 40), randomMatrix(rng, 40, 40)
	mat.MirrorLower(g2)
	var want []float64
	atEveryWidth(func(procs int) {
		ps := newLatentPsi(k, z)
		psi1, psi2 := mat.New(70, 40), mat.New(40, 40)
		ps.psi1(psi1, mu, s)
		ps.psi2(psi2, mu, s)
		grad, dz, dmu, ds := k.clone(), mat.New(40, 5), mat.New(70, 5), mat.New(70, 5)
		ps.backward(&grad, dz, dmu, ds, g1, g2, psi1, mu, s)
		got := slices.Concat(psi1.Data, psi2.Data, dz.Data, dmu.Data, ds.Data, grad.LengthScale, grad.Linear, one(grad.Variance), one(grad.Bias))
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("statistics at GOMAXPROCS %d", procs), got, want)
	})
}

// A bias is a linear part in one more latent dimension where all examples and
// inducing points are 1, as far as the RBF part does not see it.
func TestBiasIsAConstantDimension(t *testing.T) {
	for i, parts := range []LatentParts{LatentRBF | LatentLinear | LatentBias, LatentLinear | LatentBias} {
		shape := modelShape{examples: 5, inducing: 3, latent: 2, channels: 2, seed: uint64(i), space: []factorShape{{points: 4, dims: 1, kind: Matern32}}}.of(parts)
		m := shape.model(t)
		p := m.params.clone()
		wider := func(a mat.Matrix, v float64) mat.Matrix {
			b := mat.New(a.Rows, a.Cols+1)
			b.Fill(v)
			mat.Copy(b.Slice(0, a.Rows, 0, a.Cols), a)
			return b
		}
		p.Mu, p.S, p.Z = wider(p.Mu, 1), wider(p.S, 1e-14), wider(p.Z, 1)
		p.Latent.Linear = append(p.Latent.Linear, p.Latent.Bias)
		p.Latent.Bias = 0
		if parts&LatentRBF != 0 {
			p.Latent.LengthScale = append(p.Latent.LengthScale, 1e8)
		}
		constant := rebuilt(m.space, p, m.problem.observations(), m.jitter)
		near(t, parts.String(), one(constant.mustBound(t)+independentKL(p.Mu, p.S, nil)), one(m.mustBound(t)+independentKL(m.params.Mu, m.params.S, nil)), 1e-9)
	}
}

// As many inducing points as a kernel has rank determine f everywhere: with
// certain latent points the bound is the log evidence, and one inducing point
// more rests on the jitter.
func TestInducingPointsOfFullRank(t *testing.T) {
	for _, parts := range []LatentParts{LatentLinear, LatentBias, LatentLinear | LatentBias} {
		shape := modelShape{examples: 6, latent: 2, channels: 2, seed: uint64(parts), space: []factorShape{{points: 4, dims: 1, kind: Matern32}}}
		rank := map[LatentParts]int{LatentLinear: 2, LatentBias: 1, LatentLinear | LatentBias: 3}[parts]
		for _, c := range []struct {
			inducing          int
			jitter, tolerance float64
		}{{rank, 0, 1e-9}, {rank + 1, 1e-9, 1e-6}} {
			shape.parts, shape.inducing, shape.jitter = parts, c.inducing, c.jitter
			m := shape.model(t)
			m.params.S.Fill(1e-13)
			got := m.mustBound(t) + independentKL(m.params.Mu, m.params.S, nil)
			exact := logEvidenceGiven(m, m.params.Mu)
			near(t, fmt.Sprintf("%v, %d points", parts, c.inducing), one(got), one(exact), c.tolerance)
		}
	}
}

// Statistics and scratch that served another kernel or another shape give the
// bits of fresh ones.
func TestLatentPsiReused(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 0))
	used, w := new(latentPsi), new(inferWorkspace)
	for i := range 60 {
		parts := everyLatentKernel()[rng.IntN(7)]
		c := [][2]int{{3, 2}, {4, 2}, {3, 1}}[rng.IntN(3)]
		k, z, mu, s := randomLatentKernel(rng, parts, 1, c[0], c[1], 1)
		used.set(k, z)
		w.fit(used)
		fresh := newLatentPsi(k, z)
		scratch := fresh.newScratch()
		used.psi2Example(w.scratch, mu.Row(0), s.Row(0))
		fresh.psi2Example(scratch, mu.Row(0), s.Row(0))
		got, want := mat.New(1, c[0]), mat.New(1, c[0])
		used.psi1(got, mu, s)
		fresh.psi1(want, mu, s)
		sameBits(t, fmt.Sprintf("%d, %v: Ψ1", i, parts), got.Data, want.Data)
		sameBits(t, fmt.Sprintf("%d, %v: Ψ2", i, parts), lowerOf(w.scratch.e), lowerOf(scratch.e))
	}
}

// lowerOf returns the lower triangle of a.
func lowerOf(a mat.Matrix) []float64 {
	v := make([]float64, a.Rows*(a.Rows+1)/2)
	packLower(v, a, 1)
	return v
}
