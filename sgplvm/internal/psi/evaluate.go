package psi

import (
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Forward sets psi1 (n×m) and psi2 (m×m, symmetric) to
//
//	Ψ1[n,k]  = E k(x_n, z_k)
//	Ψ2[k,k'] = Σ_n E k(x_n, z_k)·k(x_n, z_k')
//
// and keeps what Backward needs.
func (st *Statistics) Forward(psi1, psi2 mat.Matrix, q Q) {
	if st.nonlinear != nil {
		st.nonlinear.psi1(psi1, q.Mu, q.S)
		st.nonlinear.psi2(psi2, q.Mu, q.S)
	} else {
		psi1.Fill(0)
		psi2.Fill(0)
	}
	if st.affine {
		if st.nonlinear != nil {
			work.Resize(&st.cross.psi1, psi1.Rows, psi1.Cols)
			mat.Copy(st.cross.psi1, psi1)
		}
		st.addAffine1(psi1, q.Mu)
		st.addAffine2(&st.cross, psi2, q.Mu, q.S)
	}
	if st.hasTimes(q) {
		st.addTimes(psi1, psi2, q.At)
	}
}

// hasTimes reports whether κ of the examples is not 0.
func (st *Statistics) hasTimes(q Q) bool {
	if !st.timed || q.At == nil {
		return false
	}
	if len(q.At) != q.Mu.Rows {
		panic(text.Sprintf("psi: %d times for %d examples", len(q.At), q.Mu.Rows))
	}
	return true
}

// addTimes makes Ψ1 and Ψ2 of all other parts
//
//	Ψ1 + κ  and  Ψ2 + Ψ1ᵀκ + κᵀΨ1 + κᵀκ
func (st *Statistics) addTimes(psi1, psi2 mat.Matrix, at []kernel.Instant) {
	w := &st.times
	work.Resize(&w.kappa, psi1.Rows, psi1.Cols)
	work.Resize(&w.square, psi2.Rows, psi2.Cols)
	st.Kappa(w.kappa, at)
	mat.Add(psi1, psi1, 0.5, w.kappa)
	mat.Mul(w.square, 1, psi1.T(), w.kappa, 0)
	mat.Add(psi2, psi2, 1, w.square)
	mat.Add(psi2, psi2, 1, w.square.T())
	mat.Add(psi1, psi1, 0.5, w.kappa)
}

// Kappa sets dst[n,k] = κ(t_n, t_k), n×m, of all timed parts.
func (st *Statistics) Kappa(dst mat.Matrix, at []kernel.Instant) {
	first := true
	for _, p := range st.kernel.Parts {
		p, is := p.(timed)
		switch {
		case !is:
		case first:
			p.values(dst, at, st.in.At)
			first = false
		default:
			buffer := mat.Borrow(dst.Rows * dst.Cols)
			values := mat.NewDense(dst.Rows, dst.Cols, *buffer)
			p.values(values, at, st.in.At)
			mat.Add(dst, dst, 1, values)
			mat.GiveBack(buffer)
		}
	}
}

// Backward adds the derivatives of L to the gradient, given g0 = ∂L/∂ψ0, g1 = ∂L/∂Ψ1 (n×m,
// overwritten), the symmetric g2 = ∂L/∂Ψ2 and the Ψ1 of Forward, which must have been
// called before with the same q, and nothing since.
func (st *Statistics) Backward(to Gradient, g0 float64, g1, g2, psi1 mat.Matrix, q Q) {
	mu, s := q.Mu, q.S
	st.psi0Backward(to, g0, mu, s)
	if st.hasTimes(q) {
		psi1 = st.timesBackward(to, g1, g2, psi1, q.At)
	}
	if st.nonlinear != nil {
		st.nonlinear.beginGradient()
	}
	switch {
	case st.affine:
		st.setSlope2(&st.slope, g2)
		if st.nonlinear != nil {
			st.setSlope1(&st.cross, &st.slope, mu.Rows)
		}
		st.crossBackward(to, g1, &st.slope, &st.cross, mu, s)
		st.parametersBackward(to, g1, &st.slope, &st.cross, mu)
	case st.nonlinear != nil:
		st.nonlinear.psi1Backward(true, to.Mu, to.S, g1, psi1, mu, s)
	}
	if st.nonlinear != nil {
		st.nonlinear.psi2Backward(to.Mu, to.S, g2, mu, s)
		st.nonlinear.endGradient(to.Kernel.Parts[st.place], to.Z)
	}
}

// timesBackward chains ∂L/∂Ψ1 and ∂L/∂Ψ2 into the timed parts' parameters, makes g1 the
// derivative in the Ψ1 of the other parts, and returns that Ψ1:
//
//	∂L/∂κ = ∂L/∂Ψ1 + 2·(Ψ1 + κ)·∂L/∂Ψ2,   ∂L/∂Ψ1 + 2·κ·∂L/∂Ψ2
func (st *Statistics) timesBackward(to Gradient, g1, g2, psi1 mat.Matrix, at []kernel.Instant) mat.Matrix {
	w := &st.times
	work.Resize(&w.psi1, psi1.Rows, psi1.Cols)
	work.Resize(&w.dKappa, psi1.Rows, psi1.Cols)
	mat.Copy(w.dKappa, g1)
	mat.Mul(w.dKappa, 2, psi1, g2, 1)
	for i, p := range st.kernel.Parts {
		if p, is := p.(timed); is {
			p.valuesBackward(to.Kernel.Parts[i], w.dKappa, at, st.in.At)
		}
	}
	mat.Mul(g1, 2, w.kappa, g2, 1)
	mat.Add(w.psi1, psi1, -1, w.kappa)
	return w.psi1
}

// Psi1 sets dst (n×m) to Ψ1 alone.
func (st *Statistics) Psi1(dst mat.Matrix, q Q) {
	st.psi1(dst, q.Mu, q.S)
	if !st.hasTimes(q) {
		return
	}
	buffer := mat.Borrow(dst.Rows * dst.Cols)
	kappa := mat.NewDense(dst.Rows, dst.Cols, *buffer)
	st.Kappa(kappa, q.At)
	mat.Add(dst, dst, 1, kappa)
	mat.GiveBack(buffer)
}

// psi1 is Psi1 without κ.
func (st *Statistics) psi1(dst, mu, s mat.Matrix) {
	if st.nonlinear != nil {
		st.nonlinear.psi1(dst, mu, s)
	} else {
		dst.Fill(0)
	}
	st.addAffine1(dst, mu)
}

// Jacobian sets dst[k,q] = ∂ψ1_k/∂μ_q (m×d) for one example.
func (st *Statistics) Jacobian(dst mat.Matrix, mu, s []float64) {
	dst.Fill(0)
	if st.nonlinear != nil {
		buffer := mat.Borrow(dst.Rows)
		psi1 := mat.NewDense(1, dst.Rows, *buffer)
		st.nonlinear.psi1(psi1, mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(s), s))
		st.nonlinear.psi1Jacobian(dst, psi1.Row(0), mu, s)
		mat.GiveBack(buffer)
	}
	mat.Add(dst, dst, 1, st.a)
}
