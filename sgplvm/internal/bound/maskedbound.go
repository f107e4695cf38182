package bound

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// evaluate is Evaluator.Evaluate for data with holes.
func (m *masked) evaluate(ctx context.Context, p, grad *Params, free Group) (float64, error) {
	if err := m.prepare(ctx, p); err != nil {
		return math.NaN(), err
	}
	if err := m.system.solve(ctx, m); err != nil {
		return math.NaN(), err
	}
	if grad != nil {
		grad.zero()
		if err := m.gradient(ctx, grad, p, free); err != nil {
			return math.NaN(), err
		}
	}
	return possible(m.value(p))
}

// value is the bound at the α that was found, a bound whether it solves the system or not:
//
//	L = Σ_c [½ Σ log ω − ½·n_o·log 2π − ½ Σ ω·y² + α_cᵀb_c − ½·α_cᵀA·α_c]
//	    − ½ Σ_c [ψ0_o − tr K̃⁻¹Ψ2_o] − ½ Σ_c [Σ_ab log(κ_ab + N_ab) − log|K̃|] − KL
//
// The second result is the log density of the noise where there is none.
func (m *masked) value(p *Params) (l, most float64) {
	k, s := m.masks, &m.sums
	slack, traces := m.slack(p)
	for v, channels := range k.channels {
		logs, _ := k.logWeights(v, p.Noise.Beta)
		most += 0.5 * float64(len(channels)) * (logs - float64(k.count[v])*math.Log(2*math.Pi))
	}
	l = -0.5*s.squares + m.system.fit() + most
	return l - 0.5*(slack-traces) - 0.5*(s.logSum-float64(m.y.Channels)*m.logDet()) - (*m.prior).divergence(&p.X), most
}

// logDet returns log|K̃|.
func (m *masked) logDet() float64 {
	b, size := float64(m.components()), float64(len(m.latent.kappa))
	sum := b * m.latent.logDet
	for _, s := range m.space {
		sum += size * b / float64(s.w.Cols) * s.logDet
	}
	return sum
}

// load reads the data, once.
func (m *masked) load(ctx context.Context) (err error) {
	if m.masks == nil {
		m.masks, err = newMasks(ctx, m.y, m.x)
	}
	return err
}

// derive sets Mu and S of p where a dynamical prior makes them.
func (m *masked) derive(p *Params) error {
	if *m.prior == nil {
		*m.prior = newPrior(&p.X)
	}
	return (*m.prior).derive(&p.X)
}

// prepare brings everything up to date that does not depend on α. A first basis is that of p.
func (m *masked) prepare(ctx context.Context, p *Params) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if err := m.derive(p); err != nil {
		return err
	}
	if err := m.follow(ctx, p); err != nil {
		return err
	}
	if err := m.setSpace(ctx, p); err != nil {
		return err
	}
	if err := m.setLatent(ctx, p); err != nil {
		return err
	}
	return m.addUp(ctx, p)
}

// setSpace brings the spatial factors up to date.
func (m *masked) setSpace(ctx context.Context, p *Params) error {
	for f, x := range m.x {
		if m.held != nil && sameSpace(m.held, p, f) {
			continue
		}
		if err := ctx.Err(); err != nil {
			m.held = nil
			return err
		}
		if err := m.space[f].setSpatial(p, f, x, m.jitter, m.basis); err != nil {
			m.held = nil
			return failure(ctx, f+1, err)
		}
	}
	m.held = &Params{}
	for f := range m.x {
		m.held.Space = append(m.held.Space, p.Space[f].clone())
	}
	return nil
}

// setSpatial evaluates spatial factor number f at points x (n_f×d_f).
func (s *maskedFactor) setSpatial(p *Params, f int, x mat.Matrix, jitter float64, b *basis) error {
	s.own.setKernels(p.Space[f], x)
	t := b.space[f]
	s.same = sameSpace(b.params, p, f)
	if s.same {
		s.w = b.cross[f]
	} else {
		s.w = mat.New(x.Rows, t.Cols)
		mat.Mul(s.w, 1, s.own.Psi1, t, 0)
	}
	if s.own.Tied {
		jitter = 0
	}
	if err := s.congruence(t, jitter); err != nil {
		return err
	}
	n, size := s.w.Rows, s.w.Cols
	work.Resize(&s.squares, n, size)
	mat.MulElem(s.squares, s.w, s.w)
	s.q = work.Grown(s.q, n)
	product := s.w
	if !s.same {
		product = mat.New(n, size)
		mat.Mul(product, 1, s.w, s.inverse, 0)
	}
	for i := range n {
		s.q[i] = asm.Dot(product.Row(i), s.w.Row(i))
	}
	return nil
}

