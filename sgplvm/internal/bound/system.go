package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
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
	s.atData = work.Grown(s.atData, m.y.Channels*m.masks.points*len(m.latent.kappa))
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
	beta := s.beta
	channels, size := m.y.Channels, m.components()*len(m.latent.kappa)
	n := channels * size
	for _, v := range []*[]float64{&s.b, &s.alpha, &s.image, &s.rest} {
		*v = work.Grown(*v, n)
	}
	for _, v := range []*[]float64{&s.a, &s.ma} {
		*v = work.Grown(*v, len(s.atData))
	}
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w.T() }).MulTensor(s.b, kronprod.Shaped(s.atData, m.dims(channels, true)...), &m.work)
	if err := s.preconditioner.set(ctx, m, beta); err != nil {
		return err
	}
	clear(s.alpha)
	copy(s.rest, s.b)
	z, direction := make([]float64, n), make([]float64, n)
	s.preconditioner.apply(m, z, s.rest, channels)
	copy(direction, z)
	rho, least := make([]float64, channels), make([]float64, channels)
	open := 0
	for c := range channels {
		rho[c] = asm.Dot(s.rest[c*size:(c+1)*size], z[c*size:(c+1)*size])
		least[c] = solveTolerance * solveTolerance * rho[c]
		if rho[c] > 0 {
			open++
		}
	}
	for s.steps = 0; open > 0; s.steps++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.steps == maxSteps {
			return &field.FactorizationError{Err: fmt.Errorf("conjugate gradients have not converged in %d steps", maxSteps)}
		}
		s.multiply(m, s.image, direction, beta)
		for c := range channels {
			if !(rho[c] > least[c]) {
				continue
			}
			own := func(v []float64) []float64 { return v[c*size : (c+1)*size] }
			step := rho[c] / asm.Dot(own(direction), own(s.image))
			asm.Axpy(step, own(direction), own(s.alpha))
			asm.Axpy(-step, own(s.image), own(s.rest))
		}
		s.preconditioner.apply(m, z, s.rest, channels)
		open = 0
		for c := range channels {
			if !(rho[c] > least[c]) {
				continue
			}
			own := func(v []float64) []float64 { return v[c*size : (c+1)*size] }
			next := asm.Dot(own(s.rest), own(z))
			ratio := next / rho[c]
			rho[c] = next
			if math.IsNaN(next) {
				return &field.FactorizationError{Err: fmt.Errorf("conjugate gradients: residual %v in channel %d", next, c)}
			}
			if next > least[c] {
				open++
			}
			d := own(direction)
			asm.AddScaled(d, own(z), ratio, d)
		}
	}
	s.multiply(m, s.image, s.alpha, beta) // and leaves a and ma
	asm.AddScaled(s.rest, s.b, -1, s.image)
	return nil
}

// fit returns Σ_c α_cᵀb_c − ½·α_cᵀA·α_c.
func (s *system) fit() float64 { return 0.5 * (asm.Dot(s.alpha, s.b) + asm.Dot(s.alpha, s.rest)) }

// multiply sets dst = A·x for all channels and leaves x at the points in a, M_p·a_p in ma.
func (s *system) multiply(m *masked, dst, x []float64, beta float64) {
	channels := m.y.Channels
	tensor := kronprod.Shaped(x, m.dims(channels, false)...)
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w }).MulTensor(s.a, tensor, &m.work)
	s.multiplyPoints(m, s.ma, s.a, beta, weights)
	m.operator(func(f *maskedFactor) mat.Matrix { return f.w.T() }).MulTensor(dst, kronprod.Shaped(s.ma, m.dims(channels, true)...), &m.work)
	prior := mat.Borrow(len(x))
	asm.AddScaled(dst, dst, 1, m.priorTimes(*prior, tensor, -2))
	mat.GiveBack(prior)
}

