package eig

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Panels have a fiftieth of the order's columns, within these bounds: the
// vectors of a wide panel cost more to subtract from each column, and a narrow
// one sends the rest of a large matrix through the caches more often. Tests
// change them.
var minPanel, maxPanel = 16, 32

// panelWidth is the number of columns of a matrix of order n that are reduced
// before the rest is updated.
func panelWidth(n int) int { return max(minPanel, min(maxPanel, n/50&^7)) }

// tridiagonalize reduces the symmetric matrix A to T = QᵀAQ with diagonal s.d
// and subdiagonal s.e, where Q = H₀·H₁·…·Hₙ₋₂ is a product of reflectors
// Hⱼ = I − τⱼ·vⱼ·vⱼᵀ. It finds A's diagonal in s.d and what is below it in s.u,
// zeros elsewhere; row j of s.u becomes vⱼᵀ, zero up to column j. Where no
// reflection is needed vⱼ is 0.
//
// The panels are those of Dongarra, Hammarling and Sorensen (J. Comput. Appl.
// Math. 27, 1989), LAPACK's SYTRD: half of the work is a matrix-vector product
// for each column, the other half a product of matrices for each panel.
func (s *Solver) tridiagonalize() error {
	n := s.n
	width := panelWidth(n)
	for k := 0; k < n-1; k += width {
		if err := s.stopped(); err != nil {
			return err
		}
		s.reducePanel(k, min(width, n-1-k))
	}
	return nil
}

// reducePanel reduces columns k to k+width−1 and updates the triangle that
// follows them: A ← A − V·Wᵀ − W·Vᵀ, where column i of V is v of column k+i and
// that of W is w = τ·(A·v − ½·τ·(vᵀ·A·v)·v) for the A that earlier columns left.
//
// Every vector starts at a multiple of eight, so that all operands are aligned
// alike; what that adds before element j+1 is multiplied by v's zeros there.
func (s *Solver) reducePanel(k, width int) {
	n, ld := s.n, s.u.RowStride
	panel := mat.NewDense(3*width, ld, s.panel[:3*width*ld]) // rows of Vᵀ, Wᵀ, Vᵀ
	vt, wt := panel.Data, panel.Data[width*ld:]
	g, h := s.coefficients[:width], s.coefficients[width:2*width]
	s.takeColumns(panel, k, width)
	for i := range width {
		j := k + i
		c := j &^ 7
		v, w := panel.Row(i), panel.Row(width+i)
		for l := range i {
			g[l], h[l] = -wt[l*ld+j], -vt[l*ld+j]
		}
		asm.AxpyRows(g[:i], vt[c:], ld, v[c:])
		asm.AxpyRows(h[:i], wt[c:], ld, v[c:])
		s.d[j] += v[j]
		clear(v[c : j+1])
		s.e[j], s.tau[j] = reflector(v[j+1 : n])

		c = (j + 1) &^ 7
		if s.tau[j] == 0 {
			clear(w[c:])
			continue
		}
		s.symv(w, j+1, v)
		v, w = v[c:], w[c:]
		asm.DotRows(g[:i], wt[c:], ld, v)
		asm.DotRows(h[:i], vt[c:], ld, v)
		for l := range i {
			g[l], h[l] = -g[l], -h[l]
		}
		asm.AxpyRows(g[:i], vt[c:], ld, w)
		asm.AxpyRows(h[:i], wt[c:], ld, w)
		asm.Scale(w, s.tau[j], w)
		asm.Axpy(-0.5*s.tau[j]*asm.Dot(w, v), v, w)
	}
	next := k + width
	for i := range width {
		j, v := k+i, panel.Row(i)
		row := s.u.Row(j)
		clear(row[:j+1])
		copy(row[j+1:], v[j+1:])
		copy(panel.Row(2*width + i)[next:], v[next:])
	}
	vw := panel.Slice(0, 2*width, next, n)
	wv := panel.Slice(width, 3*width, next, n)
	mat.MulSym(s.u.Slice(next, n, next, n), -1, vw.T(), wv, 1)
	s.takeDiagonal(next)
}

// takeColumns copies columns k to k+width−1 below the diagonal to the first rows
// of the panel, with zeros around.
func (s *Solver) takeColumns(panel mat.Matrix, k, width int) {
	n, ld := s.n, s.u.RowStride
	next := k + width
	for i := range width {
		j := k + i
		v := panel.Row(i)
		clear(v[k&^7 : j+1])
		for r := j + 1; r < next; r++ {
			v[r] = s.u.Data[r*ld+j]
		}
		clear(v[n:])
	}
	asm.Transpose(panel.Data[next:], ld, s.u.Data[next*ld+k:], ld, n-next, width)
}

// takeDiagonal moves the diagonal of s.u from row k on, adding it to s.d.
func (s *Solver) takeDiagonal(k int) {
	for i := k; i < s.n; i++ {
		at := i * (s.u.RowStride + 1)
		s.d[i] += s.u.Data[at]
		s.u.Data[at] = 0
	}
}

// reflector finds H = I − τ·v·vᵀ with H·x = β·e₀, overwrites x with v, where
// v[0] = 1, and returns β and τ (Golub and Van Loan, "Matrix Computations",
// section 5.1; LAPACK's LARFG). If x is a multiple of e₀ already, H is I and v
// is 0.
func reflector(x []float64) (beta, tau float64) {
	alpha := x[0]
	rest := x[1:]
	largest := asm.MaxAbs(rest)
	if largest == 0 {
		x[0] = 0
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
	beta = -math.Copysign(math.Sqrt(float64(alpha*alpha)+asm.SumSquares(rest)), alpha)
	tau = (beta - alpha) / beta
	asm.Scale(rest, 1/(alpha-beta), rest)
	x[0] = 1
	return math.Ldexp(beta, shift), tau
}
