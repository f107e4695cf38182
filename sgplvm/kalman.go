package sgplvm

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Kernels that are Markov. A Matérn process of order ½, 3/2 or 5/2 is the first component of a
// linear system with a state of 1, 2 or 3 numbers, so that with its transition matrix A(Δ)
//
//	k(Δ) = hᵀ·A(Δ)·b,  Δ ≥ 0
//
// The state of a sum are the terms' one after the other, that of a product is the
// Kronecker product of the terms'. In units in which derivatives are multiplied by powers of
// ℓ/√(2ν), A depends on σ = √(2ν)·Δ/ℓ alone, with ∂A/∂σ = F·A, and b is constant. Hartikainen
// and Särkkä, "Kalman filtering and smoothing solutions to temporal Gaussian process
// regression models" (2010); Solin and Särkkä (2014) for sums and products.

// stateSize returns the number of components of the state, 0 if the kernel is not Markov.
func (k TimeKernel) stateSize() int {
	size := map[KernelKind]int{Matern12: 1, Matern32: 2, Matern52: 3, Product: 1}[k.Kind]
	for _, term := range k.Terms {
		n := term.stateSize()
		switch {
		case n == 0:
			return 0
		case k.Kind == Sum:
			size += n
		default:
			size *= n
		}
	}
	return size
}

// matern are F, row by row, and b of the Matérn kernels, by the size of their states.
var matern = [...]struct{ f, b []float64 }{
	1: {[]float64{-1}, []float64{1}},
	2: {[]float64{0, 1, -1, -2}, []float64{1, 0}},
	3: {[]float64{0, 1, 0, 0, 0, 1, -1, -3, -3}, []float64{1, 0, -1. / 3}},
}

// scaledTime returns σ of a Matérn kernel.
func (k TimeKernel) scaledTime(delta float64) float64 {
	return math.Sqrt(float64(2*k.stateSize()-1)) * delta / k.LengthScale
}

// transition sets dst to A(delta).
func (k TimeKernel) transition(dst mat.Matrix, delta float64) {
	switch k.Kind {
	case Sum:
		dst.Fill(0)
		at := 0
		for _, term := range k.Terms {
			n := term.stateSize()
			term.transition(dst.Slice(at, at+n, at, at+n), delta)
			at += n
		}
	case Product:
		first, rest := k.split()
		a, b := mat.New(first.stateSize(), first.stateSize()), mat.New(rest.stateSize(), rest.stateSize())
		first.transition(a, delta)
		rest.transition(b, delta)
		for i := range dst.Rows {
			for j := range dst.Cols {
				dst.Set(i, j, a.At(i/b.Rows, j/b.Rows)*b.At(i%b.Rows, j%b.Rows))
			}
		}
	default:
		s := k.scaledTime(delta)
		e := math.Exp(-s)
		if e == 0 {
			dst.Fill(0) // s may be infinite
			return
		}
		var a []float64
		switch k.Kind {
		case Matern12:
			a = []float64{1}
		case Matern32:
			a = []float64{1 + s, s, -s, 1 - s}
		case Matern52:
			a = []float64{1 + s + s*s/2, s + s*s, s * s / 2, -s * s / 2, 1 + s - s*s, s - s*s/2, s*s/2 - s, s*s - 3*s, 1 - 2*s + s*s/2}
		}
		for i := range dst.Rows {
			for j := range dst.Cols {
				dst.Set(i, j, e*a[i*dst.Cols+j])
			}
		}
	}
}

// split returns the first term of a product and the product of the others.
func (k TimeKernel) split() (first, rest TimeKernel) {
	if len(k.Terms) == 2 {
		return k.Terms[0], k.Terms[1]
	}
	return k.Terms[0], TimeKernel{Kind: Product, Terms: k.Terms[1:]}
}

