package emulator

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

func normals(s []float64, rng *rand.Rand) {
	for k := range s {
		s[k] = rng.NormFloat64()
	}
}

// A chain has warmUp draws before the first that counts, in which its step is adapted to accept a share of wantAccepted; one that begins with the step of another
// has furtherWarmUp. Paths are about pathLength long: for 48 inputs draws were worth six times as many independent ones as with half the length, and twice as many as with
// twice that.
const warmUp, furtherWarmUp, wantAccepted, pathLength = 60, 15, 0.8, math.Pi

// chain sets draws by Hamiltonian Monte Carlo in coordinates s in which the Laplace approximation is standard normal, from its mode, and returns the step that it ends with;
// step is that of an earlier chain, or 0.
func (p *problem) chain(ctx context.Context, dst mat.Matrix, o *optimum, step float64, rng *rand.Rand) (float64, error) {
	d := len(o.t)
	if d == 0 {
		return step, nil // categories alone
	}
	t, gt := make([]float64, d), make([]float64, d)
	s, g, next, gnext, v := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	energy := func(s, g []float64) float64 {
		copy(t, o.t)
		mat.Mul(mat.Vector(t), 1, o.root, mat.Vector(s), 1)
		f := p.value(t, gt)
		mat.Mul(mat.Vector(g), 1, o.root.T(), mat.Vector(gt), 0)
		return f
	}
	warm := furtherWarmUp
	if step == 0 {
		warm, step = warmUp, math.Pow(float64(d), -0.25)
	}
	f := energy(s, g)
	for i := -warm; i < dst.Rows; i++ {
		if err := ctx.Err(); err != nil {
			return step, err
		}
		normals(v, rng)
		before := f + 0.5*asm.SumSquares(v)
		copy(next, s)
		copy(gnext, g)
		fnext := f
		for range max(1, int(math.Round(pathLength*(0.5+rng.Float64())/step))) {
			asm.Axpy(-0.5*step, gnext, v)
			asm.Axpy(step, v, next)
			fnext = energy(next, gnext)
			asm.Axpy(-0.5*step, gnext, v)
			if !(fnext < before+1000) {
				break
			}
		}
		accepted := math.Exp(min(0, before-fnext-0.5*asm.SumSquares(v)))
		if !(accepted >= 0) {
			accepted = 0
		}
		if rng.Float64() < accepted {
			copy(s, next)
			copy(g, gnext)
			f = fnext
		}
		if i < 0 {
			step = max(0.02, min(1.5, step*math.Exp(0.3*(accepted-wantAccepted))))
			continue
		}
		copy(dst.Row(i), o.t)
		mat.Mul(mat.Vector(t), 1, o.root, mat.Vector(s), 0)
		asm.Axpy(1, t, dst.Row(i))
	}
	return step, nil
}

// compared returns how many independent draws a chain is worth, that of its worst component, and how far its means are from the mode, in deviations.
func compared(t mat.Matrix, o *optimum) (effective, differ float64) {
	n := t.Rows
	effective = float64(n)
	for k := range t.Cols {
		mean, square := 0., 0.
		for i := range n {
			mean += t.At(i, k) / float64(n)
		}
		c := make([]float64, n)
		for i := range n {
			c[i] = t.At(i, k) - mean
		}
		if square = asm.SumSquares(c); square == 0 {
			return 1, differ
		}
		differ = max(differ, math.Abs(mean-o.t[k])/math.Sqrt(square/float64(n)))
		sum := 1.
		for lag := 1; lag+1 < n; lag += 2 { // pairs of autocorrelations, while positive (Geyer 1992)
			pair := (asm.Dot(c[lag:], c[:n-lag]) + asm.Dot(c[lag+1:], c[:n-lag-1])) / square
			if pair <= 0 {
				break
			}
			sum += 2 * pair
		}
		effective = min(effective, float64(n)/sum)
	}
	return effective, differ
}
