package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// begin makes room for sums over the examples.
func (s *system) begin(m *masked, beta float64) {
	s.beta = beta
	columns, pairs := m.masks.columns(), m.f.Cols
	if int64(columns)*int64(pairs) <= int64(maskedKept) {
		work.Resize(&s.m, columns, pairs)
	} else {
		s.m = mat.Matrix{}
	}
	s.atData = work.Grown(s.atData, m.y.Channels*m.masks.points*m.phi.Cols)
}

// take adds up what a block of columns needs of all examples.
func (s *system) take(m *masked, omega mat.Matrix, from, to int) {
	if s.m.Rows > 0 {
		mat.Mul(s.m.Slice(from, to, 0, s.m.Cols), 1, omega.T(), m.f, 0)
	}
	m.eachSeries(omega, from, to, func(weighted mat.Matrix, c, p, last int) {
		size := m.phi.Cols
		at := (c*m.masks.points + p) * size
		mat.Mul(mat.NewDense(last-p, size, s.atData[at:at+(last-p)*size]), 1, weighted.T(), m.phi, 0)
	})
}

// eachSeries calls body with the weighted values ω·y (n_ξ×(last−p)) of every channel at the points p … last−1 that
// a block of columns has.
func (m *masked) eachSeries(omega mat.Matrix, from, to int, body func(weighted mat.Matrix, c, p, last int)) {
	k := m.masks
	buffer := mat.Borrow(k.examples * omega.Cols)
	defer mat.GiveBack(buffer)
	for at := from; at < to; {
		v, p := at/k.points, at%k.points
		last := min(k.points, p+to-at)
		weighted := mat.NewDense(k.examples, last-p, (*buffer)[:k.examples*(last-p)])
		for _, c := range k.channels[v] {
			mat.MulElem(weighted, omega.Slice(0, k.examples, at-from, at-from+last-p), k.y[c].Slice(0, k.examples, p, last))
			body(weighted, c, p, last)
		}
		at += last - p
	}
}

// solveTolerance is the residual, in the norm of the preconditioner and relative to that of b, with which conjugate
// gradients end. The error of the gradient is in proportion, that of the bound to its square. Tests lower it.
var solveTolerance = 1e-8

// maxSteps bounds the steps of conjugate gradients.
const maxSteps = 2000

// solve finds α, from zero. Errors: *FactorizationError, ctx.Err().
func (s *system) solve(ctx context.Context, m *masked) error {
	channels := m.y.Channels
	n := channels * m.components() * m.phi.Cols
	for _, v := range []*[]float64{&s.b, &s.alpha, &s.image, &s.rest} {
		*v = work.Grown(*v, n)
	}
	for _, v := range []*[]float64{&s.a, &s.ma} {
		*v = work.Grown(*v, len(s.atData))
	}
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w.T() }).MulTensor(s.b, kronprod.Shaped(s.atData, m.dims(channels, true)...), &m.work)
	s.setPreconditioner(m)
	clear(s.alpha)
	copy(s.rest, s.b)
	if err := s.conjugate(ctx, m); err != nil {
		return err
	}
	s.multiply(m, s.image, s.alpha) // and leaves a and ma
	asm.AddScaled(s.rest, s.b, -1, s.image)
	return nil
}

// conjugate adds to α what solves the system with the residual rest, which it overwrites, channel by channel. Errors: *FactorizationError, ctx.Err().
func (s *system) conjugate(ctx context.Context, m *masked) error {
	x, rest, blocks := s.alpha, s.rest, m.y.Channels
	n := len(x)
	size, open := n/blocks, 0
	z, direction, image := make([]float64, n), make([]float64, n), make([]float64, n)
	s.precondition(z, rest)
	copy(direction, z)
	rho, least := make([]float64, blocks), make([]float64, blocks)
	for c := range blocks {
		rho[c] = asm.Dot(rest[c*size:(c+1)*size], z[c*size:(c+1)*size])
		least[c] = solveTolerance * solveTolerance * rho[c]
		if rho[c] > 0 {
			open++
		}
	}
	for steps := 0; open > 0; steps++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if steps == maxSteps {
			return &field.FactorizationError{Err: fmt.Errorf("conjugate gradients have not converged in %d steps", maxSteps)}
		}
		s.multiply(m, image, direction)
		open = 0
		for c := range blocks {
			if !(rho[c] > least[c]) {
				continue
			}
			own := func(v []float64) []float64 { return v[c*size : (c+1)*size] }
			d := own(direction)
			step := rho[c] / asm.Dot(d, own(image))
			asm.Axpy(step, d, own(x))
			asm.Axpy(-step, own(image), own(rest))
			s.precondition(own(z), own(rest))
			next := asm.Dot(own(rest), own(z))
			if math.IsNaN(next) {
				return &field.FactorizationError{Err: fmt.Errorf("conjugate gradients: residual %v in channel %d", next, c)}
			}
			asm.AddScaled(d, own(z), next/rho[c], d)
			if rho[c] = next; next > least[c] {
				open++
			}
		}
	}
	return nil
}

