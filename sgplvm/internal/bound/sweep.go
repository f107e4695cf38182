package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A sweep goes once over the projected data P and adds up all that the bound and its
// gradient need of D and of
//
//	H = D⁻¹·(W_0 ⊗ V_1 ⊗ …)ᵀ·Y = D⁻¹∘(Pᵀ·W_0)
//
// block by block, while the block is in the cache: neither D nor, as long as the spatial
// parameters are held, H is ever stored. Components are rows here and latent components
// columns, so that no product needs its operands packed.
//
// Blocks are divided into parts by shape; a part's sums are its own, and the parts' are
// added in order.
//
// Where all components have the same λ, as with a white kernel, D has one row, and of P no more is
// needed than the examples' Gram matrix, which stays as long as P does.
type sweep struct {
	ctx     context.Context // of the run
	e       *Evaluator
	beta    float64
	wanted  wanted
	parts   int
	partial []sweepSums
	sums    sweepSums // of all parts

	// For each component, if wanted: Σ_i λ0_i/d_ij and Σ_i 1/d_ij.
	r1, r2 []float64

	h kronprod.Tensor // d_y × m_1 × … × m_ξ, if wanted
}

// wanted says what a sweep gives beside the sums of the bound.
type wanted int

const (
	wantCross wanted = 1 << iota // cross
	wantSpace                    // r1 and r2 of components
	wantH                        // h
	allWhite                     // no more than cross, whatever is free: spatial kernels are white
)

// sweepSums are sums over components j and channels c. λ_j and ω_j are the spatial
// factors' joint Λ and ω.
type sweepSums struct {
	logDet   float64    // Σ_ij log d
	r1, r2   []float64  // Σ_j λ_j/d_ij, Σ_j 1/d_ij: m_ξ each
	gram     mat.Matrix // Σ_jc ω·h·hᵀ, lower triangle of m_ξ×m_ξ
	weighted mat.Matrix // Σ_jc ω·λ·h·hᵀ, likewise
	cross    mat.Matrix // Σ_jc ω·p·hᵀ, n_ξ×m_ξ
}

func (s *sweepSums) reset(n, m int, w wanted) {
	s.logDet = 0
	s.r1, s.r2 = work.Zeros(s.r1, m), work.Zeros(s.r2, m)
	for _, a := range []*mat.Matrix{&s.gram, &s.weighted} {
		work.Resize(a, m, m)
		a.Fill(0)
	}
	if w&wantCross != 0 {
		work.Resize(&s.cross, n, m)
		s.cross.Fill(0)
	}
}

func (s *sweepSums) add(t *sweepSums, w wanted) {
	s.logDet += t.logDet
	asm.Axpy(1, t.r1, s.r1)
	asm.Axpy(1, t.r2, s.r2)
	asm.Axpy(1, t.gram.Data, s.gram.Data)
	asm.Axpy(1, t.weighted.Data, s.weighted.Data)
	if w&wantCross != 0 {
		asm.Axpy(1, t.cross.Data, s.cross.Data)
	}
}

// coefficients returns Σ e² = Σ_ijc ω·h².
func (s *sweepSums) coefficients() float64 { return mat.Trace(s.gram) }

// fit returns Σ b²/d = Σ_ijc ω·h²·d, where d = β⁻¹ + λ0_i·λ_j.
func (s *sweepSums) fit(beta float64, lambda0 []float64) float64 {
	v := s.coefficients() / beta
	for i, l := range lambda0 {
		v += l * s.weighted.At(i, i)
	}
	return v
}

// run sweeps over the data as they were projected last, with the latent factor as it
// is.
func (s *sweep) run(ctx context.Context, e *Evaluator, beta float64, w wanted) error {
	y, m := &e.projected, e.factors[0].Size()
	s.ctx, s.e, s.beta, s.wanted = ctx, e, beta, w
	if s.oneRow() {
		s.runOneRow()
		return ctx.Err()
	}
	s.parts = max(1, min(y.components*y.channels/m, y.blocks(), maxParts)) // so that the parts' sums are no larger than P
	for len(s.partial) < s.parts {
		s.partial = append(s.partial, sweepSums{})
	}
	if w&wantSpace != 0 {
		s.r1, s.r2 = work.Grown(s.r1, y.components), work.Grown(s.r2, y.components)
	}
	if size := m * y.channels * y.components; w&wantH == 0 {
		s.h = kronprod.Tensor{}
	} else if len(s.h.Data) != size {
		s.h = kronprod.Tensor{}
		s.h = kronprod.NewTensor(append(e.dims[1:len(e.dims):len(e.dims)], m)...)
	}
	mat.Run(s.parts, s)
	s.sums.reset(y.examples, m, w)
	for i := range s.parts {
		s.sums.add(&s.partial[i], w)
	}
	mat.MirrorLower(s.sums.gram)
	mat.MirrorLower(s.sums.weighted)
	return ctx.Err()
}

