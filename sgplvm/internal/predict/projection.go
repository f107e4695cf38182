package predict

import (
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A projection is the part of a prediction that depends on the spatial points
// only: for each channel P = K_s·αᵀ, and features.
type projection struct {
	grid     field.Grid
	dims     []int        // n*_f
	p        []mat.Matrix // per channel, n_s*×m_ξ
	training []int        // which training points X* are, where Σ was learned at these points; else nil

	// What only some predictions need is made when it is first asked for.
	features   func() *features
	kss        []func() mat.Matrix // K_f(X*, X*), n*_f×n*_f
	structured func() mat.Matrix   // Σ(X*) − β⁻¹·I, n*×n*, where the noise is structured
	sampler    func() (*sampler, error)
}

// features are those of the spatial points for each factor f: Φ_f = K_f(X*, X_u)·coord_f.
type features struct {
	phi        kronprod.Operator // Φ_f, n*_f×m_f
	squared    kronprod.Operator // Φ_f∘Φ_f
	transposed kronprod.Operator // of squared
}

// projection returns that on a grid (nil: the training grid). The training grid's is kept, and of
// others the last one.
func (q *Posterior) projection(g field.Grid) *projection {
	if g == nil || g.Equal(q.grid) {
		return q.training()
	}
	if p := q.last.Load(); p != nil && p.grid.Equal(g) {
		return p
	}
	p := q.project(g, q.learnedAt(g))
	q.last.Store(p)
	return p
}

// learnedAt returns which training points those of a grid are, where the noise was learned at all of
// them; else nil.
func (q *Posterior) learnedAt(g field.Grid) []int {
	if !q.params.Noise.Structured() {
		return nil
	}
	return q.params.Noise.LearnedAt(g[0], q.inducing[0])
}

// cross returns K_f(X, X_u), n×m_f, of spatial factor f, counted from 0, at points x (n×d_f).
func (q *Posterior) cross(f int, x mat.Matrix) mat.Matrix {
	cross := mat.New(x.Rows, q.inducing[f].Rows)
	q.params.Space[f].Kernel.Matrix(cross, x, q.inducing[f])
	return cross
}

// spatialFeatures returns Φ_f = K_f(X, X_u)·coord_f of cross.
func (q *Posterior) spatialFeatures(f int, cross mat.Matrix) mat.Matrix {
	phi := mat.New(cross.Rows, q.factors[f+1].Size())
	q.factors[f+1].ToInducing(phi, cross)
	return phi
}

// project evaluates the spatial kernels between a grid and the inducing points; training is that of
// learnedAt.
func (q *Posterior) project(g field.Grid, training []int) *projection {
	p := &projection{training: training}
	toGrid := kronprod.Operator{Factors: make([]mat.Matrix, len(q.factors))}
	g = copiedGrid(g)
	for f, x := range g {
		k := q.params.Space[f].Kernel
		toGrid.Factors[f+1] = q.cross(f, x)
		p.kss = append(p.kss, sync.OnceValue(func() mat.Matrix {
			kss := mat.New(x.Rows, x.Rows)
			k.Matrix(kss, x, x)
			return kss
		}))
	}
	if noise := &q.params.Noise; noise.Structured() {
		p.structured = sync.OnceValue(func() mat.Matrix {
			sigma := mat.New(g[0].Rows, g[0].Rows)
			noise.WithoutWhite(sigma, g[0], p.training)
			return sigma
		})
	}
	p.grid, p.dims = g, g.Dims()
	p.features = sync.OnceValue(func() *features {
		all := new(features)
		for f := range g {
			phi := q.spatialFeatures(f, toGrid.Factors[f+1])
			squared := mat.New(phi.Rows, phi.Cols)
			mat.MulElem(squared, phi, phi)
			all.phi.Factors = append(all.phi.Factors, phi)
			all.squared.Factors = append(all.squared.Factors, squared)
		}
		all.transposed = all.squared.T()
		return all
	})
	m, n, dy := q.factors[0].Size(), g.Len(), q.channels()
	t := toGrid.MulTensor(make([]float64, m*n*dy), q.alpha, nil)
	for c := range dy {
		view := mat.Matrix{Rows: n, Cols: m, RowStride: dy, ColStride: n * dy, Data: t.Data[c:]}
		p.p = append(p.p, view.Clone())
	}
	p.sampler = sync.OnceValues(func() (*sampler, error) { return newSampler(q, p) })
	return p
}

// noise returns Σ at a grid's points, n_s*×n_s*.
func (q *Posterior) noise(on *projection) mat.Matrix {
	n := on.grid.Len()
	sigma := mat.New(n, n)
	if on.structured != nil {
		mat.Copy(sigma, on.structured())
	}
	for i := range n {
		sigma.Row(i)[i] += 1 / q.params.Noise.Beta
	}
	return sigma
}

// copiedGrid returns a copy.
func copiedGrid(g field.Grid) field.Grid {
	g = slices.Clone(g)
	for f, x := range g {
		g[f] = x.Clone()
	}
	return g
}

// factorsOn are the factors of calibration on a grid.
type factorsOn struct {
	grid   field.Grid
	factor mat.Matrix
}
