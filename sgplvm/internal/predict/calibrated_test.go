package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// calibratedModels calls body for models in time with a calibration at random, a latent posterior at a
// time, and grids.
func calibratedModels(t *testing.T, body func(m, plain model, l field.Latent, grids []field.Grid)) {
	t.Helper()
	for seed := range uint64(compare.Sizes(24)) {
		shape := reference.TimeShape(seed)
		plain := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 70))
		l := randomLatent(rng, shape.Latent)
		l.At = &data.Instant{Sequence: plain.times[0].Sequence, Time: 1.3}
		body(plain.calibrated(t, rng), plain, l, plain.samplingGrids(rng))
	}
}

// ratios are calibrated over uncalibrated variances by the formula of Calibration.
func (m model) ratios(t *testing.T, plain field.Prediction, at data.Instant, g field.Grid) mat.Matrix {
	t.Helper()
	c, r := m.calibration, mat.New(plain.Variance.Rows, plain.Variance.Cols)
	factor, inflation := c.At(m.grid, m.or(g)), c.Inflation.Over(m.times)(at, -1)
	for i := range r.Rows {
		for k, mean := range c.Mean {
			r.Set(i, k, factor.At(i, k)*inflation*math.Pow(plain.Variance.At(i, k)/mean, c.Power-1))
		}
	}
	return r
}

// Variances, covariances, mixtures and samples of a time at which nothing was seen are calibrated
// alike: deviations from the mean grow by the root of one ratio, and the mean stays.
func TestCalibratedAlike(t *testing.T) {
	calibratedModels(t, func(m, plain model, l field.Latent, grids []field.Grid) {
		for _, g := range grids {
			p, err := m.Predict(l, g)
			if err != nil {
				t.Fatal(err)
			}
			before, err := plain.Predict(l, g)
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "mean", p.Mean.Data, before.Mean.Data)
			ratio := m.ratios(t, before, *l.At, g)
			for i, v := range before.Variance.Data {
				compare.NearOne(t, "variance", p.Variance.Data[i]/v, ratio.Data[i], 1e-12)
			}
			checkCalibratedCovariances(t, m, plain, l, g, p, ratio)
			checkCalibratedMixture(t, m, plain, l, g, p, ratio)
			checkCalibratedSamples(t, m, plain, l, g, p, ratio)
		}
	})
}

func checkCalibratedCovariances(t *testing.T, m, plain model, l field.Latent, g field.Grid, p field.Prediction, ratio mat.Matrix) {
	t.Helper()
	for _, of := range []func(m model) (mat.Matrix, []mat.Matrix, error){
		func(m model) (mat.Matrix, []mat.Matrix, error) { return m.PredictCovariance(l, g) },
		func(m model) (mat.Matrix, []mat.Matrix, error) { return m.PredictDataCovariance(l, g) },
	} {
		_, before, err := of(plain)
		if err != nil {
			t.Fatal(err)
		}
		_, after, err := of(m)
		if err != nil {
			t.Fatal(err)
		}
		for c, k := range after {
			for i := range k.Rows {
				for j := range k.Rows {
					want := before[c].At(i, j) * math.Sqrt(ratio.At(i, c)*ratio.At(j, c))
					compare.NearOne(t, "covariance", k.At(i, j), want, 1e-12*math.Sqrt(p.Variance.At(i, c)*p.Variance.At(j, c)))
				}
			}
		}
	}
	_, cov, err := m.PredictDataCovariance(l, g)
	if err != nil {
		t.Fatal(err)
	}
	for c, k := range cov {
		for i := range k.Rows {
			compare.NearOne(t, "variance of the data", k.At(i, i)/p.Variance.At(i, c), 1, 1e-9)
		}
	}
}

func checkCalibratedMixture(t *testing.T, m, plain model, l field.Latent, g field.Grid, p field.Prediction, ratio mat.Matrix) {
	t.Helper()
	o := field.MixtureOptions{Components: 3, Seed: 4}
	before, err := plain.PredictMixture(l, g, o)
	if err != nil {
		t.Fatal(err)
	}
	after, err := m.PredictMixture(l, g, o)
	if err != nil {
		t.Fatal(err)
	}
	for k := range o.Components {
		was, is := before.Component(k), after.Component(k)
		for i, r := range ratio.Data {
			deviation := math.Sqrt(p.Variance.Data[i])
			want := p.Mean.Data[i] + math.Sqrt(r)*(was.Mean.Data[i]-p.Mean.Data[i])
			compare.NearOne(t, "mean of a component", (is.Mean.Data[i]-want)/deviation, 0, 1e-9)
			compare.NearOne(t, "variance of a component", is.Variance.Data[i]/was.Variance.Data[i], r, 1e-9)
		}
	}
	l.S = make([]float64, len(l.S)) // a certain latent variable: one Gaussian, that of Predict
	certain, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	if after, err = m.PredictMixture(l, g, o); err != nil {
		t.Fatal(err)
	}
	got := after.Moments()
	for i, v := range certain.Variance.Data {
		compare.NearOne(t, "mean of the mixture", (got.Mean.Data[i]-certain.Mean.Data[i])/math.Sqrt(v), 0, 1e-9)
		compare.NearOne(t, "variance of the mixture", got.Variance.Data[i]/v, 1, 1e-9)
	}
}

