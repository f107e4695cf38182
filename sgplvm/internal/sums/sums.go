// Package sums has what q(U), the noise and the bound need of complete examples once parameters and q(x) are given: sums over the examples
// (docs/math.md, "Sums over examples"). So a model takes in further examples, and examples may be summed in many places.
package sums

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Sums are those of package learn: y as it is along tied factors, contracted with Ψ1_f along others.
type Sums struct {
	learn.Sums
	Outer mat.Matrix // Σ y·yᵀ over examples and channels, n_s×n_s, where the noise is structured; else 0×0
}

// Where the totals are.
const (
	Count  = learn.Count
	Square = learn.Square
	Psi0   = learn.Psi0
	Len    = learn.Totals
)

// A Basis is what sums are taken with: parameters and points. It is used by one goroutine at a time.
type Basis struct {
	params   *bound.Params
	grid     field.Grid
	jitter   float64
	channels int
	stats    *psi.Statistics
	inducing []int             // m_f of the spatial factors
	seen     kronprod.Operator // Ψ1_fᵀ of those that are not tied, after the mode of examples
	free     bool              // some are not
	work     kronprod.Workspace
}

// NewBasis returns that of parameters, which must not change, at the points of a grid.
func NewBasis(p *bound.Params, grid field.Grid, jitter float64, channels int) *Basis {
	b := &Basis{params: p, grid: grid, jitter: jitter, channels: channels, stats: new(psi.Statistics), seen: kronprod.Of(mat.Matrix{})}
	b.stats.Set(p.Latent, p.Inducing())
	for f, x := range grid {
		s, psi1 := &p.Space[f], mat.Matrix{}
		m := x.Rows
		if !s.Tied() {
			m, b.free = s.Xu.Rows, true
			psi1 = mat.New(m, x.Rows)
			s.Kernel.Matrix(psi1, s.Xu, x)
		}
		b.inducing, b.seen.Factors = append(b.inducing, m), append(b.seen.Factors, psi1)
	}
	return b
}

// size returns Π m_f·d_y.
func (b *Basis) size() int {
	n := b.channels
	for _, m := range b.inducing {
		n *= m
	}
	return n
}

// Len returns how many numbers sums have.
func (b *Basis) Len() int { return learn.Len(b.params.Z.Rows, b.size()) + b.outer()*b.outer() }

// outer returns the order of Outer.
func (b *Basis) outer() int {
	if b.params.Noise.Structured() {
		return b.grid.Len()
	}
	return 0
}

// New returns the sums of no example.
func (b *Basis) New() *Sums { return b.View(make([]float64, b.Len())) }

// View returns the sums in Len numbers, which it shares.
func (b *Basis) View(numbers []float64) *Sums {
	n, from := b.outer(), learn.Len(b.params.Z.Rows, b.size())-Len
	return &Sums{learn.View(numbers, b.params.Z.Rows, b.size()), mat.NewDense(n, n, numbers[from:from+n*n])}
}

// Add adds other sums.
func (s *Sums) Add(t *Sums) { asm.Axpy(1, t.Numbers, s.Numbers) }

// AddExamples adds examples with the posterior q(x): values y in the model's units, a row of points and their channels each, and the variances of
// those values that were filled in (0×0: none was).
func (b *Basis) AddExamples(s *Sums, q psi.Q, y, variance mat.Matrix) {
	m := b.params.Z.Rows
	y.Data, variance.Data = y.Data[:y.Rows*y.Cols], variance.Data[:variance.Rows*variance.Cols] // of views too
	psi1, psi2 := mat.New(y.Rows, m), mat.New(m, m)
	b.stats.Forward(psi1, psi2, q)
	dims := append(append([]int{y.Rows}, b.grid.Dims()...), b.channels)
	seen := y
	if b.free {
		buffer := mat.Borrow(y.Rows * b.size())
		defer mat.GiveBack(buffer)
		b.seen.MulTensor(*buffer, kronprod.Shaped(y.Data, dims...), &b.work)
		seen = mat.NewDense(y.Rows, b.size(), *buffer)
	}
	totals := [Len]float64{float64(y.Rows), 0, b.stats.Psi0(q), psi.KL(q.Mu, q.S, nil)}
	if s.Outer.Rows == 0 {
		totals[Square] = asm.SumSquares(y.Data) + work.Sum(variance.Data)
	}
	s.Sums.Add(psi1, seen, psi2, totals)
	if s.Outer.Rows == 0 {
		return
	}
	for c := range b.channels {
		channel := mat.Matrix{Rows: y.Rows, Cols: s.Outer.Rows, RowStride: y.Cols, ColStride: b.channels, Data: y.Data[c:]}
		mat.Syrk(s.Outer, 1, channel.T(), 1)
	}
	mat.MirrorLower(s.Outer)
	for i, v := range variance.Data {
		p := i % y.Cols / b.channels
		s.Outer.Row(p)[p] += v
	}
}