// addTransitionGradient chains g = ∂L/∂A(delta) into the kernel's parameters, added to grad.
func (k TimeKernel) addTransitionGradient(grad *TimeKernel, g mat.Matrix, delta float64) {
	switch k.Kind {
	case Sum:
		at := 0
		for i, term := range k.Terms {
			n := term.stateSize()
			term.addTransitionGradient(&grad.Terms[i], g.Slice(at, at+n, at, at+n), delta)
			at += n
		}
	case Product:
		first, rest := k.split()
		a, b := mat.New(first.stateSize(), first.stateSize()), mat.New(rest.stateSize(), rest.stateSize())
		first.transition(a, delta)
		rest.transition(b, delta)
		da, db := mat.New(a.Rows, a.Rows), mat.New(b.Rows, b.Rows)
		for i := range g.Rows {
			for j := range g.Cols {
				i1, i2, j1, j2 := i/b.Rows, i%b.Rows, j/b.Rows, j%b.Rows
				da.Set(i1, j1, da.At(i1, j1)+g.At(i, j)*b.At(i2, j2))
				db.Set(i2, j2, db.At(i2, j2)+g.At(i, j)*a.At(i1, j1))
			}
		}
		first.addTransitionGradient(&grad.Terms[0], da, delta)
		if len(k.Terms) == 2 {
			rest.addTransitionGradient(&grad.Terms[1], db, delta)
		} else {
			rest.addTransitionGradient(&TimeKernel{Kind: Product, Terms: grad.Terms[1:]}, db, delta)
		}
	default:
		s := k.scaledTime(delta)
		if math.Exp(-s) == 0 {
			return
		}
		n := g.Rows
		a, slope := mat.New(n, n), mat.New(n, n)
		k.transition(a, delta)
		mat.Mul(slope, 1, mat.NewDense(n, n, matern[n].f), a, 0)
		grad.LengthScale -= s / k.LengthScale * mat.Dot(g, slope)
	}
}

// output returns h.
func (k TimeKernel) output() []float64 {
	switch k.Kind {
	case Sum:
		var h []float64
		for _, term := range k.Terms {
			h = append(h, term.output()...)
		}
		return h
	case Product:
		first, rest := k.split()
		return kronVector(first.output(), rest.output())
	}
	h := make([]float64, k.stateSize())
	h[0] = 1
	return h
}

// input returns b.
func (k TimeKernel) input() []float64 {
	switch k.Kind {
	case Sum:
		var b []float64
		for i, term := range k.Terms {
			from := len(b)
			b = append(b, term.input()...)
			asm.Scale(b[from:], k.Weights[i], b[from:])
		}
		return b
	case Product:
		first, rest := k.split()
		return kronVector(first.input(), rest.input())
	}
	return matern[k.stateSize()].b
}

// addInputGradient chains g = ∂L/∂b into the kernel's parameters, added to grad.
func (k TimeKernel) addInputGradient(grad *TimeKernel, g []float64) {
	switch k.Kind {
	case Sum:
		for i, term := range k.Terms {
			n := term.stateSize()
			grad.Weights[i] += asm.Dot(g[:n], term.input())
			part := make([]float64, n)
			asm.Scale(part, k.Weights[i], g[:n])
			term.addInputGradient(&grad.Terms[i], part)
			g = g[n:]
		}
	case Product:
		first, rest := k.split()
		a, b := first.input(), rest.input()
		da, db := make([]float64, len(a)), make([]float64, len(b))
		for i := range a {
			row := g[i*len(b) : (i+1)*len(b)]
			da[i] = asm.Dot(row, b)
			asm.Axpy(a[i], row, db)
		}
		first.addInputGradient(&grad.Terms[0], da)
		if len(k.Terms) == 2 {
			rest.addInputGradient(&grad.Terms[1], db)
		} else {
			rest.addInputGradient(&TimeKernel{Kind: Product, Terms: grad.Terms[1:]}, db)
		}
	}
}

func kronVector(a, b []float64) []float64 {
	v := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			v = append(v, x*y)
		}
	}
	return v
}