// oneRow reports whether components are alike, their Gram matrix suffices, and is less work, even if P is new.
func (s *sweep) oneRow() bool {
	e, n, m := s.e, s.e.y.Examples, s.e.factors[0].Size()
	columns := len(e.lambda) * e.y.Channels
	return s.wanted&allWhite != 0 && n*n*(columns/2+m)+n*m*m/2 < columns*m*(2*n+m) &&
		!uneven(e.lambda) && !uneven(e.omega)
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

// runOneRow sets the sums from G = Σ_c P_c·P_cᵀ: with W = W_0·D⁻¹, Σ_jc p·hᵀ is G·W and Σ_jc h·hᵀ is Wᵀ·G·W.
func (s *sweep) runOneRow() {
	e, sums, latent := s.e, &s.sums, s.e.factors[0]
	n, m, lambda, omega := e.y.Examples, latent.Size(), e.lambda[0], e.omega[0]
	sums.reset(n, m, wantCross)
	buffer := mat.Borrow(m + n*m)
	inverse, w := (*buffer)[:m], mat.NewDense(n, m, (*buffer)[m:m+n*m])
	for i, l := range latent.Lambda {
		inverse[i] = 1 / (1/s.beta + l*lambda)
	}
	components := float64(len(e.lambda))
	sums.logDet = -components * asm.SumLog(inverse)
	asm.Axpy(components*lambda, inverse, sums.r1)
	asm.Axpy(components, inverse, sums.r2)
	mat.ScaleCols(w, latent.Data, inverse)
	mat.Mul(sums.cross, omega, e.projected.examplesGram(), w, 0)
	mat.MulSym(sums.gram, 1, w.T(), sums.cross, 0)
	mat.MirrorLower(sums.gram)
	mat.Scale(sums.weighted, lambda, sums.gram)
	mat.GiveBack(buffer)
}

// Do sweeps over part i.
func (s *sweep) Do(i int) {
	e, y, sums, latent := s.e, &s.e.projected, &s.partial[i], s.e.factors[0]
	m := latent.Size()
	sums.reset(y.examples, m, s.wanted)
	buffer := mat.Borrow(3*m*y.width + m)
	ones := (*buffer)[3*m*y.width:]
	for i := range ones {
		ones[i] = 1
	}
	first, last := work.Block(i, s.parts, y.blocks())
	for block := first; block < last; block++ {
		if s.ctx.Err() != nil {
			break // the sums are not used
		}
		from, to := y.block(block)
		n := to - from
		room := func(i int) mat.Matrix { return mat.NewDense(n, m, (*buffer)[i*m*n:(i+1)*m*n]) }
		inverse, h, weighted := room(0), room(1), room(2)
		lambda, omega := e.lambda[from:to], e.omega[from:to]
		s.invert(sums, inverse, lambda)
		if s.wanted&wantSpace != 0 {
			asm.DotRows(s.r1[from:to], inverse.Data, m, latent.Lambda)
			asm.DotRows(s.r2[from:to], inverse.Data, m, ones)
		}
		for c := range y.channels {
			if s.wanted&wantH != 0 {
				at := (c*y.components + from) * m
				h.Data = s.h.Data[at : at+n*m]
			}
			p := y.at(c, from, to)
			mat.Mul(h, 1, p.T(), latent.Data, 0)
			asm.MulTo(h.Data, h.Data, inverse.Data)
			mat.ScaleRows(weighted, omega, h)
			mat.MulSym(sums.gram, 1, weighted.T(), h, 1)
			if s.wanted&wantCross != 0 {
				mat.Mul(sums.cross, 1, p, weighted, 1)
			}
			mat.ScaleRows(weighted, lambda, weighted)
			mat.MulSym(sums.weighted, 1, weighted.T(), h, 1)
		}
	}
	mat.GiveBack(buffer)
}

// invert sets inverse, a row for each component with a λ, to 1/d and adds it to the sums.
func (s *sweep) invert(sums *sweepSums, inverse mat.Matrix, lambda []float64) {
	m, white := inverse.Cols, 1/s.beta
	for j, v := range lambda {
		row := inverse.Data[j*m : (j+1)*m]
		if j > 0 && v == lambda[j-1] { // as all are with a white kernel
			copy(row, inverse.Data[(j-1)*m:])
			continue
		}
		for i, l := range s.e.factors[0].Lambda {
			row[i] = 1 / (white + l*v)
		}
	}
	sums.logDet -= asm.SumLog(inverse.Data)
	mat.Mul(mat.Vector(sums.r1).T(), 1, mat.Vector(lambda).T(), inverse, 1)
	for j := range lambda {
		asm.Axpy(1, inverse.Row(j), sums.r2)
	}
}
