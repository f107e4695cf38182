package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An uncertain latent variable is an average over certain ones: the law of total
// expectation and of total variance, by quadrature.
func TestPredictUncertain(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for seed := range uint64(compare.Sizes(10)) {
		shape := reference.RandomShape(10000 + seed)
		shape.Latent = 1 + int(seed%2)
		m := modelOf(t, shape)
		l := randomLatent(rand.New(rand.NewPCG(seed, 31)), shape.Latent)
		if rbf, is := m.params.Latent.Part("rbf").(*psi.RBF); is {
			for q, scale := range rbf.LengthScale {
				l.S[q] *= 0.3 * scale * scale
			}
		}
		p, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Mean.Data)
		mean, square, within := make([]float64, n), make([]float64, n), make([]float64, n)
		zero := make([]float64, shape.Latent)
		var visit func(q int, x []float64, w float64)
		visit = func(q int, x []float64, w float64) {
			if q < shape.Latent {
				for k, node := range nodes {
					visit(q+1, append(x, l.Mu[q]+math.Sqrt(l.S[q])*node), w*weights[k])
				}
				return
			}
			at, err := m.Predict(field.Latent{Mu: x, S: zero}, nil)
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
			unit := math.Pow(m.scaler.Scale[i%shape.Channels], 2)
			compare.NearOne(t, shape.String()+": mean", p.Mean.Data[i], mean[i], 1e-9)
			compare.NearOne(t, shape.String()+": variance", p.Variance.Data[i]/unit, (within[i]+square[i])/unit, 1e-9)
		}
	}
}

// Far from all data, in space or in the latent variables, the prior is left.
func TestPredictFar(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(11000 + seed).With(reference.RBF)
		m := modelOf(t, shape)
		var away field.Grid
		for _, x := range m.grid {
			x = x.Clone()
			for i := range x.Data {
				x.Data[i] += 1e3
			}
			away = append(away, x)
		}
		latentAway := field.Latent{Mu: make([]float64, shape.Latent), S: make([]float64, shape.Latent)}
		latentAway.Mu[0] = 1e3
		prior := m.params.Latent.Variance("rbf") * m.params.SpatialVariance()
		for i, c := range []struct {
			l field.Latent
			g field.Grid
		}{{randomLatent(rand.New(rand.NewPCG(seed, 32)), shape.Latent), away}, {latentAway, nil}} {
			p, err := m.Predict(c.l, c.g)
			if err != nil {
				t.Fatal(err)
			}
			for a := range p.Mean.Rows {
				for channel, scale := range m.scaler.Scale {
					compare.NearOne(t, fmt.Sprintf("%v, %d: mean", shape, i), p.Mean.At(a, channel), m.scaler.Mean[channel], 1e-12)
					compare.NearOne(t, fmt.Sprintf("%v, %d: variance", shape, i), p.Variance.At(a, channel)/(scale*scale), prior+1/m.params.Noise.Beta, 1e-12)
				}
			}
		}
	}
}

// With almost no noise and every latent point certain and an inducing point,
// the training data are their own prediction.
func TestPredictInterpolates(t *testing.T) {
	ref := reference.Shape{Examples: 4, Inducing: 4, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.Matern32}, {Points: 3, Dims: 1, Kind: kernel.Matern12}}}.Model(t)
	ref.Params.Z = ref.Params.X.Mu.Clone()
	ref.Params.X.S.Fill(1e-14)
	ref.Params.Noise.Beta = 1e9
	m := saying(t, ref, Options{})
	for n := range 4 {
		p, err := m.Predict(field.Latent{Mu: ref.Params.X.Mu.Row(n), S: ref.Params.X.S.Row(n)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := ref.UserValues(ref.Y.Slice(n*12, n*12+12, 0, 2))
		// The noise leaves a difference of β⁻¹ over the least eigenvalue of K_uu.
		compare.Near(t, fmt.Sprintf("example %d", n), p.Mean.Data, want.Data, 1e-5)
	}
}

// Many goroutines share a posterior, on more grids than it keeps, and get the bits
// that one would get alone.
func TestConcurrently(t *testing.T) {
	shape := reference.Shape{Examples: 5, Inducing: 4, Latent: 2, Channels: 2, Time: "matern32", Sequences: 1, TimePart: "rbf", Parts: reference.RBF | reference.Time, Jitter: 1e-6,
		Space: []reference.Factor{{Points: 5, Dims: 1, Kind: kernel.Matern32}, {Points: 4, Dims: 1, Inducing: 3, Kind: kernel.RBF}}}
	ref := shape.Model(t)
	fresh := func() model { return saying(t, ref, Options{}).calibrated(t, rand.New(rand.NewPCG(2, 2))) }
	rng := rand.New(rand.NewPCG(1, 33))
	grids := []field.Grid{nil, ref.RandomGrid(rng), ref.RandomGrid(rng), ref.RandomGrid(rng)}
	values := ref.UserValues(reference.Masked(rng, 20, 2, 0.5, false))
	predict := func(m model, i int) []float64 {
		at, err := m.LatentAt(0, one(1.7))
		if err != nil {
			t.Error(err)
			return nil
		}
		p, err := m.Predict(at[0], grids[i%4])
		if err != nil {
			t.Error(err)
		}
		drawn, err := m.Sample(t.Context(), at[0], grids[i%4], field.SampleOptions{Seed: uint64(i % 4)})
		if err != nil {
			t.Error(err)
		}
		filled, found, err := m.Impute(t.Context(), field.Observed{Values: values, Prior: &at[0]}, field.InferOptions{})
		if err != nil {
			t.Error(err)
		}
		return slices.Concat(p.Mean.Data, p.Variance.Data, drawn.Y[0].Data, filled.Mean.Data, filled.Variance.Data, found.Mu, found.S, m.TrainingLatent(i%4).Mu)
	}
	var want [4][]float64
	for i := range want {
		want[i] = predict(fresh(), i)
	}
	shared := fresh()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() { compare.SameBits(t, fmt.Sprintf("goroutine %d", i), predict(shared, i), want[i%4]) })
	}
	group.Wait()
}

