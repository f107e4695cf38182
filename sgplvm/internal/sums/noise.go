package sums

import "github.com/seed-08962ecc/kronfield/mat"

// Residual returns the mean of E (y−f)·(y−f)ᵀ over examples and channels of sums, n_s×n_s, f of q(U) of a model with structured noise.
func (b *Basis) Residual(s *Sums, q Solution) mat.Matrix {
	n, m := b.grid.Len(), s.Psi2.Rows
	k := mat.New(n, n)
	b.params.Space[0].Kernel.Matrix(k, b.grid[0], b.grid[0])
	cross, square, half := mat.New(n, n), mat.New(n, n), mat.New(m, n)
	for c := range b.channels {
		channel := func(all []float64) mat.Matrix {
			return mat.Matrix{Rows: m, Cols: n, RowStride: n * b.channels, ColStride: b.channels, Data: all[c:]}
		}
		alpha := channel(q.Alpha.Data).Clone()
		mat.Mul(cross, 1, alpha.T(), channel(s.G.Data), 1)
		mat.Mul(half, 1, s.Psi2, alpha, 0)
		mat.Mul(square, 1, alpha.T(), half, 1)
	}
	mat.Mul(cross, 0.5, square, k, -1)
	mat.Mul(square, 1, k, cross, 0) // with its transpose what the mean of f adds to Σ y·yᵀ
	r := s.Outer.Clone()
	mat.Add(r, r, 1, square)
	mat.Add(r, r, 1, square.T())
	dy := float64(b.channels)
	mat.Add(r, r, dy*s.Totals[Psi0], k)

	latent, spatial := q.Spectra[0], q.Spectra[1]
	rotated, phi, scaled := mat.New(m, m), mat.New(n, n), mat.New(n, n)
	mat.Mul(rotated, 1, s.Psi2, latent.Vectors, 0)
	told := make([]float64, n) // Σ_i (λ0_i/d_ij)·(T_0ᵀ·Ψ2·T_0)_ii
	for i, l0 := range latent.Values {
		v := l0 * mat.Dot(latent.Vectors.Slice(0, m, i, i+1), rotated.Slice(0, m, i, i+1))
		for j, l := range spatial.Values {
			told[j] += v / (1 + l0*l)
		}
	}
	mat.Mul(phi, 1, k, spatial.Vectors, 0)
	mat.ScaleCols(scaled, phi, told)
	mat.MulSym(r, -dy, scaled, phi.T(), 1)
	mat.MirrorLower(r)
	mat.Scale(r, 1/(dy*s.Totals[Count]), r)
	return r
}
