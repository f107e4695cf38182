package bound

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Spectra returns the solutions of all factors' eigenproblems at the parameters that the evaluator was last brought to, the latent one first.
func (e *Evaluator) Spectra() (all []eig.Spectrum) {
	for _, f := range e.factors {
		s := f.Spectrum()
		all = append(all, eig.Spectrum{Values: slices.Clone(s.Values), Vectors: s.Vectors.Clone()})
	}
	return all
}

// Totals returns the number of examples, ‖Y‖² where the noise is white (else 0), Σψ0 and ΣKL at the parameters p, to which the evaluator was last brought.
func (e *Evaluator) Totals(p *Params) []float64 {
	square := e.yy
	if p.Noise.Structured() {
		square = 0
	}
	return []float64{float64(e.y.Examples), square, e.psi.Psi0(p.Q()), e.prior.divergence(&p.X)}
}

// Alpha returns α = K_uu⁻¹Ū = (T_0 ⊗ T_1 ⊗ …)·E at the parameters p, m_ξ×m_1×…×d_y: what predictions
// are linear in. Besides H and α it needs room for a slab: the spatial modes are
// multiplied in place, and the latent one some components at a time.
func (e *Evaluator) Alpha(ctx context.Context, p *Params) (kronprod.Tensor, error) {
	if err := e.Factorize(ctx, p); err != nil {
		return kronprod.Tensor{}, err
	}
	if err := e.sweep.run(ctx, e, p.Noise.Precision(), wantH); err != nil {
		return kronprod.Tensor{}, err
	}
	h, latent, channels, components := e.sweep.h, e.factors[0].Coord, e.y.Channels, e.Components()
	m, size := latent.Rows, channels*components
	toInducing := kronprod.Operator{Factors: make([]mat.Matrix, 1, 1+len(e.x))} // T·E, or V·H where tied
	dims := []int{m}
	for _, s := range e.factors[1:] {
		toInducing.Factors = append(toInducing.Factors, s.Coord)
		dims = append(dims, s.Size())
	}
	alpha := kronprod.NewTensor(append(dims, channels)...)
	width := max(1, min(components, data.SlabNumbers/m))
	block := mat.Borrow(m * width)
	for c := range channels {
		for from := 0; from < components; from += width {
			n, at := min(width, components-from), c*components+from
			product := mat.NewDense(n, m, (*block)[:n*m])
			mat.Mul(product, 1, mat.NewDense(n, m, h.Data[at*m:(at+n)*m]), latent.T(), 0)
			mat.Copy(mat.Matrix{Rows: n, Cols: m, RowStride: channels, ColStride: size, Data: alpha.Data[from*channels+c:]}, product)
		}
	}
	mat.GiveBack(block)
	e.sweep.h = kronprod.Tensor{}

	step := max(1, min(m, data.SlabNumbers/size))
	slab := mat.Borrow(step * size)
	for from := 0; from < m; from += step {
		part := alpha.Data[from*size : min(from+step, m)*size]
		toInducing.MulTensor(*slab, kronprod.Shaped(part, append([]int{len(part) / size}, alpha.Dims[1:]...)...), &e.work)
		copy(part, *slab)
	}
	mat.GiveBack(slab)
	return alpha, nil
}
