//go:build !race

package psi

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A training step uses its storage again: what is left are kernels and closures, whose number
// does not grow with the data.
func TestAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	for i, names := range everySum() {
		p := randomProblem(rand.New(rand.NewPCG(48, uint64(i))), names, 60, 20, 3, 1)
		rng := rand.New(rand.NewPCG(49, 0))
		g1, g2 := randomMatrix(rng, 60, 20), randomSymmetric(rng, 20)
		st, to, psi1, psi2, k0 := new(Statistics), p.newGradient(), mat.New(60, 20), mat.New(20, 20), mat.New(20, 20)
		step := testing.AllocsPerRun(5, func() {
			st.Set(p.k, p.in)
			st.Matrix(k0)
			st.Forward(psi1, psi2, p.q)
			st.Backward(to, 1, g1, g2, psi1, p.q)
			st.MatrixBackward(to, g2, k0)
		})
		most := 20.
		if names.Has("time") {
			most = 50 // kernels of sums and products
		}
		var scratch Scratch
		form, mu, s, dmu, ds := formOf(st, 1, g1.Row(0), g2, nil), p.q.Mu.Row(0), p.q.S.Row(0), make([]float64, 3), make([]float64, 3)
		example := testing.AllocsPerRun(5, func() { form.Value(&scratch, mu, s, dmu, ds) })
		if step > most || example > 0 {
			t.Errorf("%v: %v allocations in a step, expected at most %v; %v in a form, expected none", names, step, most, example)
		}
	}
}

// Nothing of size n·m² is ever stored but what waits for the gradient, which has a bound.
func TestMemory(t *testing.T) {
	defer func(most int) { maxKept = most }(maxKept)
	maxKept = 1 << 20
	const n, m, d = 3000, 80, 4
	p, _ := randomRBF(20, n, m, d, 1)
	g1, g2 := mat.New(n, m), mat.New(m, m)
	g1.Fill(1)
	g2.Fill(1)
	psi1, psi2, to, st := mat.New(n, m), mat.New(m, m), p.newGradient(), p.statistics()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	st.Forward(psi1, psi2, p.q)
	st.Backward(to, 1, g1, g2, psi1, p.q)
	runtime.ReadMemStats(&after)
	// u and ∂L/∂u of two groups of tiles are most of it, and 2·d of 16 tasks less than m.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8*6*n*m+8<<20+8*maxKept); got > most {
		t.Errorf("%d bytes, expected at most %d; Ψ2 of each example would be %d", got, most, 8*n*m*m)
	}
}
