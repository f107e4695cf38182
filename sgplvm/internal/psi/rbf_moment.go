package psi

import "github.com/seed-08962ecc/kronfield/mat"

// Given a multiplication with k(x, z_k), x_q is Gaussian around w·μ + (1−w)·z_kq with
// w = ℓ²/(S + ℓ²), so the first moment of an RBF part is
//
//	M = Ψ1ᵀ·(w∘μ) + Z∘(Ψ1ᵀ·(1−w))
//
// rbfMoment is what is handed on from moment to its derivatives, views of a room.
type rbfMoment struct {
	weight mat.Matrix // w, n×d
	pulled mat.Matrix // w∘μ, n×d
	rest   mat.Matrix // 1−w, n×d
	toZ    mat.Matrix // Ψ1ᵀ·(1−w), m×d
	zg     mat.Matrix // Z∘g, m×d
	sums   mat.Matrix // 2·Ψ1·g, n×d
	zSums  mat.Matrix // 2·Ψ1·(Z∘g), n×d
}

func (ps *rbfPsi) momentRoom(n int) int { return (5*n + 2*ps.z.Rows) * ps.z.Cols }

func (ps *rbfPsi) momentOf(room []float64, n int) rbfMoment {
	m, d := ps.z.Rows, ps.z.Cols
	return rbfMoment{weight: carve(&room, n, d), pulled: carve(&room, n, d), rest: carve(&room, n, d),
		toZ: carve(&room, m, d), zg: carve(&room, m, d), sums: carve(&room, n, d), zSums: carve(&room, n, d)}
}

func (ps *rbfPsi) momentWeights(room []float64, mu, s mat.Matrix) {
	x := ps.momentOf(room, mu.Rows)
	for i := range mu.Rows {
		weight, rest, v := x.weight.Row(i), x.rest.Row(i), s.Row(i)
		for q, l2 := range ps.square {
			weight[q] = l2 / (v[q] + l2)
			rest[q] = v[q] / (v[q] + l2)
		}
	}
	mat.MulElem(x.pulled, x.weight, mu)
}

func (ps *rbfPsi) moment(dst mat.Matrix, room []float64, psi1 mat.Matrix) {
	x := ps.momentOf(room, psi1.Rows)
	mat.Mul(x.toZ, 1, psi1.T(), x.rest, 0)
	mat.MulElem(dst, ps.inducing, x.toZ)
	mat.Mul(dst, 1, psi1.T(), x.pulled, 1)
}

// addMomentSlope adds 2(w∘μ)·gᵀ + 2(1−w)·(Z∘g)ᵀ.
func (ps *rbfPsi) addMomentSlope(t, g mat.Matrix, room []float64) {
	x := ps.momentOf(room, t.Rows)
	mat.MulElem(x.zg, ps.inducing, g)
	mat.Mul(t, 2, x.pulled, g.T(), 1)
	mat.Mul(t, 2, x.rest, x.zg.T(), 1)
}

// momentBackward differentiates M in Z and μ as they stand there, and in S and ℓ through w.
func (ps *rbfPsi) momentBackward(dz, dmu, ds, g mat.Matrix, room []float64, psi1, mu, s mat.Matrix) {
	collect := dz.Rows > 0
	x := ps.momentOf(room, mu.Rows)
	if collect {
		for k := range g.Rows {
			to, row := dz.Row(k), g.Row(k)
			for q, v := range x.toZ.Row(k) {
				to[q] += 2 * row[q] * v
			}
		}
	}
	mat.Mul(x.sums, 2, psi1, g, 0)
	mat.Mul(x.zSums, 2, psi1, x.zg, 0)
	for i := range mu.Rows {
		m, v, dm, dv := mu.Row(i), s.Row(i), dmu.Row(i), ds.Row(i)
		weight, rest, sum, zSum := x.weight.Row(i), x.rest.Row(i), x.sums.Row(i), x.zSums.Row(i)
		for q, l2 := range ps.square {
			byWidth := (m[q]*sum[q] - zSum[q]) / (v[q] + l2) // ∂/∂w over S + ℓ²
			dm[q] += weight[q] * sum[q]
			dv[q] -= byWidth * weight[q]
			if collect {
				ps.gradient.square[q] += byWidth * rest[q]
			}
		}
	}
}
