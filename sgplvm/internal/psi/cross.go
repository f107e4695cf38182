package psi

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// addAffine1 adds μ·Aᵀ + b to dst (n×m).
func (st *Statistics) addAffine1(dst, mu mat.Matrix) {
	if st.sloped {
		mat.Mul(dst, 1, mu, st.a.T(), 1)
	}
	if st.b != 0 {
		work.AddToAll(dst, st.b)
	}
}

// addAffine2 adds what sloped and constant parts contribute to Ψ2 (m×m), given x.psi1: with
// N = M + ½A·Q and u = b·(c + ½n·b) in the symmetric form
//
//	N·Aᵀ + A·Nᵀ + u·1ᵀ + 1·uᵀ
func (st *Statistics) addAffine2(x *cross, dst, mu, s mat.Matrix) {
	m, d := st.in.Z.Rows, st.in.Z.Cols
	st.sums(x, mu, s)
	work.Resize(&x.left, m, 2*d+2) // [N, u, A, 1]
	work.Resize(&x.right, m, 2*d+2)
	n := x.left.Slice(0, m, 0, d)
	mat.Copy(n, x.m)
	mat.Mul(n, 0.5, st.a, x.q, 1)
	for k, c := range x.c {
		x.left.Set(k, d, st.b*(c+0.5*float64(mu.Rows)*st.b))
		x.left.Set(k, 2*d+1, 1)
	}
	mat.Copy(x.left.Slice(0, m, d+1, 2*d+1), st.a)
	mat.Copy(x.right.Slice(0, m, 0, d+1), x.left.Slice(0, m, d+1, 2*d+2)) // [A, 1, N, u]
	mat.Copy(x.right.Slice(0, m, d+1, 2*d+2), x.left.Slice(0, m, 0, d+1))
	mat.MulSym(dst, 1, x.left, x.right.T(), 1)
	mat.MirrorLower(dst)
}

// sums sets M, Q, c and the means.
func (st *Statistics) sums(x *cross, mu, s mat.Matrix) {
	m, d := st.in.Z.Rows, st.in.Z.Cols
	work.Resize(&x.m, m, d)
	work.Resize(&x.q, d, d)
	x.c, x.means = work.Zeros(x.c, m), work.Zeros(x.means, d)
	if st.nonlinear != nil {
		st.weights(x, mu, s)
		st.nonlinear.moment(x.m, x.room, x.psi1)
	} else {
		x.m.Fill(0)
	}
	mat.Syrk(x.q, 1, mu.T(), 0)
	mat.MirrorLower(x.q)
	for i := range mu.Rows {
		asm.Axpy(1, mu.Row(i), x.means)
		if st.nonlinear != nil {
			asm.Axpy(1, x.psi1.Row(i), x.c)
		}
		for q, v := range s.Row(i) {
			x.q.Data[q*d+q] += v
		}
	}
	mat.Mul(mat.Vector(x.c), 1, st.a, mat.Vector(x.means), 1)
}

// weights prepares the nonlinear part's first moment.
func (st *Statistics) weights(x *cross, mu, s mat.Matrix) {
	x.room = work.Grown(x.room, st.nonlinear.momentRoom(mu.Rows))
	st.nonlinear.momentWeights(x.room, mu, s)
}

// setSlope2 prepares w for G.
func (st *Statistics) setSlope2(w *slope2, g mat.Matrix) {
	w.g = g
	if !st.affine {
		return
	}
	m, d := st.in.Z.Rows, st.in.Z.Cols
	work.Resize(&w.a, m, d)
	work.Resize(&w.aa, d, d)
	w.one, w.aOne = work.Zeros(w.one, m), work.Zeros(w.aOne, d)
	mat.Mul(w.a, 1, g, st.a, 0)
	mat.MulSym(w.aa, 1, st.a.T(), w.a, 0)
	mat.MirrorLower(w.aa)
	for k := range m {
		for _, v := range g.Row(k) {
			w.one[k] += v
		}
		asm.Axpy(1, w.a.Row(k), w.aOne)
	}
}

