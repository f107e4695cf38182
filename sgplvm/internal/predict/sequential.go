package predict

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A sequential draws f at more points of a single factor than their covariances can be formed of, by the
// parts of sampler. The first has no need of them. The second is made by Matheron's rule as it stands,
//
//	sqrt(k0 − q0)·f″ + sqrt(q0)·(f′ − Q^½·z),   f′_u = Q_uu^½·z
//
// where f′ and f″ are drawn from K_f at the inducing points, and then at those of the grid in succession.
type sequential struct {
	q    *Posterior
	grid field.Grid
	root mat.Matrix // Q_uu^½, m_f×m_f

	f, noise *succession
}

func newSequential(ctx context.Context, q *Posterior, g field.Grid) (*sequential, error) {
	s := &sequential{q: q, grid: g}
	var err error
	if q.factors[1].Tied {
		if s.root, err = (&sampler{q: q, on: q.training()}).knownRoot(0); err != nil {
			return nil, err
		}
	} else {
		s.root = q.spatialFeatures(0, q.cross(0, q.inducing[0]))
	}
	if s.f, err = newSuccession(ctx, q.params.Space[0].Kernel, q.inducing[0], g[0]); err != nil {
		return nil, s.failed(ctx, 1, err)
	}
	if noise := &q.params.Noise; noise.Structured() {
		if s.noise, err = newSuccession(ctx, noise.Residual, mat.New(0, g[0].Cols), g[0]); err != nil {
			return nil, s.failed(ctx, 1, err)
		}
	}
	return s, nil
}

// failed says what an error of a succession is one of.
func (s *sequential) failed(ctx context.Context, factor int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &field.FactorizationError{Factor: factor, Err: err}
}

// draw is sampler.draw.
func (s *sequential) draw(x mat.Matrix, at *data.Instant, seed uint64, from int, noise bool) ([]float64, error) {
	count, n, m, dy := x.Rows, s.grid.Len(), s.root.Rows, s.q.channels()
	d := &drawing{y: make([]float64, count*dy*n), channels: dy, streams: make([]*rand.Rand, count)}
	t := s.q.certain(x, at)
	left := s.q.leftAt(t)
	known := mat.New(count*dy, s.root.Cols) // what Q^½ is multiplied by
	mat.Parallel(count, func(k int) {
		rng := rand.New(rand.NewPCG(seed, 0x6669656c00000000+uint64(from+k)))
		d.streams[k] = rng
		values, given := make([]float64, m+n), mat.New(m, 1)
		beyond, within := math.Sqrt(max(0, t.k0[k]-t.q0[k])), math.Sqrt(max(0, t.q0[k]))
		z, field := mat.New(s.root.Cols, 1), make([]float64, n)
		prior := func(dst []float64, f *succession, start mat.Matrix) {
			for j := range z.Data {
				z.Data[j] = rng.NormFloat64()
			}
			if start.Rows > 0 {
				mat.Mul(given, 1, start, z, 0)
				copy(values, given.Data)
			}
			f.draw(dst, values, rng)
		}
		for c := range dy {
			y := d.y[(k*dy+c)*n : (k*dy+c+1)*n]
			row := known.Row(k*dy + c)
			for j, v := range left[s.q.version[c]].Row(k) {
				row[j] = math.Sqrt(max(0, v)) * rng.NormFloat64()
			}
			add := func(factor float64) {
				for i, v := range field {
					y[i] += float64(factor * v)
				}
			}
			prior(field, s.f, s.root)
			add(within)
			for j, v := range z.Data {
				row[j] -= float64(within * v)
			}
			prior(field, s.f, s.root)
			add(beyond)
			if noise && s.noise != nil {
				prior(field, s.noise, mat.Matrix{})
				add(1)
			}
		}
	})
	s.q.eachPart(s.grid, func(on *projection, first int) {
		rows := on.grid.Len()
		root := s.q.knownElsewhere(0, on.features().phi.Factors[0], minMode)
		for c, p := range on.p {
			fields := mat.Matrix{Rows: count, Cols: rows, RowStride: dy * n, ColStride: 1, Data: d.y[c*n+first:]}
			mat.Mul(fields, 1, t.psi1, p.T(), 1)
			coefficients := mat.Matrix{Rows: count, Cols: known.Cols, RowStride: dy * known.Cols, ColStride: 1, Data: known.Data[c*known.Cols:]}
			mat.Mul(fields, 1, coefficients, root.T(), 1)
		}
	})
	if noise {
		d.addWhite(math.Sqrt(1 / s.q.params.Noise.Beta))
	}
	return d.y, nil
}
