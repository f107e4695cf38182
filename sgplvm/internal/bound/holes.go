package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// What data with holes ask of an evaluator beside the bound (docs/math.md, "Data with holes").

// Holes reports whether values are missing or have errors of their own.
func (e *Evaluator) Holes() bool { return e.masked != nil }

// Hold makes T that of the parameters, where data have holes, and leaves it so: the bound is a function of the
// parameters at fixed T then. Follow ends that. Errors: *FactorizationError, *field.ReadError, ctx.Err(), with which T
// stays what it was.
func (e *Evaluator) Hold(ctx context.Context, p *Params) error {
	if e.masked == nil {
		return nil
	}
	return e.masked.hold(ctx, p)
}

// Follow lets T follow the parameters again, as it does from the beginning.
func (e *Evaluator) Follow() {
	if e.masked != nil {
		e.masked.basis, e.masked.held = nil, nil
	}
}

// Steps returns how many steps of conjugate gradients the last evaluation took.
func (e *Evaluator) Steps() int {
	if e.masked == nil {
		return 0
	}
	return e.masked.system.steps
}

// Gap returns by how much the bound at p lies below that with a full covariance of q(U): by
// Hadamard's inequality
//
//	½ Σ_c [Σ_ab log(κ_ab + N_ab) − log|K̃ + Σ_ip ω·F_i ⊗ w_p·w_pᵀ|] ≥ 0
//
// which is 0 where all examples that were seen at all were seen at the same points and T belongs to p. ok is
// false where the determinant's order would be too large. Errors: as Evaluate's.
func (e *Evaluator) Gap(ctx context.Context, p *Params) (gap float64, ok bool, err error) {
	m := e.masked
	if m == nil {
		return 0, true, nil
	}
	if err := m.prepare(ctx, p); err != nil {
		return 0, false, err
	}
	size, b := len(m.latent.kappa), m.components()
	order := size * b
	if order > gapOrder {
		return 0, false, nil
	}
	features := m.features()
	whole, block := mat.New(order, order), mat.New(size, size)
	sums := 0.0
	for v, channels := range m.masks.channels {
		m.fullPrior(whole)
		for p := range m.masks.points {
			m.pointSum(block, v*m.masks.points+p)
			row := features.Row(p)
			for i, x := range row {
				for j := range i + 1 {
					part := whole.Slice(i*size, (i+1)*size, j*size, (j+1)*size)
					mat.Add(part, part, x*row[j], block)
				}
			}
		}
		factor, err := chol.Factorize(whole)
		if err != nil {
			return 0, false, &field.FactorizationError{Err: err}
		}
		sums += float64(len(channels)) * factor.LogDet()
	}
	return 0.5 * (m.sums.logSum - sums), true, nil
}

// features returns w_p of every point, n_s×b.
func (m *masked) features() mat.Matrix {
	all := mat.New(m.masks.points, m.components())
	one := kronprod.Operator{}
	for _, s := range m.space {
		one.Factors = append(one.Factors, s.w)
	}
	eye, dims := mat.Identity(all.Cols), []int(nil)
	for _, s := range m.space {
		dims = append(dims, s.w.Cols)
	}
	column := make([]float64, all.Rows)
	for j := range all.Cols {
		one.MulTensor(column, kronprod.Shaped(eye.Row(j), dims...), nil)
		for i, v := range column {
			all.Set(i, j, v)
		}
	}
	return all
}

// fullPrior sets dst to K̃, of which the features of space are the slower index.
func (m *masked) fullPrior(dst mat.Matrix) {
	dims := m.dims(1, false)
	size := dst.Rows
	x := make([]float64, size)
	for j := range size {
		clear(x)
		x[j] = 1
		m.priorTimes(dst.Row(j), kronprod.Shaped(x, dims...), -2)
	}
}

// pointSum sets dst to M_p of a column.
func (m *masked) pointSum(dst mat.Matrix, column int) {
	if m.system.m.Rows > 0 {
		unpack(dst, m.system.m.Row(column))
		return
	}
	omega, packed := mat.New(m.masks.examples, 1), make([]float64, m.f.Cols)
	m.masks.fill(omega, column, column+1, m.system.beta, weights)
	mat.Mul(mat.Vector(packed).T(), 1, omega.T(), m.f, 0)
	unpack(dst, packed)
}

// An Incomplete is q(U) of a model that learned from data with holes, as predictions need it: T belongs to the kernels
// then, and 1/w_ab = 1 + N_ab takes the place of β·d_ab.
type Incomplete struct {
	Latent  mat.Matrix   // T_0, m_ξ×m_ξ
	Space   []mat.Matrix // T_f of each spatial factor, m_f×b_f
	Tables  []mat.Matrix // w of each version of the mask, m_ξ×Π b_f
	Version []int        // that of each channel
}

// Incomplete returns q(U), with T that belongs to p, with α = K_uu⁻¹Ū, m_ξ×m_1×…×d_y. Errors: as Evaluate's.
func (e *Evaluator) Incomplete(ctx context.Context, p *Params) (*Incomplete, kronprod.Tensor, error) {
	m := e.masked
	e.Follow()
	if err := m.prepare(ctx, p); err != nil {
		return nil, kronprod.Tensor{}, err
	}
	if err := m.system.solve(ctx, m); err != nil {
		return nil, kronprod.Tensor{}, err
	}
	size, b := len(m.latent.kappa), m.components()
	q := &Incomplete{Latent: m.basis.latent, Space: m.basis.space, Version: m.masks.version}
	for v := range m.masks.channels {
		w := mat.New(size, b)
		mat.Copy(w, mat.NewDense(b, size, m.sums.w[v*size*b:(v+1)*size*b]).T())
		for i, x := range w.Data {
			w.Data[i] = min(x, 1) // but for rounding
		}
		q.Tables = append(q.Tables, w)
	}
	return q, m.alpha(), nil
}

// alpha returns α in terms of the inducing points, m_ξ×m_1×…×d_y.
func (m *masked) alpha() kronprod.Tensor {
	channels, size := m.y.Channels, len(m.latent.kappa)
	o := kronprod.Operator{Factors: []mat.Matrix{{}}}
	dims, points := []int{size}, 1
	for _, t := range m.basis.space {
		o.Factors = append(o.Factors, t)
		dims = append(dims, t.Rows)
		points *= t.Rows
	}
	o.Factors = append(o.Factors, m.basis.latent)
	buffer := make([]float64, channels*points*size)
	wide := o.MulTensor(buffer, kronprod.Shaped(m.system.alpha, m.dims(channels, false)...), &m.work)
	alpha := kronprod.NewTensor(append(dims, channels)...)
	for c := range channels {
		from := mat.NewDense(points, size, wide.Data[c*points*size:(c+1)*points*size])
		mat.Copy(mat.Matrix{Rows: size, Cols: points, RowStride: points * channels, ColStride: channels, Data: alpha.Data[c:]}, from.T())
	}
	return alpha
}

// Taken returns what predictions take off the prior variance, 1 − w, for a version of the mask.
func (q *Incomplete) Taken(version int) mat.Matrix {
	t := q.Tables[version].Clone()
	mat.Scale(t, -1, t)
	work.AddToAll(t, 1)
	return t
}
