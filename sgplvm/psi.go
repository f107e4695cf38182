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
// With a = 1/(2S + ℓ²), the exponent of one example's Ψ2 splits into a constant,
// a term for k, a term for k' and Σ_q ½(1/ℓ_q² − a_q)·z_kq·z_k'q. The last one is
// a Gram matrix of scaled inducing points, and two rows more add the terms:
// forward costs one product of depth d_ξ + 2 and m_ξ² exponentials per example,
// backward the one product Zᵀ·W. Memory is a few m_ξ×m_ξ tiles, never n_ξ·m_ξ².
// Inducing points are kept by coordinates (d_ξ×m_ξ), so that all loops are over
// contiguous numbers of m_ξ.
//
// Inputs are shifted by the mean of Z, so that the split exponent does not lose
// digits where latent coordinates lie far from the origin.
type psiStatistics struct {
	variance float64
	square   []float64  // ℓ_q²
	shift    []float64  // mean of Z, d_ξ
	z        mat.Matrix // Z − shift, m_ξ×d_ξ
	features mat.Matrix // [z², z], m_ξ×2d_ξ
	zt       mat.Matrix // zᵀ and a row of ones, (d_ξ+1)×m_ξ
	squares  mat.Matrix // z² by coordinates, d_ξ×m_ξ
	keep     *[]float64 // where psi2 keeps packed Ψ2 of the first examples for psi2Backward, or nil
	kept     int        // how many
}

func newPsiStatistics(k Kernel, z mat.Matrix) *psiStatistics {
	m, d := z.Rows, z.Cols
	ps := &psiStatistics{variance: k.Variance, square: make([]float64, d), shift: make([]float64, d),
		z: mat.New(m, d), features: mat.New(m, 2*d), zt: mat.New(d+1, m), squares: mat.New(d, m)}
	for q := range d {
		l := k.LengthScale[min(q, len(k.LengthScale)-1)]
		ps.square[q] = l * l
		for i := range m {
			ps.shift[q] += z.At(i, q) / float64(m)
		}
	}
	for i := range m {
		for q := range d {
			v := z.At(i, q) - ps.shift[q]
			ps.z.Set(i, q, v)
			ps.features.Set(i, q, v*v)
			ps.features.Set(i, d+q, v)
			ps.zt.Set(q, i, v)
			ps.squares.Set(q, i, v*v)
		}
		ps.zt.Set(d, i, 1)
	}
	return ps
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
	zt       mat.Matrix // a further part of it, by coordinates (d_ξ×m_ξ)
	perZ     mat.Matrix // and one that is to be multiplied by z, likewise
}

func newPsiGradient(m, d int) *psiGradient {
	return &psiGradient{square: make([]float64, d), z: mat.New(m, d), zt: mat.New(d, m), perZ: mat.New(d, m)}
}

func (g *psiGradient) add(h *psiGradient) {
	g.variance += h.variance
	asm.Axpy(1, h.square, g.square)
	mat.Add(g.z, g.z, 1, h.z)
	mat.Add(g.zt, g.zt, 1, h.zt)
	mat.Add(g.perZ, g.perZ, 1, h.perZ)
}

// coefficients sets row n of a to [−b, 2bμ], where b = 1/(2(S+ℓ²)), and
// constant[n] to the rest of Ψ1's logarithm.
func (ps *psiStatistics) coefficients(a mat.Matrix, constant []float64, mu, s mat.Matrix) {
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
		constant[n] = c
	}
}

// psi1 sets dst (n×m_ξ) to Ψ1 for q(x_n) = N(mu_n, diag s_n); mu and s are n×d_ξ.
func (ps *psiStatistics) psi1(dst, mu, s mat.Matrix) {
	a := mat.New(mu.Rows, 2*mu.Cols)
	constant := make([]float64, mu.Rows)
	ps.coefficients(a, constant, mu, s)
	mat.Mul(dst, 1, a, ps.features.T(), 0)
	for n, c := range constant {
		row := dst.Row(n)
		for k := range row {
			row[k] += c
		}
		asm.Exp(row, row)
	}
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
	a := mat.New(n, 2*d)
	ps.coefficients(a, make([]float64, n), mu, s)
	w := mat.New(n, m)
	mat.MulElem(w, g, psi1)
	moments := mat.New(n, 2*d) // Σ_k w·z², Σ_k w·z
	mat.Mul(moments, 1, w, ps.features, 0)
	for i := range n {
		var s0 float64
		for _, v := range w.Row(i) {
			s0 += v
		}
		row := moments.Row(i)
		for q, l2 := range ps.square {
			b := 0.5 / (s.At(i, q) + l2)
			x := mu.At(i, q) - ps.shift[q]
			s2, s1 := row[q], row[d+q]
			db := -(s2 - 2*x*s1 + x*x*s0)
			dmu.Row(i)[q] += 2 * b * (s1 - x*s0)
			v := -2*b*b*db - b*s0
			ds.Row(i)[q] += v
			if grad != nil {
				grad.square[q] += v + 0.5*s0/l2
			}
		}
		if grad != nil {
			grad.variance += s0 / ps.variance
		}
	}
	if grad == nil {
		return
	}
	back := mat.New(m, 2*d) // −Σ_n w·b, Σ_n w·2bμ
	mat.Mul(back, 1, w.T(), a, 0)
	for k := range m {
		for q := range d {
			grad.z.Row(k)[q] += 2*ps.z.At(k, q)*back.At(k, q) + back.At(k, d+q)
		}
	}
}