func TestPredictSameBitsAtAnyWidth(t *testing.T) {
	g := field.Grid{line(23), line(19)}
	l := field.Latent{Mu: []float64{0.4, -1}, S: []float64{0.3, 0.01}}
	var want []float64
	compare.AtEveryWidth(func(procs int) {
		fresh := trained(t)
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
		compare.SameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

func TestPredictErrors(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 3, Dims: 2, Kind: kernel.RBF}}})
	good := field.Latent{Mu: []float64{0, 1}, S: []float64{0, 1}}
	grid := func(i, j int, v float64) field.Grid {
		x := m.grid[0].Clone()
		x.Set(i, j, v)
		return field.Grid{x}
	}
	for name, c := range map[string]struct {
		l     field.Latent
		g     field.Grid
		field string
	}{
		"a short mean":        {field.Latent{Mu: one(1), S: good.S}, nil, "Latent"},
		"a long variance":     {field.Latent{Mu: good.Mu, S: work.Ones(3)}, nil, "Latent"},
		"nothing":             {field.Latent{}, nil, "Latent"},
		"a NaN mean":          {field.Latent{Mu: []float64{0, math.NaN()}, S: good.S}, nil, "Latent"},
		"an infinite mean":    {field.Latent{Mu: []float64{math.Inf(1), 0}, S: good.S}, nil, "Latent"},
		"a NaN variance":      {field.Latent{Mu: good.Mu, S: []float64{1, math.NaN()}}, nil, "Latent"},
		"a negative variance": {field.Latent{Mu: good.Mu, S: []float64{1, -1e-9}}, nil, "Latent"},
		"infinite variance":   {field.Latent{Mu: good.Mu, S: []float64{1, math.Inf(1)}}, nil, "Latent"},
		"a NaN time":          {field.Latent{Mu: good.Mu, S: good.S, At: &data.Instant{Time: math.NaN()}}, nil, "Latent"},
		"too many factors":    {good, field.Grid{m.grid[0], m.grid[0]}, "Grid"},
		"no factor":           {good, field.Grid{}, "Grid"},
		"one dimension":       {good, field.Grid{mat.New(3, 1)}, "Grid"},
		"no points":           {good, field.Grid{mat.New(0, 2)}, "Grid"},
		"a NaN coordinate":    {good, grid(2, 1, math.NaN()), "Grid"},
		"Inf coordinate":      {good, grid(0, 0, math.Inf(-1)), "Grid"},
	} {
		for method, ask := range map[string]func() error{
			"Predict":               func() error { _, err := m.Predict(c.l, c.g); return err },
			"PredictCovariance":     func() error { _, _, err := m.PredictCovariance(c.l, c.g); return err },
			"PredictDataCovariance": func() error { _, _, err := m.PredictDataCovariance(c.l, c.g); return err },
			"PredictMixture":        func() error { _, err := m.PredictMixture(c.l, c.g, field.MixtureOptions{}); return err },
			"Sample":                func() error { _, err := m.Sample(t.Context(), c.l, c.g, field.SampleOptions{}); return err },
		} {
			var config *field.ConfigError
			if err := ask(); !errors.As(err, &config) || config.Field != c.field {
				t.Errorf("%s: %s: error %v, expected one about %s", name, method, err, c.field)
			}
		}
	}
	if p, err := m.Predict(good, grid(0, 0, 1e200)); err != nil || p.Mean.Data[0] != m.scaler.Mean[0] {
		t.Errorf("a point far away: mean %v, error %v, expected the prior's", p.Mean.Data, err)
	}
}

// Training points are found by value: −0 is 0, and a learned covariance of the noise holds there.
func TestLearnedNoiseAtNegativeZero(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 3, Latent: 1, Channels: 1, Jitter: 1e-6, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 5, Dims: 2, Kind: kernel.Matern52}}}
	ref := shape.Model(t)
	ref.Space[0].Set(2, 1, 0)
	m := saying(t, learned(t, ref, 2), Options{})
	negative := ref.Space[0].Slice(1, 5, 0, 2).Clone()
	negative.Set(1, 1, math.Copysign(0, -1))
	l := m.PriorLatent()
	want, err := m.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(l, field.Grid{negative})
	if err != nil {
		t.Fatal(err)
	}
	if got.Noise != "learned" {
		t.Errorf("noise %q at training points", got.Noise)
	}
	compare.Near(t, "variance", got.Variance.Data, want.Variance.Data[1:], 1e-12)
	elsewhere, err := m.Predict(l, field.Grid{mat.New(2, 2)})
	if err != nil || elsewhere.Noise != "parametric" || want.Noise != "learned" {
		t.Errorf("noise %q on the training grid, %q off it, error %v", want.Noise, elsewhere.Noise, err)
	}
}