func checkCalibratedSamples(t *testing.T, m, plain model, l field.Latent, g field.Grid, p field.Prediction, ratio mat.Matrix) {
	t.Helper()
	for _, o := range []field.SampleOptions{{Count: 2, Seed: 3}, {Count: 2, Seed: 3, Noise: true}} {
		before, err := plain.Sample(t.Context(), l, g, o)
		if err != nil {
			t.Fatal(err)
		}
		after, err := m.Sample(t.Context(), l, g, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(before.X.Data, after.X.Data); d != "" {
			t.Errorf("latent points:\n%s", d)
		}
		for k, y := range after.Y {
			for i, r := range ratio.Data {
				want := p.Mean.Data[i] + math.Sqrt(r)*(before.Y[k].Data[i]-p.Mean.Data[i])
				compare.NearOne(t, "field", (y.Data[i]-want)/math.Sqrt(p.Variance.Data[i]), 0, 1e-9)
			}
		}
	}
}

// What the example's own values led to is not calibrated in any form: a training example, one that was
// seen in part. Nor is what has no time. An example of which nothing was seen is.
func TestSeenIsNotCalibrated(t *testing.T) {
	calibratedModels(t, func(m, plain model, l field.Latent, grids []field.Grid) {
		values := m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(1, 71)), m.grid.Len(), m.channels(), 0.5, false))
		values.Set(0, 0, m.scaler.Mean[0])
		found, err := m.Infer(t.Context(), field.Observed{Values: values, Prior: &l}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		more := missing(m.grid.Len(), m.channels())
		again, err := m.Infer(t.Context(), field.Observed{Values: more, Prior: &found}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		timeless := l
		timeless.At = nil
		for name, l := range map[string]field.Latent{"a training example": m.TrainingLatent(0), "seen in part": found, "seen before": again, "without a time": timeless} {
			if l.Seen != (name != "without a time") || (l.At == nil) != (name == "without a time") {
				t.Errorf("%s: Seen %v, At %v", name, l.Seen, l.At)
			}
			compare.SameBits(t, name, m.everything(t, l, grids[1]), plain.everything(t, l, grids[1]))
		}
		for name, l := range map[string]field.Latent{"of a time": l, "nothing seen": inferred(t, m, field.Observed{Values: more, Prior: &l})} {
			if got, want := m.everything(t, l, nil), plain.everything(t, l, nil); l.Seen || cmp.Equal(got, want) {
				t.Errorf("%s: not calibrated, Seen %v", name, l.Seen)
			}
		}
	})
}

func inferred(t *testing.T, m model, obs field.Observed) field.Latent {
	t.Helper()
	l, err := m.Infer(t.Context(), obs, field.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// everything lists what all methods say of a latent posterior.
func (m model) everything(t *testing.T, l field.Latent, g field.Grid) []float64 {
	t.Helper()
	p, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	all := append([]float64{}, p.Variance.Data...)
	_, cov, err := m.PredictCovariance(l, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range cov {
		all = append(all, k.Data...)
	}
	x, err := m.PredictMixture(l, g, field.MixtureOptions{Components: 2})
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, x.Component(1).Variance.Data...)
	drawn, err := m.Sample(t.Context(), l, g, field.SampleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, slabs, _ := assembled(t, m, []field.Latent{l, m.PriorLatent()}, g, field.SlabOptions{})
	return append(append(all, drawn.Y[0].Data...), slabs[0].Data...)
}

// Of an example that was seen in part as much is calibrated as its values leave open: what they add to the precision 1/v_0 of the time alone stays, 1/v − 1/v_0, and nothing
// is taken away from it.
func TestCalibrateSeen(t *testing.T) {
	calibratedModels(t, func(m, plain model, l field.Latent, _ []field.Grid) {
		values := m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(2, 71)), m.grid.Len(), m.channels(), 0.5, false))
		obs := field.Observed{Values: values, Prior: &l}
		student := field.InferOptions{DegreesOfFreedom: 0.1} // with which some variances are larger than beforehand
		got, _, err := m.Impute(t.Context(), obs, student)
		if err != nil {
			t.Fatal(err)
		}
		before, _, err := plain.Impute(t.Context(), obs, student)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := plain.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		compare.SameBits(t, "mean", got.Mean.Data, before.Mean.Data)
		ratio := m.ratios(t, alone, *l.At, nil)
		for i, v := range before.Variance.Data {
			v0 := alone.Variance.Data[i]
			want := ratio.Data[i] * v
			if v < v0 {
				want = 1 / (1/v - 1/v0 + 1/(ratio.Data[i]*v0))
			}
			compare.NearOne(t, "variance", got.Variance.Data[i]/v0, want/v0, 1e-12)
		}

		all := m.ref.UserValues(m.ref.Y.Slice(0, m.grid.Len(), 0, m.channels()))
		if got, _, err = m.Impute(t.Context(), field.Observed{Values: all, Prior: &l}, field.InferOptions{}); err != nil {
			t.Fatal(err)
		}
		compare.SameBits(t, "variance of what was seen", got.Variance.Data, make([]float64, len(all.Data)))
	})
}
