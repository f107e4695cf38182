package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// What data with holes ask of an evaluator beside the bound (docs/math.md, "Data with holes").

// Holes reports whether values are missing or have errors of their own.
func (e *Evaluator) Holes() bool { return e.masked != nil }

// An Incomplete is q(U) of a model that learned from data with holes, as predictions need it: 1/w_ab = 1 + N_ab takes the
// place of β·d_ab.
type Incomplete struct {
	Latent  mat.Matrix   // T_0, m_ξ×m_ξ
	Space   []mat.Matrix // T_f of each spatial factor, m_f×b_f
	Tables  []mat.Matrix // w of each version of the mask, m_ξ×Π b_f
	Version []int        // that of each channel
}

// Incomplete returns q(U), with α = K_uu⁻¹Ū, m_ξ×m_1×…×d_y. Errors: as Evaluate's.
func (e *Evaluator) Incomplete(ctx context.Context, p *Params) (*Incomplete, kronprod.Tensor, error) {
	m := e.masked
	if err := m.prepare(ctx, p); err != nil {
		return nil, kronprod.Tensor{}, err
	}
	if err := m.system.solve(ctx, m); err != nil {
		return nil, kronprod.Tensor{}, err
	}
	size, b := m.phi.Cols, m.components()
	q := &Incomplete{Latent: m.latent, Version: m.masks.version}
	for _, s := range m.space {
		q.Space = append(q.Space, s.t)
	}
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
	channels, size := m.y.Channels, m.phi.Cols
	o := kronprod.Operator{Factors: []mat.Matrix{{}}}
	dims, points := []int{size}, 1
	for _, s := range m.space {
		o.Factors = append(o.Factors, s.t)
		dims = append(dims, s.t.Rows)
		points *= s.t.Rows
	}
	o.Factors = append(o.Factors, m.latent)
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
