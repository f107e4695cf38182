package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// The gradient of the bound of data with holes (docs/math.md, "Data with holes"). α and w are at their optimum, so they
// are numbers here; what T, which follows the parameters, adds is in rotation.go.

// gradient adds the derivatives in the free groups to grad, which holds zeros.
func (m *masked) gradient(ctx context.Context, grad, p *Params, free Group) error {
	if free&GroupNoise != 0 {
		grad.Noise.Beta = m.noiseSlope(p)
	}
	if free&(GroupLatent|GroupSpatial) == 0 {
		return nil
	}
	wd := m.scaledTable()
	if free&GroupSpatial != 0 {
		if err := m.spaceGradient(ctx, grad, p, wd); err != nil {
			return err
		}
	}
	if free&GroupLatent != 0 {
		if err := m.latentGradient(ctx, grad, p, wd); err != nil {
			return err
		}
		(*m.prior).backward(&grad.X, &p.X)
	}
	return ctx.Err()
}

// scaledTable returns w times the number of its version's channels: −2·∂L/∂N.
func (m *masked) scaledTable() kronprod.Tensor {
	t := kronprod.NewTensor(m.dims(m.masks.versions(), false)...)
	each := len(t.Data) / m.masks.versions()
	for v, channels := range m.masks.channels {
		asm.Scale(t.Data[v*each:(v+1)*each], float64(len(channels)), m.sums.w[v*each:(v+1)*each])
	}
	return t
}

// noiseSlope returns ∂L/∂β. All that depends on β are the weights, and L is linear in them but for log ω and, through
// N, log(1 + N), whose derivative is w:
//
//	Σ ½·ω′/ω − ½·ω′·y² + ω′·y·φ_iᵀa_p − ½·ω′·a_pᵀF_ia_p − ½·ω′·(ψ0_i·k_pp − q_p·tr F_i) − ½ Σ_ab w_ab·N′_ab
//
// with ω′ = ∂ω/∂β. Where no errors are known ω′ = ω/β.
func (m *masked) noiseSlope(p *Params) float64 {
	k, s, beta := m.masks, &m.sums, p.Noise.Beta
	slope := 0.0
	exact := true
	for v, channels := range k.channels {
		_, logs := k.logWeights(v, beta)
		slope += 0.5 * float64(len(channels)) * logs
		exact = exact && k.squares[v] == nil
	}
	if exact {
		psi0, traces := m.slack(p)
		y := &m.system
		rest := -0.5*s.squares + asm.Dot(y.alpha, y.b) - 0.5*(asm.Dot(y.alpha, y.image)-asm.SumSquares(y.alpha)) - 0.5*(psi0-traces)
		wd := m.scaledTable()
		rest -= 0.5 * asm.Dot(wd.Data, s.n)
		return slope + rest/beta
	}
	return slope + m.weightSlope(p)
}

// weightSlope is the part of noiseSlope with ω′ that is not ω/β, but for the logarithms.
func (m *masked) weightSlope(p *Params) float64 {
	k, size, beta := m.masks, m.phi.Cols, p.Noise.Beta
	gw := m.spread(m.scaledTable())
	q := m.pointTraces()
	variance := p.SpatialVariance()
	slope := -0.5 * m.weightedSquares(beta, weightSlopes)
	ma := make([]float64, len(m.system.ma))
	m.system.multiplyPoints(m, ma, m.system.a, beta, weightSlopes)
	slope -= 0.5 * asm.Dot(ma, m.system.a)
	m.eachBlock(beta, weightSlopes, func(omega mat.Matrix, from, to int) {
		m.eachSeries(omega, from, to, func(weighted mat.Matrix, c, first, last int) {
			product := mat.New(k.examples, size)
			at := (c*k.points + first) * size
			mat.Mul(product, 1, weighted, mat.NewDense(last-first, size, m.system.a[at:at+(last-first)*size]), 0)
			slope += mat.Dot(product, m.phi)
		})
		product := mat.New(k.examples, size)
		mat.Mul(product, 1, omega, mat.NewDense(to-from, size, gw.Data[from*size:to*size]), 0)
		slope -= 0.5 * mat.Dot(product, m.diag)
		for i := range k.examples {
			for j, w := range omega.Row(i) {
				v, point := (from+j)/k.points, (from+j)%k.points
				slope -= 0.5 * w * float64(len(k.channels[v])) * (m.psi0[i]*variance - m.sums.traces[i]*q[point])
			}
		}
	})
	return slope
}

// spread returns Σ_b G_pb·w_ab for every version and point, columns × m_ξ, G = W∘W.
func (m *masked) spread(wd kronprod.Tensor) kronprod.Tensor {
	buffer := make([]float64, m.masks.columns()*m.phi.Cols)
	return m.operator(func(f *maskedFactor) mat.Matrix { return f.squares }).MulTensor(buffer, wd, &m.work)
}

