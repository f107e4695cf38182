package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// masked is the bound of data with holes (docs/math.md, "Data with holes"). Its inducing variables are features
// Tᵀ·u of those of the complete grid, T = T_0 ⊗ T_1 ⊗ …, with a T that follows the parameters or is held: basis.go.
// In terms of them, with F_i = T_0ᵀ·Ψ2_i·T_0 and φ_i = T_0ᵀ·ψ1_i for every example, w_p = ⊗_f T_fᵀ·k_f(x_p) for every point and K̃ =
// Tᵀ·K·T, q(U_c) = N(K̃α_c, K̃·diag(w)·K̃) and
//
//	(K̃ + Σ_ip ω_ip·F_i ⊗ w_p·w_pᵀ)·α_c = Σ_ip ω_ip·y_ip·φ_i ⊗ w_p       solved by conjugate gradients: system.go
//	N_ab = Σ_ip ω_ip·(F_i)_aa·w_pb²,   1/w_ab = K̃_aa·K̃_bb + N_ab
//
// Tensors have the latent index last: channels (or versions) × points or features of each spatial factor × m_ξ.
type masked struct {
	e     *Evaluator
	masks *masks // nil: not read yet
	basis *basis // nil: none yet

	each    psi.Each
	psi0    []float64    // of every example
	psi1    mat.Matrix   // Ψ1, n_ξ×m_ξ
	phi     mat.Matrix   // φ, n_ξ×m_ξ
	f       mat.Matrix   // lower triangles of F_i, row by row, n_ξ×½m_ξ(m_ξ+1)
	diag    mat.Matrix   // their diagonals, n_ξ×m_ξ
	scratch []mat.Matrix // of chunks, m_ξ×m_ξ, two each

	latent maskedFactor
	space  []*maskedFactor
	held   *Params // parameters of the spatial factors above; nil: of no use

	sums   maskedSums
	system system

	work kronprod.Workspace
}

// A maskedFactor is a factor in terms of features: m_f inducing points, b_f features.
type maskedFactor struct {
	own      *Factor    // K_f and Ψ1_f, without their eigenproblem
	w        mat.Matrix // W_f = Ψ1_f·T_f, n_f×b_f; of the latent factor none
	k        mat.Matrix // K̃_f, b_f×b_f
	same     bool       // K̃_f = I: T belongs to K_f
	inverse  mat.Matrix // K̃_f⁻¹
	logDet   float64
	kappa    []float64  // the diagonal of K̃_f
	q        []float64  // w_pᵀ·K̃_f⁻¹·w_p of every point
	squares  mat.Matrix // W_f∘W_f
	cholesky chol.Factor
	work     factorWork
}

// maskedSums are sums over examples or points.
type maskedSums struct {
	byExample mat.Matrix // Σ_p ω, n_ξ×versions
	qExample  mat.Matrix // Σ_p ω·q_p, n_ξ×versions
	diag      mat.Matrix // Z = Σ_i ω·diag F_i, columns×m_ξ
	n         []float64  // N, versions×b×m_ξ
	w         []float64  // w, likewise
	traces    []float64  // tr K̃_0⁻¹F_i
	logSum    float64    // Σ over versions and their channels of log(κ + N)
	squares   float64    // Σ ω·y², over channels
}

func newMasked(e *Evaluator) *masked {
	m := &masked{e: e}
	for range e.x {
		m.space = append(m.space, &maskedFactor{own: new(Factor)})
	}
	return m
}

// load reads the data, once.
func (m *masked) load(ctx context.Context) (err error) {
	if m.masks == nil {
		m.masks, err = newMasks(ctx, m.e)
	}
	return err
}

// prepare brings everything up to date that does not depend on α. A first basis is that of p.
func (m *masked) prepare(ctx context.Context, p *Params) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if err := m.e.Derive(p); err != nil {
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
	for f, x := range m.e.x {
		if m.held != nil && sameSpace(m.held, p, f) {
			continue
		}
		if err := ctx.Err(); err != nil {
			m.held = nil
			return err
		}
		if err := m.space[f].setSpatial(p, f, x, m.e.jitter, m.basis); err != nil {
			m.held = nil
			return failure(ctx, f+1, err)
		}
	}
	m.held = &Params{}
	for f := range m.e.x {
		m.held.Space = append(m.held.Space, p.Space[f].clone())
	}
	return nil
}