// psi2Scratch is what one goroutine needs for one example's Ψ2.
type psi2Scratch struct {
	e           mat.Matrix // Ψ2, m_ξ×m_ξ
	packed      []float64  // its lower triangle by blocks of rows
	left, right mat.Matrix // factors of the exponent, (d_ξ+2)×m_ξ
	w           mat.Matrix // Zᵀ·W and the sums of W's columns, (d_ξ+1)×m_ξ
}

func (ps *psiStatistics) newScratch() *psi2Scratch {
	m, d := ps.z.Rows, ps.z.Cols
	t := &psi2Scratch{e: mat.New(m, m), packed: make([]float64, packedSize(m)),
		left: mat.New(d+2, m), right: mat.New(d+2, m), w: mat.New(d+1, m)}
	t.left.Slice(d+1, d+2, 0, m).Fill(1)
	t.right.Slice(d, d+1, 0, m).Fill(1)
	return t
}

// A symmetric m_ξ×m_ξ matrix is kept, where there are many, by blocks of packedRows
// rows, each up to the end of its diagonal block: little more than a triangle, in
// rectangles.
const packedRows = 24

// eachPackedBlock calls f with every block of rows i0 ≤ i < i1, columns below i1.
func eachPackedBlock(m int, packed []float64, f func(i0, i1 int, block mat.Matrix)) {
	for i0 := 0; i0 < m; i0 += packedRows {
		i1 := min(i0+packedRows, m)
		n := (i1 - i0) * i1
		f(i0, i1, mat.NewDense(i1-i0, i1, packed[:n]))
		packed = packed[n:]
	}
}

func packedSize(m int) int {
	full := m / packedRows
	return packedRows*packedRows*(full*(full+1)/2) + (m-full*packedRows)*m
}

// unpackSymmetric sets e to the symmetric matrix whose blocks are packed.
func unpackSymmetric(e mat.Matrix, packed []float64) {
	eachPackedBlock(e.Rows, packed, func(i0, i1 int, block mat.Matrix) {
		mat.Copy(e.Slice(i0, i1, 0, i1), block)
		mat.Copy(e.Slice(0, i0, i0, i1), block.Slice(0, i1-i0, 0, i0).T())
	})
}

// psi2Packed sets packed to one example's Ψ2.
func (ps *psiStatistics) psi2Packed(packed []float64, t *psi2Scratch, mu, s []float64) {
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
	eachPackedBlock(len(u), packed, func(i0, i1 int, block mat.Matrix) {
		mat.Mul(block, 1, t.left.Slice(0, d+2, i0, i1).T(), t.right.Slice(0, d+2, 0, i1), 0)
		asm.Exp(block.Data, block.Data)
	})
}

// psi2Example sets t.e to one example's Ψ2.
func (ps *psiStatistics) psi2Example(t *psi2Scratch, mu, s []float64) {
	ps.psi2Packed(t.packed, t, mu, s)
	unpackSymmetric(t.e, t.packed)
}

