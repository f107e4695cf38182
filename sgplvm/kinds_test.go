package sgplvm

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

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
		start := tr.inner.Params().Clone()
		before := boundOf(t, c.data, tr)
		if r := finish(t, tr); !(r.Bound > before) {
			t.Errorf("%s: bound %v, was %v", name, r.Bound, before)
		}
		if diff(tr.inner.Params().Space, start.Space) == "" {
			t.Errorf("%s: space has not moved", name)
		}
		m := modelOf(t, tr)
		l := loaded(t, saved(t, m))
		checkSameModel(t, name, l, m)
		if d := diff(answers(t, questions(l)), answers(t, questions(m))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
