package sgplvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Every latent kernel trains, is saved and loaded, and fills in what is missing.
func TestEveryLatentKernelTrains(t *testing.T) {
	for parts := reference.Parts(0); parts < 16; parts++ {
		d := bumps(12, 4, 3, 2)
		cfg := small()
		if cfg.LatentKernel = parts.String(); parts == 0 {
			cfg.LatentKernel = ""
		}
		if parts.Has(reference.Time) {
			d.Times = line(12).Data
		}
		tr := newTestTrainer(t, d, cfg.with(steps(20)))
		want := parts.Names()
		if parts == 0 {
			want = psi.Names{"rbf"}
		}
		if got := tr.params.Latent.Names(); !slices.Equal(got, want) {
			t.Errorf("%v: starts with %v", want, got)
		}
		before := boundOf(t, tr)
		if r := finish(t, tr); !(r.Bound > before) {
			t.Errorf("%v: trained from %v to %v", want, before, r.Bound)
		}
		m := modelOf(t, tr)
		l := loaded(t, saved(t, m))
		checkSameModel(t, cfg.LatentKernel, l, m)
		values := d.Y.Slice(0, 12, 0, 1).Clone()
		for i := 0; i < 12; i += 3 {
			values.Set(i, 0, math.NaN())
		}
		prior := m.PriorLatent()
		if d.Times != nil {
			at, err := m.LatentAt(0, []float64{0})
			if err != nil {
				t.Fatal(err)
			}
			prior = at[0]
		}
		p, _, err := l.Impute(context.Background(), Observed{Values: values, Prior: &prior}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			if v := p.Variance.At(i, 0); (values.At(i, 0) == values.At(i, 0)) != (v == 0) || !(v >= 0) || math.Abs(p.Mean.At(i, 0)-100) > 60 {
				t.Errorf("%v: point %d: mean %v, variance %v", want, i, p.Mean.At(i, 0), v)
			}
		}
	}
}

// The linear part and the bias start with the variances that principal components and the mean of the
// examples have.
func TestStartLatentKernel(t *testing.T) {
	const n, points = 40, 8
	y := mat.New(n*points, 1)
	rng := rand.New(rand.NewPCG(43, 0))
	weak, strong := make([]float64, n), make([]float64, n)
	for i := range n {
		weak[i], strong[i] = rng.NormFloat64(), rng.NormFloat64()
		for j := range points {
			up := float64(1 - j%2*2) // ±1 in turn
			half := float64(1 - j/4*2)
			y.Set(i*points+j, 0, 5+3*up*half+2*half*strong[i]+up*weak[i])
		}
	}
	d := Data{Examples: n, Y: y, Grid: Grid{line(points)}}
	start := func(cfg Config) (*Trainer, psi.Kernel) {
		tr := newTestTrainer(t, d, cfg)
		return tr, tr.params.Latent
	}
	tr, k := start(Config{LatentDims: 3, LatentKernel: "rbf+linear+bias"})
	rbf, linear, bias := k.Parts[0].(*psi.RBF), k.Parts[1].(*psi.Linear).Variance, k.Parts[2].(*psi.Bias).Variance
	mean, total := tr.evaluator.Data().Scaler.Mean[0], 0.0
	for _, v := range y.Data {
		total += (v - mean) * (v - mean) / (n * points)
	}
	variance := func(v []float64) float64 {
		var mean, square float64
		for _, x := range v {
			mean, square = mean+x/n, square+x*x/n
		}
		return square - mean*mean
	}
	strongest, weakest := 4*variance(strong), variance(weak)
	// The two sources are correlated by chance, 1/√n, which shifts the components' variances.
	compare.NearOne(t, "variance along the components", (linear[0]+linear[1])*total, strongest+weakest, 1e-9)
	if linear[2] != 1e-3 || !(linear[0] >= strongest/total) || !(linear[1] > 0.5*weakest/total) {
		t.Errorf("linear variances %v, sources %v and %v", linear, strongest/total, weakest/total)
	}
	compare.NearOne(t, "all of the variance", linear[0]+linear[1]+bias, 1, 1e-9)
	if rbf.Variance != 1 || len(rbf.LengthScale) != 3 {
		t.Errorf("RBF part %+v", rbf)
	}
	// Spatial variances multiply the latent ones.
	_, k = start(Config{LatentDims: 3, LatentKernel: "linear+bias", Spatial: []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.Matern32, Variance: 4}}}})
	compare.Near(t, "a quarter", []float64{k.Parts[1].(*psi.Bias).Variance, k.Parts[0].(*psi.Linear).Variance[0]}, []float64{bias / 4, linear[0] / 4}, 1e-15)
}

// Sums and products of kernels in space train like simple ones, for the model and for its noise, and are
// saved and loaded.
func TestSpatialSumsTrain(t *testing.T) {
	sum := kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{{Kind: kernel.RBF}, {Kind: kernel.Matern12}}}
	product := kernel.Kernel{Kind: kernel.Product, Variance: 2, Terms: []kernel.Kernel{{Kind: kernel.Matern52, LengthScale: []float64{3}}, {Kind: kernel.RBF}}}
	waves := kernel.Kernel{Kind: kernel.Product, Terms: []kernel.Kernel{{Kind: kernel.Periodic, Period: 4}, {Kind: kernel.RBF}}}
	for name, c := range map[string]set{
		"periodic":                {bumps(12, 6, 5, 2), Config{Spatial: []SpatialConfig{{Kernel: waves}, {Kernel: kernel.Kernel{Kind: kernel.Periodic, Period: 7}}}}},
		"sum and product":         {bumps(12, 6, 5, 2), Config{Spatial: []SpatialConfig{{Kernel: sum}, {Kernel: product}}}},
		"sum, free points":        {bumps(12, 6, 5, 2), Config{Spatial: []SpatialConfig{{Kernel: sum, Inducing: mat.NewDense(3, 1, []float64{0, 2, 4})}, {}}}},
		"residual of two kernels": {bumps(12, 6, 5, 2).on(plane(6, 5)), Config{Residual: ResidualConfig{Kernel: sum}}},
	} {
		c.config.LatentDims, c.config.Inducing = 2, 8
		tr := newTestTrainer(t, c.data, c.config.with(TrainingConfig{Iterations: 20, Warmup: 5, Joint: true}))
		start := tr.params.Clone()
		before := boundOf(t, tr)
		if r := finish(t, tr); !(r.Bound > before) {
			t.Errorf("%s: bound %v, was %v", name, r.Bound, before)
		}
		if diff(tr.params.Space, start.Space) == "" {
			t.Errorf("%s: space has not moved", name)
		}
		m := modelOf(t, tr)
		l := loaded(t, saved(t, m))
		checkSameModel(t, name, l, m)
		checkSamePredictions(t, name, l, m)
	}
}

// The names of latent kernels are put in order.
func TestParseLatentKernel(t *testing.T) {
	for text, want := range map[string]string{"rbf": "rbf", "time+rbf": "rbf+time", "bias+linear": "linear+bias"} {
		if got, err := ParseLatentKernel(text); got != want || err != nil {
			t.Errorf("%q: %q, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "rbf+", "cubic", "rbf+rbf", "RBF"} {
		if got, err := ParseLatentKernel(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