// psi2ExampleBackward adds the derivatives of Σ g∘Ψ2 (over all k, k'; g
// symmetric, m_ξ×m_ξ) for one example to grad, unless that is nil, and to dmu
// and ds. psi2Example must have been called with the same arguments; t.e is
// overwritten.
func (ps *psiStatistics) psi2ExampleBackward(t *psi2Scratch, grad *psiGradient, dmu, ds []float64, g mat.Matrix, mu, s []float64) {
	mat.MulElem(t.e, t.e, g)
	mat.Mul(t.w, 1, ps.zt, t.e, 0)
	d := len(ps.square)
	w := t.w.Row(d)
	s0 := asm.Dot(w, ps.zt.Row(d))
	for q, l2 := range ps.square {
		a := 1 / (2*s[q] + l2)
		x := mu[q] - ps.shift[q]
		z, zw := ps.zt.Row(q), t.w.Row(q)
		s1 := asm.Dot(z, w)
		own, cross := asm.Dot(ps.squares.Row(q), w), asm.Dot(z, zw) // Σ w·z², Σ z·W·z
		da := -(0.5*(own+cross) - 2*x*s1 + x*x*s0)
		dmu[q] += 2 * a * (s1 - x*s0)
		ds[q] += -2*a*a*da - a*s0
		if grad != nil {
			grad.square[q] += -a*a*da - 0.5*a*s0 + 0.5*s0/l2 + 0.5*(own-cross)/(l2*l2)
			asm.Axpy(1/l2-a, zw, grad.zt.Row(q))
			asm.Axpy(2*a*x, w, grad.zt.Row(q))
			asm.Axpy(-(1/l2 + a), w, grad.perZ.Row(q))
		}
	}
	if grad != nil {
		grad.variance += 2 * s0 / ps.variance
	}
}

// exampleBlocks is into how many blocks of examples a sum over them is cut,
// whatever the number of processors.
const exampleBlocks = 16

// keptNumbers bounds how many numbers of the examples' Ψ2 are kept from psi2 for
// psi2Backward, which computes the others again: 48 MB.
var keptNumbers = 6 << 20

// psi2 sets dst (m_ξ×m_ξ, symmetric) to Ψ2, summed over the rows of mu and s
// (n×d_ξ).
func (ps *psiStatistics) psi2(dst, mu, s mat.Matrix) {
	size := packedSize(ps.z.Rows)
	if ps.keep != nil {
		ps.kept = min(mu.Rows, keptNumbers/size)
		if len(*ps.keep) < ps.kept*size {
			*ps.keep = make([]float64, ps.kept*size)
		}
	}
	blocks := min(exampleBlocks, mu.Rows)
	sums := mat.New(blocks, size)
	mat.Parallel(blocks, func(b int) {
		t := ps.newScratch()
		n0, n1 := blockRange(b, blocks, mu.Rows)
		for n := n0; n < n1; n++ {
			packed := t.packed
			if n < ps.kept {
				packed = (*ps.keep)[n*size : (n+1)*size]
			}
			ps.psi2Packed(packed, t, mu.Row(n), s.Row(n))
			asm.Axpy(1, packed, sums.Row(b))
		}
	})
	for b := 1; b < blocks; b++ {
		asm.Axpy(1, sums.Row(b), sums.Row(0))
	}
	unpackSymmetric(dst, sums.Row(0))
	mat.MirrorLower(dst) // blocks on the diagonal are symmetric to rounding only
}

// psi2Backward adds the derivatives of Σ g∘Ψ2 to grad and to dmu and ds
// (n×d_ξ), given the symmetric g = ∂L/∂Ψ2. Where Ψ2 was kept, mu and s must be
// those that psi2 was called with.
func (ps *psiStatistics) psi2Backward(grad *psiGradient, dmu, ds, g, mu, s mat.Matrix) {
	size := packedSize(ps.z.Rows)
	blocks := min(exampleBlocks, mu.Rows)
	sums := make([]*psiGradient, blocks)
	mat.Parallel(blocks, func(b int) {
		t := ps.newScratch()
		sums[b] = newPsiGradient(ps.z.Rows, ps.z.Cols)
		n0, n1 := blockRange(b, blocks, mu.Rows)
		for n := n0; n < n1; n++ {
			if n < ps.kept {
				unpackSymmetric(t.e, (*ps.keep)[n*size:(n+1)*size])
			} else {
				ps.psi2Example(t, mu.Row(n), s.Row(n))
			}
			ps.psi2ExampleBackward(t, sums[b], dmu.Row(n), ds.Row(n), g, mu.Row(n), s.Row(n))
		}
	})
	for _, sum := range sums {
		grad.add(sum)
	}
	for q := range grad.zt.Rows {
		asm.MulTo(grad.perZ.Row(q), grad.perZ.Row(q), ps.zt.Row(q))
	}
	mat.Add(grad.z, grad.z, 1, grad.zt.T())
	mat.Add(grad.z, grad.z, 1, grad.perZ.T())
	grad.zt.Fill(0)
	grad.perZ.Fill(0)
}

// addTo chains the gradient into the kernel's own parameters and Z.
func (g *psiGradient) addTo(k Kernel, grad *Kernel, dz mat.Matrix) {
	grad.Variance += g.variance
	for q, v := range g.square {
		i := min(q, len(k.LengthScale)-1)
		grad.LengthScale[i] += 2 * k.LengthScale[i] * v
	}
	mat.Add(dz, dz, 1, g.z)
}