// A markov is the covariance matrix K of a series under a Markov kernel, as its state of s
// numbers moves through n ascending times: K[i,j] = hᵀ·A_i·A_i−1·…·A_j+1·b for j ≤ i.
// Nothing of the size n² is formed.
type markov struct {
	kernel TimeKernel
	n, s   int
	delta  []float64 // from the time before, 0 for the first
	a      []float64 // A_i, n×s²
	h, b   []float64

	dA []float64 // ∂L/∂A_i, n×s²
	dB []float64 // ∂L/∂b

	filter kalman
	states []float64 // n×s
}

func (m *markov) set(kernel TimeKernel, times []float64) {
	m.kernel = kernel
	m.n, m.s = len(times), kernel.stateSize()
	m.h, m.b = kernel.output(), kernel.input()
	m.delta, m.a = grown(m.delta, m.n), grown(m.a, m.n*m.s*m.s)
	m.dA, m.dB = zeros(m.dA, m.n*m.s*m.s), zeros(m.dB, m.s)
	m.states = grown(m.states, m.n*m.s)
	for i, t := range times {
		m.delta[i] = t - times[max(i-1, 0)]
		kernel.transition(m.transition(i), m.delta[i])
	}
}

func (m *markov) transition(i int) mat.Matrix {
	return mat.NewDense(m.s, m.s, m.a[i*m.s*m.s:(i+1)*m.s*m.s])
}

// apply sets dst = A_i·x, applyT dst = A_iᵀ·x; dst and x are not the same.
func (m *markov) apply(dst []float64, i int, x []float64) {
	for r := range dst {
		dst[r] = dot(m.a[(i*m.s+r)*m.s:], x)
	}
}

func (m *markov) applyT(dst []float64, i int, x []float64) {
	clear(dst)
	for r, v := range x {
		for c, a := range m.a[(i*m.s+r)*m.s : (i*m.s+r+1)*m.s] {
			dst[c] += v * a
		}
	}
}

// dot is the inner product of x and the beginning of a, both short.
func dot(a, x []float64) float64 {
	var s float64
	for i, v := range x {
		s += a[i] * v
	}
	return s
}

// forward runs state ← A_i·state and then each, which may change it, through all times.
func (m *markov) forward(each func(i int, state []float64)) {
	state, next := make([]float64, m.s), make([]float64, m.s)
	for i := range m.n {
		m.apply(next, i, state)
		state, next = next, state
		each(i, state)
	}
}

// backward runs each, which may change the state, and then state ← A_iᵀ·state from the last
// time to the first.
func (m *markov) backward(each func(i int, state []float64)) {
	state, next := make([]float64, m.s), make([]float64, m.s)
	for i := m.n - 1; i >= 0; i-- {
		each(i, state)
		m.applyT(next, i, state)
		state, next = next, state
	}
}

func (m *markov) mul(dst, v []float64) {
	m.forward(func(i int, f []float64) {
		addTo(f, v[i], m.b)
		dst[i] = dot(m.h, f)
	})
	m.backward(func(i int, g []float64) {
		dst[i] += dot(m.b, g)
		addTo(g, v[i], m.h)
	})
}

func addTo(dst []float64, alpha float64, x []float64) {
	for i, v := range x {
		dst[i] += alpha * v
	}
}

// addProduct adds the derivatives of uᵀ·K·v to dA and dB. Twice the lower triangle is that
// and the diagonal.
func (m *markov) addProduct(u, v []float64) {
	for _, pair := range [][2][]float64{{u, v}, {v, u}} {
		left, right := pair[0], pair[1]
		m.forward(func(i int, f []float64) {
			addTo(f, right[i], m.b)
			copy(m.states[i*m.s:], f)
		})
		m.backward(func(i int, g []float64) {
			addTo(g, left[i], m.h)
			addTo(m.dB, right[i], g)
			if i > 0 {
				for r, x := range g {
					addTo(m.dA[(i*m.s+r)*m.s:(i*m.s+r+1)*m.s], x, m.states[(i-1)*m.s:i*m.s])
				}
			}
		})
	}
	addTo(m.dB, -asm.Dot(u, v), m.h)
}