// setSlope1 sets x.t to the derivative of tr(G·Ψ2) in the nonlinear part's Ψ1, on which
// what addAffine2 adds depends linearly, through c and M.
func (st *Statistics) setSlope1(x *cross, w *slope2, n int) {
	work.Resize(&x.t, n, st.in.Z.Rows)
	x.t.Fill(0)
	for i := range n {
		asm.Axpy(2*st.b, w.one, x.t.Row(i))
	}
	st.nonlinear.addMomentSlope(x.t, w.a, x.room)
}

// crossBackward adds the derivatives of Σ g1∘Ψ1 + tr(G·Ψ2), without the nonlinear part's
// own Ψ2 and without κ, to the gradient. If it has a kernel and Z, what comes through the
// nonlinear part is collected, and parametersBackward, after sums, adds the rest. x.t is that of setSlope1, and is overwritten.
func (st *Statistics) crossBackward(to Gradient, g1 mat.Matrix, w *slope2, x *cross, mu, s mat.Matrix) {
	st.slopedBackward(to, g1, w, mu)
	if st.nonlinear != nil {
		st.nonlinear.momentBackward(to.Z, to.Mu, to.S, w.a, x.room, x.psi1, mu, s)
	}
	if st.nonlinear != nil {
		mat.Add(x.t, x.t, 1, g1)
		st.nonlinear.psi1Backward(to.Kernel.Parts != nil, to.Mu, to.S, x.t, x.psi1, mu, s)
	}
}

// slopedBackward adds the derivatives in μ and S that come of the sloped parts' share in
// Ψ1, c and Q.
func (st *Statistics) slopedBackward(to Gradient, g1 mat.Matrix, w *slope2, mu mat.Matrix) {
	if !st.sloped {
		return
	}
	mat.Mul(to.Mu, 1, g1, st.a, 1)
	mat.Mul(to.Mu, 2, mu, w.aa, 1)
	for i := range mu.Rows {
		asm.Axpy(2*st.b, w.aOne, to.Mu.Row(i))
		ds := to.S.Row(i)
		for q := range ds {
			ds[q] += w.aa.At(q, q)
		}
	}
}

// parametersBackward adds the derivatives in A and b, but for those through the nonlinear
// part's Ψ1, after crossBackward:
//
//	∂L/∂A = g1ᵀ·μ + 2b·(G·1)·(Σ_n μ_n)ᵀ + 2·(G·A)·Q + 2·G·M
//	∂L/∂b = Σ g1 + 2·(G·1)·(c + n·b)
func (st *Statistics) parametersBackward(to Gradient, g1 mat.Matrix, w *slope2, x *cross, mu mat.Matrix) {
	n, m, d := mu.Rows, st.in.Z.Rows, st.in.Z.Cols
	if st.sloped {
		buffer := mat.Borrow(m * d)
		da := mat.NewDense(m, d, *buffer)
		da.Fill(0)
		for k, v := range w.one {
			asm.Axpy(2*st.b*v, x.means, da.Row(k))
		}
		mat.Mul(da, 1, g1.T(), mu, 1)
		mat.Mul(da, 2, w.a, x.q, 1)
		mat.Mul(da, 2, w.g, x.m, 1)
		for i, p := range st.kernel.Parts {
			if p, is := p.(sloped); is {
				p.slopeBackward(to.Kernel.Parts[i], to.Z, da, st.in.Z)
			}
		}
		mat.GiveBack(buffer)
	}
	for _, p := range to.Kernel.Parts {
		p, is := p.(constant)
		if !is {
			continue
		}
		db := p.offset()
		for i := range n {
			for _, v := range g1.Row(i) {
				*db += v
			}
		}
		for k, v := range w.one {
			*db += 2 * v * (x.c[k] + float64(n)*st.b)
		}
	}
}
