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
			m.joint(row, p, from, 0)
		} else {
			m.c.Factors[0].B.row(row, p, from)
		}
		if factors != nil {
			asm.MulTo(row, row, factors[from:from+len(row)])
		}
	}
}

// joint sets dst to features, from one on, of one point of all factors from one on.
func (m *Model) joint(dst []float64, point, from, factor int) {
	var ip, ij [MaxFactors]int
	of, sizes := m.b[factor:], m.sizes[factor:]
	last := len(of) - 1
	splitPoint(ip[:last+1], point, m.dims[factor:])
	splitPoint(ij[:last+1], from, sizes)
	for len(dst) > 0 {
		v := 1.0
		for f, b := range of[:last] {
			v *= b.At(ip[f], ij[f])
		}
		row := of[last].Row(ip[last])[ij[last]:]
		row = row[:min(len(row), len(dst))]
		asm.Scale(dst, v, row)
		dst = dst[len(row):]
		ij[last] = 0
		for f := last - 1; f >= 0; f-- { // the next index of the others
			if ij[f]++; ij[f] < sizes[f] {
				break
			}
			ij[f] = 0
		}
	}
}

// addPlaces adds B·diag(ω)·Bᵀ between points of two ascending lists to dst, of several factors. Points at one place a of the first factor are taken together: with the
// features b_j of all other factors it is Σ_j b_j·t_j·b′_j to a point at place a′, with t_j = Σ_i B_ai·B_a′i·ω_ij. same: the lists are one, and only the lower triangle counts.
func (w *Workspace) addPlaces(dst mat.Matrix, left, right []int, same bool) {
	m, first := w.m, w.m.b[0]
	size, rest := m.features/m.sizes[0], m.c.Points/m.dims[0]
	scaled := mat.NewDense(m.sizes[0], size, w.room.modes[0][:m.features])
	for from, to := 0, 0; from < len(left); from = to {
		place := left[from] / rest
		for to < len(left) && left[to]/rest == place && to-from < together {
			to++
		}
		if same {
			right = left[:to]
		}
		least, most := right[0]/rest, right[len(right)-1]/rest+1
		t := mat.NewDense(most-least, size, w.room.modes[1][:(most-least)*size])
		mat.ScaleRows(scaled, first.Row(place), mat.NewDense(m.sizes[0], size, w.moments.share))
		mat.Mul(t, 1, first.Slice(least, most, 0, first.Cols), scaled, 0)
		own := view(w.room.observed, to-from, size)
		for k, i := range left[from:to] {
			m.joint(own.Row(k), i%rest, 0, 1)
		}
		for begin := 0; begin < len(right); begin += together {
			block := right[begin:min(begin+together, len(right))]
			others := view(w.room.missing, len(block), size)
			for k, i := range block {
				m.joint(others.Row(k), i%rest, 0, 1)
				asm.MulTo(others.Row(k), others.Row(k), t.Row(i/rest-least))
			}
			mat.Mul(dst.Slice(from, to, begin, begin+len(block)), 1, own, others.T(), 1)
		}
	}
}

// byPlaces reports whether addPlaces takes less work than products of all features for so many observed points.
func (m *Model) byPlaces(seen int) bool {
	return len(m.b) > 0 && m.placesWork(seen) < float64(seen)*float64(seen)/2*float64(m.features)
}

// placesWork returns about how many multiplications addPlaces takes between so many points.
func (m *Model) placesWork(seen int) float64 {
	places, o := float64(m.dims[0]), float64(seen)
	size := float64(m.features) / float64(m.sizes[0])
	return places*places*float64(m.features) + o*places*size + o*o/2*size
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
