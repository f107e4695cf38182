package eig

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// panelWidth is the number of columns that are reduced before the rest of the
// matrix is updated, and the number of reflectors that are applied together.
// Tests change it.
var panelWidth = 32

// tridiagonalize reduces the symmetric matrix A in the upper triangle of s.u to
// T = QᵀAQ with diagonal s.d and subdiagonal s.e, where Q = H₀·H₁·…·Hₙ₋₂ is a
// product of reflectors Hⱼ = I − τⱼ·vⱼ·vⱼᵀ. Row j of s.u becomes vⱼᵀ, with its
// zeros up to column j and its 1 in column j+1.
//
// The panels are those of Dongarra, Hammarling and Sorensen (J. Comput. Appl.
// Math. 27, 1989), LAPACK's SYTRD: half of the work is a matrix-vector product
// for each column, the other half a product of matrices for each panel.
func (s *Solver) tridiagonalize() {
	n := s.n
	for k := 0; k < n-1; k += panelWidth {
		s.reducePanel(k, min(panelWidth, n-1-k))
	}
	if n > 0 {
		s.d[n-1] = s.u.Row(n - 1)[n-1]
	}
}

// reducePanel reduces rows k to k+width−1 and updates the triangle that
// follows them: A ← A − V·Wᵀ − W·Vᵀ, where column i of V is vₖ₊ᵢ and that of W
// is wᵢ = τ·(A·v − ½·τ·(vᵀ·A·v)·v) for the A that earlier columns left.
func (s *Solver) reducePanel(k, width int) {
	n := s.n
	panel := mat.NewDense(3*width, n, s.panel[:3*width*n]) // rows of Vᵀ, Wᵀ, Vᵀ
	v := func(i int) []float64 { return panel.Row(i) }
	w := func(i int) []float64 { return panel.Row(width + i) }
	for i := range width {
		j := k + i
		column := s.u.Row(j)[j:] // below and with the diagonal
		for l := range i {
			asm.Axpy(-w(l)[j], v(l)[j:], column)
			asm.Axpy(-v(l)[j], w(l)[j:], column)
		}
		s.d[j] = column[0]
		column[0] = 0
		s.e[j], s.tau[j] = reflector(column[1:])

		vi, wi := v(i)[j+1:], w(i)[j+1:]
		copy(vi, column[1:])
		copy(panel.Row(2*width + i)[j+1:], vi)
		if s.tau[j] == 0 {
			clear(wi)
			continue
		}
		s.symv(wi, j+1, vi)
		for l := range i {
			vl, wl := v(l)[j+1:], w(l)[j+1:]
			g, h := asm.Dot(wl, vi), asm.Dot(vl, vi)
			asm.Axpy(-g, vl, wi)
			asm.Axpy(-h, wl, wi)
		}
		asm.Scale(wi, s.tau[j], wi)
		asm.Axpy(-0.5*s.tau[j]*asm.Dot(wi, vi), vi, wi)
	}
	next := k + width
	rest := s.u.Slice(next, n, next, n).T()
	vw := panel.Slice(0, 2*width, next, n)
	wv := panel.Slice(width, 3*width, next, n)
	mat.MulSym(rest, -1, vw.T(), wv, 1)
}

// reflector finds H = I − τ·v·vᵀ with H·x = β·e₀, overwrites x with v, where
// v[0] = 1, and returns β and τ (Golub and Van Loan, "Matrix Computations",
// section 5.1; LAPACK's LARFG). If x is a multiple of e₀ already, H is I.
func reflector(x []float64) (beta, tau float64) {
	alpha := x[0]
	rest := x[1:]
	var largest float64
	for _, xi := range rest {
		largest = max(largest, math.Abs(xi))
	}
	if largest == 0 {
		x[0] = 1
		return alpha, 0
	}
	// Squares of tiny numbers lose bits: bring the larger of the two to 1.
	shift := 0
	if m := max(largest, math.Abs(alpha)); m < 0x1p-400 {
		_, shift = math.Frexp(m)
		for i := range x {
			x[i] = math.Ldexp(x[i], -shift)
		}
		alpha = x[0]
	}
	beta = -math.Copysign(math.Sqrt(float64(alpha*alpha)+asm.Dot(rest, rest)), alpha)
	tau = (beta - alpha) / beta
	asm.Scale(rest, 1/(alpha-beta), rest)
	x[0] = 1
	return math.Ldexp(beta, shift), tau
}

