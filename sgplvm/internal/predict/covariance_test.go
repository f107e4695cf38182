package predict

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// The full covariance has the marginal variances on its diagonal, without the
// noise or with it, is symmetric and has no negative eigenvalue. Both are sums of
// the same terms, of at most 100 of them near 1.
func TestPredictCovariance(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := samplingShape(9000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 30))
		for _, g := range []field.Grid{nil, m.ref.RandomGrid(rng)} {
			l := randomLatent(rng, shape.Latent)
			l.Noise = float64(seed % 3)
			p, err := m.Predict(l, g)
			if err != nil {
				t.Fatal(err)
			}
			mean, cov, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			if p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q", shape, p.Conditioning)
			}
			compare.Near(t, "mean", mean.Data, p.Mean.Data, 1e-12)
			same, withNoise, err := m.PredictDataCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "mean of the data", same.Data, mean.Data)
			on := m.projection(g)
			for c, k := range cov {
				unit := m.scaler.Scale[c] * m.scaler.Scale[c]
				for i := range k.Rows {
					noise := l.NoiseRatio()/m.params.Noise.Beta + m.structuredVariance(on, moments{noise: l.NoiseRatio()}, i)
					compare.NearOne(t, fmt.Sprintf("%v: variance", shape), k.At(i, i)/unit, p.Variance.At(i, c)/unit-noise, 1e-10)
					compare.NearOne(t, fmt.Sprintf("%v: variance of the data", shape), withNoise[c].At(i, i)/unit, p.Variance.At(i, c)/unit, 1e-10)
					if !(p.Variance.At(i, c) >= l.NoiseRatio()*unit/m.params.Noise.Beta) {
						t.Errorf("%v: variance %v below that of the noise", shape, p.Variance.At(i, c))
					}
				}
				if d := difference(k, k.T().Clone()); !(d <= 1e-12*mat.NormMax(k)) {
					t.Errorf("%v: covariance of channel %d is asymmetric by %g", shape, c, d)
				}
				s, err := eig.Sym(k)
				if err != nil {
					t.Fatal(err)
				}
				if !(s.Values[0] >= -1e-10*unit) {
					t.Errorf("%v: covariance of channel %d has the eigenvalue %g", shape, c, s.Values[0])
				}
			}
		}
	}
}

// Variances are computed in blocks of points; how wide these are changes the rounding of a sum of a few terms and nothing else.
func TestSpreadBlocks(t *testing.T) {
	defer func(rows int) { spreadRows = rows }(spreadRows)
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(16000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 34))
		g, l := m.ref.RandomGrid(rng), randomLatent(rng, shape.Latent)
		var want []float64
		for _, spreadRows = range []int{1024, 1, 2, 5} {
			p, err := m.Predict(l, g)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = p.Variance.Data
			}
			compare.Near(t, fmt.Sprintf("%v: blocks of %d points", shape, spreadRows), p.Variance.Data, want, 1e-12)
		}
	}
}
