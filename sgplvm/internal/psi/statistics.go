package psi

import (
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Gradient is where derivatives of a scalar L are added: in the kernel's parameters, Z
// (m×d), μ and S (n×d). Derivatives in times are not taken.
type Gradient struct {
	Kernel   Kernel
	Z, Mu, S mat.Matrix
}

// Statistics are the psi statistics of a latent kernel with given inducing points. The zero
// value is ready for Set. Set, Forward, Backward and MatrixBackward are for one goroutine;
// while none of them runs, all other methods may be called by several at once, each with a
// Scratch of its own.
type Statistics struct {
	kernel Kernel
	in     Inducing
	timed  bool

	// The nonlinear part, where there is one, its name and its place in the kernel.
	nonlinear expectations
	name      string
	place     int

	// All sloped parts together, and all constant ones. Where there are none of either only
	// times have cross terms.
	a      mat.Matrix // A, m×d; 0 without any
	b      float64
	affine bool
	sloped bool

	// What Forward leaves for Backward, and room that is used again.
	cross cross
	slope slope2
	times timeWork
}

// Set takes over the kernel and the inducing points, in the storage of an earlier call.
func (st *Statistics) Set(k Kernel, in Inducing) {
	m, d := in.Z.Rows, in.Z.Cols
	st.timed = k.Timed()
	if st.timed && len(in.At) != m {
		panic(text.Sprintf("psi: Set: a kernel with a part of time, but %d times for %d inducing points", len(in.At), m))
	}
	st.kernel = k.Clone()
	work.Resize(&st.in.Z, m, d)
	mat.Copy(st.in.Z, in.Z)
	st.in.At = append(st.in.At[:0], in.At...)
	work.Resize(&st.a, m, d)
	st.a.Fill(0)
	st.b, st.affine, st.sloped = 0, false, false
	name := ""
	for i, p := range st.kernel.Parts {
		if p, is := p.(nonlinear); is {
			name, st.place = p.Name(), i
			if st.name != name {
				st.nonlinear = p.expectations()
			}
			st.nonlinear.set(p, in.Z)
		}
		if p, is := p.(sloped); is {
			st.addSlope(p)
		}
		if p, is := p.(constant); is {
			st.b += *p.offset()
			st.affine = true
		}
	}
	if st.name = name; name == "" {
		st.nonlinear = nil
	}
}

// addSlope adds a part's A to that of all.
func (st *Statistics) addSlope(p sloped) {
	if !st.sloped {
		p.slope(st.a, st.in.Z)
		st.sloped, st.affine = true, true
		return
	}
	buffer := mat.Borrow(len(st.a.Data))
	a := mat.NewDense(st.a.Rows, st.a.Cols, *buffer)
	p.slope(a, st.in.Z)
	mat.Add(st.a, st.a, 1, a)
	mat.GiveBack(buffer)
}

// Farthest returns the largest distance of an inducing input from the mean of all, in
// length scales of the nonlinear part; 0 without one. It is checked against
// FarthestInducing.
func (st *Statistics) Farthest() float64 {
	if st.nonlinear == nil {
		return 0
	}
	return st.nonlinear.farthest()
}

// FarthestInducing is up to where inducing inputs may lie. The split exponents of the psi
// statistics, of size (distance/ℓ)², lose their digits beyond: up to it they keep an
// absolute error below about 2e-6 of a prior variance of 1, and of larger ones at smaller distances.
// An optimiser takes what comes out for a better bound.
const FarthestInducing = 1e5

// Matrix sets dst (m×m) to K_0, the kernel between inducing points.
func (st *Statistics) Matrix(dst mat.Matrix) {
	dst.Fill(0)
	for _, p := range st.kernel.Parts {
		p.addMatrix(dst, st.in)
	}
}

// MatrixBackward chains a symmetric g = ∂L/∂K_0 (m×m), given the K_0 of Matrix.
func (st *Statistics) MatrixBackward(to Gradient, g, k0 mat.Matrix) {
	for i, p := range st.kernel.Parts {
		values := k0
		if _, is := p.(nonlinear); is && len(st.kernel.Parts) > 1 {
			buffer := mat.Borrow(g.Rows * g.Cols)
			defer mat.GiveBack(buffer)
			values = mat.NewDense(g.Rows, g.Cols, *buffer)
			values.Fill(0)
			p.addMatrix(values, st.in)
		}
		p.addMatrixGradient(to.Kernel.Parts[i], to.Z, g, values, st.in)
	}
}

// Psi0 returns ψ0 = Σ_n E k(x_n, x_n). A part of time counts with its variance, whether
// times are known or not.
func (st *Statistics) Psi0(q Q) float64 { return st.psi0(q.Mu, q.S) }

func (st *Statistics) psi0(mu, s mat.Matrix) float64 {
	var sum float64
	for _, p := range st.kernel.Parts {
		if c, _ := p.diagonal(); c != nil {
			sum += *c
		}
	}
	sum *= float64(mu.Rows)
	for _, p := range st.kernel.Parts {
		_, w := p.diagonal()
		if w == nil {
			continue
		}
		for n := range mu.Rows {
			m, v := mu.Row(n), s.Row(n)
			for q, w := range w {
				sum += w * (m[q]*m[q] + v[q])
			}
		}
	}
	return sum
}

// psi0Backward adds the derivatives of g·ψ0 to the gradient; to its kernel only if that
// has parts.
func (st *Statistics) psi0Backward(to Gradient, g float64, mu, s mat.Matrix) {
	for i, p := range st.kernel.Parts {
		_, w := p.diagonal()
		var dc *float64
		var dw []float64
		if to.Kernel.Parts != nil {
			dc, dw = to.Kernel.Parts[i].diagonal()
		}
		if dc != nil {
			*dc += g * float64(mu.Rows)
		}
		if w == nil {
			continue
		}
		for n := range mu.Rows {
			m, v, dm, dv := mu.Row(n), s.Row(n), to.Mu.Row(n), to.S.Row(n)
			for q, w := range w {
				dm[q] += 2 * g * w * m[q]
				dv[q] += g * w
				if dw != nil {
					dw[q] += g * (m[q]*m[q] + v[q])
				}
			}
		}
	}
}
