package psi

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// Every example's statistics, and derivatives with a slope of its own, are those of Statistics that hold
// this example alone.
func TestEach(t *testing.T) {
	for i, names := range everySum() {
		for seed, c := range []struct{ n, m, d int }{{1, 1, 1}, {3, 4, 1}, {5, 3, 2}, {37, 5, 3}} {
			for _, known := range []bool{true, false} {
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
				p := randomProblem(rng, names, c.n, c.m, c.d, 0.4)
				if !known {
					p.q.At = nil
				}
				checkEach(t, fmt.Sprintf("%v, n=%d, times known: %v", names, c.n, known), p, rng)
			}
		}
	}
}

func checkEach(t *testing.T, what string, p problem, rng *rand.Rand) {
	t.Helper()
	n, m := p.q.Mu.Rows, p.in.Z.Rows
	psi0, psi1 := make([]float64, n), mat.New(n, m)
	g0, g1, g2, psi2 := make([]float64, n), randomMatrix(rng, n, m), make([]mat.Matrix, n), make([]mat.Matrix, n)
	for i := range n {
		g0[i], g2[i] = rng.NormFloat64(), randomSymmetric(rng, m)
	}
	want, got := p.newGradient(), p.newGradient()
	for i := range n {
		own := p
		own.q = p.q.rows(i, i+1)
		st := own.statistics()
		row, square := mat.New(1, m), mat.New(m, m)
		st.Forward(row, square, own.q)
		copy(psi1.Row(i), row.Data)
		psi0[i], psi2[i] = st.Psi0(own.q), square
		to := Gradient{Kernel: want.Kernel, Z: want.Z, Mu: want.Mu.Slice(i, i+1, 0, want.Mu.Cols), S: want.S.Slice(i, i+1, 0, want.S.Cols)}
		st.Backward(to, g0[i], g1.Slice(i, i+1, 0, m).Clone(), g2[i], row, own.q)
	}
	var e Each
	for range 2 { // also in the room of an earlier call
		e.Set(p.k, p.in, n)
		gotPsi0, gotPsi1 := make([]float64, n), mat.New(n, m)
		e.Forward(gotPsi0, gotPsi1, p.q, func(_, i int, square mat.Matrix) {
			compare.Near(t, what+": Ψ2", square.Data, psi2[i].Data, 1e-13)
			square.Fill(0) // is body's
		})
		compare.Near(t, what+": ψ0", gotPsi0, psi0, 1e-13)
		compare.Near(t, what+": Ψ1", gotPsi1.Data, psi1.Data, 1e-13)
		got = p.newGradient()
		e.Backward(got, g0, g1.Clone(), gotPsi1, p.q, func(_, i int, g mat.Matrix) { mat.Copy(g, g2[i]) })
		compare.Near(t, what+": derivative in μ", got.Mu.Data, want.Mu.Data, 1e-11)
		compare.Near(t, what+": derivative in S", got.S.Data, want.S.Data, 1e-11)
		compare.Near(t, what+": derivative in Z", got.Z.Data, want.Z.Data, 1e-11)
		compare.Near(t, what+": derivative in the kernel", slopes(p.k, got.Kernel), slopes(p.k, want.Kernel), 1e-11)
	}
}
