package bound

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A basis is T = T_0 ⊗ T_1 ⊗ … of the generalised eigenproblems of K_f and Ψ2_f at some parameters, held as numbers:
// the inducing variables of data with holes are Tᵀ·u. The statistics are those of examples and points weighted by
// the share of each that was seen, so that with every example seen at the same points T diagonalises the whole problem.
//
// Of a tied factor with K = V·diag(s)·Vᵀ and weights c of its points T = V_b·s_b^(−½)·Q, where b are the eigenvalues
// above leastFeature of the largest and Q diagonalises s_b^½·V_bᵀ·diag(c)·V_b·s_b^½. What is left out of the features stays
// in ψ0, so that the bound remains one.
//
// T follows the parameters, unless it is held: rotation.go has the derivatives through it.
type basis struct {
	held   bool         // T stays what it is
	params *Params      // at which it was made; of a T that follows its spatial part alone
	shares shares       // with weights of the precision shareBeta, so that T has no memory
	latent mat.Matrix   // T_0, m_ξ×m_ξ
	values []float64    // Λ_0
	space  []mat.Matrix // T_f, m_f×b_f
	cross  []mat.Matrix // W_f = Ψ1_f·T_f, n_f×b_f
	modes  [][]float64  // Λ_f
}

// shares are the weights of examples, and of the points of each spatial factor, summed over all else, and those of all
// data.
type shares struct {
	examples []float64
	points   [][]float64
	all      float64
	beta     float64 // of the weights
}

// shareBeta is a noise precision of scaled data that says how little values with errors of their own count for T.
const shareBeta = 100

// shares adds up the weights of all channels.
func (m *masked) shares(beta float64) shares {
	k := m.masks
	s := shares{examples: make([]float64, k.examples), beta: beta}
	columns := make([]float64, k.points)
	dims := m.e.x.Dims()
	for _, n := range dims {
		s.points = append(s.points, make([]float64, n))
	}
	step := max(1, maskedBlock/k.examples)
	for v, channels := range k.channels {
		for from := 0; from < k.points; from += step {
			to := min(from+step, k.points)
			omega := mat.New(k.examples, to-from)
			k.fill(omega, v*k.points+from, v*k.points+to, beta, weights)
			mat.Scale(omega, float64(len(channels)), omega)
			for i := range omega.Rows {
				row := omega.Row(i)
				s.examples[i] += work.Sum(row)
				asm.Axpy(1, row, columns[from:to])
			}
		}
	}
	for p, v := range columns {
		s.all += v
		rest := p
		for f := len(dims) - 1; f >= 0; f-- {
			s.points[f][rest%dims[f]] += v
			rest /= dims[f]
		}
	}
	return s
}

// hold makes the basis that of p, and holds it. Errors: *FactorizationError, ctx.Err(); the basis stays then.
func (m *masked) hold(ctx context.Context, p *Params) error {
	before := m.basis
	m.basis, m.held = nil, nil
	err := m.follow(ctx, p)
	if err == nil {
		err = m.setLatent(ctx, p)
	}
	if err != nil {
		m.basis, m.held = before, nil
		return err
	}
	m.basis.held, m.basis.params = true, p.Clone()
	return nil
}

// follow makes the spatial part of a basis that is not held that of p; setLatent makes the latent one.
func (m *masked) follow(ctx context.Context, p *Params) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if err := m.e.Derive(p); err != nil {
		return err
	}
	if m.basis == nil {
		factors := len(m.e.x)
		m.basis = &basis{shares: m.shares(shareBeta), space: make([]mat.Matrix, factors), cross: make([]mat.Matrix, factors), modes: make([][]float64, factors)}
	}
	b := m.basis
	if b.held {
		return nil
	}
	for f, x := range m.e.x {
		if b.params != nil && sameSpace(b.params, p, f) {
			continue
		}
		var err error
		if b.space[f], b.cross[f], b.modes[f], err = spatialBasis(ctx, p.Space[f], x, b.shares.points[f], m.e.jitter); err != nil {
			b.params = nil
			return failure(ctx, f+1, err)
		}
	}
	b.params = &Params{}
	for f := range m.e.x {
		b.params.Space = append(b.params.Space, p.Space[f].clone())
	}
	return nil
}

