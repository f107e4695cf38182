package sgplvm

import (
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// posterior is what prediction and inference need: the factors of the training
// bound and α = K_uu⁻¹Ū, without the data. It is made from the parameters and α
// alone, so a loaded model predicts with the bits of the one that was saved.
type posterior struct {
	params   *Params
	factors  []*factor
	inducing []mat.Matrix // X_{u,f}; X_f where tied
	psi      *latentPsi
	alpha    kronprod.Tensor // m_ξ × m_1 × … × d_y

	latentTimesSpace mat.Matrix // weights λ0_i·κ_j / d_ij, m_ξ × Π m_f
	starts           *starts    // training posteriors as starting points of inference

	kept  *trainingResiduals // or nil
	grids []*projection      // most recent last; guarded by the model's mutex
}

// computeAlpha returns α = (T_0 ⊗ T_1 ⊗ …)·E for the training data at the
// model's parameters. Besides H and α it needs room for a slab: the spatial modes are
// multiplied in place, and the latent one some components at a time.
func (b *problem) computeAlpha(p *Params) (kronprod.Tensor, error) {
	b.restore()
	if err := b.factorize(p); err != nil {
		return kronprod.Tensor{}, err
	}
	b.sweep.run(b, p.precision(), wantH)
	h, latent, channels, components := b.sweep.h, b.factors[0].coord, b.channels(), b.components()
	m, size := latent.Rows, channels*components
	toInducing := kronprod.Operator{Factors: make([]mat.Matrix, 1, 1+len(b.x))} // T·E, or V·H where tied
	dims := []int{m}
	for _, s := range b.factors[1:] {
		toInducing.Factors = append(toInducing.Factors, s.coord)
		dims = append(dims, s.size())
	}
	alpha := kronprod.NewTensor(append(dims, channels)...)
	width := max(1, min(components, slabNumbers/m))
	block := mat.Borrow(m * width)
	for c := range channels {
		for from := 0; from < components; from += width {
			n, at := min(width, components-from), c*components+from
			product := mat.NewDense(n, m, (*block)[:n*m])
			mat.Mul(product, 1, mat.NewDense(n, m, h.Data[at*m:(at+n)*m]), latent.T(), 0)
			mat.Copy(mat.Matrix{Rows: n, Cols: m, RowStride: channels, ColStride: size, Data: alpha.Data[from*channels+c:]}, product)
		}
	}
	mat.GiveBack(block)
	b.sweep.h = kronprod.Tensor{}

	step := max(1, min(m, slabNumbers/size))
	slab := mat.Borrow(step * size)
	for from := 0; from < m; from += step {
		part := alpha.Data[from*size : min(from+step, m)*size]
		toInducing.MulTensor(*slab, kronprod.Shaped(part, append([]int{len(part) / size}, alpha.Dims[1:]...)...), &b.work)
		copy(part, *slab)
	}
	mat.GiveBack(slab)
	return alpha, nil
}

// ready returns the posterior, which it makes when it is first asked for.
func (m *Model) ready() (*posterior, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.posterior != nil {
		return m.posterior, nil
	}
	if err := m.ensureAlpha(); err != nil {
		return nil, err
	}
	p, err := newPosterior(m.params, m.space, *m.alpha, m.jitter)
	if err != nil {
		return nil, err
	}
	if m.residuals.Rows > 0 {
		p.useResiduals(m.residuals, m.space)
	}
	m.posterior = p
	return p, nil
}

// ensureAlpha computes α of a model that has its training data. The caller
// holds the mutex.
func (m *Model) ensureAlpha() error {
	if m.alpha != nil {
		return nil
	}
	alpha, err := m.problem.computeAlpha(m.params)
	if err != nil {
		return err
	}
	m.alpha = &alpha
	return nil
}

func newPosterior(p *Params, space Grid, alpha kronprod.Tensor, jitter float64) (*posterior, error) {
	q := &posterior{params: p.clone(), alpha: alpha, psi: newLatentPsi(p.Latent, p.Z)}
	latent, err := newLatentFactor(q.psi, p, jitter)
	if err != nil {
		return nil, &FactorizationError{Factor: 0, Err: err}
	}
	q.factors = append(q.factors, latent)
	kappa := [][]float64{}
	for f, x := range space {
		s := new(factor)
		if err := s.set(new(factorWork), p, f, x, jitter); err != nil {
			return nil, &FactorizationError{Factor: f + 1, Err: err}
		}
		q.factors = append(q.factors, s)
		if s.tied {
			q.inducing = append(q.inducing, x)
			kappa = append(kappa, ones(s.size()))
		} else {
			q.inducing = append(q.inducing, p.Xu[f])
			kappa = append(kappa, s.lambda)
		}
	}
	var spatial [][]float64
	for _, s := range q.factors[1:] {
		spatial = append(spatial, s.lambda)
	}
	lambda, weight := kronprod.Vectors(spatial...), kronprod.Vectors(kappa...)
	q.latentTimesSpace = mat.New(latent.size(), len(lambda))
	for i, l0 := range latent.lambda {
		row := q.latentTimesSpace.Row(i)
		for j, l := range lambda {
			row[j] = l0 * weight[j] / (1/p.precision() + l0*l)
		}
	}
	q.starts = newStarts(q.psi, p)
	return q, nil
}

func (q *posterior) channels() int { return q.alpha.Dims[len(q.alpha.Dims)-1] }

// spatialVariance is Π σ²_f, the prior variance of f anywhere for a latent one of 1.
func (q *posterior) spatialVariance() float64 {
	v := 1.0
	for _, k := range q.params.Spatial {
		v *= k.Variance
	}
	return v
}

// A projection is the part of a prediction that depends on the spatial points
// only. For each factor f it holds Φ_f = K_f(X*, X_u)·coord_f, and for each
// channel P = K_s·αᵀ.
type projection struct {
	grid     Grid
	phi      kronprod.Operator // Φ_f, n*_f×m_f
	squared  kronprod.Operator // Φ_f∘Φ_f
	p        []mat.Matrix      // per channel, n_s*×m_ξ
	taper    mat.Matrix        // C at X*, n*×n*, where Σ was learned at these points
	training []int             // which training points X* are, where Σ was learned at these points; else nil

	// What only some predictions need is made when it is first asked for.
	kss      []func() mat.Matrix // K_f(X*, X*), n*_f×n*_f
	residual func() mat.Matrix   // Σ(X*) − β⁻¹·I, n*×n*, where the noise is structured
	sampler  func() (*sampler, error)
}

// gridsKept is how many projections a model keeps for later calls.
const gridsKept = 2

// at returns the projection on a grid; the last ones are kept.
func (m *Model) at(q *posterior, g Grid) *projection {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range q.grids {
		if p.grid.Equal(g) {
			return p
		}
	}
	p := q.project(g)
	if len(q.grids) == gridsKept {
		q.grids = q.grids[1:]
	}
	q.grids = append(q.grids, p)
	return p
}

// cross returns K_f(X, X_u) and Φ_f = K_f(X, X_u)·coord_f, both n×m_f, of spatial factor f,
// counted from 0, at points x (n×d_f).
func (q *posterior) cross(f int, x mat.Matrix) (cross, phi mat.Matrix) {
	s, u := q.factors[f+1], q.inducing[f]
	cross, phi = mat.New(x.Rows, u.Rows), mat.New(x.Rows, s.size())
	q.params.Spatial[f].Matrix(cross, x, u)
	s.toInducing(phi, cross)
	return cross, phi
}

// project evaluates the spatial kernels between a grid and the inducing points.
func (q *posterior) project(g Grid) *projection {
	p := &projection{}
	toGrid := kronprod.Operator{Factors: make([]mat.Matrix, len(q.factors))}
	g = slices.Clone(g)
	for f, x := range g {
		x = x.Clone()
		g[f] = x
		kernel := q.params.Spatial[f]
		cross, phi := q.cross(f, x)
		toGrid.Factors[f+1] = cross
		squared := mat.New(phi.Rows, phi.Cols)
		mat.MulElem(squared, phi, phi)
		p.phi.Factors = append(p.phi.Factors, phi)
		p.squared.Factors = append(p.squared.Factors, squared)
		p.kss = append(p.kss, sync.OnceValue(func() mat.Matrix {
			kss := mat.New(x.Rows, x.Rows)
			kernel.Matrix(kss, x, x)
			return kss
		}))
	}
	if q.params.structured() {
		p.residual = sync.OnceValue(func() mat.Matrix {
			residual := mat.New(g[0].Rows, g[0].Rows)
			q.params.structuredNoise(residual, g[0], p.training)
			return residual
		})
		if p.training = q.params.learnedAt(g[0], q.inducing[0]); p.training != nil {
			p.taper = q.params.taper(g[0])
		}
	}
	p.grid = g
	m, n, dy := q.factors[0].size(), g.Len(), q.channels()
	t := toGrid.MulTensor(make([]float64, m*n*dy), q.alpha, nil)
	for c := range dy {
		view := mat.Matrix{Rows: n, Cols: m, RowStride: dy, ColStride: n * dy, Data: t.Data[c:]}
		p.p = append(p.p, view.Clone())
	}
	p.sampler = sync.OnceValues(func() (*sampler, error) { return newSampler(q, p) })
	return p
}
