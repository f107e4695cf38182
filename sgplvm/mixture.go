package sgplvm

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// MixtureOptions steer PredictMixture. The zero value works.
type MixtureOptions struct {
	Components int    // n_MOG, the number of latent points drawn; 0: 100
	Seed       uint64 // decides which
}

// A Mixture is the marginal distribution of the data at a grid's points as a mixture
// with equal weights: of Gaussians, one for each of some latent points drawn from q(x).
// Unlike exact moments it has a density that is not Gaussian. Atkinson and Zabaras
// (2018), predictive density.
type Mixture struct {
	X mat.Matrix // n_MOG×d_ξ: the latent points

	scaler   Scaler
	mean     []mat.Matrix // per channel, n_MOG×n_s*, in the model's units
	variance mat.Matrix   // n_MOG×n_s*, noise included, of all channels
	noise    string       // Prediction.Noise
}

// PredictMixture returns the distribution of the data at the points of a grid (nil: the
// training grid) for a latent posterior as a mixture. Errors: *ConfigError.
func (m *Model) PredictMixture(l Latent, g Grid, o MixtureOptions) (*Mixture, error) {
	if o.Components < 0 {
		return nil, &ConfigError{Field: "MixtureOptions", Err: fmt.Errorf("Components %d, expected no negative number", o.Components)}
	}
	if o.Components == 0 {
		o.Components = 100
	}
	q, on, err := m.prepare(l, g)
	if err != nil {
		return nil, err
	}
	r := &Mixture{X: l.Sample(o.Components, o.Seed), scaler: m.scaler, variance: mat.New(o.Components, on.grid.Len()), noise: q.noiseOf(on, moments{})}
	t := q.certain(r.X, l.At)
	for _, p := range on.p {
		mean := mat.New(o.Components, p.Rows)
		mat.Mul(mean, 1, t.psi1, p.T(), 0)
		r.mean = append(r.mean, mean)
	}
	h := kronprod.NewTensor(append([]int{o.Components}, spatialDims(q)...)...)
	mat.Mul(mat.NewDense(o.Components, q.latentTimesSpace.Cols, h.Data), 1, t.tau, q.latentTimesSpace, 0)
	explained := kronprod.Operator{Factors: append([]mat.Matrix{{}}, on.squared.Factors...)}
	explained.MulTensor(r.variance.Data, h, nil)
	for k, k0 := range t.k0 {
		row := r.variance.Row(k)
		for i, v := range row {
			row[i] = max(0, k0*q.spatialVariance()+q.residualVariance(on, moments{noise: l.noise()}, i)-v) + l.noise()/q.params.Beta
		}
	}
	return r, nil
}

// Component returns the Gaussian of latent point k, counted from 0, in the user's units.
func (r *Mixture) Component(k int) Prediction {
	p := Prediction{Mean: mat.New(r.variance.Cols, len(r.mean)), Variance: mat.New(r.variance.Cols, len(r.mean)), Conditioning: "none", Noise: r.noise}
	for c, s := range r.scaler.Scale {
		for i, v := range r.variance.Row(k) {
			p.Mean.Set(i, c, r.scaler.Mean[c]+s*r.mean[c].At(k, i))
			p.Variance.Set(i, c, s*s*v)
		}
	}
	return p
}

// Moments returns mean and variance of the mixture, in the user's units: those of
// Predict but for the choice of latent points.
func (r *Mixture) Moments() Prediction {
	n, count := r.variance.Cols, float64(r.variance.Rows)
	p := Prediction{Mean: mat.New(n, len(r.mean)), Variance: mat.New(n, len(r.mean)), Conditioning: "none", Noise: r.noise}
	for c, s := range r.scaler.Scale {
		for i := range n {
			var mean, variance float64
			for k := range r.variance.Rows {
				mean += r.mean[c].At(k, i) / count
			}
			for k := range r.variance.Rows {
				d := r.mean[c].At(k, i) - mean
				variance += (r.variance.At(k, i) + d*d) / count
			}
			p.Mean.Set(i, c, r.scaler.Mean[c]+s*mean)
			p.Variance.Set(i, c, s*s*variance)
		}
	}
	return p
}

// LogDensity returns the natural logarithm of the mixture's density at each of the
// values (n_s*×d_y, in the user's units) by itself, per user's unit; NaN where the value
// is. It panics if the sizes differ.
func (r *Mixture) LogDensity(values mat.Matrix) mat.Matrix {
	n := r.variance.Cols
	if values.Rows != n || values.Cols != len(r.mean) {
		panic(fmt.Sprintf("sgplvm: LogDensity: values are %d×%d for %d points × %d channels", values.Rows, values.Cols, n, len(r.mean)))
	}
	density := mat.New(n, len(r.mean))
	terms := make([]float64, r.variance.Rows)
	for c, s := range r.scaler.Scale {
		for i := range n {
			y, largest := (values.At(i, c)-r.scaler.Mean[c])/s, math.Inf(-1)
			for k := range terms {
				d, v := y-r.mean[c].At(k, i), r.variance.At(k, i)
				terms[k] = -0.5 * (math.Log(2*math.Pi*v) + d*d/v)
				largest = max(largest, terms[k]) // NaN stays
			}
			if math.IsInf(largest, -1) {
				density.Set(i, c, largest)
				continue
			}
			var sum float64
			for _, v := range terms {
				sum += math.Exp(v - largest)
			}
			density.Set(i, c, largest+math.Log(sum/float64(len(terms)))-math.Log(s))
		}
	}
	return density
}
