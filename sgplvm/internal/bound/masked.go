package bound

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// masked is the bound of data with holes (docs/math.md, "Data with holes"). Its inducing variables are features
// Tᵀ·u of those of the complete grid, with the T = T_0 ⊗ T_1 ⊗ … of the generalised eigenproblems of K_f and Ψ2_f. The statistics are
// those of examples and points weighted by the share of each that was seen, so that with every example seen at the same points T
// diagonalises the whole problem. T follows the parameters: rotation.go has the derivatives through it.
//
// Of a tied factor with K = V·diag(s)·Vᵀ and weights c of its points T = V_b·s_b^(−½)·Q, where b are the eigenvalues
// above minFeature of the largest and Q diagonalises s_b^½·V_bᵀ·diag(c)·V_b·s_b^½. What is left out of the features stays
// in ψ0, so that the bound remains one.
//
// With F_i = T_0ᵀ·Ψ2_i·T_0 and φ_i = T_0ᵀ·ψ1_i for every example and w_p = ⊗_f T_fᵀ·k_f(x_p) for every point q(U_c) = N(α_c, diag w) and
//
//	(I + Σ_ip ω_ip·F_i ⊗ w_p·w_pᵀ)·α_c = Σ_ip ω_ip·y_ip·φ_i ⊗ w_p       solved by conjugate gradients: system.go
//	N_ab = Σ_ip ω_ip·(F_i)_aa·w_pb²,   1/w_ab = 1 + N_ab
//
// Tensors have the latent index last: channels (or versions) × points or features of each spatial factor × m_ξ.
type masked struct {
	x          field.Grid
	y          *data.Scaled
	jitter     float64
	prior      *prior // the evaluator's
	statistics *psi.Statistics

	masks  *masks // nil: not read yet
	shares shares // with weights of the precision shareBeta, so that T has no memory

	each    psi.Each
	psi0    []float64    // of every example
	psi1    mat.Matrix   // Ψ1, n_ξ×m_ξ
	phi     mat.Matrix   // φ, n_ξ×m_ξ
	f       mat.Matrix   // lower triangles of F_i, row by row, n_ξ×½m_ξ(m_ξ+1)
	diag    mat.Matrix   // their diagonals, n_ξ×m_ξ
	scratch []mat.Matrix // of chunks, m_ξ×m_ξ, two each

	k0     mat.Matrix // K_0
	latent mat.Matrix // T_0, m_ξ×m_ξ
	values []float64  // Λ_0
	space  []*maskedFactor
	held   *Params // parameters of the spatial factors above; nil: of no use

	sums   maskedSums
	system system

	work kronprod.Workspace
}

// A maskedFactor is a spatial factor in terms of features: m_f inducing points, b_f features.
type maskedFactor struct {
	own     Factor     // K_f and Ψ1_f, without their eigenproblem
	t       mat.Matrix // T_f, m_f×b_f
	w       mat.Matrix // W_f = Ψ1_f·T_f, n_f×b_f
	modes   []float64  // Λ_f
	q       []float64  // w_pᵀ·w_p of every point
	squares mat.Matrix // W_f∘W_f
}

// maskedSums are sums over examples or points.
type maskedSums struct {
	byExample mat.Matrix // Σ_p ω, n_ξ×versions
	qExample  mat.Matrix // Σ_p ω·q_p, n_ξ×versions
	diag      mat.Matrix // Z = Σ_i ω·diag F_i, columns×m_ξ
	n         []float64  // N, versions×b×m_ξ
	w         []float64  // w, likewise
	traces    []float64  // tr F_i
	logSum    float64    // Σ over versions and their channels of log(1 + N)
	squares   float64    // Σ ω·y², over channels
}

func newMasked(y *data.Scaled, x field.Grid, jitter float64, latents *prior) *masked {
	m := &masked{x: x, y: y, jitter: jitter, prior: latents, statistics: new(psi.Statistics)}
	for range x {
		m.space = append(m.space, new(maskedFactor))
	}
	return m
}

func (m *masked) roomOfChunks(size int) {
	for len(m.scratch) < 2*m.each.Chunks() {
		m.scratch = append(m.scratch, mat.Matrix{})
	}
	for i := range m.scratch {
		work.Resize(&m.scratch[i], size, size)
	}
}

// blockColumns is how many columns are worked on together, so that a block of F's takes about 8 MiB.
func (m *masked) blockColumns() int {
	return max(8, min(m.masks.columns(), maskedBlock/m.f.Cols))
}

