package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// latentPsi computes the psi statistics of a latent kernel, for
// q(x_n) = N(μ_n, diag S_n):
//
//	ψ0        = Σ_n E k(x_n, x_n)
//	Ψ1[n,k]   = E k(x_n, z_k)
//	Ψ2[k,k'] = Σ_n E k(x_n, z_k)·k(x_n, z_k')
//
// and chains gradients back through them. The time part's, but for ψ0, are in latenttime.go.
// Those of the RBF part are
// psiStatistics. Beside it, with A = v∘Z (m_ξ×d_ξ) and Ψ1_R the RBF part of Ψ1,
//
//	ψ0 = n·σ² + Σ_nq v_q·(μ_nq² + S_nq) + n·b
//	Ψ1 = Ψ1_R + μ·Aᵀ + b
//	Ψ2 = Ψ2_R + A·Q·Aᵀ + M·Aᵀ + A·Mᵀ + b·(c·1ᵀ + 1·cᵀ) + n·b²·1·1ᵀ
//
// where Q = Σ_n E x·xᵀ (d_ξ×d_ξ), c_k sums Ψ1 without b over the examples, and
// M[k,q] = Σ_n E k_R(x_n, z_k)·x_nq. Given a multiplication with k_R(x, z_k), x is
// Gaussian around w·μ + (1−w)·z_k with w = ℓ²/(S + ℓ²), so
//
//	M = Ψ1_Rᵀ·(w∘μ) + Z∘(Ψ1_Rᵀ·(1−w))
//
// All of it costs products of n×m_ξ with d_ξ columns, nothing of order n·m_ξ².
type latentPsi struct {
	kernel LatentKernel
	rbf    *psiStatistics // nil without an RBF part
	z      mat.Matrix     // m_ξ×d_ξ
	a      mat.Matrix     // A; 0 without a linear part

	gradient *psiGradient // what backward works in
}

func newLatentPsi(k LatentKernel, z mat.Matrix) *latentPsi {
	ps := new(latentPsi)
	ps.set(k, z)
	return ps
}

// set is newLatentPsi in the storage of an earlier one.
func (ps *latentPsi) set(k LatentKernel, z mat.Matrix) {
	if ps.z.Rows != z.Rows || ps.z.Cols != z.Cols {
		*ps = latentPsi{z: mat.New(z.Rows, z.Cols), a: mat.New(z.Rows, z.Cols)}
	}
	ps.kernel = k.clone()
	mat.Copy(ps.z, z)
	switch {
	case k.LengthScale == nil:
		ps.rbf = nil
	case ps.rbf == nil:
		ps.rbf = newPsiStatistics(k.rbf(), z)
	default:
		ps.rbf.set(k.rbf(), z)
	}
	if k.Linear != nil {
		mat.ScaleCols(ps.a, z, k.Linear)
	} else {
		ps.a.Fill(0)
	}
}

// rbfAlone reports whether the kernel has no other part of the latent variables.
func (ps *latentPsi) rbfAlone() bool { return ps.kernel.rbfAlone() }

// farthest returns the largest distance of an inducing input from their mean, in
// length scales; 0 without an RBF part, whose exponents alone suffer from it.
func (ps *latentPsi) farthest() float64 {
	if ps.rbf == nil {
		return 0
	}
	return ps.rbf.farthest()
}

// psi0 returns Σ_n E k(x_n, x_n) for q(x_n) = N(mu_n, diag s_n); mu and s are
// n×d_ξ.
func (k LatentKernel) psi0(mu, s mat.Matrix) float64 {
	sum := float64(mu.Rows) * (k.Variance + k.Bias + k.Time.Variance)
	if k.Linear != nil {
		for n := range mu.Rows {
			m, v := mu.Row(n), s.Row(n)
			for q, w := range k.Linear {
				sum += w * (m[q]*m[q] + v[q])
			}
		}
	}
	return sum
}

// psi0Backward adds the derivatives of g·ψ0 to grad, unless that is nil, and to
// dmu and ds (n×d_ξ).
func (k LatentKernel) psi0Backward(grad *LatentKernel, dmu, ds mat.Matrix, g float64, mu, s mat.Matrix) {
	if k.Linear != nil {
		for n := range mu.Rows {
			m, v, dm, dv := mu.Row(n), s.Row(n), dmu.Row(n), ds.Row(n)
			for q, w := range k.Linear {
				dm[q] += 2 * g * w * m[q]
				dv[q] += g * w
				if grad != nil {
					grad.Linear[q] += g * (m[q]*m[q] + v[q])
				}
			}
		}
	}
	if grad == nil {
		return
	}
	if k.LengthScale != nil {
		grad.Variance += g * float64(mu.Rows)
	}
	if k.Bias != 0 {
		grad.Bias += g * float64(mu.Rows)
	}
	if k.Time.Variance != 0 {
		grad.Time.Variance += g * float64(mu.Rows)
	}
}

