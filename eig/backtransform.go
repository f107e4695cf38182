package eig

import "github.com/seed-08962ecc/kronfield/mat"

// Blocks have about a sixteenth of the order's reflectors, within these bounds: a wide
// block makes better products and a larger triangle. Tests change them.
var leastBlock, mostBlock = 24, 120

// reflectorBlock is the number of reflectors that are applied together to vectors
// of n elements: where it may be, a multiple of the columns of any register tile.
func reflectorBlock(n int) int { return max(leastBlock, min(mostBlock, (n/16+23)/24*24)) }

// backTransform overwrites x with x·Qᵀ, that is, each row v of x with (Q·v)ᵀ, where Q = H₀·H₁·…·Hₙ₋₂ is the product of
// the reflectors that tridiagonalize left in s.u and s.tau. A block of them is
//
//	Hₖ·Hₖ₊₁·… = I − V·T·Vᵀ    T⁻ᵀ = L = stril(Vᵀ·V) + diag(1/τ)
//
// the compact WY form of Schreiber and Van Loan (SIAM J. Sci. Stat. Comput.
// 10(1), 1989), with the inverse of T that Joffrain, Low, Quintana-Ortí, van de
// Geijn and Van Zee read off VᵀV (ACM Trans. Math. Software 32(2), 2006). So a
// triangular solution, G = L⁻¹·Vᵀ, takes the place of T, and x loses (x·V)·G. With
// the vectors in rows the products read x where it lies, and pack V and G alone.
func (s *Solver) backTransform(x mat.Matrix) error {
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
		columns := x.Slice(0, n, k+1, n)
		w := mat.NewDense(n, width, s.w[:n*width])
		mat.Mul(w, 1, columns, vt.T(), 0)
		mat.Mul(columns, -1, w, g, 1)
	}
	return nil
}
