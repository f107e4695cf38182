package eig

import "github.com/seed-08962ecc/kronfield/mat"

// backTransform overwrites z with Q·z, where Q = H₀·H₁·…·Hₙ₋₂ is the product of
// the reflectors that tridiagonalize left in s.u and s.tau. The reflectors of a
// panel are applied together, in the compact WY form I − V·T·Vᵀ of Schreiber
// and Van Loan (SIAM J. Sci. Stat. Comput. 10(1), 1989).
func (s *Solver) backTransform(z mat.Matrix) {
	n := s.n
	if n < 2 {
		return
	}
	for k := (n - 2) / panelWidth * panelWidth; k >= 0; k -= panelWidth {
		width := min(panelWidth, n-1-k)
		vt := s.u.Slice(k, k+width, k+1, n)
		t := mat.NewDense(width, width, s.t[:width*width])
		compact(t, vt, s.tau[k:k+width])
		rows := z.Slice(k+1, n, 0, n)
		p := mat.NewDense(n, width, s.product[:n*width]) // (T·Vᵀ·Z)ᵀ: rows are what Mul shares out
		mat.Mul(p, 1, rows.T(), vt.T(), 0)
		mat.MulUpper(t, p.T())
		mat.Mul(rows, -1, vt.T(), p.T(), 1)
	}
}

// compact sets t to the upper triangular T with H₀·H₁·… = I − V·T·Vᵀ, where
// Hᵢ = I − tauᵢ·vᵢ·vᵢᵀ and row i of vt is vᵢᵀ: column i of T is
// −tauᵢ·T·(Vᵀ·vᵢ) above the diagonal and tauᵢ on it.
func compact(t, vt mat.Matrix, tau []float64) {
	mat.Mul(t, 1, vt, vt.T(), 0)
	for i, ti := range tau {
		above := t.Slice(0, i, i, i+1)
		mat.Scale(above, -ti, above)
		mat.MulUpper(t.Slice(0, i, 0, i), above)
		t.Set(i, i, ti)
	}
}