// congruence sets K̃ = tᵀ·K·t, K with jitter times the mean of its diagonal added to that, with inverse, determinant
// and diagonal of K̃.
func (s *maskedFactor) congruence(t mat.Matrix, jitter float64) error {
	size := t.Cols
	work.Resize(&s.k, size, size)
	work.Resize(&s.inverse, size, size)
	s.kappa = work.Grown(s.kappa, size)
	if s.same {
		mat.Copy(s.k, mat.Identity(size))
		mat.Copy(s.inverse, s.k)
		s.logDet = 0
		for i := range s.kappa {
			s.kappa[i] = 1
		}
		return nil
	}
	half := mat.New(t.Rows, size)
	mat.Mul(half, 1, s.own.K, t, 0)
	mat.Add(half, half, jitter*mat.Trace(s.own.K)/float64(t.Rows), t)
	mat.MulSym(s.k, 1, t.T(), half, 0)
	mat.MirrorLower(s.k)
	if err := s.cholesky.Refactorize(s.k); err != nil {
		return err
	}
	s.cholesky.Inverse(s.inverse)
	s.logDet = s.cholesky.LogDet()
	for i := range s.kappa {
		s.kappa[i] = s.k.At(i, i)
	}
	return nil
}

// setLatent brings the latent factor and the examples' statistics up to date.
func (m *masked) setLatent(ctx context.Context, p *Params) error {
	size, n := p.Z.Rows, p.X.Mu.Rows
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.evaluateLatent(p); err != nil {
		return failure(ctx, 0, err)
	}
	pairs := size * (size + 1) / 2
	m.psi0 = work.Grown(m.psi0, n)
	work.Resize(&m.psi1, n, size)
	work.Resize(&m.phi, n, size)
	work.Resize(&m.f, n, pairs)
	work.Resize(&m.diag, n, size)
	m.roomOfChunks(size)
	m.each.Forward(m.psi0, m.psi1, p.Q(), func(_, i int, psi2 mat.Matrix) {
		packed := m.f.Row(i)
		for k := range size {
			packed = packed[copy(packed, psi2.Row(k)[:k+1]):]
		}
	})
	if b := m.basis; !b.held {
		packed, psi2 := make([]float64, pairs), mat.New(size, size)
		mat.Mul(mat.Vector(packed).T(), 1, mat.Vector(b.shares.examples).T(), m.f, 0)
		unpack(psi2, packed)
		var err error
		if b.latent, b.values, err = generalised(ctx, m.latent.own.K, psi2, m.jitter); err != nil {
			return failure(ctx, 0, err)
		}
	}
	m.latent.same = !m.basis.held
	if err := m.latent.congruence(m.basis.latent, m.jitter); err != nil {
		return failure(ctx, 0, err)
	}
	m.rotate()
	mat.Mul(m.phi, 1, m.psi1, m.basis.latent, 0)
	return ctx.Err()
}

// rotate makes F_i of Ψ2_i.
func (m *masked) rotate() {
	t := m.basis.latent
	size, chunks := t.Rows, m.each.Chunks()
	mat.Parallel(chunks, func(chunk int) {
		psi2, half := m.scratch[2*chunk], m.scratch[2*chunk+1]
		from, to := work.Block(chunk, chunks, m.f.Rows)
		for i := from; i < to; i++ {
			unpack(psi2, m.f.Row(i))
			mat.Mul(half, 1, psi2, t, 0)
			mat.MulSym(psi2, 1, t.T(), half, 0)
			packed, diagonal := m.f.Row(i), m.diag.Row(i)
			for k := range size {
				packed = packed[copy(packed, psi2.Row(k)[:k+1]):]
				diagonal[k] = psi2.At(k, k)
			}
		}
	})
}