// sameSpace reports whether spatial factor f has the same kernel and inducing points in two sets of parameters.
func sameSpace(p, q *Params, f int) bool {
	return p.Space[f].Kernel.Equal(q.Space[f].Kernel) && work.Equal(p.Space[f].Xu, q.Space[f].Xu)
}

// generalised returns T with TᵀKT = I, K with jitter, and Tᵀ·psi2·T = diag Λ.
func generalised(ctx context.Context, k, psi2 mat.Matrix, jitter float64) (t mat.Matrix, values []float64, err error) {
	var w factorWork
	var s eig.Spectrum
	w.eigen.Stop = ctx.Err
	if err := w.cholesky.RefactorizeShifted(k, jitter*mat.Trace(k)/float64(k.Rows)); err != nil {
		return t, nil, err
	}
	if err := w.eigen.General(&s, psi2, w.cholesky.L()); err != nil {
		return t, nil, err
	}
	clampAtZero(s.Values)
	return s.Vectors, s.Values, nil
}

// spatialBasis returns T_f, W_f and Λ_f of a factor at points x (n×d) with weights c.
func spatialBasis(ctx context.Context, s Spatial, x mat.Matrix, c []float64, jitter float64) (t, w mat.Matrix, modes []float64, err error) {
	var f Factor
	f.evaluate(s, x)
	if !f.Tied {
		size := f.K.Rows
		weighted, psi2 := mat.New(x.Rows, size), mat.New(size, size)
		mat.ScaleRows(weighted, c, f.Psi1)
		mat.MulSym(psi2, 1, weighted.T(), f.Psi1, 0)
		mat.MirrorLower(psi2)
		if t, modes, err = generalised(ctx, f.K, psi2, jitter); err != nil {
			return t, w, nil, err
		}
		w = mat.New(x.Rows, size)
		mat.Mul(w, 1, f.Psi1, t, 0)
		return t, w, modes, nil
	}
	var spectrum eig.Spectrum
	solver := eig.Solver{Stop: ctx.Err}
	if err := solver.Sym(&spectrum, f.K); err != nil {
		return t, w, nil, err
	}
	first := 0 // of the eigenvalues kept, which ascend
	for last := spectrum.Values[x.Rows-1]; first < x.Rows-1 && !(spectrum.Values[first] > leastFeature*last); {
		first++
	}
	v, values := spectrum.Vectors.Slice(0, x.Rows, first, x.Rows), spectrum.Values[first:]
	up, down := make([]float64, len(values)), make([]float64, len(values))
	for j, l := range values {
		up[j], down[j] = math.Sqrt(l), 1/math.Sqrt(l)
	}
	t, w = mat.New(x.Rows, len(values)), mat.New(x.Rows, len(values))
	mat.ScaleCols(t, v, down)
	mat.ScaleCols(w, v, up)
	if !uneven(c) {
		for _, l := range values {
			modes = append(modes, c[0]*l)
		}
		return t, w, modes, nil
	}
	weighted, inner := mat.New(x.Rows, len(values)), mat.New(len(values), len(values))
	mat.ScaleRows(weighted, c, w)
	mat.MulSym(inner, 1, weighted.T(), w, 0)
	mat.MirrorLower(inner)
	if err := solver.Sym(&spectrum, inner); err != nil {
		return t, w, nil, err
	}
	clampAtZero(spectrum.Values)
	rotated := mat.New(x.Rows, len(values))
	mat.Mul(rotated, 1, t, spectrum.Vectors, 0)
	t = rotated
	rotated = mat.New(x.Rows, len(values))
	mat.Mul(rotated, 1, w, spectrum.Vectors, 0)
	return t, rotated, spectrum.Values, nil
}

// uneven reports whether weights differ.
func uneven(c []float64) bool {
	for _, v := range c {
		if v != c[0] {
			return true
		}
	}
	return false
}