// rbf1 returns Ψ1_R, n×m_ξ; zeros without an RBF part.
func (ps *latentPsi) rbf1(mu, s mat.Matrix) mat.Matrix {
	psi1 := mat.New(mu.Rows, ps.z.Rows)
	if ps.rbf != nil {
		ps.rbf.psi1(psi1, mu, s)
	}
	return psi1
}

// addOthers1 adds what the parts beside RBF contribute to Ψ1 (n×m_ξ).
func (ps *latentPsi) addOthers1(dst, mu mat.Matrix) {
	if ps.kernel.Linear != nil {
		mat.Mul(dst, 1, mu, ps.a.T(), 1)
	}
	if ps.kernel.Bias != 0 {
		addToAll(dst, ps.kernel.Bias)
	}
}

// psi1 sets dst (n×m_ξ) to Ψ1 for q(x_n) = N(mu_n, diag s_n); mu and s are n×d_ξ.
func (ps *latentPsi) psi1(dst, mu, s mat.Matrix) {
	if ps.rbf != nil {
		ps.rbf.psi1(dst, mu, s)
	} else {
		dst.Fill(0)
	}
	ps.addOthers1(dst, mu)
}

// psi1Jacobian sets dst[k,q] = ∂ψ1_k/∂μ_q for one example; dst is m_ξ×d_ξ.
func (ps *latentPsi) psi1Jacobian(dst mat.Matrix, mu, s []float64) {
	dst.Fill(0)
	if ps.rbf != nil {
		psi1 := ps.rbf1(mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(s), s))
		ps.rbf.psi1Jacobian(dst, psi1.Row(0), mu, s)
	}
	mat.Add(dst, dst, 1, ps.a)
}

// psi2 sets dst (m_ξ×m_ξ, symmetric) to Ψ2, summed over the rows of mu and s
// (n×d_ξ).
func (ps *latentPsi) psi2(dst, mu, s mat.Matrix) {
	if ps.rbf != nil {
		ps.rbf.psi2(dst, mu, s)
	} else {
		dst.Fill(0)
	}
	ps.addOthers2(dst, mu, s)
}

// latentScratch is what one goroutine needs for one example's Ψ2.
type latentScratch struct {
	e    mat.Matrix // Ψ2, m_ξ×m_ξ
	rbf  *psi2Scratch
	dims int // d_ξ
}

func (ps *latentPsi) newScratch() *latentScratch {
	t := &latentScratch{dims: ps.z.Cols}
	if ps.rbf == nil {
		t.e = mat.New(ps.z.Rows, ps.z.Rows)
		return t
	}
	t.rbf = ps.rbf.newScratch()
	t.e = t.rbf.e
	return t
}

// fits reports whether the scratch serves these statistics.
func (t *latentScratch) fits(ps *latentPsi) bool {
	return t != nil && t.e.Rows == ps.z.Rows && t.dims == ps.z.Cols && (t.rbf != nil) == (ps.rbf != nil)
}

// psi2Example sets the lower triangle of t.e to that of one example's Ψ2.
func (ps *latentPsi) psi2Example(t *latentScratch, mu, s []float64) {
	if ps.rbf != nil {
		ps.rbf.psi2Example(t.rbf, mu, s)
	} else {
		t.e.Fill(0)
	}
	ps.addOthers2(t.e, mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(s), s))
}

// addOthers2 adds what the parts beside RBF contribute to Ψ2 (m_ξ×m_ξ), with
// N = M + ½A·Q and u = b·(c + ½n·b) in the symmetric form
//
//	N·Aᵀ + A·Nᵀ + u·1ᵀ + 1·uᵀ
func (ps *latentPsi) addOthers2(dst, mu, s mat.Matrix) {
	if ps.rbfAlone() {
		return
	}
	m, d := ps.z.Rows, ps.z.Cols
	x := ps.sums(ps.others(ps.rbf1(mu, s), mu, s), mu, s)
	left, right := mat.New(m, 2*d+2), mat.New(m, 2*d+2) // [N, u, A, 1] and [A, 1, N, u]
	n := left.Slice(0, m, 0, d)
	mat.Copy(n, x.m)
	mat.Mul(n, 0.5, ps.a, x.q, 1)
	for k, c := range x.c {
		left.Set(k, d, ps.kernel.Bias*(c+0.5*float64(mu.Rows)*ps.kernel.Bias))
		left.Set(k, 2*d+1, 1)
	}
	mat.Copy(left.Slice(0, m, d+1, 2*d+1), ps.a)
	mat.Copy(right.Slice(0, m, 0, d+1), left.Slice(0, m, d+1, 2*d+2))
	mat.Copy(right.Slice(0, m, d+1, 2*d+2), left.Slice(0, m, 0, d+1))
	mat.MulSym(dst, 1, left, right.T(), 1)
	mat.MirrorLower(dst)
}