// setSpatial evaluates spatial factor number f at points x (n_f×d_f).
func (s *maskedFactor) setSpatial(p *Params, f int, x mat.Matrix, jitter float64, b *basis) error {
	s.own.evaluate(p.Space[f], x)
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

// evaluate sets K and Psi1 alone, at points x.
func (f *Factor) evaluate(s Spatial, x mat.Matrix) {
	f.Tied = s.Tied()
	if f.Tied {
		work.Resize(&f.K, x.Rows, x.Rows)
		s.Kernel.Matrix(f.K, x, x)
		f.Psi1 = f.K
		return
	}
	work.Resize(&f.K, s.Xu.Rows, s.Xu.Rows)
	work.Resize(&f.Psi1, x.Rows, s.Xu.Rows)
	s.Kernel.Matrix(f.K, s.Xu, s.Xu)
	s.Kernel.Matrix(f.Psi1, x, s.Xu)
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
		if b.latent, b.values, err = generalised(ctx, m.latent.own.K, psi2, m.e.jitter); err != nil {
			return failure(ctx, 0, err)
		}
	}
	m.latent.same = !m.basis.held
	if err := m.latent.congruence(m.basis.latent, m.e.jitter); err != nil {
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
	e, s := m.e, &m.latent
	e.psi.Set(p.Latent, p.Inducing())
	if err := checkLatent(e.psi, p); err != nil {
		return err
	}
	if s.own == nil {
		s.own = new(Factor)
	}
	work.Resize(&s.own.K, p.Z.Rows, p.Z.Rows)
	e.psi.Matrix(s.own.K)
	m.each.Set(p.Latent, p.Inducing(), p.X.Mu.Rows)
	return nil
}

func (m *masked) roomOfChunks(size int) {
	for len(m.scratch) < 2*m.each.Chunks() {
		m.scratch = append(m.scratch, mat.Matrix{})
	}
	for i := range m.scratch {
		work.Resize(&m.scratch[i], size, size)
	}
}

// blockColumns is how many columns are worked on together, so that a block of F's takes about 8 MiB.
func (m *masked) blockColumns() int {
	return max(8, min(m.masks.columns(), maskedBlock/m.f.Cols))
}

// eachBlock calls body with the weights (n_ξ×(to−from)) of some columns at a time.
func (m *masked) eachBlock(beta float64, what weighing, body func(omega mat.Matrix, from, to int)) {
	step, n := m.blockColumns(), m.masks.examples
	buffer := mat.Borrow(step * n)
	defer mat.GiveBack(buffer)
	for from := 0; from < m.masks.columns(); from += step {
		to := min(from+step, m.masks.columns())
		omega := mat.NewDense(n, to-from, (*buffer)[:n*(to-from)])
		m.masks.fill(omega, from, to, beta, what)
		body(omega, from, to)
	}
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

// pointTraces returns w_pᵀ·K̃_s⁻¹·w_p of every point.
func (m *masked) pointTraces() []float64 {
	var all [][]float64
	for _, s := range m.space {
		all = append(all, s.q)
	}
	return kronprod.Vectors(all...)
}

// kappas returns the diagonal of K̃, b×m_ξ.
func (m *masked) kappas() []float64 {
	var all [][]float64
	for _, s := range m.space {
		all = append(all, s.kappa)
	}
	return kronprod.Vectors(append(all, m.latent.kappa)...)
}

// traces sets dst[i] = tr K̃_0⁻¹·F_i.
func (m *masked) traces(dst []float64) {
	packed := make([]float64, m.f.Cols)
	packTwice(packed, m.latent.inverse)
	mat.Mul(mat.Vector(dst), 1, m.f, mat.Vector(packed), 0)
}

// packTwice writes the lower triangle of a row by row, what is off the diagonal twice: tr(a·b) of symmetric matrices
// is the product of one packed so with the other's lower triangle.
func packTwice(dst []float64, a mat.Matrix) {
	for i := range a.Rows {
		row := a.Row(i)
		asm.Scale(dst, 2, row[:i])
		dst[i] = row[i]
		dst = dst[i+1:]
	}
}

// weightedSquares returns Σ ω·y² over all channels.
func (m *masked) weightedSquares(beta float64, what weighing) float64 {
	k, total := m.masks, 0.0
	for c, y := range k.y {
		v := k.version[c]
		if k.squares[v] == nil {
			sum := 0.0
			for i := range y.Rows {
				sum += asm.SumSquares(y.Row(i))
			}
			if what == weights {
				sum *= beta
			}
			total += sum
			continue
		}
		row := mat.New(y.Rows, y.Cols)
		k.fill(row, v*k.points, (v+1)*k.points, beta, what)
		for i := range y.Rows {
			for p, x := range y.Row(i) {
				total += row.At(i, p) * x * x
			}
		}
	}
	return total
}

// components returns b = Π b_f.
func (m *masked) components() int {
	n := 1
	for _, s := range m.space {
		n *= s.w.Cols
	}
	return n
}

// dims returns those of a tensor: count × points or features of each spatial factor × m_ξ.
func (m *masked) dims(count int, points bool) []int {
	d := []int{count}
	for _, s := range m.space {
		if points {
			d = append(d, s.w.Rows)
		} else {
			d = append(d, s.w.Cols)
		}
	}
	return append(d, len(m.latent.kappa))
}

// operator returns a product of the identity, a matrix of each spatial factor, and the identity.
func (m *masked) operator(of func(f *maskedFactor) mat.Matrix) kronprod.Operator {
	o := kronprod.Operator{Factors: make([]mat.Matrix, 2+len(m.space))}
	for f, s := range m.space {
		o.Factors[1+f] = of(s)
	}
	return o
}

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
	return m.value(p), nil
}

// value is the bound at the α that was found, a bound whether it solves the system or not:
//
//	L = Σ_c [½ Σ log ω − ½·n_o·log 2π − ½ Σ ω·y² + α_cᵀb_c − ½·α_cᵀA·α_c]
//	    − ½ Σ_c [ψ0_o − tr K̃⁻¹Ψ2_o] − ½ Σ_c [Σ_ab log(κ_ab + N_ab) − log|K̃|] − KL
func (m *masked) value(p *Params) float64 {
	k, s := m.masks, &m.sums
	l := -0.5*s.squares + m.system.fit()
	slack, traces := m.slack(p)
	for v, channels := range k.channels {
		logs, _ := k.logWeights(v, p.Noise.Beta)
		l += 0.5 * float64(len(channels)) * (logs - float64(k.count[v])*math.Log(2*math.Pi))
	}
	return l - 0.5*(slack-traces) - 0.5*(s.logSum-float64(m.e.y.Channels)*m.logDet()) - m.e.prior.divergence(&p.X)
}

// slack returns Σ_c ψ0_o and Σ_c tr K̃⁻¹Ψ2_o.
func (m *masked) slack(p *Params) (psi0, traces float64) {
	s := &m.sums
	for v, channels := range m.masks.channels {
		var a, b float64
		for i, x := range m.psi0 {
			a += x * s.byExample.At(i, v)
			b += s.traces[i] * s.qExample.At(i, v)
		}
		psi0 += float64(len(channels)) * a
		traces += float64(len(channels)) * b
	}
	return psi0 * p.SpatialVariance(), traces
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

// checkLatent refuses what Factor.setLatent refuses.
func checkLatent(ps *psi.Statistics, p *Params) error {
	if far := ps.Farthest(); !(far <= psi.FarthestInducing) {
		return fmt.Errorf("an inducing input lies %.3g length scales from the mean of all, expected at most %g", far, psi.FarthestInducing)
	}
	if flat := p.Latent.FlatVariance() * p.SpatialVariance(); !(flat <= psi.FlattestPrior) {
		return fmt.Errorf("the linear part, the bias and the time part give f a prior variance of %.3g, expected at most %g", flat, psi.FlattestPrior)
	}
	return nil
}
