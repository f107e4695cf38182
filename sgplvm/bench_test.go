package sgplvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// stepProblem is a problem of the size of a training step on pictures: n examples,
// m latent inducing points, d latent dimensions, and a spatial factor for each
// number of points, with one kernel.
func stepProblem(n, m, d, channels int, kind KernelKind, points ...int) (*problem, *Params) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int, scale float64) mat.Matrix {
		x := mat.New(r, c)
		for i := range x.Data {
			x.Data[i] = scale * rng.NormFloat64()
		}
		return x
	}
	p := &Params{Beta: 50, Latent: LatentKernel{Variance: 1, LengthScale: make([]float64, d)}, Mu: normal(n, d, 1), S: mat.New(n, d), Z: normal(m, d, 1)}
	for q := range d {
		p.Latent.LengthScale[q] = 2 + 6*rng.Float64()
	}
	for i := range p.S.Data {
		p.S.Data[i] = 0.05 + 0.2*rng.Float64()
	}
	var space []mat.Matrix
	total := 1
	for _, k := range points {
		x := mat.New(k, 1)
		for i := range k {
			x.Data[i] = float64(i)
		}
		space = append(space, x)
		kernel := Kernel{Kind: kind, Variance: 1}
		if kind != White {
			kernel.LengthScale = []float64{3}
		}
		p.Spatial = append(p.Spatial, kernel)
		p.Xu = append(p.Xu, mat.Matrix{})
		total *= k
	}
	return problemOf(normal(n*total, channels, 1), n, space, 1e-6), p
}

// One evaluation of the bound with all gradients, at new length scales each time.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		n, m, d int
		kind    KernelKind
	}{{50, 50, 30, White}, {1000, 100, 30, White}, {1000, 100, 30, Matern32}} {
		b.Run(fmt.Sprintf("n=%d/m=%d/%s", c.n, c.m, c.kind), func(b *testing.B) {
			prob, p := stepProblem(c.n, c.m, c.d, 1, c.kind, 560)
			grad := p.clone()
			b.ReportAllocs()
			for b.Loop() {
				for i := range p.Spatial[0].LengthScale {
					p.Spatial[0].LengthScale[i] *= 1.0000001
				}
				if _, err := prob.evaluate(p, grad, groupAll); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N), "ms")
		})
	}
}

// The psi statistics alone: forward, and backward.
func BenchmarkPsi2(b *testing.B) {
	_, p := stepProblem(1000, 100, 30, 1, White, 4)
	ps := newPsiStatistics(p.Latent.rbf(), p.Z)
	psi2 := mat.New(100, 100)
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			ps.psi2(psi2, p.Mu, p.S)
		}
		b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N), "ms")
	})
	b.Run("backward", func(b *testing.B) {
		grad := p.clone()
		for b.Loop() {
			ps.psi2Backward(newPsiGradient(100, 30), grad.Mu, grad.S, psi2, p.Mu, p.S)
		}
		b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N), "ms")
	})
}
