package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gaussHermite returns nodes and weights such that Σ w·f(x) is the expectation
// of f under the standard normal distribution, exactly for polynomials of degree
// below 2n: eigenvalues and first components of the Jacobi matrix (Golub and
// Welsch, Math. Comp. 23, 1969).
func gaussHermite(t testing.TB, n int) (nodes, weights []float64) {
	t.Helper()
	jacobi := mat.New(n, n)
	for k := 1; k < n; k++ {
		jacobi.Set(k, k-1, math.Sqrt(float64(k)))
	}
	s, err := eig.Sym(jacobi)
	if err != nil {
		t.Fatal(err)
	}
	for j := range n {
		v := s.Vectors.At(0, j)
		weights = append(weights, v*v)
	}
	return s.Values, weights
}

// expectation is E f(x) under N(mu, diag s) by the tensor product of a rule.
func expectation(nodes, weights, mu, s []float64, f func(x []float64) float64) float64 {
	x := make([]float64, len(mu))
	var sum func(q int) float64
	sum = func(q int) float64 {
		if q == len(mu) {
			return f(x)
		}
		var v float64
		for k, w := range weights {
			x[q] = mu[q] + math.Sqrt(s[q])*nodes[k]
			v += float64(w * sum(q+1))
		}
		return v
	}
	return sum(0)
}

func TestGaussHermite(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	// E x^2k = 1·3·5·…·(2k−1); E cos x = e^(−1/2).
	want := 1.0
	for k := range 8 {
		got := expectation(nodes, weights, one(0), one(1), func(x []float64) float64 { return math.Pow(x[0], float64(2*k)) })
		near(t, "moment", one(got/want), one(1), 1e-12)
		want *= float64(2*k + 1)
	}
	got := expectation(nodes, weights, one(0), one(1), func(x []float64) float64 { return math.Cos(x[0]) })
	near(t, "E cos x", one(got), one(math.Exp(-0.5)), 1e-12)
}

// randomPsi draws a latent kernel, inducing points and n latent posteriors
// whose variances are at most the given multiple of ℓ².
func randomPsi(rng *rand.Rand, n, m, d int, widest float64) (k Kernel, z, mu, s mat.Matrix) {
	k = Kernel{RBF, 0.5 + rng.Float64(), make([]float64, d)}
	z, mu, s = mat.New(m, d), mat.New(n, d), mat.New(n, d)
	for q := range d {
		k.LengthScale[q] = 0.5 + rng.Float64()
		for i := range m {
			z.Set(i, q, rng.NormFloat64())
		}
		for i := range n {
			mu.Set(i, q, rng.NormFloat64())
			s.Set(i, q, widest*rng.Float64()*k.LengthScale[q]*k.LengthScale[q])
		}
	}
	return k, z, mu, s
}

func statistics(k Kernel, z, mu, s mat.Matrix) (psi1, psi2 mat.Matrix) {
	ps := newPsiStatistics(k, z)
	psi1, psi2 = mat.New(mu.Rows, z.Rows), mat.New(z.Rows, z.Rows)
	ps.psi1(psi1, mu, s)
	ps.psi2(psi2, mu, s)
	return psi1, psi2
}

// The rule's error falls like (2S/(2S+ℓ²))^40 for Ψ2: below 1e-14 with S ≤ 0.4ℓ².
func TestPsiQuadrature(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {1, 5, 1}, {3, 4, 1}, {1, 4, 2}, {2, 3, 2}, {1, 2, 3}, {17, 3, 1}, {33, 2, 1}} {
		for repeat := range 4 {
			k, z, mu, s := randomPsi(rand.New(rand.NewPCG(uint64(seed), uint64(repeat))), c.n, c.m, c.d, 0.4)
			psi1, psi2 := statistics(k, z, mu, s)
			want1, want2 := mat.New(c.n, c.m), mat.New(c.m, c.m)
			for n := range c.n {
				for i := range c.m {
					want1.Set(n, i, expectation(nodes, weights, mu.Row(n), s.Row(n), func(x []float64) float64 {
						return covarianceOf(k, x, z.Row(i))
					}))
					for j := range i + 1 {
						v := expectation(nodes, weights, mu.Row(n), s.Row(n), func(x []float64) float64 {
							return covarianceOf(k, x, z.Row(i)) * covarianceOf(k, x, z.Row(j))
						})
						want2.Set(i, j, want2.At(i, j)+v)
					}
				}
			}
			mat.MirrorLower(want2)
			near(t, "Ψ1", psi1.Data, want1.Data, 1e-10)
			near(t, "Ψ2", psi2.Data, want2.Data, 1e-10)
		}
	}
}

