package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// somethingFilled returns variances and correlations of what was filled in of a model's training data, at random.
func somethingFilled(m model, rng *rand.Rand) *Filled {
	n := m.grid.Len()
	v, root := mat.New(m.params.X.Mu.Rows, n*m.channels()), mat.New(n, n+1)
	for k := range v.Data {
		if rng.IntN(2) == 0 {
			v.Data[k] = rng.Float64()
		}
	}
	for k := range root.Data {
		root.Data[k] = rng.NormFloat64()
	}
	c := mat.New(n, n)
	mat.Mul(c, 1, root, root.T(), 0)
	for i := range n { // of the last point nothing was filled in
		c.Set(i, n-1, 0)
		c.Set(n-1, i, 0)
	}
	return NewFilled(v, c)
}

// What was filled in of the training examples that count adds to the covariance of the noise near an example, and of the direct prediction, its
// variances, weighted as they are, with its correlations.
func TestFilledAddsItsCovariance(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		without, obs, rng := blendCase(t, seed)
		f := somethingFilled(without, rng)
		with := without.with(t, Options{Residuals: without.residuals, Filled: f})
		if with.Options().Filled != f {
			t.Fatal("the options are others")
		}
		e, err := without.observe(obs)
		if err != nil {
			t.Fatal(err)
		}
		b, distances := anyBlend(rng, 1), without.far(e)
		x, channels := data.InSpacings(without.grid), without.channels()
		effective := effective(distances, b.Neighbours)
		var total float64
		near := without.weights(nil, distances, 0.7)
		for _, w := range near {
			total += w
		}
		const strength = 1.5
		for _, c := range []struct {
			what          string
			without, with *ownNoise
			share         func(k int) float64
			whole         float64
			taper         func(i, j int) float64
		}{
			{"direct", without.directMoments(e, distances, &b).own, with.directMoments(e, distances, &b).own, func(k int) float64 { return (1 - b.Shrinkage) * effective[k] }, 1,
				func(i, j int) float64 {
					return math.Exp(-work.SquaredDistance(x.Row(i), x.Row(j)) / (b.Taper * b.Taper))
				}},
			{"near", without.noiseNear(e, near, strength, 0), with.noiseNear(e, near, strength, 0), func(k int) float64 { return near[k] / (total + strength) }, 1 + 1/(total+strength),
				func(i, j int) float64 {
					return taperOf(without.params.Noise.Taper, without.grid[0].Row(i), without.grid[0].Row(j))
				}},
		} {
			before, after := wholeCovariance(t, c.without), wholeCovariance(t, c.with)
			g := make([]float64, without.grid.Len())
			for i := range g {
				for k := range f.Variance.Rows {
					for channel := range channels {
						g[i] += c.share(k) * f.Variance.At(k, i*channels+channel) / float64(channels)
					}
				}
			}
			for i := range g {
				for j := range g {
					want := c.whole * math.Sqrt(g[i]) * math.Sqrt(g[j]) * f.Alike.At(i, j) * c.taper(i, j)
					compare.NearOne(t, fmt.Sprintf("%s, covariance of %d and %d", c.what, i, j), after.At(i, j)-before.At(i, j), want, 1e-2)
				}
				compare.NearOne(t, c.what+", variance", c.with.variance(i), after.At(i, i), 1e-9)
			}
		}
	}
}

// Correlations are those of a covariance, and 0 where it knows nothing.
func TestNewFilled(t *testing.T) {
	f := NewFilled(mat.New(1, 3), mat.NewDense(3, 3, []float64{4, 3, 0, 3, 9, 0, 0, 0, 0}))
	for k, want := range []float64{1, 0.5, 0, 0.5, 1, 0, 0, 0, 1} {
		if f.Alike.Data[k] != want {
			t.Fatalf("correlations %v", f.Alike.Data)
		}
	}
}

// Variances and correlations of other shapes or outside their ranges are refused.
func TestFilledMustFit(t *testing.T) {
	m, _, rng := blendCase(t, 1)
	good := somethingFilled(m, rng)
	n := m.grid.Len()
	for what, change := range map[string]func(o *Options){
		"beside nothing":     func(o *Options) { o.Residuals = mat.Matrix{} },
		"too few variances":  func(o *Options) { o.Filled.Variance = mat.New(1, good.Variance.Cols) },
		"other correlations": func(o *Options) { o.Filled.Alike = mat.New(n-1, n-1) },
		"negative":           func(o *Options) { o.Filled.Variance.Data[3] = -1 },
		"no number":          func(o *Options) { o.Filled.Variance.Data[3] = math.NaN() },
		"infinite":           func(o *Options) { o.Filled.Variance.Data[3] = math.Inf(1) },
		"beyond 1":           func(o *Options) { o.Filled.Alike.Set(0, 0, 2) },
		"not symmetric":      func(o *Options) { o.Filled.Alike.Set(0, 1, o.Filled.Alike.At(0, 1)/2+0.1) },
	} {
		o := Options{Residuals: m.residuals, Filled: &Filled{good.Variance.Clone(), good.Alike.Clone()}}
		if _, err := m.With(o); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if _, err := m.With(o); err == nil {
			t.Error(what + ": accepted")
		}
	}
}
