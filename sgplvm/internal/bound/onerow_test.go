package bound

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A step is an evaluation: n examples, m latent inducing
// points, d latent dimensions, and a spatial factor for each number of points, with one kernel.
type step struct {
	n, m, d, channels int
	kind              kernel.Kind
	points            []int
}

// evaluator draws data and parameters.
func (s step) evaluator() (*Evaluator, *Params) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int) mat.Matrix {
		x := mat.New(r, c)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	rbf := &psi.RBF{Variance: 1, LengthScale: make([]float64, s.d)}
	p := &Params{Noise: Noise{Beta: 50}, Latent: psi.Kernel{Parts: []psi.Part{rbf}},
		X: Latents{Mu: normal(s.n, s.d), S: mat.New(s.n, s.d)}, Z: normal(s.m, s.d)}
	for q := range s.d {
		rbf.LengthScale[q] = 2 + 6*rng.Float64()
	}
	for i := range p.X.S.Data {
		p.X.S.Data[i] = 0.05 + 0.2*rng.Float64()
	}
	var space field.Grid
	for _, k := range s.points {
		x := mat.New(k, 1)
		for i := range k {
			x.Data[i] = float64(i)
		}
		space = append(space, x)
		own := kernel.Kernel{Kind: s.kind, Variance: 1}
		if s.kind != kernel.White {
			own.LengthScale = []float64{3}
		}
		p.Space = append(p.Space, Spatial{Kernel: own})
	}
	y := normal(s.n*space.Len(), s.channels)
	scaled := &data.Scaled{Source: field.MatrixSource(y, s.n), Examples: s.n, Points: space.Len(), Channels: s.channels,
		Scaler: data.Scaler{Mean: make([]float64, s.channels), Scale: work.Ones(s.channels)}}
	return NewEvaluator(scaled, space, 1e-6), p
}

// Where spatial kernels are white the examples' Gram matrix gives the sums of a sweep over all components, where that is less work.
func TestOneRow(t *testing.T) {
	for _, c := range []struct {
		step
		is bool
	}{
		{step{20, 7, 3, 1, kernel.White, []int{90}}, true},
		{step{20, 7, 3, 3, kernel.White, []int{6, 5}}, true},
		{step{20, 2, 3, 1, kernel.White, []int{20}}, false}, // more work
		{step{20, 7, 3, 1, kernel.Matern32, []int{90}}, false},
	} {
		e, p := c.evaluator()
		for f := range p.Space {
			p.Space[f].Kernel.Variance = 1.5
		}
		if err := e.Factorize(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		var sums [2]sweepSums
		for i, w := range []wanted{e.wanted(true, p, GroupLatent), wantCross} {
			if err := e.sweep.run(t.Context(), e, 50, w); err != nil {
				t.Fatal(err)
			}
			if is := e.sweep.oneRow(); is != (c.is && i == 0) {
				t.Errorf("%+v: %v", c, is)
			}
			sums[i], e.sweep.sums = e.sweep.sums, sweepSums{}
		}
		got, want := &sums[0], &sums[1]
		compare.NearOne(t, "log|D|", got.logDet, want.logDet, 1e-13)
		compare.Near(t, "r1", got.r1, want.r1, 1e-13)
		compare.Near(t, "r2", got.r2, want.r2, 1e-13)
		compare.Near(t, "gram", got.gram.Data, want.gram.Data, 1e-12)
		compare.Near(t, "weighted", got.weighted.Data, want.weighted.Data, 1e-12)
		compare.Near(t, "cross", got.cross.Data, want.cross.Data, 1e-12)
	}
}