func (m *markov) addGradient(grad *TimeKernel) {
	for i, delta := range m.delta {
		if delta > 0 {
			m.kernel.addTransitionGradient(grad, mat.NewDense(m.s, m.s, m.dA[i*m.s*m.s:(i+1)*m.s*m.s]), delta)
		}
	}
	m.kernel.addInputGradient(grad, m.dB)
}

func (m *markov) posterior(_ int, variance, lambda []float64) (logDet float64, err error) {
	logDet = m.filter.forward(m, lambda, nil)
	m.filter.backward(m, lambda, nil, false, func(i int, slope dual) { variance[i] = slope.v })
	return logDet, nil
}

func (m *markov) addSlopes(_ int, dLambda, lambda, w, u, muBar []float64) {
	m.filter.forward(m, lambda, w)
	m.filter.backward(m, lambda, w, true, func(i int, slope dual) { dLambda[i] = slope.e })
	m.addProduct(u, muBar)
}

// A dual is a number v with its derivative e in the direction w of Λ.
type dual struct{ v, e float64 }

func (a dual) plus(b dual) dual      { return dual{a.v + b.v, a.e + b.e} }
func (a dual) times(b dual) dual     { return dual{a.v * b.v, a.v*b.e + a.e*b.v} }
func (a dual) scaled(b float64) dual { return dual{a.v * b, a.e * b} }
func (a dual) over(b dual) dual      { return dual{a.v / b.v, (a.e - a.v/b.v*b.e) / b.v} }
func (a *dual) add(b dual)           { a.v += b.v; a.e += b.e }
func dots(a, b []dual) (s dual) {
	for i, x := range a {
		s.add(x.times(b[i]))
	}
	return s
}

// along returns λ_i, which moves by w_i; nil: it does not.
func along(lambda, w []float64, i int) dual {
	if w == nil {
		return dual{v: lambda[i]}
	}
	return dual{lambda[i], w[i]}
}

// A kalman filters and smooths pseudo-observations of precisions Λ. With the state's
// covariance P∞ + D, of which D ≤ 0 alone is kept, time i is
//
//	D⁻ = A_i·D·A_iᵀ,  c = b + D⁻·h,  p = hᵀ·c,  τ = 1 + λ_i·p,  κ = λ_i/τ,  D = D⁻ − κ·c·cᵀ
//
// and log|B| = Σ log τ. No covariance of the noise 1/λ_i is needed, so that λ_i = 0, a time of
// which nothing is known, is as good as any, and equal times have A_i = I. The derivatives of
// log|B|, by the adjoint recursion, are S_ii in λ_i: the smoother of Bryson and Frazier
// (Bierman, Automatica 9, 1973). Everything is done with duals, in which the adjoints of
// d log|B| = Σ w_n·S_nn come out with those of log|B|.
type kalman struct {
	d             []dual // D after each time, n×s²
	c             []dual // n×s
	p, tau, kappa []dual // n
}

// forward filters and returns log|B|.
func (f *kalman) forward(m *markov, lambda, w []float64) (logDet float64) {
	n, s := m.n, m.s
	f.d, f.c = grownDuals(f.d, n*s*s), grownDuals(f.c, n*s)
	f.p, f.tau, f.kappa = grownDuals(f.p, n), grownDuals(f.tau, n), grownDuals(f.kappa, n)
	half, before := make([]dual, s*s), make([]dual, s*s)
	for i := range n {
		a, d, c := m.a[i*s*s:(i+1)*s*s], f.d[i*s*s:(i+1)*s*s], f.c[i*s:(i+1)*s]
		timesPlain(half, before, s, 1, a, 1, s, s)
		timesPlain(d, half, 1, s, a, 1, s, s)
		for r := range c {
			c[r] = dual{v: m.b[r]}
			for q, h := range m.h {
				c[r].add(d[r*s+q].scaled(h))
			}
		}
		var p dual
		for r, h := range m.h {
			p.add(c[r].scaled(h))
		}
		if !(p.v > 0) {
			p = dual{} // rounding
		}
		l := along(lambda, w, i)
		tau := l.times(p).plus(dual{v: 1})
		kappa := l.over(tau)
		for r := range s {
			for q := range s {
				d[r*s+q].add(kappa.times(c[r]).times(c[q]).scaled(-1))
			}
		}
		f.p[i], f.tau[i], f.kappa[i] = p, tau, kappa
		logDet += math.Log(tau.v)
		before = d
	}
	return logDet
}

