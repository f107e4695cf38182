package psi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// randomRBF is a problem of an RBF part alone.
func randomRBF(seed uint64, n, m, d int, widest float64) (problem, *RBF) {
	p := randomProblem(rand.New(rand.NewPCG(seed, 0)), Names{"rbf"}, n, m, d, widest)
	return p, p.k.Parts[0].(*RBF)
}

// Far more uncertain than the kernel is wide, x sees it as a multiple of a
// delta function: Ψ1 → σ² Π ℓ/√S, and Ψ2 → σ⁴ Π ℓ/√(2S)·exp(−(z−z′)²/4ℓ²).
func TestUncertain(t *testing.T) {
	p, k := randomRBF(12, 1, 4, 2, 1)
	z, l := p.in.Z, k.LengthScale
	for _, variance := range []float64{1e12, 1e100, 1e280} {
		p.q.S.Fill(variance)
		psi1, psi2 := p.forward()
		limit := l[0] / math.Sqrt(variance) * (l[1] / math.Sqrt(variance))
		for i := range 4 {
			compare.Near(t, "Ψ1 over its limit", one(psi1.At(0, i)/limit), one(k.Variance), 1e-11)
			for j := range 4 {
				distance := math.Pow((z.At(i, 0)-z.At(j, 0))/l[0], 2) + math.Pow((z.At(i, 1)-z.At(j, 1))/l[1], 2)
				compare.Near(t, "Ψ2 over its limit", one(psi2.At(i, j)/limit), one(k.Variance*k.Variance/2*math.Exp(-distance/4)), 1e-11)
			}
		}
	}
	p.q.S.Fill(math.MaxFloat64) // where even the logarithms overflow, nothing is left but zeros
	psi1, psi2 := p.forward()
	compare.Near(t, "Ψ1", psi1.Data, make([]float64, 4), 1e-300)
	compare.Near(t, "Ψ2", psi2.Data, make([]float64, 16), 1e-300)
}

// One inducing point far from all else: its statistics vanish, and the others
// keep the digits that the exponents, of size (distance/ℓ)², leave them.
func TestFar(t *testing.T) {
	for _, distance := range []float64{1e2, 1e3, 1e4} {
		p, k := randomRBF(13, 6, 4, 2, 1)
		few := p
		few.in.Z = p.in.Z.Slice(0, 3, 0, 2)
		near1, near2 := few.forward()
		p.in.Z.Set(3, 1, distance)
		psi1, psi2 := p.forward()
		tolerance := 16 * 0x1p-52 * math.Pow(distance/k.LengthScale[1], 2)
		for n := range 6 {
			compare.Near(t, "Ψ1", psi1.Row(n)[:3], near1.Row(n), tolerance)
			if v := psi1.At(n, 3); v != 0 {
				t.Errorf("distance %g: Ψ1 is %g", distance, v)
			}
		}
		for i := range 3 {
			compare.Near(t, "Ψ2", psi2.Row(i)[:3], near2.Row(i), tolerance)
			if a, b := psi2.At(i, 3), psi2.At(3, i); a != 0 || b != 0 {
				t.Errorf("distance %g: Ψ2 is %g and %g", distance, a, b)
			}
		}
		if v := psi2.At(3, 3); v != 0 {
			t.Errorf("distance %g: Ψ2 of the far point is %g", distance, v)
		}
		far := p.statistics().Farthest() * k.LengthScale[1] / distance
		compare.Near(t, "Farthest", one(far), one(0.75), 0.1) // from the mean of four
	}
}

// Farthest is 0 without an RBF part and NaN where an inducing input is.
func TestFarthest(t *testing.T) {
	for i, names := range everySum() {
		p := randomProblem(rand.New(rand.NewPCG(19, uint64(i))), names, 1, 3, 2, 1)
		p.in.Z.Set(1, 1, math.NaN())
		if far := p.statistics().Farthest(); names.Has("rbf") != math.IsNaN(far) {
			t.Errorf("%v: %v with a point that is not a number", names, far)
		}
	}
}

// So many examples that they are several chunks of several blocks: Ψ2 is the sum of the
// examples' own, and so are the derivatives in μ and S; those in Z, ℓ² and σ² are those of
// the sum.
func TestManyExamples(t *testing.T) {
	const n = 2*chunkExamples + blockExamples + 7
	for _, m := range []int{1, 4, 5} {
		p, k := randomRBF(uint64(18+m), n, m, 2, 1)
		g := randomSymmetric(rand.New(rand.NewPCG(18, uint64(m))), m)
		ps, psi2 := k.expectations().(*rbfPsi), mat.New(m, m)
		ps.set(k, p.in.Z)
		mu, s := p.q.Mu, p.q.S
		ps.psi2(psi2, mu, s)
		dmu, ds := mat.New(n, 2), mat.New(n, 2)
		ps.beginGradient()
		ps.psi2Backward(dmu, ds, g, mu, s)

		e, sum, wantMu, wantS := mat.New(m, m), mat.New(m, m), mat.New(n, 2), mat.New(n, 2)
		room := make([]float64, ps.exampleRoom())
		for i := range n {
			ps.psi2Example(e, room, mu.Row(i), s.Row(i))
			mat.Add(sum, sum, 1, e)
			ps.psi2ExampleBackward(e, room, wantMu.Row(i), wantS.Row(i), g, mu.Row(i), s.Row(i))
		}
		compare.Near(t, "Ψ2", psi2.Data, sum.Data, n*0x1p-52)
		compare.Near(t, "∂L/∂μ", dmu.Data, wantMu.Data, 1e-12)
		compare.Near(t, "∂L/∂S", ds.Data, wantS.Data, 1e-12)

		total := func() float64 {
			_, psi2 := p.forward()
			return mat.Dot(g, psi2)
		}
		grad, dz := &RBF{LengthScale: make([]float64, 2)}, mat.New(m, 2)
		ps.endGradient(grad, dz)
		checkGradient(t, fmt.Sprintf("m = %d, Z", m), p.in.Z.Data, dz.Data, total)
		checkGradient(t, fmt.Sprintf("m = %d, ℓ", m), k.LengthScale, grad.LengthScale, total)
		compare.Near(t, "∂L/∂σ²", one(grad.Variance), one(2*mat.Dot(g, psi2)/k.Variance), 1e-12)
	}
}
