package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// psiStatistics computes, for the RBF-ARD latent kernel k and q(x) = N(μ, diag S),
//
//	Ψ1[n,k]   = E k(x_n, z_k)
//	Ψ2[k,k'] = Σ_n E k(x_n, z_k)·k(x_n, z_k')
//
// and chains gradients back through them (math: Titsias and Lawrence, "Bayesian
// Gaussian process latent variable model", AISTATS 2010, appendix; here written
// as matrix products).
//
// With a = 1/(2S + ℓ²), the exponent of one example's Ψ2 splits into a term for k,
// one for k' and Σ_q ½(1/ℓ_q² − a_q)·z_kq·z_k'q, a Gram matrix. For one example, as
// inference asks for it, this is a product of depth d_ξ + 2 (this file); summed over
// many examples it is a product of pairs of inducing points with examples (psi2.go).
//
// Inputs are shifted by the mean of Z, so that the split exponent does not lose
// digits where latent coordinates lie far from the origin.
type psiStatistics struct {
	variance float64
	square   []float64  // ℓ_q²
	shift    []float64  // mean of Z, d_ξ
	z        mat.Matrix // Z − shift, m_ξ×d_ξ
	features mat.Matrix // [z², z, 1], m_ξ×(2d_ξ+1)
	zt       mat.Matrix // zᵀ and a row of ones, (d_ξ+1)×m_ξ
	squares  mat.Matrix // z² by coordinates, d_ξ×m_ξ
	sum      psi2Sum    // what psi2 and psi2Backward work in
}

// newPsiStatistics prepares statistics for the kernel k and the inducing inputs z,
// m_ξ×d_ξ.
func newPsiStatistics(k Kernel, z mat.Matrix) *psiStatistics {
	ps := new(psiStatistics)
	ps.set(k, z)
	return ps
}

// set is newPsiStatistics in the storage of an earlier one.
func (ps *psiStatistics) set(k Kernel, z mat.Matrix) {
	m, d := z.Rows, z.Cols
	if ps.z.Rows != m || ps.z.Cols != d {
		*ps = psiStatistics{square: make([]float64, d), shift: make([]float64, d), z: mat.New(m, d),
			features: mat.New(m, 2*d+1), zt: mat.New(d+1, m), squares: mat.New(d, m)}
	}
	ps.variance = k.Variance
	for q := range d {
		l := k.LengthScale[min(q, len(k.LengthScale)-1)]
		ps.square[q] = l * l
		ps.shift[q] = 0
		for i := range m {
			ps.shift[q] += z.At(i, q) / float64(m)
		}
	}
	for i := range m {
		features := ps.features.Row(i)
		for q := range d {
			v := z.At(i, q) - ps.shift[q]
			ps.z.Data[i*d+q] = v
			features[q], features[d+q] = v*v, v
			ps.zt.Data[q*m+i] = v
			ps.squares.Data[q*m+i] = v * v
		}
		features[2*d] = 1
		ps.zt.Data[d*m+i] = 1
	}
}

// farthestInducing is the distance from their mean, in length scales, up to which
// inducing inputs are accepted: the exponents keep an absolute error below about
// 2e-6.
const farthestInducing = 1e5

// farthest returns the largest distance of an inducing input from their mean, in
// length scales.
func (ps *psiStatistics) farthest() float64 {
	var far float64
	for k := range ps.z.Rows {
		var r2 float64
		for q, v := range ps.z.Row(k) {
			r2 += v * v / ps.square[q]
		}
		far = max(far, math.Sqrt(r2)) // NaN stays NaN
	}
	return far
}

// psiGradient collects derivatives of a scalar L that depends on Ψ1 and Ψ2.
type psiGradient struct {
	variance float64
	square   []float64  // with respect to ℓ_q²
	z        mat.Matrix // m_ξ×d_ξ
}

func newPsiGradient(m, d int) *psiGradient {
	return &psiGradient{square: make([]float64, d), z: mat.New(m, d)}
}

func (g *psiGradient) zero() {
	g.variance = 0
	clear(g.square)
	g.z.Fill(0)
}

// coefficients sets row n of a, n×(2d_ξ+1), to [−b, 2bμ, c], where b = 1/(2(S+ℓ²))
// and c is the rest of Ψ1's logarithm: times the features it is all of it.
func (ps *psiStatistics) coefficients(a, mu, s mat.Matrix) {
	d := len(ps.square)
	logVariance := math.Log(ps.variance)
	for n := range mu.Rows {
		row, m, v := a.Row(n), mu.Row(n), s.Row(n)
		c := logVariance
		for q, l2 := range ps.square {
			b := 0.5 / (v[q] + l2)
			x := m[q] - ps.shift[q]
			row[q] = -b
			row[d+q] = 2 * b * x
			c -= 0.5*math.Log1p(v[q]/l2) + b*x*x
		}
		row[2*d] = c
	}
}

// psi1 sets dst (n×m_ξ) to Ψ1 for q(x_n) = N(mu_n, diag s_n); mu and s are n×d_ξ.
func (ps *psiStatistics) psi1(dst, mu, s mat.Matrix) {
	buffer := mat.Borrow(mu.Rows * ps.features.Cols)
	a := mat.NewDense(mu.Rows, ps.features.Cols, *buffer)
	ps.coefficients(a, mu, s)
	mat.Mul(dst, 1, a, ps.features.T(), 0)
	for n := range dst.Rows {
		asm.Exp(dst.Row(n), dst.Row(n))
	}
	mat.GiveBack(buffer)
}