// spaceGradient chains the derivatives in K̃_f and W_f of every spatial factor into its kernel and inducing points.
func (m *masked) spaceGradient(ctx context.Context, grad, p *Params, wd kronprod.Tensor) error {
	y, channels := &m.system, m.y.Channels
	rest := make([]float64, len(y.atData)) // b_p = Σ_i ω·y·φ_i − M_p·a_p
	asm.AddScaled(rest, y.atData, -1, y.ma)
	atPoints := kronprod.Shaped(rest, m.dims(channels, true)...)
	alpha := kronprod.Shaped(y.alpha, m.dims(channels, false)...)
	byPoint := m.tracesByPoint(p.Noise.Beta)
	psi0, _ := m.slack(p)
	for f, s := range m.space {
		if err := ctx.Err(); err != nil {
			return err
		}
		dW, dK := mat.New(s.w.Rows, s.w.Cols), mat.New(s.w.Cols, s.w.Cols)
		m.crossSlope(dW, atPoints, alpha, f)
		m.traceSlope(dW, dK, byPoint, f)
		m.priorSlope(dK, alpha, wd, 1+f)
		m.tableSlope(dW, dK, wd, f)
		grad.Space[f].Kernel.Variance -= 0.5 * psi0 / p.Space[f].Kernel.Variance
		m.chainSpace(grad, p, f, dW, dK)
	}
	return nil
}

// contracted returns x, at points, contracted with a matrix of every spatial factor but f.
func (m *masked) contracted(x kronprod.Tensor, f int, of func(s *maskedFactor) mat.Matrix) kronprod.Tensor {
	o := m.operator(of)
	o.Factors[1+f] = mat.Matrix{}
	n := len(x.Data)
	for g, s := range m.space {
		if g != f {
			n = n / s.w.Rows * s.w.Cols
		}
	}
	return o.MulTensor(make([]float64, n), x, &m.work)
}

// crossSlope sets dW = Σ_c of the products of b_p, contracted with the other factors' W, and α_c.
func (m *masked) crossSlope(dW mat.Matrix, atPoints, alpha kronprod.Tensor, f int) {
	v := m.contracted(atPoints, f, func(s *maskedFactor) mat.Matrix { return s.w.T() })
	kronprod.Cross(dW, v, alpha, f+1, nil)
}

// tableSlope adds the derivative of −½ Σ_c Σ log(1 + N) through N: −W∘R, R_pb the sum over versions and everything else of
// w_ab·Z_pa and the other factors' G, and through T_f.
func (m *masked) tableSlope(dW, dK mat.Matrix, wd kronprod.Tensor, f int) {
	s := m.space[f]
	z := kronprod.Shaped(m.sums.diag.Data, m.dims(m.masks.versions(), true)...)
	v := m.contracted(z, f, func(s *maskedFactor) mat.Matrix { return s.squares.T() })
	r := mat.New(s.w.Rows, s.w.Cols)
	kronprod.Cross(r, v, wd, f+1, nil)
	mat.MulElem(r, r, s.w)
	mat.Add(dW, dW, -1, r)
	x := mat.New(s.w.Cols, s.w.Cols)
	mat.Mul(x, 1, s.w.T(), r, 0)
	dPsi2 := rotation(dK, x, s.modes)
	mat.ScaleRows(r, m.shares.points[f], s.w)
	mat.Mul(dW, 2, r, dPsi2, 1)
}

// tracesByPoint returns Σ_c Σ_i ω·tr F_i of every point.
func (m *masked) tracesByPoint(beta float64) []float64 {
	k := m.masks
	r := make([]float64, k.points)
	m.eachBlock(beta, weights, func(omega mat.Matrix, from, to int) {
		part := make([]float64, to-from)
		mat.Mul(mat.Vector(part).T(), 1, mat.Vector(m.sums.traces).T(), omega, 0)
		for j, v := range part {
			version, p := (from+j)/k.points, (from+j)%k.points
			r[p] += float64(len(k.channels[version])) * v
		}
	})
	return r
}

// traceSlope adds the derivatives of ½ Σ_p r_p·Π_f w_pᵀK̃_f⁻¹w_p, K̃ = TᵀKT = I.
func (m *masked) traceSlope(dW, dK mat.Matrix, byPoint []float64, f int) {
	s := m.space[f]
	var others [][]float64
	for g, o := range m.space {
		others = append(others, o.q)
		if g == f {
			others[g] = nil
		}
	}
	rho := make([]float64, s.w.Rows)
	kronprod.Marginal(rho, kronprod.Shaped(byPoint, m.x.Dims()...), f, others)
	scaled := mat.New(s.w.Rows, s.w.Cols)
	mat.ScaleRows(scaled, rho, s.w)
	mat.Add(dW, dW, 1, scaled)
	mat.MulSym(dK, -0.5, scaled.T(), s.w, 1)
	mat.MirrorLower(dK)
}

