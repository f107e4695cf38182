package sgplvm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
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
