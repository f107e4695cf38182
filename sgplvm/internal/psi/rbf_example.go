package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// rbfExample is what one example's Ψ2 works in, views of a room.
type rbfExample struct {
	left, right mat.Matrix // factors of the exponent, (d+2)×m
	w           mat.Matrix // Zᵀ·W and the sums of W's columns, (d+1)×m
}

func (ps *rbfPsi) exampleRoom() int { return (3*ps.z.Cols + 5) * ps.z.Rows }

func (ps *rbfPsi) exampleOf(room []float64) rbfExample {
	m, d := ps.z.Rows, ps.z.Cols
	return rbfExample{left: carve(&room, d+2, m), right: carve(&room, d+2, m), w: carve(&room, d+1, m)}
}

// rowsTogether is how many rows of Ψ2 are formed at a time for one example.
const rowsTogether = 24

// psi2Example computes rows of the lower triangle, some at a time, each row to the end of
// its block's diagonal.
func (ps *rbfPsi) psi2Example(e mat.Matrix, room, mu, s []float64) {
	d, t := len(ps.square), ps.exampleOf(room)
	fill(t.left.Row(d+1), 1)
	fill(t.right.Row(d), 1)
	c := 2 * math.Log(ps.variance)
	u := t.left.Row(d) // what k alone adds to the exponent
	clear(u)
	for q, l2 := range ps.square {
		a := 1 / (2*s[q] + l2)
		x := mu[q] - ps.shift[q]
		c -= 0.5*math.Log1p(2*s[q]/l2) + a*x*x
		z := ps.zt.Row(q)
		asm.Axpy(a*x, z, u)
		asm.Axpy(-0.25*(a+1/l2), ps.squares.Row(q), u)
		asm.Scale(t.left.Row(q), math.Sqrt(s[q]*a/l2), z) // ½(1/ℓ² − a) = S·a/ℓ²
		copy(t.right.Row(q), t.left.Row(q))
	}
	for k, v := range u {
		t.right.Row(d + 1)[k] = c + v
	}
	for i0 := 0; i0 < len(u); i0 += rowsTogether {
		i1 := min(i0+rowsTogether, len(u))
		block := e.Slice(i0, i1, 0, i1)
		mat.Mul(block, 1, t.left.Slice(0, d+2, i0, i1).T(), t.right.Slice(0, d+2, 0, i1), 0)
		for i := range block.Rows {
			asm.Exp(block.Row(i), block.Row(i))
		}
	}
	mat.MirrorLower(e)
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

func (ps *rbfPsi) psi2ExampleBackward(e mat.Matrix, room []float64, dmu, ds []float64, g mat.Matrix, mu, s []float64) {
	t := ps.exampleOf(room)
	mat.MulElem(e, e, g)
	mat.Mul(t.w, 1, ps.zt, e, 0)
	d := len(ps.square)
	w := t.w.Row(d)
	s0 := asm.Dot(w, ps.zt.Row(d))
	for q, l2 := range ps.square {
		a := 1 / (2*s[q] + l2)
		x := mu[q] - ps.shift[q]
		z := ps.zt.Row(q)
		s1 := asm.Dot(z, w)
		own, cross := asm.Dot(ps.squares.Row(q), w), asm.Dot(z, t.w.Row(q)) // Σ w·z², Σ z·W·z
		da := -(0.5*(own+cross) - 2*x*s1 + x*x*s0)
		dmu[q] += 2 * a * (s1 - x*s0)
		ds[q] += -2*a*a*da - a*s0
	}
}

// psi2ExampleCollect is psi2ExampleBackward that collects the derivatives in parameters and Z besides: with
// W = g∘E, w = W·1 and a = 1/(2S + ℓ²)
//
//	∂L/∂ℓ² = a²·(Σ w·z̄² − 2μ·Σ w·z̄ + μ²·Σ w) + S·a/ℓ²·Σ w + Σ W·(z_k − z_j)²/(4ℓ⁴)
//	∂L/∂z  = w∘(2aμ − (1/ℓ² + a)·z) + (1/ℓ² − a)·W·z
func (ps *rbfPsi) psi2ExampleCollect(e mat.Matrix, room []float64, dmu, ds []float64, g mat.Matrix, mu, s []float64) {
	t, grad := ps.exampleOf(room), &ps.gradient
	mat.MulElem(e, e, g)
	mat.Mul(t.w, 1, ps.zt, e, 0)
	d := len(ps.square)
	w := t.w.Row(d)
	s0 := asm.Dot(w, ps.zt.Row(d))
	grad.variance += 2 * s0 / ps.variance
	for q, l2 := range ps.square {
		a := 1 / (2*s[q] + l2)
		x := mu[q] - ps.shift[q]
		z, wz := ps.zt.Row(q), t.w.Row(q)
		s1 := asm.Dot(z, w)
		own, cross := asm.Dot(ps.squares.Row(q), w), asm.Dot(z, wz)
		spread := 0.5*(own+cross) - 2*x*s1 + x*x*s0
		dmu[q] += 2 * a * (s1 - x*s0)
		ds[q] += 2*a*a*spread - a*s0
		grad.square[q] += a*a*spread + s[q]*a/l2*s0 + 0.5*(own-cross)/(l2*l2)
		for k, v := range w {
			grad.z.Data[k*d+q] += v*(2*a*x-(1/l2+a)*z[k]) + (1/l2-a)*wz[k]
		}
	}
}
