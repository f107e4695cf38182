package predict

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Sample draws whole fields, all points and channels at once, at the points of a grid
// (nil: the training grid): each has a latent point of its own from l, inducing
// variables from q(U) and the rest from the prior given these (docs/math.md, "Sampling"). Where l
// has no variance the fields have mean and covariance of PredictCovariance, and with noise those of
// PredictDataCovariance; where Predict calibrates variances, so are the distances of the fields from its
// mean. The n_s*×n_s* covariance is not formed; an n_f*×n_f* matrix of each factor is decomposed
// when a grid is first sampled. A single factor of more than 4096 points that are not the training grid
// has none formed: its points are drawn one after the other, each given those of its 48 nearest that are
// drawn already, which comes close to the same distribution (docs/math.md, "Sampling"); 2²² points are
// the most. The same options give the same bits at any GOMAXPROCS. Errors:
// *field.ConfigError, *field.FactorizationError, ctx.Err().
func (q *Posterior) Sample(ctx context.Context, l field.Latent, g field.Grid, o field.SampleOptions) (field.Samples, error) {
	first, last, count, err := drawn(o)
	if err != nil {
		return field.Samples{}, err
	}
	if err := q.checkArguments(l, g); err != nil {
		return field.Samples{}, err
	}
	if g == nil {
		g = q.grid
	}
	s, err := q.drawer(ctx, g)
	if err != nil {
		return field.Samples{}, err
	}
	x, rescaling := l.Sample(count, o.Seed), q.rescaling(g, l)
	r := field.Samples{X: x.Slice(first, last, 0, x.Cols)}
	n, dy := g.Len(), q.channels()
	step := max(1, min(count, drawnTogether, data.SlabNumbers/(n*dy)))
	for from := first / step * step; from < last; from += step {
		if err := ctx.Err(); err != nil {
			return field.Samples{}, err
		}
		to := min(from+step, count)
		y, err := s.draw(x.Slice(from, to, 0, x.Cols), l.At, o.Seed, from, o.Noise)
		if err != nil {
			return field.Samples{}, err
		}
		for k := max(0, first-from); k < min(to, last)-from; k++ {
			field := mat.New(n, dy)
			for c, scale := range q.scaler.Scale {
				for i, v := range y[(k*dy+c)*n : (k*dy+c+1)*n] {
					field.Row(i)[c] = q.scaler.Mean[c] + scale*v
				}
			}
			rescaling.field(field)
			r.Y = append(r.Y, field)
		}
	}
	return r, nil
}

// drawnTogether is how many fields are drawn together at most. What is drawn of all begins at a multiple of it, as products of other shapes round in other ways.
const drawnTogether = 64

// drawn returns which of count samples are drawn.
func drawn(o field.SampleOptions) (first, last, count int, err error) {
	count = max(1, o.Count)
	if first, last = o.From, o.To; first == 0 && last == 0 {
		last = count
	}
	if o.Count < 0 || first < 0 || first > last || last > count {
		err = &field.ConfigError{Field: "SampleOptions", Err: fmt.Errorf("%d samples, from %d to %d, expected no negative number, and some of them", o.Count, first, last)}
	}
	return first, last, count, err
}

// A drawer draws f for latent points, as sampler.draw says.
type drawer interface {
	draw(x mat.Matrix, at *data.Instant, seed uint64, from int, noise bool) ([]float64, error)
}

// wholePoints is up to how many points of a single factor have their covariances formed for samples, and
// maxDrawn how many are drawn at all. Tests lower them.
var wholePoints, maxDrawn = 1 << 12, 1 << 22

// drawer returns what draws fields on a grid.
func (q *Posterior) drawer(ctx context.Context, g field.Grid) (drawer, error) {
	switch n := g[0].Rows; {
	case len(g) > 1 || n <= wholePoints || g.Equal(q.grid):
		return q.projection(g).sampler()
	case n > maxDrawn:
		return nil, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("samples at %d points of one factor, expected at most %d: about %.3g GB", n, maxDrawn, 1e-9*float64(n)*neighboursDrawn*12)}
	}
	return newSequential(ctx, q, g)
}

// field rescales a field, n_s*×d_y in the user's units; nil leaves it as it is.
func (r *rescaling) field(y mat.Matrix) {
	if r == nil {
		return
	}
	for i, v := range y.Data {
		y.Data[i] = r.mean.Data[i] + r.root.Data[i]*(v-r.mean.Data[i])
	}
}