// backward runs the adjoint recursion and reports the derivative of log|B| in every λ_i. With
// chain it adds the derivatives of Σ_n w_n·S_nn − ½·log|B| in A_i and b to m's.
func (f *kalman) backward(m *markov, lambda, w []float64, chain bool, report func(i int, slope dual)) {
	n, s := m.n, m.s
	dD, half, dA := make([]dual, s*s), make([]dual, s*s), make([]dual, s*s)
	x, dc := make([]dual, s), make([]dual, s)
	for i := n - 1; i >= 0; i-- {
		a, c := m.a[i*s*s:(i+1)*s*s], f.c[i*s:(i+1)*s]
		p, tau, kappa := f.p[i], f.tau[i], f.kappa[i]
		for r := range x {
			x[r] = dots(dD[r*s:(r+1)*s], c)
			dc[r] = kappa.times(x[r]).scaled(-2)
		}
		dKappa := dots(c, x).scaled(-1)
		l := along(lambda, w, i)
		inverse := dual{v: 1}.over(tau)
		report(i, inverse.times(p.plus(dKappa.times(inverse))))
		dp := l.times(inverse).plus(dKappa.times(kappa.times(kappa)).scaled(-1))
		for r, h := range m.h {
			dc[r].add(dp.scaled(h))
		}
		for r := range s {
			for q := range s {
				dD[r*s+q].add(dc[r].scaled(0.5 * m.h[q]).plus(dc[q].scaled(0.5 * m.h[r])))
			}
		}
		timesPlain(half, dD, s, 1, a, s, 1, s)
		if chain {
			for r := range dc {
				m.dB[r] += dc[r].e - 0.5*dc[r].v
			}
			if i > 0 {
				timesDual(dA, half, f.d[(i-1)*s*s:i*s*s], s)
				for j, g := range dA {
					m.dA[i*s*s+j] += 2*g.e - g.v
				}
			}
		}
		timesPlain(dD, half, 1, s, a, s, 1, s)
	}
}

func grownDuals(v []dual, n int) []dual { return slices.Grow(v[:0], n)[:n] }

// timesPlain sets dst = x·a of s×s matrices, dst row by row; element (i, j) of x is
// x[i·rx+j·cx], and so on.
func timesPlain(dst, x []dual, rx, cx int, a []float64, ra, ca, s int) {
	for r := range s {
		for q := range s {
			var t dual
			for k := range s {
				t.add(x[r*rx+k*cx].scaled(a[k*ra+q*ca]))
			}
			dst[r*s+q] = t
		}
	}
}

// timesDual sets dst = x·y, all row by row.
func timesDual(dst, x, y []dual, s int) {
	for r := range s {
		for q := range s {
			var t dual
			for k := range s {
				t.add(x[r*s+k].times(y[k*s+q]))
			}
			dst[r*s+q] = t
		}
	}
}

// statesFrom decides between the forms of K: the states are used for n ≥ statesFrom·s^1.5
// times, as measured (doc_dynamics.go). Tests change it.
var statesFrom = 15.

// markovFor reports whether a kernel is to be used by its states for n times.
func (k TimeKernel) markovFor(n int) bool {
	s := float64(k.stateSize())
	return s > 0 && float64(n) >= statesFrom*s*math.Sqrt(s)
}