// Without uncertainty Ψ1 is the kernel matrix and Ψ2 = Ψ1ᵀΨ1; a variance of
// 1e-13 is as good as none.
func TestPsiCertain(t *testing.T) {
	for _, variance := range []float64{0, 1e-13} {
		k, z, mu, s := randomPsi(rand.New(rand.NewPCG(11, 0)), 20, 5, 3, 0)
		s.Fill(variance)
		psi1, psi2 := statistics(k, z, mu, s)
		kernel, square := mat.New(20, 5), mat.New(5, 5)
		k.Matrix(kernel, mu, z)
		mat.Mul(square, 1, kernel.T(), kernel, 0)
		near(t, "Ψ1", psi1.Data, kernel.Data, 1e-11)
		near(t, "Ψ2", psi2.Data, square.Data, 1e-11)
	}
}

// Far more uncertain than the kernel is wide, x sees it as a multiple of a
// delta function: Ψ1 → σ² Π ℓ/√S, and Ψ2 → σ⁴ Π ℓ/√(2S)·exp(−(z−z′)²/4ℓ²).
func TestPsiUncertain(t *testing.T) {
	k, z, mu, s := randomPsi(rand.New(rand.NewPCG(12, 0)), 1, 4, 2, 1)
	for _, variance := range []float64{1e12, 1e100, 1e280} {
		s.Fill(variance)
		psi1, psi2 := statistics(k, z, mu, s)
		limit := k.LengthScale[0] / math.Sqrt(variance) * (k.LengthScale[1] / math.Sqrt(variance))
		for i := range 4 {
			near(t, "Ψ1 over its limit", one(psi1.At(0, i)/limit), one(k.Variance), 1e-11)
			for j := range 4 {
				distance := math.Pow((z.At(i, 0)-z.At(j, 0))/k.LengthScale[0], 2) + math.Pow((z.At(i, 1)-z.At(j, 1))/k.LengthScale[1], 2)
				near(t, "Ψ2 over its limit", one(psi2.At(i, j)/limit), one(k.Variance*k.Variance/2*math.Exp(-distance/4)), 1e-11)
			}
		}
	}
}

// Where even the logarithms overflow, nothing is left but zeros.
func TestPsiAtTheEndOfTheRange(t *testing.T) {
	k, z, mu, s := randomPsi(rand.New(rand.NewPCG(12, 0)), 1, 4, 2, 1)
	s.Fill(math.MaxFloat64)
	psi1, psi2 := statistics(k, z, mu, s)
	near(t, "Ψ1", psi1.Data, make([]float64, 4), 1e-300)
	near(t, "Ψ2", psi2.Data, make([]float64, 16), 1e-300)
}

// One inducing point far from all else: its statistics vanish, and the others
// keep the digits that the exponents, of size (distance/ℓ)², leave them.
func TestPsiFar(t *testing.T) {
	for _, distance := range []float64{1e2, 1e3, 1e4} {
		k, z, mu, s := randomPsi(rand.New(rand.NewPCG(13, 0)), 6, 4, 2, 1)
		near1, near2 := statistics(k, z.Slice(0, 3, 0, 2), mu, s)
		z.Set(3, 1, distance)
		psi1, psi2 := statistics(k, z, mu, s)
		tolerance := 16 * 0x1p-52 * math.Pow(distance/k.LengthScale[1], 2)
		for n := range 6 {
			near(t, "Ψ1", psi1.Row(n)[:3], near1.Row(n), tolerance)
			if v := psi1.At(n, 3); v != 0 {
				t.Errorf("distance %g: Ψ1 is %g", distance, v)
			}
		}
		for i := range 3 {
			near(t, "Ψ2", psi2.Row(i)[:3], near2.Row(i), tolerance)
			if a, b := psi2.At(i, 3), psi2.At(3, i); a != 0 || b != 0 {
				t.Errorf("distance %g: Ψ2 is %g and %g", distance, a, b)
			}
		}
		if v := psi2.At(3, 3); v != 0 {
			t.Errorf("distance %g: Ψ2 of the far point is %g", distance, v)
		}
	}
}

// A translation of all latent coordinates changes nothing but their own last
// digits: 1e6·ε in a distance, some times that in the statistics.
func TestPsiTranslated(t *testing.T) {
	k, z, mu, s := randomPsi(rand.New(rand.NewPCG(14, 0)), 20, 6, 3, 1)
	want1, want2 := statistics(k, z, mu, s)
	for _, a := range []mat.Matrix{z, mu} {
		for i := range a.Rows {
			for q, by := range []float64{1e6, -1e6, 3e5} {
				a.Row(i)[q] += by
			}
		}
	}
	psi1, psi2 := statistics(k, z, mu, s)
	near(t, "Ψ1", psi1.Data, want1.Data, 20*1e6*0x1p-52)
	near(t, "Ψ2", psi2.Data, want2.Data, 20*20*1e6*0x1p-52)
}