// otherMoments are what the parts beside RBF need of q(X); of an RBF part alone,
// nothing but Ψ1_R.
type otherMoments struct {
	rbf1   mat.Matrix // Ψ1_R, n×m_ξ
	weight mat.Matrix // w, n×d_ξ; 0 without an RBF part
	pulled mat.Matrix // w∘μ, n×d_ξ
	rest   mat.Matrix // 1−w, n×d_ξ; 0 without an RBF part
}

func (ps *latentPsi) others(rbf1, mu, s mat.Matrix) *otherMoments {
	x := &otherMoments{rbf1: rbf1}
	if ps.rbfAlone() {
		return x
	}
	n, d := mu.Rows, mu.Cols
	x.weight, x.pulled, x.rest = mat.New(n, d), mat.New(n, d), mat.New(n, d)
	if ps.rbf == nil {
		return x
	}
	for i := range n {
		weight, rest, v := x.weight.Row(i), x.rest.Row(i), s.Row(i)
		for q, l := range ps.kernel.LengthScale {
			weight[q] = l * l / (v[q] + l*l)
			rest[q] = v[q] / (v[q] + l*l)
		}
	}
	mat.MulElem(x.pulled, x.weight, mu)
	return x
}

// otherSums are sums of such moments over the examples.
type otherSums struct {
	toZ mat.Matrix // Ψ1_Rᵀ·(1−w), m_ξ×d_ξ
	m   mat.Matrix // M, m_ξ×d_ξ
	q   mat.Matrix // Q, d_ξ×d_ξ
	c   []float64  // m_ξ
}

func (ps *latentPsi) sums(x *otherMoments, mu, s mat.Matrix) *otherSums {
	m, d := ps.z.Rows, ps.z.Cols
	o := &otherSums{toZ: mat.New(m, d), m: mat.New(m, d), q: mat.New(d, d), c: make([]float64, m)}
	mat.Mul(o.toZ, 1, x.rbf1.T(), x.rest, 0)
	mat.MulElem(o.m, ps.z, o.toZ)
	mat.Mul(o.m, 1, x.rbf1.T(), x.pulled, 1)
	mat.Syrk(o.q, 1, mu.T(), 0)
	mat.MirrorLower(o.q)
	means := make([]float64, d) // Σ_n μ
	for i := range mu.Rows {
		asm.Axpy(1, mu.Row(i), means)
		asm.Axpy(1, x.rbf1.Row(i), o.c)
		for q, v := range s.Row(i) {
			o.q.Data[q*d+q] += v
		}
	}
	mat.Mul(mat.Vector(o.c), 1, ps.a, mat.Vector(means), 1)
	return o
}

// A psi2Slope is a symmetric G = ∂L/∂Ψ2 with its products that the parts beside
// RBF ask for.
type psi2Slope struct {
	g    mat.Matrix // m_ξ×m_ξ
	a    mat.Matrix // G·A, m_ξ×d_ξ
	za   mat.Matrix // Z∘(G·A), m_ξ×d_ξ
	aa   mat.Matrix // Aᵀ·G·A, d_ξ×d_ξ
	one  []float64  // G·1, m_ξ
	aOne []float64  // Aᵀ·G·1, d_ξ
}

func (ps *latentPsi) slope2(g mat.Matrix) *psi2Slope {
	m, d := ps.z.Rows, ps.z.Cols
	w := &psi2Slope{g: g}
	if ps.rbfAlone() {
		return w
	}
	w.a, w.za, w.aa = mat.New(m, d), mat.New(m, d), mat.New(d, d)
	w.one, w.aOne = make([]float64, m), make([]float64, d)
	mat.Mul(w.a, 1, g, ps.a, 0)
	mat.MulElem(w.za, ps.z, w.a)
	mat.MulSym(w.aa, 1, ps.a.T(), w.a, 0)
	mat.MirrorLower(w.aa)
	for k := range m {
		for _, v := range g.Row(k) {
			w.one[k] += v
		}
		asm.Axpy(1, w.a.Row(k), w.aOne)
	}
	return w
}

