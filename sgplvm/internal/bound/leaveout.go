package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Leaving examples out. Let w and w̃ be T_0ᵀψ1 of q(x_i) and of q(x_i) without example i's own
// part, P_ij the data in the spatial eigenbasis, h_j = Σ_n w_n·P_nj/d_j, and
//
//	hat = λ_j·Σ_k w_k²/d_kj,  g = λ_j·Σ_k w̃_k·w_k/d_kj
//
// Without example i the prediction at w̃ is that of the whole model there, with mean
// and variance in the eigenbasis corrected by
//
//	−g·(P_ij − λ_j·w·h_j)/(1 − hat)   and   +β⁻¹·g²/(1 − hat)
//
// (Sherman and Morrison's formula, for every component). The spread of Ψ2 around ψ1ψ1ᵀ of example i
// stays in.

// BeginLeavingOut factorizes at p and keeps what LeaveOut needs, until EndLeavingOut. The data are complete.
func (e *Evaluator) BeginLeavingOut(ctx context.Context, p *Params) error {
	if err := e.Factorize(ctx, p); err != nil {
		return err
	}
	return e.sweep.run(ctx, e, p.Noise.Precision(), wantH)
}

// EndLeavingOut lets go of it.
func (e *Evaluator) EndLeavingOut() { e.sweep.h = kronprod.Tensor{} }

// LeaveOut returns what leaving out each of some examples takes off their means
// (examples × channels × points) and adds to their variances (examples × points), in the model's
// units. psi1 holds the examples' ψ1 without their own part, a row of m_ξ each. It goes once through the data for all of them.
func (e *Evaluator) LeaveOut(psi1 mat.Matrix, examples []int) (shift, spread []float64) {
	y, m, n, components, channels := &e.projected, e.factors[0].Size(), len(examples), e.Components(), e.y.Channels
	without := mat.New(n, m)
	mat.Mul(without, 1, psi1, e.factors[0].Coord, 0)
	with := work.Gather(e.factors[0].Data, examples)
	squares, products := mat.New(n, m), mat.New(n, m)
	mat.MulElem(squares, with, with)
	mat.MulElem(products, with, without)
	shiftModes := make([]float64, n*channels*components)
	spreadModes := make([]float64, n*components)
	beta := e.sweep.beta
	mat.Parallel(y.blocks(), func(block int) {
		first, last := y.block(block)
		width := last - first
		buffer := mat.Borrow(width * (m + 3*n))
		defer mat.GiveBack(buffer)
		room := *buffer
		take := func(rows, cols int) mat.Matrix {
			v := mat.NewDense(rows, cols, room[:rows*cols])
			room = room[rows*cols:]
			return v
		}
		inverse, hat, g, fit := take(width, m), take(n, width), take(n, width), take(n, width)
		for j, v := range e.lambda[first:last] {
			for k, l := range e.factors[0].Lambda {
				inverse.Row(j)[k] = v / (1/beta + l*v) // λ_j/d_kj
			}
		}
		mat.Mul(hat, 1, squares, inverse.T(), 0)
		mat.Mul(g, 1, products, inverse.T(), 0)
		for i := range n {
			to, left := spreadModes[i*components+first:][:width], hat.Row(i)
			for j, gain := range g.Row(i) {
				to[j] = gain * gain / (1 - left[j]) / beta
			}
		}
		for c := range channels {
			at := (c*components + first) * m
			mat.Mul(fit, 1, with, mat.NewDense(width, m, e.sweep.h.Data[at:at+width*m]).T(), 0)
			p := y.at(c, first, last)
			for i, example := range examples {
				to := shiftModes[(i*channels+c)*components+first:][:width]
				own, gain, fitted, left := p.Row(example), g.Row(i), fit.Row(i), hat.Row(i)
				for j, l := range e.lambda[first:last] {
					to[j] = gain[j] * (own[j] - l*fitted[j]) / (1 - left[j])
				}
			}
		}
	})
	return e.toPoints(shiftModes, n*channels, false), e.toPoints(spreadModes, n, true)
}

// toPoints returns count fields at the training points, given in the spatial eigenbasis; squared:
// with the squares of the basis.
func (e *Evaluator) toPoints(modes []float64, count int, squared bool) []float64 {
	o, dims := kronprod.Operator{Factors: make([]mat.Matrix, 1)}, []int{count}
	for _, s := range e.factors[1:] {
		v := s.Coord
		if squared && v.Rows > 0 {
			v = mat.New(v.Rows, v.Cols)
			mat.MulElem(v, s.Coord, s.Coord)
		}
		o.Factors = append(o.Factors, v)
		dims = append(dims, s.Size())
	}
	return o.MulTensor(make([]float64, len(modes)), kronprod.Shaped(modes, dims...), nil).Data
}