// evaluateLatent sets K_0 and prepares the examples' statistics.
func (m *masked) evaluateLatent(p *Params) error {
	s := &m.latent
	m.statistics.Set(p.Latent, p.Inducing())
	if err := checkLatent(m.statistics, p); err != nil {
		return err
	}
	if s.own == nil {
		s.own = new(Factor)
	}
	work.Resize(&s.own.K, p.Z.Rows, p.Z.Rows)
	m.statistics.Matrix(s.own.K)
	m.each.Set(p.Latent, p.Inducing(), p.X.Mu.Rows)
	return nil
}

// addUp sets the sums over examples and points.
func (m *masked) addUp(ctx context.Context, p *Params) error {
	s, k, n := &m.sums, m.masks, m.masks.examples
	versions, size := k.versions(), p.Z.Rows
	work.Resize(&s.byExample, n, versions)
	work.Resize(&s.qExample, n, versions)
	work.Resize(&s.diag, k.columns(), size)
	s.byExample.Fill(0)
	s.qExample.Fill(0)
	q := m.pointTraces()
	m.system.begin(m, p.Noise.Beta)
	m.eachBlock(p.Noise.Beta, weights, func(omega mat.Matrix, from, to int) {
		if ctx.Err() != nil {
			return
		}
		mat.Mul(s.diag.Slice(from, to, 0, size), 1, omega.T(), m.diag, 0)
		m.addByExample(omega, from, to, q)
		m.system.take(m, omega, from, to)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	s.squares = m.weightedSquares(p.Noise.Beta, weights)
	s.traces = work.Grown(s.traces, n)
	m.traces(s.traces)

	z := kronprod.Shaped(s.diag.Data, m.dims(versions, true)...)
	length := versions * m.components() * size
	s.n, s.w = work.Grown(s.n, length), work.Grown(s.w, length)
	m.operator(func(f *maskedFactor) mat.Matrix { return f.squares.T() }).MulTensor(s.n, z, &m.work)
	kappa := m.kappas()
	s.logSum = 0
	for v := range versions {
		own, w := s.n[v*len(kappa):(v+1)*len(kappa)], s.w[v*len(kappa):(v+1)*len(kappa)]
		for i, x := range own {
			w[i] = kappa[i] + x
		}
		s.logSum += float64(len(k.channels[v])) * asm.SumLog(w)
		for i, x := range w {
			w[i] = 1 / x
		}
	}
	return nil
}

// addByExample adds the sums over the points of a block to those of the examples.
func (m *masked) addByExample(omega mat.Matrix, from, to int, q []float64) {
	s, points := &m.sums, m.masks.points
	mat.Parallel(omega.Rows, func(i int) {
		row := omega.Row(i)
		for k := from; k < to; {
			v, p := k/points, k%points
			last := min(points, p+to-k)
			part := row[k-from : k-from+last-p]
			s.byExample.Row(i)[v] += work.Sum(part)
			s.qExample.Row(i)[v] += asm.Dot(part, q[p:last])
			k += last - p
		}
	})
}

// hold makes the basis that of p, and holds it. Errors: *FactorizationError, ctx.Err(); the basis stays then.
func (m *masked) hold(ctx context.Context, p *Params) error {
	before := m.basis
	m.basis, m.held = nil, nil
	err := m.follow(ctx, p)
	if err == nil {
		err = m.setLatent(ctx, p)
	}
	if err != nil {
		m.basis, m.held = before, nil
		return err
	}
	m.basis.held, m.basis.params = true, p.Clone()
	return nil
}

// follow makes the spatial part of a basis that is not held that of p; setLatent makes the latent one.
func (m *masked) follow(ctx context.Context, p *Params) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if err := m.derive(p); err != nil {
		return err
	}
	if m.basis == nil {
		factors := len(m.x)
		m.basis = &basis{shares: m.shares(shareBeta), space: make([]mat.Matrix, factors), cross: make([]mat.Matrix, factors), modes: make([][]float64, factors)}
	}
	b := m.basis
	if b.held {
		return nil
	}
	for f, x := range m.x {
		if b.params != nil && sameSpace(b.params, p, f) {
			continue
		}
		var err error
		if b.space[f], b.cross[f], b.modes[f], err = spatialBasis(ctx, p.Space[f], x, b.shares.points[f], m.jitter); err != nil {
			b.params = nil
			return failure(ctx, f+1, err)
		}
	}
	b.params = &Params{}
	for f := range m.x {
		b.params.Space = append(b.params.Space, p.Space[f].clone())
	}
	return nil
}