// slopeOfRBF1 returns the derivative of tr(G·(Ψ2 − Ψ2_R)) in Ψ1_R, on which it
// depends linearly, through c and M:
//
//	2b·1·(G·1)ᵀ + 2(w∘μ)·(G·A)ᵀ + 2(1−w)·(Z∘(G·A))ᵀ      (n×m_ξ)
func (ps *latentPsi) slopeOfRBF1(w *psi2Slope, x *otherMoments) mat.Matrix {
	t := mat.New(x.rbf1.Rows, ps.z.Rows)
	for i := range t.Rows {
		asm.Axpy(2*ps.kernel.Bias, w.one, t.Row(i))
	}
	mat.Mul(t, 2, x.pulled, w.a.T(), 1)
	mat.Mul(t, 2, x.rest, w.za.T(), 1)
	return t
}

// A latentGradient collects derivatives in the kernel's parameters and in Z.
type latentGradient struct {
	rbf    *psiGradient
	kernel *LatentKernel
	z      mat.Matrix // m_ξ×d_ξ
}

// backward adds the derivatives of Σ g1∘Ψ1 + tr(g2·Ψ2), given g1 = ∂L/∂Ψ1
// (n×m_ξ), the symmetric g2 = ∂L/∂Ψ2 and Ψ1 itself, to grad, dz (m_ξ×d_ξ), dmu
// and ds (n×d_ξ). psi2 must have been called before, with the same mu and s.
func (ps *latentPsi) backward(grad *LatentKernel, dz, dmu, ds, g1, g2, psi1, mu, s mat.Matrix) {
	to := &latentGradient{kernel: grad, z: dz}
	if ps.rbf != nil {
		if ps.gradient == nil {
			ps.gradient = newPsiGradient(ps.z.Rows, ps.z.Cols)
		}
		ps.gradient.zero()
		to.rbf = ps.gradient
	}
	if !ps.rbfAlone() {
		psi1 = ps.rbf1(mu, s)
	}
	w, x, t := ps.slope2(g2), ps.others(psi1, mu, s), mat.Matrix{}
	if !ps.rbfAlone() {
		t = ps.slopeOfRBF1(w, x)
	}
	ps.othersBackward(to, dmu, ds, g1, w, x, t, mu, s)
	if ps.rbf != nil {
		ps.rbf.psi2Backward(to.rbf, dmu, ds, g2, mu, s)
		part := grad.rbf()
		to.rbf.addTo(ps.kernel.rbf(), &part, dz)
		grad.Variance = part.Variance
	}
}

// othersBackward adds the derivatives of Σ g1∘Ψ1 + tr(G·(Ψ2 − Ψ2_R)) to grad,
// unless that is nil, and to dmu and ds. t is slopeOfRBF1, and is overwritten; an
// RBF part alone has none.
func (ps *latentPsi) othersBackward(grad *latentGradient, dmu, ds, g1 mat.Matrix, w *psi2Slope, x *otherMoments, t, mu, s mat.Matrix) {
	if !ps.rbfAlone() {
		ps.linearBackward(dmu, ds, g1, w, mu)
		if grad != nil {
			ps.parametersBackward(grad, g1, w, x, mu, s)
		}
		if ps.rbf == nil {
			return
		}
		ps.weightBackward(grad, dmu, ds, w, x, mu, s)
		mat.Add(t, t, 1, g1)
		g1 = t
	}
	var to *psiGradient
	if grad != nil {
		to = grad.rbf
	}
	ps.rbf.psi1Backward(to, dmu, ds, g1, x.rbf1, mu, s)
}

// linearBackward adds the derivatives that come of the linear part's share in Ψ1,
// in c and in Q to dmu and ds.
func (ps *latentPsi) linearBackward(dmu, ds, g1 mat.Matrix, w *psi2Slope, mu mat.Matrix) {
	if ps.kernel.Linear == nil {
		return
	}
	mat.Mul(dmu, 1, g1, ps.a, 1)
	mat.Mul(dmu, 2, mu, w.aa, 1)
	for i := range mu.Rows {
		asm.Axpy(2*ps.kernel.Bias, w.aOne, dmu.Row(i))
		for q, v := range ds.Row(i) {
			ds.Row(i)[q] = v + w.aa.At(q, q)
		}
	}
}