// symvArgs are the arguments of the parallel parts of a symv.
type symvArgs struct {
	first  int // row of s.u
	chunks int
	x      []float64
}

// symvChunks is the number of parts into which the product of a symmetric
// matrix of order n with a vector is cut.
func symvChunks(n int) int { return max(1, min(8, n/symvOrder)) }

// symvOrder is the order for each part of a symv; tests change it.
var symvOrder = 128

// symv sets y = A·x, where A is the symmetric matrix whose upper triangle
// starts at row and column first of s.u. Each part sums its rows into a vector
// of its own, and the vectors are added in order.
func (s *Solver) symv(y []float64, first int, x []float64) {
	n := len(x)
	s.symvArgs = symvArgs{first, symvChunks(n), x}
	if s.symvPart == nil {
		s.symvPart = func(chunk int) { s.symvRows(chunk) }
	}
	mat.Parallel(s.symvArgs.chunks, s.symvPart)
	copy(y, s.partial[:n])
	for c := 1; c < s.symvArgs.chunks; c++ {
		asm.Axpy(1, s.partial[c*n:(c+1)*n], y)
	}
}

// symvRows adds up what every chunks-th group of four rows contributes, and
// their mirror images below the diagonal.
func (s *Solver) symvRows(chunk int) {
	x := s.symvArgs.x
	n := len(x)
	y := s.partial[chunk*n : (chunk+1)*n]
	clear(y)
	row := func(i int) []float64 { return s.u.Row(s.symvArgs.first + i)[s.symvArgs.first:] }
	for i0 := 4 * chunk; i0 < n; i0 += 4 * s.symvArgs.chunks {
		i1 := min(i0+4, n)
		for i := i0; i < i1; i++ { // triangle on the diagonal
			a := row(i)
			y[i] += float64(a[i] * x[i])
			for j := i + 1; j < i1; j++ {
				y[i] += float64(a[j] * x[j])
				y[j] += float64(a[j] * x[i])
			}
		}
		if i1 < n {
			symvKernel(y[i1:], x[i1:], y[i0:i1], x[i0:i1], row(i0)[i1:], row(i0 + 1)[i1:], row(i0 + 2)[i1:], row(i0 + 3)[i1:])
		}
	}
}

// symvKernel reads four rows a0…a3 once for both triangles:
//
//	y[j]  += a0[j]·xr[0] + a1[j]·xr[1] + a2[j]·xr[2] + a3[j]·xr[3]
//	yr[i] += Σ ai[j]·x[j]
func symvKernel(y, x, yr, xr, a0, a1, a2, a3 []float64) {
	yr, xr = yr[:4], xr[:4]
	x0, x1, x2, x3 := xr[0], xr[1], xr[2], xr[3]
	var s0, s1, s2, s3 float64
	n := len(y)
	x, a0, a1, a2, a3 = x[:n], a0[:n], a1[:n], a2[:n], a3[:n]
	for j, xj := range x {
		b0, b1, b2, b3 := a0[j], a1[j], a2[j], a3[j]
		s0 += float64(b0 * xj)
		s1 += float64(b1 * xj)
		s2 += float64(b2 * xj)
		s3 += float64(b3 * xj)
		y[j] += (float64(b0*x0) + float64(b1*x1)) + (float64(b2*x2) + float64(b3*x3))
	}
	yr[0] += s0
	yr[1] += s1
	yr[2] += s2
	yr[3] += s3
}
