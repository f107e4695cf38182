package predict

import (
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A Basis is what predictions at certain latent variables x are sums of, at the points of a grid, in the model's units: the
// user's less the mean of a channel, in its deviations. With ψ = ψ1(x), m_ξ numbers,
//
//	ψ_k      = Variance·exp(−½ Σ_q (x_q − Z_kq)²/LengthScale_q²) + Σ_q Linear_q·x_q·Z_kq + Bias + TimeValues_k
//	k(x, x)  = Variance + Σ_q Linear_q·x_q² + Bias + Time
//	mean     = ψᵀ·Mean
//	variance = k(x, x)·Prior − τᵀ·Taken + Noise,   τ = (Rotationᵀ·ψ)∘²
//
// (docs/math.md, "Prediction", at S = 0). Variances are not calibrated. It must not be changed.
type Basis struct {
	Z           mat.Matrix // m_ξ×d_ξ
	Variance    float64    // of the RBF part; 0 without one
	LengthScale []float64  // d_ξ; nil without one
	Linear      []float64  // d_ξ; nil without such a part
	Bias, Time  float64    // 0 without such a part

	Mean     mat.Matrix // m_ξ×(n_s*·d_y), points in the grid's order, the channels of a point side by side
	Rotation mat.Matrix // m_ξ×m_ξ
	Taken    mat.Matrix // as Mean
	Prior    float64
	Noise    []float64 // n_s*·d_y

	times func(at []data.Instant) mat.Matrix
}

// TimeValues returns what the latent kernel's part of time adds to ψ at some times, len(at)×m_ξ; 0 without such a part.
func (b *Basis) TimeValues(at []data.Instant) mat.Matrix { return b.times(at) }

// Basis returns that of the points of a grid (nil: the training grid). Errors: *field.ConfigError.
func (q *Posterior) Basis(g field.Grid) (*Basis, error) {
	if g == nil {
		g = q.grid
	} else if err := q.checkGrid(g); err != nil {
		return nil, err
	}
	p := q.params
	on := q.project(g, q.learnedAt(g))
	m, n, channels := p.Z.Rows, g.Len(), q.channels()
	b := &Basis{Z: p.Z, Rotation: q.factors[0].Coord, Prior: p.SpatialVariance(), times: q.timeValues,
		Mean: mat.New(m, n*channels), Taken: mat.New(m, n*channels), Noise: make([]float64, n*channels)}
	b.setKernel(p.Latent)
	for i := range b.Noise {
		b.Noise[i] = 1/p.Noise.Beta + q.structuredVariance(on, i/channels)
	}
	mat.Parallel(m, func(k int) {
		mean, taken := b.Mean.Row(k), b.Taken.Row(k)
		versions := make([][]float64, q.versions())
		for v, all := range q.taken() {
			versions[v] = on.features().squared.MulTensor(make([]float64, n), kronprod.Shaped(all.Row(k), q.spatialDims()...), nil).Data
		}
		for i := range mean {
			mean[i] = on.p[i%channels].At(i/channels, k)
			taken[i] = versions[q.version[i%channels]][i/channels]
		}
	})
	return b, nil
}

// setKernel takes over the parameters of the latent kernel.
func (b *Basis) setKernel(k psi.Kernel) {
	for _, part := range k.Parts {
		switch p := part.(type) {
		case *psi.RBF:
			b.Variance, b.LengthScale = p.Variance, p.LengthScale
		case *psi.Linear:
			b.Linear = p.Variance
		case *psi.Bias:
			b.Bias = p.Variance
		case *psi.Time:
			b.Time = p.Variance
		}
	}
}

// timeValues returns the kernel's part of time between some times and the inducing points.
func (q *Posterior) timeValues(at []data.Instant) mat.Matrix {
	p := q.params
	dst := mat.New(len(at), p.Z.Rows)
	part := p.Latent.Part("time")
	if part == nil {
		return dst
	}
	var alone psi.Statistics
	alone.Set(psi.Kernel{Parts: []psi.Part{part}}, p.Inducing())
	nowhere := mat.New(len(at), p.Z.Cols)
	alone.Psi1(dst, psi.Q{Mu: nowhere, S: nowhere, At: at})
	return dst
}
