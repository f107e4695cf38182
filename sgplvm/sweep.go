package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A sweep goes once over the data in the spatial eigenbasis, P (n_ξ × d_y × J with
// J = Π m_f), and adds up all that the bound and its gradient need of D and of
//
//	H = D⁻¹·(W_0 ⊗ V_1 ⊗ …)ᵀ·Y = D⁻¹∘(W_0ᵀ·P)
//
// block of spatial components by block, while the block is in the cache: neither D
// nor, as long as the spatial parameters are held, H is ever stored. P is read once.
//
// Components are divided into parts by shape, parts into blocks; a part's sums are its
// own, and the parts' are added in order.
type sweep struct {
	b        *problem
	beta     float64
	gradient bool // sums of the gradient too
	keep     bool // h too

	parts   int
	partial []sweepSums
	sums    sweepSums // of all parts

	// For each spatial component: Σ_i λ0_i/d_ij, Σ_i 1/d_ij and Σ_ic h².
	r1, r2, squares []float64

	h kronprod.Tensor // m_ξ × d_y × m_1 × …
}

// sweepSums are sums over spatial components j and channels c. λ_j and ω_j are the
// spatial factors' joint Λ and ω.
type sweepSums struct {
	logDet       float64    // Σ_ij log d
	fit          float64    // Σ_ijc ω·h²·d = Σ b²/d
	coefficients float64    // Σ_ijc ω·h² = Σ e²
	r1, r2       []float64  // Σ_j λ_j/d_ij, Σ_j 1/d_ij: m_ξ each
	gram         mat.Matrix // Σ_jc ω·h·hᵀ, lower triangle of m_ξ×m_ξ
	weighted     mat.Matrix // Σ_jc ω·λ·h·hᵀ, likewise
	cross        mat.Matrix // Σ_jc ω·p·hᵀ, n_ξ×m_ξ
}

const (
	sweepParts  = 16      // at most
	sweepBlock  = 1 << 16 // numbers of a block of P, about
	fewestWidth = 192     // components of a block, at least, and at most
	mostWidth   = 960
)

func (s *sweepSums) reset(n, m int, gradient bool) {
	s.logDet, s.fit, s.coefficients = 0, 0, 0
	s.r1, s.r2 = zeros(s.r1, m), zeros(s.r2, m)
	if gradient {
		for _, a := range []*mat.Matrix{&s.gram, &s.weighted} {
			resize(a, m, m)
			a.Fill(0)
		}
		resize(&s.cross, n, m)
		s.cross.Fill(0)
	}
}

func (s *sweepSums) add(t *sweepSums, gradient bool) {
	s.logDet += t.logDet
	s.fit += t.fit
	s.coefficients += t.coefficients
	asm.Axpy(1, t.r1, s.r1)
	asm.Axpy(1, t.r2, s.r2)
	if gradient {
		asm.Axpy(1, t.gram.Data, s.gram.Data)
		asm.Axpy(1, t.weighted.Data, s.weighted.Data)
		asm.Axpy(1, t.cross.Data, s.cross.Data)
	}
}

// run sweeps over the data as they were projected last, with the latent factor as it
// is. gradient and keep say what is wanted beside the sums of the bound.
func (s *sweep) run(b *problem, beta float64, gradient, keep bool) {
	n, m, components := b.y.examples, b.factors[0].size(), b.components()
	s.b, s.beta, s.gradient, s.keep = b, beta, gradient, keep
	s.parts = max(1, min(components*b.channels()/m, components/fewestWidth, sweepParts)) // so that the parts' sums are no larger than P
	if s.parts > 4 {
		s.parts -= s.parts % 4
	}
	for len(s.partial) < s.parts {
		s.partial = append(s.partial, sweepSums{})
	}
	if gradient {
		s.r1, s.r2, s.squares = zeros(s.r1, components), zeros(s.r2, components), zeros(s.squares, components)
	}
	if size := m * b.channels() * components; keep && len(s.h.Data) != size {
		s.h.Data = nil
		s.h = kronprod.NewTensor(append([]int{m}, b.dims[1:]...)...)
	}
	mat.Run(s.parts, s)
	s.sums.reset(n, m, gradient)
	for i := range s.parts {
		s.sums.add(&s.partial[i], gradient)
	}
	if gradient {
		mat.MirrorLower(s.sums.gram)
		mat.MirrorLower(s.sums.weighted)
	}
}

// Do sweeps over part i.
func (s *sweep) Do(i int) {
	b, sums := s.b, &s.partial[i]
	n, m, channels, components := b.y.examples, b.factors[0].size(), b.channels(), b.components()
	sums.reset(n, m, s.gradient)
	width := max(fewestWidth, min(sweepBlock/n/fewestWidth*fewestWidth, mostWidth))
	buffer := mat.Borrow((3*m + 2) * width)
	ones := (*buffer)[3*m*width:][:width]
	for j := range ones {
		ones[j] = 1
	}
	from, to := blockRange(i, s.parts, components)
	for j0 := from; j0 < to; j0 += width {
		j1 := min(j0+width, to)
		for c := range channels {
			s.block(sums, c, j0, j1, *buffer, ones[:j1-j0])
		}
	}
	mat.GiveBack(buffer)
}

// block adds the components j0 ≤ j < j1 of a channel to the sums. Those of D alone are
// added with channel 0.
func (s *sweep) block(sums *sweepSums, channel, j0, j1 int, room, ones []float64) {
	b := s.b
	latent, components := b.factors[0], b.components()
	n, m, width := b.y.examples, latent.size(), j1-j0
	stride := b.channels() * components
	at := channel*components + j0
	p := mat.Matrix{Rows: n, Cols: width, RowStride: stride, ColStride: 1, Data: b.projected.Data[at : (n-1)*stride+at+width]}
	h := mat.NewDense(m, width, room[:m*width])
	if s.keep {
		h = mat.Matrix{Rows: m, Cols: width, RowStride: stride, ColStride: 1, Data: s.h.Data[at : (m-1)*stride+at+width]}
	}
	weighted, twice := mat.NewDense(m, width, room[m*width:2*m*width]), mat.NewDense(m, width, room[2*m*width:3*m*width])
	inverse := room[len(room)-width:]
	lambda, omega := b.lambda[j0:j1], b.omega[j0:j1]

	mat.Mul(h, 1, latent.data.T(), p, 0)
	for i, l := range latent.lambda {
		for j, v := range lambda {
			inverse[j] = 1 / (1/s.beta + l*v)
		}
		if channel == 0 {
			sums.logDet -= asm.SumLog(inverse)
			sums.r1[i] += asm.Dot(lambda, inverse)
			sums.r2[i] += asm.Dot(ones, inverse)
		}
		row, w, square := h.Row(i), weighted.Row(i), twice.Row(i)
		asm.MulTo(square, omega, row) // of W_0ᵀ·P
		asm.MulTo(row, inverse, row)
		asm.MulTo(w, omega, row)
		sums.fit += asm.Dot(square, row)
		sums.coefficients += asm.Dot(w, row)
		if s.gradient {
			if channel == 0 {
				asm.Axpy(l, inverse, s.r1[j0:j1])
				asm.Axpy(1, inverse, s.r2[j0:j1])
			}
			asm.MulTo(square, row, row)
			asm.Axpy(1, square, s.squares[j0:j1])
			asm.MulTo(square, lambda, w)
		}
	}
	if s.gradient {
		mat.MulSym(sums.gram, 1, weighted, h.T(), 1)
		mat.MulSym(sums.weighted, 1, twice, h.T(), 1)
		mat.Mul(sums.cross, 1, p, weighted.T(), 1)
	}
}
