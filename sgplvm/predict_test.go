package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The full covariance has the marginal variances on its diagonal, without the
// noise or with it, is symmetric and has no negative eigenvalue. Both are sums of
// the same terms, of at most 100 of them near 1.
func TestPredictCovariance(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		shape := samplingShape(9000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 30))
		for _, g := range []Grid{nil, randomGrid(rng, m)} {
			l := randomLatent(rng, shape.latent)
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
			near(t, "mean", mean.Data, p.Mean.Data, 1e-12)
			same, withNoise, err := m.PredictDataCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, "mean of the data", same.Data, mean.Data)
			q := m.mustReady(t)
			points := g
			if g == nil {
				points = m.space
			}
			on := m.at(q, points)
			for c, k := range cov {
				unit := m.scaler.Scale[c] * m.scaler.Scale[c]
				for i := range k.Rows {
					noise := l.noise()/m.params.Beta + q.residualVariance(on, moments{noise: l.noise()}, i)
					near(t, fmt.Sprintf("%v: variance", shape), one(k.At(i, i)/unit), one(p.Variance.At(i, c)/unit-noise), 1e-10)
					near(t, fmt.Sprintf("%v: variance of the data", shape), one(withNoise[c].At(i, i)/unit), one(p.Variance.At(i, c)/unit), 1e-10)
					if !(p.Variance.At(i, c) >= l.noise()*unit/m.params.Beta) {
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

// difference returns max|a − b|.
func difference(a, b mat.Matrix) float64 {
	d := mat.New(a.Rows, a.Cols)
	mat.Add(d, a, -1, b)
	return mat.NormMax(d)
}

// Covariances are summed over blocks of features, and variances computed in blocks of
// points; how wide these are changes the rounding of a sum of a few terms and nothing
// else.
func TestFeatureBlocks(t *testing.T) {
	defer func(numbers, rows int) { featureNumbers, spreadRows = numbers, rows }(featureNumbers, spreadRows)
	for seed := range uint64(sizes(20)) {
		shape := randomShape(16000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 34))
		g, l := randomGrid(rng, m), randomLatent(rng, shape.latent)
		values := masked(rng, g.Len(), shape.channels, 0.5, true)
		q, e := m.mustObserve(t, g, values)
		var want []float64
		for _, numbers := range []int{1 << 21, 1, g.Len(), 2*g.Len() + 1, 7 * g.Len()} {
			featureNumbers, spreadRows = numbers, min(numbers, 1+int(seed%5))
			_, cov, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			p, err := q.conditional(e, l)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Concat(cov[0].Data, p.Mean.Data, p.Variance.Data)
			if want == nil {
				want = got
			}
			near(t, fmt.Sprintf("%v: blocks of %d numbers", shape, numbers), got, want, 1e-12)
		}
	}
}

// An uncertain latent variable is an average over certain ones: the law of total
// expectation and of total variance, by quadrature.
func TestPredictUncertain(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for seed := range uint64(sizes(10)) {
		shape := randomShape(10000 + seed)
		shape.latent = 1 + int(seed%2)
		m := shape.model(t)
		l := randomLatent(rand.New(rand.NewPCG(seed, 31)), shape.latent)
		for q, scale := range m.params.Latent.LengthScale {
			l.S[q] *= 0.3 * scale * scale
		}
		p, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Mean.Data)
		mean, square, within := make([]float64, n), make([]float64, n), make([]float64, n)
		unit := make([]float64, n)
		for i := range n {
			unit[i] = math.Pow(m.scaler.Scale[i%shape.channels], 2)
		}
		zero := make([]float64, shape.latent)
		var visit func(q int, x []float64, w float64)
		visit = func(q int, x []float64, w float64) {
			if q < shape.latent {
				for k, node := range nodes {
					visit(q+1, append(x, l.Mu[q]+math.Sqrt(l.S[q])*node), w*weights[k])
				}
				return
			}
			at, err := m.Predict(Latent{Mu: x, S: zero}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range at.Mean.Data {
				d := v - p.Mean.Data[i]
				mean[i] += w * v
				square[i] += w * d * d
				within[i] += w * at.Variance.Data[i]
			}
		}
		visit(0, nil, 1)
		for i := range n {
			near(t, shape.String()+": mean", one(p.Mean.Data[i]), one(mean[i]), 1e-9)
			near(t, shape.String()+": variance", one(p.Variance.Data[i]/unit[i]), one((within[i]+square[i])/unit[i]), 1e-9)
		}
	}
}

// Far from all data, in space or in the latent variables, the prior is left.
func TestPredictFar(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(11000 + seed).of(LatentRBF)
		m := shape.model(t)
		var away Grid
		for _, x := range m.space {
			x = x.Clone()
			for i := range x.Data {
				x.Data[i] += 1e3
			}
			away = append(away, x)
		}
		latentAway := Latent{Mu: make([]float64, shape.latent), S: make([]float64, shape.latent)}
		latentAway.Mu[0] = 1e3
		prior := m.params.Latent.Variance
		for _, k := range m.params.Spatial {
			prior *= k.Variance
		}
		for i, c := range []struct {
			l Latent
			g Grid
		}{{randomLatent(rand.New(rand.NewPCG(seed, 32)), shape.latent), away}, {latentAway, nil}} {
			p, err := m.Predict(c.l, c.g)
			if err != nil {
				t.Fatal(err)
			}
			for a := range p.Mean.Rows {
				for channel, scale := range m.scaler.Scale {
					near(t, fmt.Sprintf("%v, %d: mean", shape, i), one(p.Mean.At(a, channel)), one(m.scaler.Mean[channel]), 1e-12)
					near(t, fmt.Sprintf("%v, %d: variance", shape, i), one(p.Variance.At(a, channel)/(scale*scale)), one(prior+1/m.params.Beta), 1e-12)
				}
			}
		}
	}
}

// With almost no noise and every latent point certain and an inducing point,
// the training data are their own prediction.
func TestPredictInterpolates(t *testing.T) {
	shape := modelShape{examples: 4, inducing: 4, latent: 2, channels: 2, space: []factorShape{{points: 4, dims: 1, kind: Matern32}, {points: 3, dims: 1, kind: Matern12}}}
	m := shape.model(t)
	m.params.Z = m.params.Mu.Clone()
	m.params.S.Fill(1e-14)
	m.params.Beta = 1e9
	for n := range 4 {
		p, err := m.Predict(Latent{Mu: m.params.Mu.Row(n), S: m.params.S.Row(n)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := m.scaler.unscaled(m.problem.observations().Slice(n*12, n*12+12, 0, 2))
		// The noise leaves a difference of β⁻¹ over the least eigenvalue of K_uu.
		near(t, fmt.Sprintf("example %d", n), p.Mean.Data, want.Data, 1e-5)
	}
}

// Many goroutines share a model, on more grids than it keeps, and get the bits
// that one would get alone.
func TestPredictConcurrently(t *testing.T) {
	shape := modelShape{examples: 5, inducing: 4, latent: 2, channels: 2, space: []factorShape{{points: 5, dims: 1, kind: Matern32}, {points: 4, dims: 1, inducing: 3, kind: RBF}}}
	rng := rand.New(rand.NewPCG(1, 33))
	alone := shape.model(t)
	grids := []Grid{nil, randomGrid(rng, alone), randomGrid(rng, alone), randomGrid(rng, alone)}
	l := randomLatent(rng, 2)
	values := alone.scaler.unscaled(masked(rng, 20, 2, 0.5, false))
	predict := func(m *Model, i int) []float64 {
		p, err := m.Predict(l, grids[i%4])
		if err != nil {
			t.Error(err)
		}
		filled, found, err := m.Impute(t.Context(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Error(err)
		}
		return slices.Concat(p.Mean.Data, p.Variance.Data, filled.Mean.Data, filled.Variance.Data, found.Mu, found.S)
	}
	var want [4][]float64
	for i := range want {
		want[i] = predict(alone, i)
	}
	shared := shape.model(t)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() { sameBits(t, fmt.Sprintf("goroutine %d", i), predict(shared, i), want[i%4]) })
	}
	group.Wait()
}

func TestPredictSameBitsAtAnyWidth(t *testing.T) {
	m := trained(t)
	g := Grid{line(23), line(19)}
	l := Latent{Mu: []float64{0.4, -1}, S: []float64{0.3, 0.01}}
	var want []float64
	atEveryWidth(func(procs int) {
		fresh := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		p, err := fresh.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := fresh.PredictCovariance(l, g)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Concat(p.Mean.Data, p.Variance.Data, mean.Data, cov[0].Data)
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

func TestPredictErrors(t *testing.T) {
	m := modelShape{examples: 3, inducing: 2, latent: 2, channels: 1, space: []factorShape{{points: 3, dims: 2, kind: RBF}}}.model(t)
	good := Latent{Mu: []float64{0, 1}, S: []float64{0, 1}}
	grid := func(i, j int, v float64) Grid {
		x := m.space[0].Clone()
		x.Set(i, j, v)
		return Grid{x}
	}
	for name, c := range map[string]struct {
		l     Latent
		g     Grid
		field string
	}{
		"a short mean":        {Latent{Mu: one(1), S: good.S}, nil, "Latent"},
		"a long variance":     {Latent{Mu: good.Mu, S: ones(3)}, nil, "Latent"},
		"nothing":             {Latent{}, nil, "Latent"},
		"a NaN mean":          {Latent{Mu: []float64{0, math.NaN()}, S: good.S}, nil, "Latent"},
		"an infinite mean":    {Latent{Mu: []float64{math.Inf(1), 0}, S: good.S}, nil, "Latent"},
		"a NaN variance":      {Latent{Mu: good.Mu, S: []float64{1, math.NaN()}}, nil, "Latent"},
		"a negative variance": {Latent{Mu: good.Mu, S: []float64{1, -1e-9}}, nil, "Latent"},
		"infinite variance":   {Latent{Mu: good.Mu, S: []float64{1, math.Inf(1)}}, nil, "Latent"},
		"too many factors":    {good, Grid{m.space[0], m.space[0]}, "Grid"},
		"one dimension":       {good, Grid{mat.New(3, 1)}, "Grid"},
		"no points":           {good, Grid{mat.New(0, 2)}, "Grid"},
		"a NaN coordinate":    {good, grid(2, 1, math.NaN()), "Grid"},
		"Inf coordinate":      {good, grid(0, 0, math.Inf(-1)), "Grid"},
	} {
		var config *ConfigError
		if _, err := m.Predict(c.l, c.g); !errors.As(err, &config) || config.Field != c.field {
			t.Errorf("%s: Predict: error %v, expected one about %s", name, err, c.field)
		}
		if _, _, err := m.PredictDataCovariance(c.l, c.g); !errors.As(err, &config) || config.Field != c.field {
			t.Errorf("%s: PredictDataCovariance: error %v, expected one about %s", name, err, c.field)
		}
		if _, _, err := m.PredictCovariance(c.l, c.g); !errors.As(err, &config) || config.Field != c.field {
			t.Errorf("%s: PredictCovariance: error %v, expected one about %s", name, err, c.field)
		}
	}
	if p, err := m.Predict(good, grid(0, 0, 1e200)); err != nil || p.Mean.Data[0] != m.scaler.Mean[0] {
		t.Errorf("a point far away: mean %v, error %v, expected the prior's", p.Mean.Data, err)
	}
}
