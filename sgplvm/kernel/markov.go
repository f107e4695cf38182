package kernel

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Kernels that are Markov in time: with the transition matrix A(Δ) of the state,
//
//	k(Δ) = hᵀ·A(Δ)·b,  Δ ≥ 0
//
// The state of a sum are the terms' one after the other, that of a product is the
// Kronecker product of the terms'. Hartikainen and Särkkä (2010); Solin and Särkkä (2014)
// for sums and products.

// StateSize returns the number s of components of the state, 0 if the kernel is not Markov.
func (k Kernel) StateSize() int {
	size := 0
	switch k.Kind {
	case Sum:
	case Product:
		size = 1
	default:
		if f, ok := k.stateSpace(); ok {
			_, _, b := f.System()
			size = len(b)
		}
		return size
	}
	for i := range k.Terms {
		n := k.Terms[i].StateSize()
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

func (k *Kernel) stateSpace() (f StateSpace, ok bool) {
	if r := lookup(k.Kind); r != nil {
		f, ok = r.function.(StateSpace)
	}
	return f, ok
}

// system returns σ of a difference in time, F and b of a kernel that is one function.
func (k *Kernel) system(op string, delta float64) (space StateSpace, sigma float64, f, b []float64) {
	space, ok := k.stateSpace()
	if !ok {
		panic(text.Sprintf("kernel: %s: a kernel of kind %s has no state", op, quoted(string(k.Kind))))
	}
	k.inTime(op)
	rate, f, b := space.System()
	return space, rate * delta / k.LengthScale[0], f, b
}

// Transition sets dst, s×s, to A(delta), delta ≥ 0.
func (k Kernel) Transition(dst mat.Matrix, delta float64) {
	if n := k.StateSize(); dst.Rows != n || dst.Cols != n {
		panic(text.Sprintf("kernel: Transition: %d×%d matrix for a state of %d numbers", dst.Rows, dst.Cols, n))
	}
	k.transition(dst, delta)
}

func (k *Kernel) transition(dst mat.Matrix, delta float64) {
	switch k.Kind {
	case Sum:
		dst.Fill(0)
		at := 0
		for _, term := range k.Terms {
			n := term.StateSize()
			term.transition(dst.Slice(at, at+n, at, at+n), delta)
			at += n
		}
	case Product:
		a, b := k.halves(delta)
		for i := range dst.Rows {
			for j := range dst.Cols {
				dst.Set(i, j, a.At(i/b.Rows, j/b.Rows)*b.At(i%b.Rows, j%b.Rows))
			}
		}
	default:
		space, sigma, f, b := k.system("Transition", delta)
		if m, ok := space.(matern); ok {
			m.transition(dst, sigma)
		} else {
			exponential(dst, mat.NewDense(len(b), len(b), f), sigma)
		}
	}
}

// split returns the first term of a product and the product of the others.
func (k *Kernel) split() (first, rest Kernel) {
	if len(k.Terms) == 2 {
		return k.Terms[0], k.Terms[1]
	}
	return k.Terms[0], Kernel{Kind: Product, Terms: k.Terms[1:]}
}

// halves returns the transition matrices of split.
func (k *Kernel) halves(delta float64) (a, b mat.Matrix) {
	first, rest := k.split()
	n1, n2 := first.StateSize(), rest.StateSize()
	a, b = mat.New(n1, n1), mat.New(n2, n2)
	first.transition(a, delta)
	rest.transition(b, delta)
	return a, b
}

// splitGradient calls first and rest with the gradient's part for those of split.
func splitGradient(grad *Kernel, first, rest func(grad *Kernel)) {
	first(&grad.Terms[0])
	if len(grad.Terms) == 2 {
		rest(&grad.Terms[1])
	} else {
		rest(&Kernel{Kind: Product, Terms: grad.Terms[1:]})
	}
}

// AddTransitionGradient chains g = ∂L/∂A(delta), s×s, into the kernel's parameters, added
// to grad, which has the form of k.
func (k Kernel) AddTransitionGradient(grad *Kernel, g mat.Matrix, delta float64) {
	if n := k.StateSize(); g.Rows != n || g.Cols != n {
		panic(text.Sprintf("kernel: AddTransitionGradient: %d×%d derivatives for a state of %d numbers", g.Rows, g.Cols, n))
	}
	k.addTransitionGradient(grad, g, delta)
}

func (k *Kernel) addTransitionGradient(grad *Kernel, g mat.Matrix, delta float64) {
	switch k.Kind {
	case Sum:
		at := 0
		for i, term := range k.Terms {
			n := term.StateSize()
			term.addTransitionGradient(&grad.Terms[i], g.Slice(at, at+n, at, at+n), delta)
			at += n
		}
	case Product:
		first, rest := k.split()
		a, b := k.halves(delta)
		da, db := mat.New(a.Rows, a.Rows), mat.New(b.Rows, b.Rows)
		for i := range g.Rows {
			for j := range g.Cols {
				i1, i2, j1, j2 := i/b.Rows, i%b.Rows, j/b.Rows, j%b.Rows
				da.Set(i1, j1, da.At(i1, j1)+g.At(i, j)*b.At(i2, j2))
				db.Set(i2, j2, db.At(i2, j2)+g.At(i, j)*a.At(i1, j1))
			}
		}
		splitGradient(grad,
			func(grad *Kernel) { first.addTransitionGradient(grad, da, delta) },
			func(grad *Kernel) { rest.addTransitionGradient(grad, db, delta) })
	default: // ∂A/∂σ = F·A
		_, sigma, f, _ := k.system("AddTransitionGradient", delta)
		n := g.Rows
		a, slope := mat.New(n, n), mat.New(n, n)
		k.transition(a, delta)
		if mat.NormMax(a) == 0 {
			return // σ may be infinite
		}
		mat.Mul(slope, 1, mat.NewDense(n, n, f), a, 0)
		grad.LengthScale[0] -= sigma / k.LengthScale[0] * mat.Dot(g, slope)
	}
}

// Output returns h, s numbers.
func (k Kernel) Output() []float64 {
	switch k.Kind {
	case Sum:
		var h []float64
		for _, term := range k.Terms {
			h = append(h, term.Output()...)
		}
		return h
	case Product:
		first, rest := k.split()
		return kronVector(first.Output(), rest.Output())
	}
	h := make([]float64, len(k.Input()))
	h[0] = 1
	return h
}

// Input returns b, s numbers.
func (k Kernel) Input() []float64 {
	switch k.Kind {
	case Sum:
		var b []float64
		for i, term := range k.Terms {
			from := len(b)
			b = append(b, term.Input()...)
			asm.Scale(b[from:], k.Weights[i], b[from:])
		}
		return b
	case Product:
		first, rest := k.split()
		return kronVector(first.Input(), rest.Input())
	}
	_, _, _, b := k.system("Input", 0)
	return slices.Clone(b)
}

// AddInputGradient chains g = ∂L/∂b, s numbers, into the kernel's parameters, added to
// grad, which has the form of k.
func (k Kernel) AddInputGradient(grad *Kernel, g []float64) {
	if n := k.StateSize(); len(g) != n {
		panic(text.Sprintf("kernel: AddInputGradient: %d derivatives for a state of %d numbers", len(g), n))
	}
	k.addInputGradient(grad, g)
}

func (k *Kernel) addInputGradient(grad *Kernel, g []float64) {
	switch k.Kind {
	case Sum:
		for i, term := range k.Terms {
			n := term.StateSize()
			grad.Weights[i] += asm.Dot(g[:n], term.Input())
			part := make([]float64, n)
			asm.Scale(part, k.Weights[i], g[:n])
			term.addInputGradient(&grad.Terms[i], part)
			g = g[n:]
		}
	case Product:
		first, rest := k.split()
		a, b := first.Input(), rest.Input()
		da, db := make([]float64, len(a)), make([]float64, len(b))
		for i := range a {
			row := g[i*len(b) : (i+1)*len(b)]
			da[i] = asm.Dot(row, b)
			asm.Axpy(a[i], row, db)
		}
		splitGradient(grad,
			func(grad *Kernel) { first.addInputGradient(grad, da) },
			func(grad *Kernel) { rest.addInputGradient(grad, db) })
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

// Generator sets dst, s×s, to G: A(Δ) = exp(Δ·G).
func (k Kernel) Generator(dst mat.Matrix) {
	if n := k.StateSize(); dst.Rows != n || dst.Cols != n {
		panic(text.Sprintf("kernel: Generator: %d×%d matrix for a state of %d numbers", dst.Rows, dst.Cols, n))
	}
	dst.Fill(0)
	switch k.Kind {
	case Sum:
		at := 0
		for _, term := range k.Terms {
			n := term.StateSize()
			term.Generator(dst.Slice(at, at+n, at, at+n))
			at += n
		}
	case Product: // G₁⊗I + I⊗G₂
		first, rest := k.split()
		a, b := mat.New(first.StateSize(), first.StateSize()), mat.New(rest.StateSize(), rest.StateSize())
		first.Generator(a)
		rest.Generator(b)
		for i := range dst.Rows {
			for j := range dst.Cols {
				if i%b.Rows == j%b.Rows {
					dst.Row(i)[j] += a.At(i/b.Rows, j/b.Rows)
				}
				if i/b.Rows == j/b.Rows {
					dst.Row(i)[j] += b.At(i%b.Rows, j%b.Rows)
				}
			}
		}
	default:
		_, sigma, f, _ := k.system("Generator", 1)
		mat.Scale(dst, sigma, mat.NewDense(dst.Rows, dst.Cols, f))
	}
}

// exponential sets dst = exp(F·σ) in room of its own.
func exponential(dst, f mat.Matrix, sigma float64) {
	Exponential(dst, f, sigma, mat.New(2*f.Rows, f.Cols))
}

// Exponential sets dst = exp(F·σ), σ ≥ 0, of a stable system, s×s, in a room of 2s×s numbers: a Taylor polynomial of
// F·σ/2^k, whose norm is below ½, squared k times (Moler and Van Loan, "Nineteen dubious
// ways to compute the exponential of a matrix, twenty-five years later", 2003, method 3). An
// infinite σ gives 0. The error is about ε·‖F·σ‖.
func Exponential(dst, f mat.Matrix, sigma float64, room mat.Matrix) {
	n := f.Rows
	if f.Cols != n || dst.Rows != n || dst.Cols != n || room.Rows != 2*n || room.Cols != n {
		panic(text.Sprintf("kernel: Exponential: %d×%d result and %d×%d room for a %d×%d system", dst.Rows, dst.Cols, room.Rows, room.Cols, n, f.Cols))
	}
	norm := mat.NormInf(f) * sigma
	if !(norm <= math.MaxFloat64) {
		dst.Fill(0)
		return
	}
	_, exponent := math.Frexp(norm)
	squarings := max(0, exponent+1)
	x, next := room.Slice(0, n, 0, n), room.Slice(n, 2*n, 0, n)
	mat.Scale(x, math.Ldexp(sigma, -squarings), f)
	setIdentity(dst)
	for i := 14; i > 0; i-- { // Horner: I + x/i·(…); the first term left out is below 2^−15/15!
		setIdentity(next)
		mat.Mul(next, 1/float64(i), x, dst, 1)
		mat.Copy(dst, next)
	}
	for range squarings {
		mat.Mul(next, 1, dst, dst, 0)
		mat.Copy(dst, next)
	}
}

func setIdentity(a mat.Matrix) {
	a.Fill(0)
	for i := range a.Rows {
		a.Set(i, i, 1)
	}
}
