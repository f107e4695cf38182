package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// rbfPsi are the expectations of an RBF part (Titsias and Lawrence 2010, appendix; here
// written as matrix products), with q(x) = N(μ, diag S):
//
//	Ψ1[n,k]  = σ² Π_q (1 + S_nq/ℓ_q²)^(−½)·exp(−(μ_nq − z_kq)²/(2(S_nq + ℓ_q²)))
//	Ψ2[k,k'] = Σ_n σ⁴ Π_q (1 + 2S_nq/ℓ_q²)^(−½)·exp(−(z_kq − z_k'q)²/(4ℓ_q²) − (μ_nq − z̄_q)²/(2S_nq + ℓ_q²))
//
// where z̄ = (z_k + z_k')/2. With a = 1/(2S + ℓ²), the exponent of one example's Ψ2 splits
// into a term for k, one for k' and Σ_q ½(1/ℓ_q² − a_q)·z_kq·z_k'q, a Gram matrix. For one
// example, as inference asks for it, this is a product of depth d + 2 (rbf_example.go);
// summed over many examples it is a product of pairs of inducing points with examples
// (rbf_psi2.go).
//
// Inputs are shifted by the mean of Z, so that the split exponent does not lose
// digits where latent coordinates lie far from the origin.
type rbfPsi struct {
	variance float64    // σ²
	length   []float64  // ℓ_q
	square   []float64  // ℓ_q²
	shift    []float64  // mean of Z, d
	zs       mat.Matrix // Z − shift and two columns of ones, m×(d+2)
	z        mat.Matrix // Z − shift, m×d
	inducing mat.Matrix // Z, m×d
	features mat.Matrix // [z², z, 1], m×(2d+1)
	zt       mat.Matrix // zᵀ and a row of ones, (d+1)×m
	squares  mat.Matrix // z² by coordinates, d×m

	sum      rbfSum      // what psi2 and psi2Backward work in
	gradient rbfGradient // what is collected
}

func (ps *rbfPsi) set(p Part, z mat.Matrix) {
	k, m, d := p.(*RBF), z.Rows, z.Cols
	if len(k.LengthScale) != d {
		panic(text.Sprintf("psi: Set: %d length scales for inducing points %d×%d", len(k.LengthScale), m, d))
	}
	if ps.z.Rows != m || ps.z.Cols != d {
		*ps = rbfPsi{length: make([]float64, d), square: make([]float64, d), shift: make([]float64, d), zs: mat.New(m, d+2), inducing: mat.New(m, d),
			features: mat.New(m, 2*d+1), zt: mat.New(d+1, m), squares: mat.New(d, m), gradient: *newRBFGradient(m, d)}
		ps.z = ps.zs.Slice(0, m, 0, d)
		ps.zs.Fill(1)
	}
	ps.variance = k.Variance
	mat.Copy(ps.inducing, z)
	for q, l := range k.LengthScale {
		ps.length[q], ps.square[q] = l, l*l
	}
	centre(ps.z, ps.shift, ps.inducing)
	for i := range m {
		features, own := ps.features.Row(i), ps.z.Row(i)
		asm.MulTo(features, own, own)
		copy(features[d:], own)
		features[2*d] = 1
	}
	mat.Copy(ps.zt, ps.zs.Slice(0, m, 0, d+1).T())
	mat.MulElem(ps.squares, ps.zt.Slice(0, d, 0, m), ps.zt.Slice(0, d, 0, m))
}

func (ps *rbfPsi) farthest() float64 {
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

// rbfGradient collects derivatives in what the statistics depend on.
type rbfGradient struct {
	variance float64
	square   []float64  // in ℓ_q²
	z        mat.Matrix // m×d
}

func newRBFGradient(m, d int) *rbfGradient {
	return &rbfGradient{square: make([]float64, d), z: mat.New(m, d)}
}

func (g *rbfGradient) zero() {
	g.variance = 0
	clear(g.square)
	g.z.Fill(0)
}

func (ps *rbfPsi) beginGradient() { ps.gradient.zero() }

func (ps *rbfPsi) endGradient(grad Part, dz mat.Matrix) {
	to := grad.(*RBF)
	to.Variance += ps.gradient.variance
	for q, v := range ps.gradient.square {
		to.LengthScale[q] += 2 * ps.length[q] * v
	}
	mat.Add(dz, dz, 1, ps.gradient.z)
}

// coefficients sets row n of a, n×(2d+1), to [−b, 2bμ, c], where b = 1/(2(S+ℓ²))
// and c is the rest of Ψ1's logarithm: times the features it is all of it. Where a is n×2d
// it does without c.
func (ps *rbfPsi) coefficients(a, mu, s mat.Matrix) {
	d := len(ps.square)
	logVariance := math.Log(ps.variance)
	for n := range mu.Rows {
		row, m, v := a.Row(n), mu.Row(n), s.Row(n)
		for q, l2 := range ps.square {
			b := 0.5 / (v[q] + l2)
			row[q] = -b
			row[d+q] = 2 * b * (m[q] - ps.shift[q])
		}
		if a.Cols == 2*d {
			continue
		}
		c := logVariance
		for q, l2 := range ps.square {
			x := m[q] - ps.shift[q]
			c -= 0.5*math.Log1p(v[q]/l2) - row[q]*x*x
		}
		row[2*d] = c
	}
}

func (ps *rbfPsi) psi1(dst, mu, s mat.Matrix) {
	buffer := mat.Borrow(mu.Rows * ps.features.Cols)
	a := mat.NewDense(mu.Rows, ps.features.Cols, *buffer)
	ps.coefficients(a, mu, s)
	mat.Mul(dst, 1, a, ps.features.T(), 0)
	for n := range dst.Rows {
		asm.Exp(dst.Row(n), dst.Row(n))
	}
	mat.GiveBack(buffer)
}

func (ps *rbfPsi) psi1Jacobian(dst mat.Matrix, psi1, mu, s []float64) {
	for k, v := range psi1 {
		row, z := dst.Row(k), ps.z.Row(k)
		for q, l2 := range ps.square {
			row[q] = v * (z[q] - (mu[q] - ps.shift[q])) / (s[q] + l2)
		}
	}
}

func (ps *rbfPsi) psi1Backward(collect bool, dmu, ds, g, psi1, mu, s mat.Matrix) {
	n, m, d := mu.Rows, ps.z.Rows, mu.Cols
	buffer := mat.Borrow(n*m + n*(4*d+1) + m*2*d)
	room := *buffer
	w, a, moments, back := carve(&room, n, m), carve(&room, n, 2*d), carve(&room, n, 2*d+1), carve(&room, m, 2*d)
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
			if collect {
				ps.gradient.square[q] += dl + 0.5*s0/l2
			}
		}
		if collect {
			ps.gradient.variance += s0 / ps.variance
		}
	}
	if collect {
		mat.Mul(back, 1, w.T(), a, 0) // −Σ_n w·b, Σ_n w·2bμ
		for k := range m {
			dz, z, row := ps.gradient.z.Row(k), ps.z.Row(k), back.Row(k)
			for q := range d {
				dz[q] += 2*z[q]*row[q] + row[d+q]
			}
		}
	}
	mat.GiveBack(buffer)
}

// carve takes an r×c matrix off the front of room.
func carve(room *[]float64, r, c int) mat.Matrix {
	a := mat.NewDense(r, c, (*room)[:r*c])
	*room = (*room)[r*c:]
	return a
}