// Ψ2 of one example, as inference uses it, is the lower triangle of what the
// sum over examples is made of.
func TestPsi2ExamplesAddUp(t *testing.T) {
	k, z, mu, s := randomPsi(rand.New(rand.NewPCG(15, 0)), 40, 5, 2, 1)
	_, want := statistics(k, z, mu, s)
	ps := newPsiStatistics(k, z)
	scratch, sum := ps.newScratch(), mat.New(5, 5)
	for n := range 40 {
		ps.psi2Example(scratch, mu.Row(n), s.Row(n))
		for i := range 5 {
			for j := range i + 1 {
				sum.Set(i, j, sum.At(i, j)+scratch.e.At(i, j))
			}
		}
	}
	mat.MirrorLower(sum)
	near(t, "Ψ2", sum.Data, want.Data, 40*0x1p-52)
}

// So many examples that they are several chunks of several blocks: Ψ2 is the sum of the
// examples' own, and so are the derivatives in μ and S; those in Z, ℓ² and σ² are those of
// the sum.
func TestPsi2ManyExamples(t *testing.T) {
	const n = 2*chunkExamples + blockExamples + 7
	for _, m := range []int{1, 4, 5} {
		rng := rand.New(rand.NewPCG(18, uint64(m)))
		k, z, mu, s := randomPsi(rng, n, m, 2, 1)
		g := mat.New(m, m)
		for i := range g.Data {
			g.Data[i] = rng.NormFloat64()
		}
		mat.MirrorLower(g)
		ps, psi2 := newPsiStatistics(k, z), mat.New(m, m)
		ps.psi2(psi2, mu, s)
		grad, dmu, ds := newPsiGradient(m, 2), mat.New(n, 2), mat.New(n, 2)
		ps.psi2Backward(grad, dmu, ds, g, mu, s)

		scratch, sum, wantMu, wantS := ps.newScratch(), mat.New(m, m), mat.New(n, 2), mat.New(n, 2)
		for i := range n {
			ps.psi2Example(scratch, mu.Row(i), s.Row(i))
			mat.Add(sum, sum, 1, scratch.e)
			ps.psi2ExampleBackward(scratch, wantMu.Row(i), wantS.Row(i), g, mu.Row(i), s.Row(i))
		}
		near(t, "Ψ2", psi2.Data, sum.Data, n*0x1p-52)
		near(t, "∂L/∂μ", dmu.Data, wantMu.Data, 1e-12)
		near(t, "∂L/∂S", ds.Data, wantS.Data, 1e-12)

		total := func() float64 {
			_, psi2 := statistics(k, z, mu, s)
			return mat.Dot(g, psi2)
		}
		checkGradient(t, func(i int) string { return fmt.Sprintf("m = %d, Z[%d]", m, i) }, z.Data, grad.z.Data, total)
		byLength := []float64{2 * k.LengthScale[0] * grad.square[0], 2 * k.LengthScale[1] * grad.square[1]}
		checkGradient(t, func(i int) string { return fmt.Sprintf("m = %d, ℓ[%d]", m, i) }, k.LengthScale, byLength, total)
		near(t, "∂L/∂σ²", one(grad.variance), one(2*mat.Dot(g, psi2)/k.Variance), 1e-12)
	}
}

func TestPsiSameBitsAtAnyWidth(t *testing.T) {
	k, z, mu, s := randomPsi(rand.New(rand.NewPCG(16, 0)), 50, 40, 3, 1)
	rng := rand.New(rand.NewPCG(17, 0))
	g1, g2 := mat.New(50, 40), mat.New(40, 40)
	for _, g := range []mat.Matrix{g1, g2} {
		for i := range g.Data {
			g.Data[i] = rng.NormFloat64()
		}
	}
	mat.MirrorLower(g2)
	var want []float64
	atEveryWidth(func(procs int) {
		psi1, psi2 := statistics(k, z, mu, s)
		ps, grad := newPsiStatistics(k, z), newPsiGradient(40, 3)
		dmu, ds := mat.New(50, 3), mat.New(50, 3)
		ps.psi1Backward(grad, dmu, ds, g1, psi1, mu, s)
		ps.psi2Backward(grad, dmu, ds, g2, mu, s)
		var got []float64
		for _, v := range [][]float64{psi1.Data, psi2.Data, dmu.Data, ds.Data, grad.z.Data, grad.square, one(grad.variance)} {
			got = append(got, v...)
		}
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("statistics at GOMAXPROCS %d", procs), got, want)
	})
}