// psi1Jacobian sets dst[k,q] = ∂ψ1_k/∂μ_q for one example, given its ψ1 (m_ξ);
// dst is m_ξ×d_ξ.
func (ps *psiStatistics) psi1Jacobian(dst mat.Matrix, psi1, mu, s []float64) {
	for k, v := range psi1 {
		row, z := dst.Row(k), ps.z.Row(k)
		for q, l2 := range ps.square {
			row[q] = v * (z[q] - (mu[q] - ps.shift[q])) / (s[q] + l2)
		}
	}
}

// psi1Backward adds the derivatives of Σ g∘Ψ1, given g = ∂L/∂Ψ1 and Ψ1 itself
// (n×m_ξ), to grad, unless that is nil, and to dmu and ds (n×d_ξ).
func (ps *psiStatistics) psi1Backward(grad *psiGradient, dmu, ds, g, psi1, mu, s mat.Matrix) {
	n, m, d := mu.Rows, ps.z.Rows, mu.Cols
	columns := 2*d + 1
	buffer := mat.Borrow(n*m + 2*n*columns + m*columns)
	take := func(r, c int) mat.Matrix {
		x := mat.NewDense(r, c, (*buffer)[:r*c])
		*buffer = (*buffer)[r*c:]
		return x
	}
	whole := *buffer
	w, a, moments, back := take(n, m), take(n, columns), take(n, columns), take(m, columns)
	ps.coefficients(a, mu, s)
	mat.MulElem(w, g, psi1)
	mat.Mul(moments, 1, w, ps.features, 0) // Σ_k w·z², Σ_k w·z, Σ_k w
	for i := range n {
		row, m, v, dm, dv := moments.Row(i), mu.Row(i), s.Row(i), dmu.Row(i), ds.Row(i)
		s0 := row[2*d]
		for q, l2 := range ps.square {
			b := 0.5 / (v[q] + l2)
			x := m[q] - ps.shift[q]
			s2, s1 := row[q], row[d+q]
			db := -(s2 - 2*x*s1 + x*x*s0)
			dm[q] += 2 * b * (s1 - x*s0)
			dl := -2*b*b*db - b*s0
			dv[q] += dl
			if grad != nil {
				grad.square[q] += dl + 0.5*s0/l2
			}
		}
		if grad != nil {
			grad.variance += s0 / ps.variance
		}
	}
	if grad != nil {
		mat.Mul(back, 1, w.T(), a, 0) // −Σ_n w·b, Σ_n w·2bμ
		for k := range m {
			dz, z, row := grad.z.Row(k), ps.z.Row(k), back.Row(k)
			for q := range d {
				dz[q] += 2*z[q]*row[q] + row[d+q]
			}
		}
	}
	*buffer = whole
	mat.GiveBack(buffer)
}

// psi2Scratch is what one goroutine needs for one example's Ψ2.
type psi2Scratch struct {
	e           mat.Matrix // Ψ2, m_ξ×m_ξ
	left, right mat.Matrix // factors of the exponent, (d_ξ+2)×m_ξ
	w           mat.Matrix // Zᵀ·W and the sums of W's columns, (d_ξ+1)×m_ξ
}

func (ps *psiStatistics) newScratch() *psi2Scratch {
	m, d := ps.z.Rows, ps.z.Cols
	t := &psi2Scratch{e: mat.New(m, m),
		left: mat.New(d+2, m), right: mat.New(d+2, m), w: mat.New(d+1, m)}
	t.left.Slice(d+1, d+2, 0, m).Fill(1)
	t.right.Slice(d, d+1, 0, m).Fill(1)
	return t
}

// psi2Example sets t.e to one example's Ψ2: rows of the lower triangle, some at a time,
// each row to the end of its block's diagonal.
func (ps *psiStatistics) psi2Example(t *psi2Scratch, mu, s []float64) {
	d := len(ps.square)
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
		block := t.e.Slice(i0, i1, 0, i1)
		mat.Mul(block, 1, t.left.Slice(0, d+2, i0, i1).T(), t.right.Slice(0, d+2, 0, i1), 0)
		for i := range block.Rows {
			asm.Exp(block.Row(i), block.Row(i))
		}
	}
	mat.MirrorLower(t.e)
}

// rowsTogether is how many rows of Ψ2 are formed at a time for one example.
const rowsTogether = 24

// psi2ExampleBackward adds the derivatives of Σ g∘Ψ2 (over all k, k'; g
// symmetric, m_ξ×m_ξ) for one example to dmu and ds. psi2Example must have been
// called with the same arguments; t.e is overwritten.
func (ps *psiStatistics) psi2ExampleBackward(t *psi2Scratch, dmu, ds []float64, g mat.Matrix, mu, s []float64) {
	mat.MulElem(t.e, t.e, g)
	mat.Mul(t.w, 1, ps.zt, t.e, 0)
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

// exampleBlocks is into how many blocks of examples a sum over them is cut,
// whatever the number of processors.
const exampleBlocks = 16

// addTo chains the gradient into the kernel's own parameters and Z.
func (g *psiGradient) addTo(k Kernel, grad *Kernel, dz mat.Matrix) {
	grad.Variance += g.variance
	for q, v := range g.square {
		i := min(q, len(k.LengthScale)-1)
		grad.LengthScale[i] += 2 * k.LengthScale[i] * v
	}
	mat.Add(dz, dz, 1, g.z)
}