// fit returns Σ_c α_cᵀb_c − ½·α_cᵀA·α_c.
func (s *system) fit() float64 { return 0.5 * (asm.Dot(s.alpha, s.b) + asm.Dot(s.alpha, s.rest)) }

// multiply sets dst = A·x for all channels and leaves x at the points in a, M_p·a_p in ma.
func (s *system) multiply(m *masked, dst, x []float64) {
	channels := m.y.Channels
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w }).MulTensor(s.a, kronprod.Shaped(x, m.dims(channels, false)...), &m.work)
	s.multiplyPoints(m, s.ma, s.a, s.beta, weights)
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w.T() }).MulTensor(dst, kronprod.Shaped(s.ma, m.dims(channels, true)...), &m.work)
	asm.Axpy(1, x, dst)
}

// multiplyPoints sets dst = M_p·a_p for every channel and point; with weightSlopes, for the sums with ∂ω/∂β.
func (s *system) multiplyPoints(m *masked, dst, a []float64, beta float64, what weighing) {
	if what == weights && s.m.Rows > 0 {
		s.multiplyBlock(m, dst, a, s.m, 0)
		return
	}
	buffer := mat.Borrow(m.blockColumns() * m.f.Cols)
	m.eachBlock(beta, what, func(omega mat.Matrix, from, to int) {
		sums := mat.NewDense(to-from, m.f.Cols, (*buffer)[:(to-from)*m.f.Cols])
		mat.Mul(sums, 1, omega.T(), m.f, 0)
		s.multiplyBlock(m, dst, a, sums, from)
	})
	mat.GiveBack(buffer)
}

// multiplyBlock does so for some columns, the first of which has the number from.
func (s *system) multiplyBlock(m *masked, dst, a []float64, sums mat.Matrix, from int) {
	k, size := m.masks, m.phi.Cols
	parts := min(maskedParts, sums.Rows)
	mat.Parallel(parts, func(part int) {
		first, last := work.Block(part, parts, sums.Rows)
		for row := first; row < last; row++ {
			v, p := (from+row)/k.points, (from+row)%k.points
			for _, c := range k.channels[v] {
				at := (c*k.points + p) * size
				symv(dst[at:at+size], sums.Row(row), a[at:at+size])
			}
		}
	})
}

// symv sets dst = A·x of a symmetric A of which packed holds the lower triangle row by row.
func symv(dst, packed, x []float64) {
	dst[0] = packed[0] * x[0]
	packed = packed[1:]
	for i := 1; i < len(x); i++ {
		row := packed[:i+1]
		dst[i] = asm.Dot(row, x[:i+1])
		asm.Axpy(x[i], row[:i], dst[:i])
		packed = packed[i+1:]
	}
}

// unpack sets a symmetric matrix from its lower triangle.
func unpack(dst mat.Matrix, packed []float64) {
	for i := range dst.Rows {
		packed = packed[copy(dst.Row(i)[:i+1], packed):]
	}
	mat.MirrorLower(dst)
}

// setPreconditioner makes it A for the weights r_i·Π_f c_f,p / all^P, r and c the sums of weights over everything
// else: the inverse of 1 + λ.
func (s *system) setPreconditioner(m *masked) {
	of, each := m.shares, 1/float64(m.y.Channels)
	if m.y.Errors == nil {
		each *= s.beta / of.beta
	} else {
		of = m.weightShares(s.beta)
	}
	lambda0 := make([]float64, m.phi.Cols)
	mat.Mul(mat.Vector(lambda0).T(), each, mat.Vector(of.examples).T(), m.diag, 0)
	var all [][]float64
	for f, own := range m.space {
		lambda := make([]float64, own.w.Cols)
		mat.Mul(mat.Vector(lambda).T(), 1/of.all, mat.Vector(of.points[f]).T(), own.squares, 0)
		all = append(all, lambda)
	}
	s.preconditioner = s.preconditioner[:0]
	for _, l := range kronprod.Vectors(all...) {
		for _, l0 := range lambda0 {
			s.preconditioner = append(s.preconditioner, 1/(1+l0*l))
		}
	}
}

// precondition sets z to the preconditioner times r, of some channels.
func (s *system) precondition(z, r []float64) {
	for size := len(s.preconditioner); len(r) > 0; z, r = z[size:], r[size:] {
		asm.MulTo(z[:size], r[:size], s.preconditioner)
	}
}
