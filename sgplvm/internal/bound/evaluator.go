package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Evaluator is what a bound is evaluated on: the data, spatial inputs and the
// fixed jitter, with everything that an evaluation needs room for. It keeps the
// factorisation of its last evaluation, so spatial factors whose parameters did not
// move, and the data in their eigenbasis, are not computed again: while the spatial
// parameters are held an evaluation costs the latent mode only and does not read the
// data. It is used by one goroutine at a time.
type Evaluator struct {
	x      field.Grid // X_f, n_f×d_f
	y      *data.Scaled
	jitter float64 // on the latent and free spatial K_f, relative to their mean diagonal

	prior   prior // of the latent variables, from the first evaluation on
	psi     *psi.Statistics
	factors []*Factor // latent first
	held    *Params   // parameters of the spatial factors above, or nil if these are of no use

	yy        float64 // ‖Y‖²
	projected projected
	lambda    []float64 // Λ of all spatial factors together, for the components in projected
	omega     []float64 // ω likewise, ones written out

	sweep sweep // of the last evaluation

	masked *masked // where data have holes: everything above but the prior is of no use then; else nil

	works        []factorWork // of the factors
	gradientWork gradientWork
	work         kronprod.Workspace
	dims         []int
}

// NewEvaluator returns an evaluator for data y seen at the points of x. jitter is added to the
// diagonals of the latent and free spatial kernel matrices, relative to their means.
func NewEvaluator(y *data.Scaled, x field.Grid, jitter float64) *Evaluator {
	e := &Evaluator{x: x, y: y, jitter: jitter, psi: new(psi.Statistics), factors: make([]*Factor, 1+len(x)), works: make([]factorWork, 1+len(x))}
	for f := range e.factors {
		e.factors[f] = new(Factor)
	}
	if y.Holes() {
		e.masked = newMasked(y, x, jitter, &e.prior)
	}
	return e
}

// Data returns the data.
func (e *Evaluator) Data() *data.Scaled { return e.y }

// Components returns Π m_f over the spatial factors.
func (e *Evaluator) Components() int { return len(e.lambda) }

// Factorize brings factors and the data in their eigenbasis up to date with the parameters, and
// with a dynamical prior Mu and S of p with its paths. Errors: *FactorizationError, *field.ReadError,
// ctx.Err().
func (e *Evaluator) Factorize(ctx context.Context, p *Params) error {
	if err := e.Derive(p); err != nil {
		return err
	}
	moved := false
	for f, x := range e.x {
		if e.holds(p, f) {
			continue
		}
		if err := ctx.Err(); err != nil {
			e.held = nil
			return err
		}
		e.works[f+1].eigen.Stop = ctx.Err
		if err := p.space().factor(e.factors[f+1], &e.works[f+1], p, f, x, e.jitter); err != nil {
			e.held = nil
			return failure(ctx, f+1, err)
		}
		moved = true
	}
	if moved {
		e.held = nil
		if err := e.project(ctx, p.space().whitens()); err != nil {
			return err
		}
		e.held = p.ofSpace()
	}
	e.psi.Set(p.Latent, p.Inducing())
	e.works[0].eigen.Stop = ctx.Err
	if err := e.factors[0].setLatent(&e.works[0], e.psi, p, e.jitter); err != nil {
		return failure(ctx, 0, err)
	}
	return nil
}

// holds reports whether spatial factor f is that of p.
func (e *Evaluator) holds(p *Params, f int) bool {
	return e.held != nil && sameSpace(e.held, p, f) && e.held.Noise.same(&p.Noise)
}

// Derive sets Mu and S of p where a dynamical prior makes them.
func (e *Evaluator) Derive(p *Params) error {
	if e.prior == nil {
		e.prior = newPrior(&p.X)
	}
	return e.prior.derive(&p.X)
}

// project contracts Y with the data basis of every spatial factor, some examples at
// a time. If that whitens them, ‖Y‖² is that of the whitened data.
func (e *Evaluator) project(ctx context.Context, whitens bool) error {
	e.lambda, e.omega = joint(e.lambda, e.factors[1:], (*Factor).eigenvalue), joint(e.omega, e.factors[1:], (*Factor).weight)
	channels := e.y.Channels
	e.dims = append(e.dims[:0], e.y.Examples, channels)
	toData := kronprod.Operator{Factors: make([]mat.Matrix, 2, 2+len(e.x))}
	for _, s := range e.factors[1:] {
		e.dims = append(e.dims, s.Size())
		toData.Factors = append(toData.Factors, s.Data.T())
	}
	e.projected.resize(e.y.Examples, channels, e.Components())
	size := channels * e.Components()
	e.yy = 0
	return e.eachSlab(ctx, func(slab kronprod.Tensor, from int) error {
		count := slab.Dims[0]
		buffer := mat.Borrow(count * size)
		toData.MulTensor(*buffer, slab, &e.work)
		y := slab.Data
		if whitens {
			y = *buffer
		}
		for each := len(y) / count; len(y) > 0; y = y[each:] { // whatever the size of a slab
			e.yy += asm.SumSquares(y[:each])
		}
		mat.Parallel(count, func(i int) { e.projected.set(from+i, (*buffer)[i*size:(i+1)*size]) })
		mat.GiveBack(buffer)
		return nil
	})
}

// eachSlab is the function of that name for the evaluator's data.
func (e *Evaluator) eachSlab(ctx context.Context, body func(slab kronprod.Tensor, from int) error) error {
	return eachSlab(ctx, e.y, e.x, body)
}

// joint returns the Kronecker product of a vector of each factor, in the storage of v.
func joint(v []float64, factors []*Factor, of func(f *Factor, j int) float64) []float64 {
	n := 1
	for _, s := range factors {
		n *= s.Size()
	}
	v = work.Grown(v, n)
	v[0] = 1
	have := 1
	for _, s := range factors {
		m := s.Size()
		for i := have - 1; i >= 0; i-- { // from the end, since v[i] makes v[i·m] and what follows
			x := v[i]
			for j := range m {
				v[i*m+j] = x * of(s, j)
			}
		}
		have *= m
	}
	return v
}
