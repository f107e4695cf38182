package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A problem is what a bound is evaluated on: the data, spatial inputs and the
// fixed jitter, with everything that an evaluation needs room for. It keeps the
// factorisation of its last evaluation, so spatial factors whose parameters did not
// move, and the data in their eigenbasis, are not computed again: while the spatial
// parameters are held an evaluation costs the latent mode only and does not read the
// data.
type problem struct {
	x      []mat.Matrix // X_f, n_f×d_f
	y      *scaledSource
	jitter float64 // on the latent and free spatial K_f, relative to their mean diagonal

	prior   *timePrior // of latent variables that move over time, or nil
	psi     *latentPsi
	factors []*factor // latent first
	held    *Params   // parameters of the spatial factors above, or nil if these are of no use

	yy        float64 // ‖Y‖²
	projected projected
	lambda    []float64 // Λ of all spatial factors together, for the components in projected
	omega     []float64 // ω likewise, ones written out
	dropped   dropped   // the components that are not in projected

	sweep sweep // of the last evaluation

	works        []factorWork // of the factors
	gradientWork gradientWork
	work         kronprod.Workspace
	dims         []int
}

func newProblem(y *scaledSource, x []mat.Matrix, jitter float64) *problem {
	b := &problem{x: x, y: y, jitter: jitter, psi: new(latentPsi), factors: make([]*factor, 1+len(x)), works: make([]factorWork, 1+len(x))}
	for f := range b.factors {
		b.factors[f] = new(factor)
	}
	return b
}

func (b *problem) channels() int { return b.y.channels }

// points returns n_s.
func (b *problem) points() int { return b.y.points }

// components returns Π m_f over the spatial factors.
func (b *problem) components() int { return len(b.lambda) + len(b.dropped.lambda) }

// factorize brings factors, projected, lambda and omega up to date with the
// parameters, and with a dynamical prior Mu and S of p with μ̄, Λ and the time kernel.
func (b *problem) factorize(p *Params) error {
	if err := b.derive(p); err != nil {
		return err
	}
	moved := false
	for f, x := range b.x {
		if b.held != nil && equalKernel(b.held.Spatial[f], p.Spatial[f]) && equalMatrix(b.held.Xu[f], p.Xu[f]) && b.held.sameNoise(p) {
			continue
		}
		if err := b.factors[f+1].set(&b.works[f+1], p, f, x, b.jitter); err != nil {
			b.held = nil
			return &FactorizationError{Factor: f + 1, Err: err}
		}
		moved = true
	}
	if moved {
		b.held = nil
		if err := b.project(p.structured()); err != nil {
			return err
		}
		b.held = &Params{Beta: p.Beta, Residual: p.Residual.clone(), Covariance: p.Covariance.Clone()}
		for f := range b.x {
			b.held.Spatial = append(b.held.Spatial, p.Spatial[f].clone())
			b.held.Xu = append(b.held.Xu, p.Xu[f].Clone())
		}
	}
	b.psi.set(p.Latent, p.Z)
	if err := b.factors[0].setLatent(&b.works[0], b.psi, p, b.jitter); err != nil {
		return &FactorizationError{Factor: 0, Err: err}
	}
	return nil
}

// derive sets Mu and S of p where a dynamical prior makes them.
func (b *problem) derive(p *Params) error {
	if !p.dynamic() {
		return nil
	}
	if b.prior == nil {
		b.prior = newTimePrior(p.Dynamics)
	}
	return b.prior.set(p)
}

// divergence returns KL(q(X) ‖ p(X)) at the parameters of the last factorize.
func (b *problem) divergence(p *Params) float64 {
	if p.dynamic() {
		return b.prior.kl
	}
	return independentKL(p.Mu, p.S, nil)
}

// project contracts Y with the data basis of every spatial factor, some examples at
// a time. If that whitens them, ‖Y‖² is that of the whitened data.
func (b *problem) project(whitens bool) error {
	b.dropped.lambda, b.dropped.energy = b.dropped.lambda[:0], b.dropped.energy[:0]
	b.lambda, b.omega = joint(b.lambda, b.factors[1:], (*factor).eigenvalues), joint(b.omega, b.factors[1:], (*factor).weights)
	b.dims = append(b.dims[:0], b.y.examples, b.channels())
	toData := kronprod.Operator{Factors: make([]mat.Matrix, 2, 2+len(b.x))}
	for _, s := range b.factors[1:] {
		b.dims = append(b.dims, s.size())
		toData.Factors = append(toData.Factors, s.data.T())
	}
	b.projected.resize(b.y.examples, b.channels(), b.components())
	size := b.channels() * b.components()
	b.yy = 0
	return b.eachSlab(func(slab kronprod.Tensor, from int) error {
		count := slab.Dims[0]
		buffer := mat.Borrow(count * size)
		toData.MulTensor(*buffer, slab, &b.work)
		y := slab.Data
		if whitens {
			y = *buffer
		}
		for each := len(y) / count; len(y) > 0; y = y[each:] { // whatever the size of a slab
			b.yy += asm.SumSquares(y[:each])
		}
		mat.Parallel(count, func(i int) { b.projected.set(from+i, (*buffer)[i*size:(i+1)*size]) })
		mat.GiveBack(buffer)
		return nil
	})
}

// eachSlab reads Y some examples at a time, scaled, as tensors examples × d_y × n_1 × ….
func (b *problem) eachSlab(body func(slab kronprod.Tensor, from int) error) error {
	dims := []int{0, b.channels()}
	for _, x := range b.x {
		dims = append(dims, x.Rows)
	}
	return b.y.eachSlab(func(raw []float64, from int) error {
		dims[0] = len(raw) / b.y.size()
		buffer := mat.Borrow(len(raw))
		defer mat.GiveBack(buffer)
		parts := dims[0] * b.channels() * scaleParts
		mat.Parallel(parts, func(i int) {
			series := i / scaleParts // channels of examples
			from, to := blockRange(i%scaleParts, scaleParts, b.points())
			example, c := series/b.channels(), series%b.channels()
			b.y.scaler.scaleChannel((*buffer)[series*b.points()+from:series*b.points()+to], raw[example*b.y.size()+from*b.channels():], c)
		})
		return body(kronprod.Shaped(*buffer, dims...), from)
	})
}

// scaleParts is into how many parts the scaling of one channel of an example is divided.
const scaleParts = 4

// joint returns the Kronecker product of a vector of each factor, in the storage of v.
func joint(v []float64, factors []*factor, of func(f *factor, j int) float64) []float64 {
	n := 1
	for _, s := range factors {
		n *= s.size()
	}
	v = grown(v, n)
	v[0] = 1
	have := 1
	for _, s := range factors {
		m := s.size()
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

func (f *factor) eigenvalues(j int) float64 { return f.lambda[j] }

func (f *factor) weights(j int) float64 {
	if f.omega == nil {
		return 1
	}
	return f.omega[j]
}

func equalKernel(a, b Kernel) bool {
	if a.Kind != b.Kind || a.Variance != b.Variance || len(a.LengthScale) != len(b.LengthScale) {
		return false
	}
	for q, l := range a.LengthScale {
		if l != b.LengthScale[q] {
			return false
		}
	}
	return true
}

func equalMatrix(a, b mat.Matrix) bool {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return false
	}
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if v != b.At(i, j) {
				return false
			}
		}
	}
	return true
}