// priorSlope adds the derivatives in K̃_f of ½ d_y·log|K̃| − ½ Σ_c α_cᵀK̃α_c and, through its diagonal, of −½ Σ_c Σ log(κ + N), at K̃ = I;
// mode is the factor's.
func (m *masked) priorSlope(dK mat.Matrix, alpha, wd kronprod.Tensor, mode int) {
	product, diagonal := mat.New(dK.Rows, dK.Rows), make([]float64, dK.Rows)
	kronprod.Gram(product, alpha, mode, nil)
	mat.Add(dK, dK, -0.5, product)
	kronprod.Marginal(diagonal, wd, mode, nil)
	others := float64(m.components()*m.phi.Cols) / float64(dK.Rows)
	for i, v := range diagonal {
		dK.Row(i)[i] += 0.5*float64(m.y.Channels)*others - 0.5*v
	}
}

// chainSpace chains ∂L/∂W_f and ∂L/∂K̃_f into the kernel and, where these are free, the inducing points of spatial
// factor f.
func (m *masked) chainSpace(grad, p *Params, f int, dW, dK mat.Matrix) {
	s, t, x, own := m.space[f], m.space[f].t, m.x[f], &p.Space[f]
	rows := t.Rows
	whole, half := mat.New(rows, rows), mat.New(rows, t.Cols)
	mat.Mul(half, 1, t, dK, 0)
	mat.MulSym(whole, 1, half, t.T(), 0)
	mat.MirrorLower(whole)
	cross := mat.New(s.w.Rows, rows) // ∂L/∂Ψ1_f
	mat.Mul(cross, 1, dW, t.T(), 0)
	to := &grad.Space[f]
	if s.own.Tied {
		mat.Add(whole, whole, 0.5, cross)
		mat.Add(whole, whole, 0.5, cross.T())
		own.Kernel.AddGradient(&to.Kernel, mat.Matrix{}, whole, s.own.K, x, x)
		return
	}
	own.addFree(to, cross, whole, &s.own, x, m.jitter)
}

