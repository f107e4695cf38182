package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Features B = ⊗B_f give the covariances of f: without the term of the latent uncertainty it is
//
//	ψ0·(K − B·Bᵀ) + B·diag(ω)·Bᵀ
//
// with ω_j = ψ0 − Σ_i τ_i·(1 − β⁻¹/d_ij) ≥ 0, which rounding of B leaves positive semidefinite. At the training points of tied factors the first term is 0
// (docs/math.md, section 23).

// setFeatures sets dst to columns from on of the rows of B that belong to the points, each times its factor.
func (m *Model) setFeatures(dst mat.Matrix, points []int, from int, factors []float64) {
	for k, p := range points {
		row := dst.Row(k)
		if len(m.b) > 0 {
			m.joint(row, p, from)
		} else {
			m.c.Factors[0].B.row(row, p, from)
		}
		if factors != nil {
			asm.MulTo(row, row, factors[from:from+len(row)])
		}
	}
}

// joint sets dst to features of one point of several factors, from one on.
func (m *Model) joint(dst []float64, point, from int) {
	var ip, ij [MaxFactors]int
	last := len(m.b) - 1
	splitPoint(ip[:last+1], point, m.dims)
	splitPoint(ij[:last+1], from, m.sizes)
	for len(dst) > 0 {
		v := 1.0
		for f, b := range m.b[:last] {
			v *= b.At(ip[f], ij[f])
		}
		row := m.b[last].Row(ip[last])[ij[last]:]
		row = row[:min(len(row), len(dst))]
		asm.Scale(dst, v, row)
		dst = dst[len(row):]
		ij[last] = 0
		for f := last - 1; f >= 0; f-- { // the next index of the others
			if ij[f]++; ij[f] < m.sizes[f] {
				break
			}
			ij[f] = 0
		}
	}
}

// column returns B·diag(ω)·Bᵀ between all points and one, of several factors.
func (w *Workspace) column(point int) []float64 {
	v := w.room.modes[0][:w.m.features]
	w.m.joint(v, point, 0)
	asm.MulTo(v, v, w.moments.share)
	return w.modes(v, w.m.b, false)
}

// byColumns reports whether covariances with so many observed points take less work by columns of all points.
func (m *Model) byColumns(seen int) bool {
	if len(m.b) == 0 {
		return false
	}
	work, size := 0.0, float64(m.features)
	for f, n := range m.dims {
		work += size * float64(n)
		size *= float64(n) / float64(m.sizes[f])
	}
	return work < float64(seen)*float64(m.features)/2
}

// setFeatureVariance sets dst to diag(B·diag(ω)·Bᵀ) + ψ0·diag(K − B·Bᵀ) at points of a list.
func (w *Workspace) setFeatureVariance(dst []float64, within []int) {
	m, t := w.m, &w.moments
	if len(m.b) > 0 {
		v := w.room.modes[0][:m.features]
		copy(v, t.share)
		copy(dst, w.modes(v, m.squares, false))
		for _, i := range within {
			dst[i] += t.psi0 * m.beyond(i, i)
		}
		return
	}
	if m.shaped() {
		w.setShapedVariance(dst, within)
		return
	}
	row := w.room.row[:m.features]
	for _, i := range within {
		m.c.Factors[0].B.row(row, i, 0)
		asm.MulTo(row, row, row)
		dst[i] = asm.Dot(row, t.share)
		if !m.exact {
			dst[i] += t.psi0 * m.beyond(i, i)
		}
	}
}

// modes returns the product of ⊗A_f, or of its transpose, with v in the first room of modes.
func (w *Workspace) modes(v []float64, factors []mat.Matrix, transposed bool) []float64 {
	m := w.m
	before, after := 1, 1
	to, other := w.room.modes[1], w.room.modes[0]
	sizes := m.sizes
	if transposed {
		sizes = m.dims
	}
	for _, n := range sizes {
		after *= n
	}
	for f, b := range factors {
		if transposed {
			b = b.T()
		}
		after /= sizes[f]
		for k := range before {
			mat.Mul(mat.NewDense(b.Rows, after, to[k*b.Rows*after:][:b.Rows*after]), 1, b, mat.NewDense(b.Cols, after, v[k*b.Cols*after:][:b.Cols*after]), 0)
		}
		before *= b.Rows
		v = to[:before*after]
		to, other = other, to
	}
	return v
}

// beyond returns the element of K − B·Bᵀ for two points.
func (m *Model) beyond(i, j int) float64 {
	if m.exact {
		return 0
	}
	if m.known == nil {
		return m.kernels[0].At(i, j)
	}
	var a, b [MaxFactors]int
	splitPoint(a[:len(m.dims)], i, m.dims)
	splitPoint(b[:len(m.dims)], j, m.dims)
	k, q := 1.0, 1.0
	for f := range m.known {
		k *= m.kernels[f].At(a[f], b[f])
		q *= m.known[f].At(a[f], b[f])
	}
	return k - q
}