// eachBlock calls body with the weights (n_ξ×(to−from)) of some columns at a time.
func (m *masked) eachBlock(beta float64, what weighing, body func(omega mat.Matrix, from, to int)) {
	step, n := m.blockColumns(), m.masks.examples
	buffer := mat.Borrow(step * n)
	defer mat.GiveBack(buffer)
	for from := 0; from < m.masks.columns(); from += step {
		to := min(from+step, m.masks.columns())
		omega := mat.NewDense(n, to-from, (*buffer)[:n*(to-from)])
		m.masks.fill(omega, from, to, beta, what)
		body(omega, from, to)
	}
}

// pointTraces returns w_pᵀ·w_p of every point.
func (m *masked) pointTraces() []float64 {
	var all [][]float64
	for _, s := range m.space {
		all = append(all, s.q)
	}
	return kronprod.Vectors(all...)
}

// weightedSquares returns Σ ω·y² over all channels.
func (m *masked) weightedSquares(beta float64, what weighing) float64 {
	k, total := m.masks, 0.0
	for c, y := range k.y {
		v := k.version[c]
		if k.squares[v] == nil {
			sum := 0.0
			for i := range y.Rows {
				sum += asm.SumSquares(y.Row(i))
			}
			if what == weights {
				sum *= beta
			}
			total += sum
			continue
		}
		row := mat.New(y.Rows, y.Cols)
		k.fill(row, v*k.points, (v+1)*k.points, beta, what)
		for i := range y.Rows {
			for p, x := range y.Row(i) {
				total += row.At(i, p) * x * x
			}
		}
	}
	return total
}

// components returns b = Π b_f.
func (m *masked) components() int {
	n := 1
	for _, s := range m.space {
		n *= s.w.Cols
	}
	return n
}

// dims returns those of a tensor: count × points or features of each spatial factor × m_ξ.
func (m *masked) dims(count int, points bool) []int {
	d := []int{count}
	for _, s := range m.space {
		if points {
			d = append(d, s.w.Rows)
		} else {
			d = append(d, s.w.Cols)
		}
	}
	return append(d, m.phi.Cols)
}

// operator returns a product of the identity, a matrix of each spatial factor, and the identity.
func (m *masked) operator(of func(f *maskedFactor) mat.Matrix) kronprod.Operator {
	o := kronprod.Operator{Factors: make([]mat.Matrix, 2+len(m.space))}
	for f, s := range m.space {
		o.Factors[1+f] = of(s)
	}
	return o
}

// shares are the weights of examples, and of the points of each spatial factor, summed over all else, and those of all
// data.
type shares struct {
	examples []float64
	points   [][]float64
	all      float64
	beta     float64 // of the weights
}

// A system is the linear system of α for all channels,
//
//	A·α_c = b_c,   A = I + Σ_ip ω_ip·F_i ⊗ w_p·w_pᵀ,   b_c = Σ_ip ω_ip·y_ip·φ_i ⊗ w_p
//
// and its solution by conjugate gradients [Hestenes and Stiefel 1952]. With M_p = Σ_i ω_ip·F_i a product with A takes α to
// all points, multiplies a_p by M_p there and goes back. The preconditioner is A for weights that are products of
// the shares of examples and points, in closed form: of examples × points seen alone it is A.
type system struct {
	m      mat.Matrix // lower triangles of M_p row by row, columns×½m_ξ(m_ξ+1); 0×0 where they are not kept
	atData []float64  // Σ_i ω·y·φ_i, channels × points × m_ξ
	b      []float64  // channels × features × m_ξ, like the next
	alpha  []float64
	image  []float64 // A·α
	a      []float64 // a_p = α_c·w_p, channels × points × m_ξ
	ma     []float64 // M_p·a_p, likewise
	rest   []float64 // b − A·α
	beta   float64   // of the sums

	preconditioner []float64 // diagonal, features × m_ξ
}

// slack returns Σ_c ψ0_o and Σ_c tr Ψ̃2_o.
func (m *masked) slack(p *Params) (psi0, traces float64) {
	s := &m.sums
	for v, channels := range m.masks.channels {
		var a, b float64
		for i, x := range m.psi0 {
			a += x * s.byExample.At(i, v)
			b += s.traces[i] * s.qExample.At(i, v)
		}
		psi0 += float64(len(channels)) * a
		traces += float64(len(channels)) * b
	}
	return psi0 * p.SpatialVariance(), traces
}
