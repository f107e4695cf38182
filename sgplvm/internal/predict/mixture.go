package predict

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Mixture is the marginal distribution of the data at a grid's points as a mixture
// with equal weights: of Gaussians, one for each of some latent points drawn from q(x).
// Unlike exact moments it has a density that is not Gaussian. Atkinson and Zabaras
// (2018), predictive density.
type Mixture struct {
	X mat.Matrix // n_MOG×d_ξ: the latent points

	scaler   data.Scaler
	mean     []mat.Matrix // per channel, n_MOG×n_s*, in the model's units
	variance []mat.Matrix // per channel, n_MOG×n_s*, noise included; one matrix for all where they are not calibrated
	noise    string       // Prediction.Noise
}

// PredictMixture returns the distribution of the data at the points of a grid (nil: the
// training grid) for a latent posterior as a mixture. Where Predict calibrates variances, so are
// those of the components and the distances of their means from Predict's. Errors:
// *field.ConfigError.
func (q *Posterior) PredictMixture(l field.Latent, g field.Grid, o field.MixtureOptions) (*Mixture, error) {
	if o.Components < 0 {
		return nil, &field.ConfigError{Field: "MixtureOptions", Err: fmt.Errorf("%d components, expected no negative number", o.Components)}
	}
	if o.Components == 0 {
		o.Components = 100
	}
	if err := q.checkArguments(l, g); err != nil {
		return nil, err
	}
	r := &Mixture{X: l.Sample(o.Components, o.Seed), scaler: q.scaler}
	t := q.certain(r.X, l.At)
	n := q.grid.Len()
	if g != nil {
		n = g.Len()
	}
	variances := make([]mat.Matrix, q.versions())
	for v := range variances {
		variances[v] = mat.New(o.Components, n)
	}
	for _, v := range q.version {
		r.mean, r.variance = append(r.mean, mat.New(o.Components, n)), append(r.variance, variances[v])
	}
	q.eachPart(g, func(on *projection, first int) {
		to := first + on.grid.Len()
		r.noise = q.noiseName(on)
		for v, variance := range variances {
			mat.Copy(variance.Slice(0, variance.Rows, first, to), q.certainVariance(on, t, v))
		}
		for c, p := range on.p {
			mat.Mul(r.mean[c].Slice(0, o.Components, first, to), 1, t.psi1, p.T(), 0)
		}
	})
	if rescaling := q.rescaling(g, l); rescaling != nil {
		rescaling.mixture(r)
	}
	return r, nil
}

// certainVariance returns the variances of the data for latent points without uncertainty, a row for each,
// in the model's units, for a version of the mask of the training data.
func (q *Posterior) certainVariance(on *projection, t certain, version int) mat.Matrix {
	count := len(t.k0)
	variance := mat.New(count, on.grid.Len())
	q.setTaken(variance, t.tau, on.features().squared.Factors, version)
	for k, k0 := range t.k0 {
		row := variance.Row(k)
		for i, v := range row {
			row[i] = max(0, k0*q.params.SpatialVariance()+q.structuredVariance(on, i)-v) + 1/q.params.Noise.Beta
		}
	}
	return variance
}

// mixture rescales the components of m, whose channels share their variances.
func (r *rescaling) mixture(m *Mixture) {
	for c, mean := range m.mean {
		variance := m.variance[c].Clone()
		for k := range variance.Rows {
			means, variances := mean.Row(k), variance.Row(k)
			for i := range variances {
				root, centre := r.root.At(i, c), (r.mean.At(i, c)-m.scaler.Mean[c])/m.scaler.Scale[c]
				means[i] = centre + root*(means[i]-centre)
				variances[i] *= root * root
			}
		}
		m.variance[c] = variance
	}
}

func (r *Mixture) points() int { return r.variance[0].Cols }

// Component returns the Gaussian of latent point k, counted from 0, in the user's units.
func (r *Mixture) Component(k int) field.Prediction {
	p := field.Prediction{Mean: mat.New(r.points(), len(r.mean)), Variance: mat.New(r.points(), len(r.mean)), Conditioning: "none", Noise: r.noise}
	for c, s := range r.scaler.Scale {
		for i, v := range r.variance[c].Row(k) {
			p.Mean.Set(i, c, r.scaler.Mean[c]+s*r.mean[c].At(k, i))
			p.Variance.Set(i, c, s*s*v)
		}
	}
	return p
}

// Moments returns mean and variance of the mixture, in the user's units: those of
// Predict but for the choice of latent points.
func (r *Mixture) Moments() field.Prediction {
	n, count := r.points(), float64(r.X.Rows)
	p := field.Prediction{Mean: mat.New(n, len(r.mean)), Variance: mat.New(n, len(r.mean)), Conditioning: "none", Noise: r.noise}
	for c, s := range r.scaler.Scale {
		for i := range n {
			var mean, variance float64
			for k := range r.X.Rows {
				mean += r.mean[c].At(k, i) / count
			}
			for k := range r.X.Rows {
				d := r.mean[c].At(k, i) - mean
				variance += (r.variance[c].At(k, i) + d*d) / count
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
	n := r.points()
	if values.Rows != n || values.Cols != len(r.mean) {
		panic(fmt.Sprintf("sgplvm: LogDensity: values are %d×%d for %d points × %d channels", values.Rows, values.Cols, n, len(r.mean)))
	}
	density := mat.New(n, len(r.mean))
	terms := make([]float64, r.X.Rows)
	for c, s := range r.scaler.Scale {
		for i := range n {
			y, largest := (values.At(i, c)-r.scaler.Mean[c])/s, math.Inf(-1)
			for k := range terms {
				d, v := y-r.mean[c].At(k, i), r.variance[c].At(k, i)
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