// priorTimes sets dst = K̃·x with the identity in place of K̃ of one factor, latentFactor or a number of a spatial one; −2:
// of none.
func (m *masked) priorTimes(dst []float64, x kronprod.Tensor, but int) []float64 {
	o := kronprod.Operator{Factors: make([]mat.Matrix, 2+len(m.space))}
	for f, s := range m.space {
		if f != but && !s.same {
			o.Factors[1+f] = s.k
		}
	}
	if but != latentFactor {
		o.Factors[1+len(m.space)] = m.latent.k
	}
	return o.MulTensor(dst, x, &m.work).Data
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
	k, size := m.masks, len(m.latent.kappa)
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

// set makes the preconditioner that of the weights r_i·Π_f c_f,p / all^P, r and c the sums of weights over everything
// else, at the factors as they are.
func (c *preconditioner) set(ctx context.Context, m *masked, beta float64) error {
	s := m.basis.shares
	each := 1 / float64(m.y.Channels)
	if m.y.Errors == nil {
		each *= beta / s.beta
	} else {
		s = m.shares(beta)
	}
	size, b := len(m.latent.kappa), m.components()
	c.u = kronprod.Operator{Factors: make([]mat.Matrix, 2+len(m.space))}
	packed := make([]float64, m.f.Cols)
	mat.Mul(mat.Vector(packed).T(), each, mat.Vector(s.examples).T(), m.f, 0)
	lambda0 := make([]float64, size)
	var err error
	if m.latent.same {
		for i := range lambda0 {
			lambda0[i] = packed[i*(i+3)/2]
		}
	} else {
		psi2 := mat.New(size, size)
		unpack(psi2, packed)
		if c.u.Factors[1+len(m.space)], lambda0, err = diagonalised(ctx, &m.latent, psi2); err != nil {
			return failure(ctx, 0, err)
		}
	}
	var all [][]float64
	for f, own := range m.space {
		var u mat.Matrix
		lambda := make([]float64, own.w.Cols)
		if own.same {
			mat.Mul(mat.Vector(lambda).T(), 1/s.all, mat.Vector(s.points[f]).T(), own.squares, 0)
		} else {
			weighted, psi2 := mat.New(own.w.Rows, own.w.Cols), mat.New(own.w.Cols, own.w.Cols)
			mat.ScaleRows(weighted, s.points[f], own.w)
			mat.MulSym(psi2, 1/s.all, weighted.T(), own.w, 0)
			mat.MirrorLower(psi2)
			if u, lambda, err = diagonalised(ctx, own, psi2); err != nil {
				return failure(ctx, f+1, err)
			}
		}
		c.u.Factors[1+f] = u
		all = append(all, lambda)
	}
	joint := kronprod.Vectors(all...)
	c.inverse = work.Grown(c.inverse, b*size)
	for j, l := range joint {
		for i, l0 := range lambda0 {
			c.inverse[j*size+i] = 1 / (1 + l0*l)
		}
	}
	return nil
}

// diagonalised returns U and λ of the generalised eigenproblem of K̃ and psi2.
func diagonalised(ctx context.Context, s *maskedFactor, psi2 mat.Matrix) (u mat.Matrix, lambda []float64, err error) {
	l := mat.Identity(psi2.Rows)
	if !s.same {
		l = s.cholesky.L()
	}
	var spectrum eig.Spectrum
	s.work.eigen.Stop = ctx.Err
	if err := s.work.eigen.General(&spectrum, psi2, l); err != nil {
		return mat.Matrix{}, nil, err
	}
	clampAtZero(spectrum.Values)
	return spectrum.Vectors, spectrum.Values, nil
}

// unpack sets a symmetric matrix from its lower triangle.
func unpack(dst mat.Matrix, packed []float64) {
	for i := range dst.Rows {
		packed = packed[copy(dst.Row(i)[:i+1], packed):]
	}
	mat.MirrorLower(dst)
}

// apply sets z to the preconditioner times r, for all channels.
func (c *preconditioner) apply(m *masked, z, r []float64, channels int) {
	dims := m.dims(channels, false)
	size := len(c.inverse)
	buffer := mat.Borrow(len(r))
	inner := c.u.T().MulTensor(*buffer, kronprod.Shaped(r, dims...), &m.work)
	for k := range channels {
		part := inner.Data[k*size : (k+1)*size]
		asm.MulTo(part, part, c.inverse)
	}
	c.u.MulTensor(z, inner, &m.work)
	mat.GiveBack(buffer)
}