// latentGradient chains the derivatives in ψ0, φ_i, F_i and K̃_0 into the latent kernel, Z, μ and S.
func (m *masked) latentGradient(ctx context.Context, grad, p *Params, wd kronprod.Tensor) error {
	k, n, size, t := m.masks, m.masks.examples, m.phi.Cols, m.latent
	slopes, dPhi, byTable := mat.New(n, m.f.Cols), mat.New(n, size), mat.New(n, size)
	gw, wide := m.spread(wd), mat.New(len(m.system.a)/size, size) // T_0·a_p
	mat.Mul(wide, 1, mat.NewDense(wide.Rows, size, m.system.a), t.T(), 0)
	m.eachBlock(p.Noise.Beta, weights, func(omega mat.Matrix, from, to int) {
		if ctx.Err() == nil {
			m.addSlopes(slopes, dPhi, byTable, gw, wide.Data, omega, from, to)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	g0, byTrace := make([]float64, n), make([]float64, n)
	for v, channels := range k.channels {
		for i := range n {
			g0[i] -= 0.5 * float64(len(channels)) * m.sums.byExample.At(i, v) * p.SpatialVariance()
			byTrace[i] += float64(len(channels)) * m.sums.qExample.At(i, v)
		}
	}
	dK := mat.New(size, size)
	dPsi2 := rotation(dK, m.rotationTerms(byTable), m.values)
	m.addCommon(slopes, byTable, byTrace, dPsi2)
	to := psi.Gradient{Kernel: grad.Latent, Z: grad.Z, Mu: grad.X.Mu, S: grad.X.S}
	g1 := mat.New(n, size)
	mat.Mul(g1, 1, dPhi, t.T(), 0)
	m.each.Backward(to, g0, g1, m.psi1, p.Q(), func(_, i int, g mat.Matrix) { unpack(g, slopes.Row(i)) })
	m.latentMatrixGradient(to, dK, byTrace, wd)
	return nil
}

// addCommon adds to the slopes in Ψ2_i the terms that all examples have but for factors:
//
//	½·T_0·diag(Σ_c Σ_p ω·q_p − s_i)·T_0ᵀ + r_i·T_0·dPsi2·T_0ᵀ
func (m *masked) addCommon(slopes, byTable mat.Matrix, byTrace []float64, dPsi2 mat.Matrix) {
	n, size, t := slopes.Rows, m.phi.Cols, m.latent
	factors, common := mat.New(n, size+1), mat.New(size+1, slopes.Cols)
	for i := range n {
		row := factors.Row(i)
		for a, s := range byTable.Row(i) {
			row[a] = 0.5 * (byTrace[i] - s)
		}
		row[size] = m.shares.examples[i]
	}
	half, whole, rest := mat.New(size, size), mat.New(size, size), common.Row(size)
	mat.Mul(half, 1, t, dPsi2, 0)
	mat.MulSym(whole, 1, half, t.T(), 0)
	for i := range size {
		rest = rest[copy(rest, whole.Row(i)[:i+1]):]
	}
	columns := t.T().Clone()
	mat.Parallel(size, func(a int) {
		column, rest := columns.Row(a), common.Row(a)
		for i := range size {
			asm.Scale(rest[:i+1], column[i], column[:i+1])
			rest = rest[i+1:]
		}
	})
	mat.Mul(slopes, 1, factors, common, 1)
}

// rotationTerms returns X of rotation.go, Σ_i F_i·diag(s_i), s_i the rows of byTable.
func (m *masked) rotationTerms(byTable mat.Matrix) mat.Matrix {
	size, chunks := m.phi.Cols, m.each.Chunks()
	parts := make([]mat.Matrix, chunks)
	mat.Parallel(chunks, func(chunk int) {
		f, x := m.scratch[2*chunk], mat.New(size, size)
		from, to := work.Block(chunk, chunks, m.f.Rows)
		for i := from; i < to; i++ {
			unpack(f, m.f.Row(i))
			mat.ScaleCols(f, f, byTable.Row(i))
			mat.Add(x, x, 1, f)
		}
		parts[chunk] = x
	})
	for _, x := range parts[1:] {
		mat.Add(parts[0], parts[0], 1, x)
	}
	return parts[0]
}

// addSlopes adds what a block of columns contributes to −½ Σ_c Σ_p ω·(T_0a_p)·(T_0a_p)ᵀ (lower triangles, n_ξ×½m_ξ(m_ξ+1)), ∂L/∂φ
// and Σ_p ω·Σ_b G_pb·w_ab (n_ξ×m_ξ each); wide holds T_0a_p.
func (m *masked) addSlopes(slopes, dPhi, byTable mat.Matrix, gw kronprod.Tensor, wide []float64, omega mat.Matrix, from, to int) {
	k, size, a := m.masks, m.phi.Cols, m.system.a
	buffer := mat.Borrow((to - from) * m.f.Cols)
	outer := mat.NewDense(to-from, m.f.Cols, *buffer)
	parts := min(maskedParts, to-from)
	mat.Parallel(parts, func(part int) {
		first, last := work.Block(part, parts, to-from)
		for j := first; j < last; j++ {
			v, p := (from+j)/k.points, (from+j)%k.points
			row := outer.Row(j)
			clear(row)
			for _, c := range k.channels[v] {
				own := wide[(c*k.points+p)*size:][:size]
				rest := row
				for i := range size {
					asm.Axpy(own[i], own[:i+1], rest[:i+1])
					rest = rest[i+1:]
				}
			}
		}
	})
	mat.Mul(slopes, -0.5, omega, outer, 1)
	mat.GiveBack(buffer)
	mat.Mul(byTable, 1, omega, mat.NewDense(to-from, size, gw.Data[from*size:to*size]), 1)
	m.eachSeries(omega, from, to, func(weighted mat.Matrix, c, p, last int) {
		at := (c*k.points + p) * size
		mat.Mul(dPhi, 1, weighted, mat.NewDense(last-p, size, a[at:at+(last-p)*size]), 1)
	})
}

// latentMatrixGradient chains ∂L/∂K̃_0, of which dK has a part; byTrace are Σ_c Σ_p ω·q_p of the examples.
func (m *masked) latentMatrixGradient(to psi.Gradient, dK mat.Matrix, byTrace []float64, wd kronprod.Tensor) {
	size, t := m.phi.Cols, m.latent
	alpha := kronprod.Shaped(m.system.alpha, m.dims(m.y.Channels, false)...)
	inner, half := mat.New(size, size), mat.New(size, size)
	packed := make([]float64, m.f.Cols)
	mat.Mul(mat.Vector(packed).T(), 1, mat.Vector(byTrace).T(), m.f, 0)
	unpack(inner, packed)
	mat.Add(dK, dK, -0.5, inner)
	m.priorSlope(dK, alpha, wd, 1+len(m.space))
	mat.Mul(half, 1, t, dK, 0)
	mat.MulSym(inner, 1, half, t.T(), 0)
	mat.MirrorLower(inner)
	byMean := m.jitter * mat.Trace(inner) / float64(size) // the jitter is a multiple of the mean diagonal
	for i := range size {
		inner.Row(i)[i] += byMean
	}
	m.statistics.MatrixBackward(to, inner, m.k0)
}