// parametersBackward adds the derivatives in v, b and Z but for those through
// Ψ1_R.
func (ps *latentPsi) parametersBackward(grad *latentGradient, g1 mat.Matrix, w *psi2Slope, x *otherMoments, mu, s mat.Matrix) {
	n, m, d := mu.Rows, ps.z.Rows, ps.z.Cols
	b := ps.kernel.Bias
	o := ps.sums(x, mu, s)
	for k := range m {
		to, a := grad.z.Row(k), w.a.Row(k)
		for q, v := range o.toZ.Row(k) {
			to[q] += 2 * a[q] * v
		}
	}
	if ps.kernel.Linear != nil {
		da, means := mat.New(m, d), make([]float64, d) // ∂L/∂A, Σ_n μ
		for i := range n {
			asm.Axpy(1, mu.Row(i), means)
		}
		for k, v := range w.one {
			asm.Axpy(2*b*v, means, da.Row(k))
		}
		mat.Mul(da, 1, g1.T(), mu, 1)
		mat.Mul(da, 2, w.a, o.q, 1)
		mat.Mul(da, 2, w.g, o.m, 1)
		for k := range m {
			z, row, to := ps.z.Row(k), da.Row(k), grad.z.Row(k)
			for q, v := range ps.kernel.Linear {
				grad.kernel.Linear[q] += row[q] * z[q]
				to[q] += row[q] * v
			}
		}
	}
	if b != 0 {
		for i := range n {
			for _, v := range g1.Row(i) {
				grad.kernel.Bias += v
			}
		}
		for k, v := range w.one {
			grad.kernel.Bias += 2 * v * (o.c[k] + float64(n)*b)
		}
	}
}

// weightBackward adds the derivatives of 2·Σ (G·A)∘M in what M depends on beside
// Ψ1_R and Z: μ, and S and ℓ through w.
func (ps *latentPsi) weightBackward(grad *latentGradient, dmu, ds mat.Matrix, w *psi2Slope, x *otherMoments, mu, s mat.Matrix) {
	n, d := mu.Rows, ps.z.Cols
	sums, zSums := mat.New(n, d), mat.New(n, d)
	mat.Mul(sums, 2, x.rbf1, w.a, 0)
	mat.Mul(zSums, 2, x.rbf1, w.za, 0)
	for i := range n {
		m, v, dm, dv := mu.Row(i), s.Row(i), dmu.Row(i), ds.Row(i)
		weight, rest, sum, zSum := x.weight.Row(i), x.rest.Row(i), sums.Row(i), zSums.Row(i)
		for q, l := range ps.kernel.LengthScale {
			byWidth := (m[q]*sum[q] - zSum[q]) / (v[q] + l*l) // ∂/∂w over S + ℓ²
			dm[q] += weight[q] * sum[q]
			dv[q] -= byWidth * weight[q]
			if grad != nil {
				grad.rbf.square[q] += byWidth * rest[q]
			}
		}
	}
}

// linear returns g0·ψ0 + g1·ψ1 + tr(G·Ψ2) of one example and adds its derivatives
// to dmu and ds, unless these are nil.
func (ps *latentPsi) linear(t *latentScratch, g0 float64, g1 []float64, w *psi2Slope, mu, s, dmu, ds []float64) float64 {
	d, m := len(mu), len(g1)
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	psi1 := ps.rbf1(rowMu, rowS)
	x := ps.others(psi1, rowMu, rowS)
	var value float64
	var slope mat.Matrix
	if ps.rbf != nil {
		ps.rbf.psi2Example(t.rbf, mu, s)
		value = traceLower(w.g, t.e)
	}
	if !ps.rbfAlone() {
		b := ps.kernel.Bias
		slope = ps.slopeOfRBF1(w, x)
		value += mat.Dot(slope, psi1)
		for q, v := range mu {
			value += v*asm.Dot(w.aa.Row(q), mu) + w.aa.At(q, q)*s[q] + 2*b*v*w.aOne[q]
		}
		for _, g := range w.one {
			value += b * b * g
		}
	}
	if dmu != nil {
		rowDmu, rowDs := mat.NewDense(1, d, dmu), mat.NewDense(1, d, ds)
		ps.othersBackward(nil, rowDmu, rowDs, mat.NewDense(1, m, g1), w, x, slope, rowMu, rowS)
		if ps.rbf != nil {
			ps.rbf.psi2ExampleBackward(t.rbf, dmu, ds, w.g, mu, s)
		}
		ps.kernel.psi0Backward(nil, rowDmu, rowDs, g0, rowMu, rowS)
	}
	ps.addOthers1(psi1, rowMu)
	return g0*ps.kernel.psi0(rowMu, rowS) + asm.Dot(g1, psi1.Row(0)) + value
}
