package eig

import "github.com/seed-08962ecc/kronfield/mat"

// Blocks have an eighth of the order's reflectors, within these bounds: a wide
// block makes better products and a larger triangle. Tests change them.
var leastBlock, mostBlock = 16, 128

// reflectorBlock is the number of reflectors that are applied together to a
// matrix of n rows.
func reflectorBlock(n int) int { return max(leastBlock, min(mostBlock, n/8&^7)) }

// backTransform overwrites z with Q·z, where Q = H₀·H₁·…·Hₙ₋₂ is the product of
// the reflectors that tridiagonalize left in s.u and s.tau. A block of them is
//
//	Hₖ·Hₖ₊₁·… = I − V·T·Vᵀ    T⁻ᵀ = L = stril(Vᵀ·V) + diag(1/τ)
//
// the compact WY form of Schreiber and Van Loan (SIAM J. Sci. Stat. Comput.
// 10(1), 1989), with the inverse of T that Joffrain, Low, Quintana-Ortí, van de
// Geijn and Van Zee read off VᵀV (ACM Trans. Math. Software 32(2), 2006). So a
// triangular solution, G = L⁻¹·Vᵀ, takes the place of T, and z loses Gᵀ·(Vᵀ·z).
func (s *Solver) backTransform(z mat.Matrix) error {
	n := s.n
	if n < 2 {
		return nil
	}
	block := reflectorBlock(n)
	for k := (n - 2) / block * block; k >= 0; k -= block {
		if err := s.stopped(); err != nil {
			return err
		}
		width := min(block, n-1-k)
		vt := s.u.Slice(k, k+width, k+1, n)
		l := mat.NewDense(width, width, s.triangle[:width*width])
		mat.Syrk(l, 1, vt, 0)
		for i, tau := range s.tau[k : k+width] {
			if tau == 0 { // v is 0, and so is row i of G whatever stands here
				tau = 1
			}
			l.Set(i, i, 1/tau)
		}
		g := mat.NewDense(width, vt.Cols, s.g[:width*vt.Cols])
		mat.Copy(g, vt)
		mat.SolveLower(l, g)
		rows := z.Slice(k+1, n, 0, n)
		w := mat.NewDense(width, n, s.w[:width*n])
		mat.Mul(w, 1, vt, rows, 0)
		mat.Mul(rows, -1, g.T(), w, 1)
	}
	return nil
}
