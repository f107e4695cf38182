package bound

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
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
//	    − ½ Σ_c [ψ0_o − tr Ψ̃2_o] − ½ Σ_c Σ_ab log(1 + N_ab) − KL
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
	return l - 0.5*(slack-traces) - 0.5*s.logSum - (*m.prior).divergence(&p.X), most
}

// load reads the data, once.
func (m *masked) load(ctx context.Context) (err error) {
	if m.masks == nil {
		if m.masks, err = newMasks(ctx, m.y, m.x); err == nil {
			m.shares = m.weightShares(shareBeta)
		}
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

// prepare brings everything up to date that does not depend on α.
func (m *masked) prepare(ctx context.Context, p *Params) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if err := m.derive(p); err != nil {
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
		if err := m.space[f].set(ctx, p.Space[f], x, m.shares.points[f], m.jitter); err != nil {
			m.held = nil
			return failure(ctx, f+1, err)
		}
	}
	m.held = p.ofSpace()
	return nil
}

// set evaluates a spatial factor at points x (n_f×d_f) with weights c.
func (s *maskedFactor) set(ctx context.Context, own Spatial, x mat.Matrix, c []float64, jitter float64) error {
	s.own.setKernels(own, x)
	if err := s.setBasis(ctx, x, c, jitter); err != nil {
		return err
	}
	n, size := s.w.Rows, s.w.Cols
	work.Resize(&s.squares, n, size)
	mat.MulElem(s.squares, s.w, s.w)
	s.q = work.Grown(s.q, n)
	for i := range n {
		s.q[i] = asm.Dot(s.w.Row(i), s.w.Row(i))
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
	packed, psi2 := make([]float64, pairs), mat.New(size, size)
	mat.Mul(mat.Vector(packed).T(), 1, mat.Vector(m.shares.examples).T(), m.f, 0)
	unpack(psi2, packed)
	var room factorWork
	var s eig.Spectrum // of its own: predictions keep T
	room.eigen.Stop = ctx.Err
	if err := room.generalised(&s, m.k0, psi2, m.jitter); err != nil {
		return failure(ctx, 0, err)
	}
	m.latent, m.values = s.Vectors, s.Values
	m.rotate()
	mat.Mul(m.phi, 1, m.psi1, m.latent, 0)
	return ctx.Err()
}

// rotate makes F_i of Ψ2_i.
func (m *masked) rotate() {
	t := m.latent
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
	m.statistics.Set(p.Latent, p.Inducing())
	if err := checkLatent(m.statistics, p); err != nil {
		return err
	}
	work.Resize(&m.k0, p.Z.Rows, p.Z.Rows)
	m.statistics.Matrix(m.k0)
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
	for i := range s.traces {
		s.traces[i] = work.Sum(m.diag.Row(i))
	}
	z := kronprod.Shaped(s.diag.Data, m.dims(versions, true)...)
	each := m.components() * size
	s.n, s.w = work.Grown(s.n, versions*each), work.Grown(s.w, versions*each)
	m.operator(func(f *maskedFactor) mat.Matrix { return f.squares.T() }).MulTensor(s.n, z, &m.work)
	for i, x := range s.n {
		s.w[i] = 1 + x
	}
	s.logSum = 0
	for v := range versions {
		w := s.w[v*each : (v+1)*each]
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
