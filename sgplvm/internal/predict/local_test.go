package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The residuals are what the model's own prediction at the training posteriors leaves.
func TestKeptResiduals(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		m := keeping(t, learned(t, reference.ResidualShape(40000+seed).Model(t), 4))
		y, d := m.ref.Y, reference.NewDense(m.ref)
		n := m.grid.Len()
		for e := range m.params.X.Mu.Rows {
			f := d.Forecast(m.params.X.Mu.Row(e), m.params.X.S.Row(e), nil, m.grid)
			for i := range n {
				for c := range m.channels() {
					compare.NearOne(t, "residual", m.residuals.At(e, i*m.channels()+c), y.At(e*n+i, c)-f.Mean[c][i], 1e-9)
				}
			}
		}
	}
}

// Reading training examples hears the context.
func TestResidualsEnd(t *testing.T) {
	ref := learned(t, reference.ResidualShape(41000).Model(t), 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := saying(t, ref, Options{}).Residuals(ctx, ref.Evaluator().Data()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// An example's own noise by its definition: what is said of missing values given latent variables is a conditional Gaussian with its mean and covariance, on the whole grid of
// training and on a part of it in another order, and with what was filled in of the examples that count.
func TestNoiseNear(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		ref := learned(t, reference.ResidualShape(41000+seed).Model(t), 4)
		rng := rand.New(rand.NewPCG(seed, 5))
		if seed%3 == 0 {
			for range ref.Space[0].Cols {
				ref.Params.Noise.Taper = append(ref.Params.Noise.Taper, 0.5+2*rng.Float64())
			}
		}
		m := keeping(t, ref)
		filled := (*Filled)(nil)
		if seed%4 == 1 {
			filled = somethingFilled(m, rng)
			m = m.with(t, Options{Residuals: m.residuals, Filled: filled})
		}
		g, order := m.grid, rng.Perm(m.grid.Len())
		if seed%2 == 0 {
			order = order[:1+len(order)/2]
			g = field.Grid{work.Gather(m.grid[0], order)}
		} else {
			slices.Sort(order)
		}
		n := len(order)
		values := reference.Masked(rng, n, m.channels(), 0.4, false)
		if seed%5 == 0 { // a training example itself
			for i, at := range order {
				for c := range m.channels() {
					if v := values.At(i, c); v == v {
						values.Set(i, c, m.ref.Y.At(at, c))
					}
				}
			}
		}
		if v := values.At(0, 0); v != v { // something is seen
			values.Set(0, 0, 0.3)
		}
		h, nu, l := 0.2+rng.Float64(), 0.1+10*rng.Float64(), randomLatent(rng, m.params.X.Mu.Cols)
		got := m.given(t, m.mustObserve(t, g, values), l, field.InferOptions{LocalBandwidth: h, LocalStrength: nu, FirstOrder: true, DegreesOfFreedom: -1})

		weights, total := m.weightsByDefinition(values, order, h)
		total += nu
		d := reference.NewDense(m.ref)
		f := d.Forecast(l.Mu, l.S, nil, g)
		mean, own, unsure := mat.New(n, m.channels()), mat.New(n, m.channels()), make([]float64, n)
		residual := func(k, i, c int) float64 { return m.residuals.At(k, order[i]*m.channels()+c) }
		for i := range n {
			for c := range m.channels() {
				for k, w := range weights {
					if w > infer.MinWeight {
						own.Set(i, c, own.At(i, c)+w*residual(k, i, c)/total)
						if filled != nil {
							unsure[i] += w / total * filled.Variance.At(k, order[i]*m.channels()+c) / float64(m.channels())
						}
					}
				}
				mean.Set(i, c, f.Mean[c][i]+own.At(i, c))
			}
		}
		covariance := mat.New(n, n)
		for i := range n {
			for j := range n {
				var sum float64
				for c := range m.channels() {
					for k, w := range weights {
						if w > infer.MinWeight {
							sum += w * residual(k, i, c) * residual(k, j, c) / (total * float64(m.channels()))
						}
					}
					sum -= own.At(i, c) * own.At(j, c) / float64(m.channels())
				}
				if filled != nil {
					sum += math.Sqrt(unsure[i]) * math.Sqrt(unsure[j]) * filled.Alike.At(order[i], order[j])
				}
				sum *= taperOf(m.params.Noise.Taper, m.grid[0].Row(order[i]), m.grid[0].Row(order[j]))
				covariance.Set(i, j, f.Shared[i][j]+(1+1/total)*(sum+nu/total*m.params.Noise.Covariance.At(order[i], order[j])))
			}
		}
		for c := range m.channels() {
			spread := mat.New(n, n)
			for i := range n {
				for j := range n {
					spread.Set(i, j, f.Cov[c][i][j]-f.Shared[i][j])
				}
			}
			for _, v := range denseGiven(t, covariance, spread, mean, values, c) {
				compare.NearOne(t, fmt.Sprintf("seed %d: mean", seed), got.Mean.At(v.point, c), v.mean, 1e-7)
				compare.NearOne(t, fmt.Sprintf("seed %d: variance", seed), got.Variance.At(v.point, c)+1/m.params.Noise.Beta, v.variance, 1e-7)
			}
		}
	}
}

// A moment is what is said of a missing value, with noise.
type moment struct {
	point          int
	mean, variance float64
}

// denseGiven returns those of a channel by a covariance of all points, white noise included, and a further one of what the mean is unsure of, which is not conditioned (0×0: none).
func denseGiven(t *testing.T, covariance, spread, mean, values mat.Matrix, c int) (all []moment) {
	t.Helper()
	var seen []int
	for i := range values.Rows {
		if v := values.At(i, c); v == v {
			seen = append(seen, i)
		}
	}
	coo, residual := reference.NewRows(len(seen), len(seen)), make([]float64, len(seen))
	for k, i := range seen {
		residual[k] = values.At(i, c) - mean.At(i, c)
		for l, j := range seen {
			coo[k][l] = covariance.At(i, j)
		}
	}
	factor := reference.Cholesky(coo)
	for _, i := range complement(seen, values.Rows) {
		com := make([]float64, len(seen))
		for k, j := range seen {
			com[k] = covariance.At(j, i)
		}
		g := reference.Solve(factor, com)
		m := moment{i, mean.At(i, c) + reference.Inner(g, residual), covariance.At(i, i) - reference.Inner(g, com)}
		if spread.Rows > 0 {
			m.variance += spread.At(i, i)
			for k, j := range seen {
				m.variance -= 2 * g[k] * spread.At(i, j)
				for l, j2 := range seen {
					m.variance += g[k] * g[l] * spread.At(j, j2)
				}
			}
		}
		all = append(all, m)
	}
	return all
}

// distancesByDefinition returns the mean squared distances of the training examples from values observed at the training points order, which count as a list says (nil: alike).
func (m model) distancesByDefinition(values mat.Matrix, order []int, counts []float64) []float64 {
	points, distances := m.grid.Len(), make([]float64, m.params.X.Mu.Rows)
	for k := range distances {
		count := 0.0
		for i, at := range order {
			for c := range m.channels() {
				if v := values.At(i, c); v == v {
					w := 1.0
					if counts != nil {
						w = counts[i]
					}
					distances[k] += w * math.Pow(v-m.ref.Y.At(k*points+at, c), 2)
					count += w
				}
			}
		}
		distances[k] /= count
	}
	return distances
}

// weightsByDefinition returns the weights of the training examples, and their sum, for values observed at
// the training points order.
func (m model) weightsByDefinition(values mat.Matrix, order []int, h float64) (weights []float64, total float64) {
	weights = m.distancesByDefinition(values, order, nil)
	least := slices.Min(weights)
	for k, d := range weights {
		weights[k] = math.Exp(-0.5 * (d - least) / (h * h * max(least, 1/m.params.Noise.Beta)))
		total += weights[k]
	}
	return weights, total
}

// taperOf is exp(−Σ (x_q − y_q)²/ℓ_q²), 1 without lengths.
func taperOf(length, x, y []float64) float64 {
	var s float64
	for q, l := range length {
		s += math.Pow((x[q]-y[q])/l, 2)
	}
	return math.Exp(-s)
}

// With ν degrees of freedom all variances of missing values, noise included, are
// (ν + τ·χ)/(ν + τ·|O|) times those of a Gaussian, with χ = rᵀ·C_OO⁻¹·r by the dense formulas and τ the square of how many times
// the mean variance of missing values that of observed ones is, at most 1; and as many times more as the squares of observed values nearby, each predicted from all others,
// are above the mean of such squares.
func TestDegreesOfFreedom(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		m := modelOf(t, reference.ResidualShape(43000+seed))
		rng := rand.New(rand.NewPCG(seed, 6))
		d := reference.NewDense(m.ref)
		values := reference.Masked(rng, m.grid.Len(), m.channels(), 0.4, false)
		e := m.mustObserve(t, nil, values)
		l, freedom := randomLatent(rng, m.params.X.Mu.Cols), 1+20*rng.Float64()
		plain, scaled := m.conditional(t, e, l, field.InferOptions{}), m.conditional(t, e, l, field.InferOptions{DegreesOfFreedom: freedom})
		f, noise, white := d.Forecast(l.Mu, l.S, l.At, m.grid), d.Noise(d.Points), 1/m.params.Noise.Beta
		for c, seen := range e.seen() {
			if len(seen) == 0 || len(seen) == m.grid.Len() {
				continue
			}
			coo, residual := reference.NewRows(len(seen), len(seen)), make([]float64, len(seen))
			for a, i := range seen {
				residual[a] = values.At(i, c) - f.Mean[c][i]
				for b, j := range seen {
					coo[a][b] = f.Shared[i][j] + noise[i][j]
				}
			}
			missing, of, to := complement(seen, m.grid.Len()), 0., 0.
			for _, i := range seen {
				of += (f.Shared[i][i] + noise[i][i]) / float64(len(seen))
			}
			for _, i := range missing {
				to += (f.Shared[i][i] + noise[i][i]) / float64(len(missing))
			}
			telling := min(1, math.Pow(of/to, 2))
			chi := reference.Inner(residual, reference.Solve(reference.Cholesky(coo), residual))
			factor := (freedom + float64(telling*chi)) / (freedom + float64(telling*float64(len(seen))))
			var squares []float64
			var mean float64
			for a := range seen {
				without, rest, cross := reference.Rows{}, []float64{}, []float64{}
				for b := range seen {
					if b != a {
						without = append(without, slices.Delete(slices.Clone(coo[b]), a, a+1))
						rest, cross = append(rest, residual[b]), append(cross, coo[a][b])
					}
				}
				weights := reference.Solve(reference.Cholesky(without), cross)
				r := residual[a] - reference.Inner(weights, rest)
				squares = append(squares, r*r/(coo[a][a]-reference.Inner(weights, cross)))
				mean += squares[a] / float64(len(seen))
			}
			x, width := m.grid[0], work.TwoSpacings(m.grid[0])
			for _, i := range missing {
				sum, total := 5*mean, 5.
				for a, j := range seen {
					var d float64
					for k, w := range width {
						d += math.Pow((x.At(i, k)-x.At(j, k))/w, 2)
					}
					sum, total = sum+math.Exp(-d/2)*squares[a], total+math.Exp(-d/2)
				}
				factor := factor * sum / (total * mean)
				compare.NearOne(t, "mean", scaled.Mean.At(i, c), plain.Mean.At(i, c), 0)
				compare.NearOne(t, "variance", scaled.Variance.At(i, c)+white, factor*(plain.Variance.At(i, c)+white), 1e-9)
			}
		}
	}
}

// Asked not to, a model that keeps its residuals fills in as one without them.
func TestLocalNoiseOptions(t *testing.T) {
	shape := reference.Shape{Examples: 6, Inducing: 4, Latent: 2, Channels: 2, Jitter: 1e-6, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 6, Dims: 2, Kind: kernel.Matern52}}}
	m := keeping(t, learned(t, shape.Model(t), 4))
	values := m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(7, 7)), m.grid.Len(), m.channels(), 0.5, true))
	fill := func(m model, o field.InferOptions) field.Prediction {
		o.Candidates = 3 // a search that is not brief
		p, _, err := m.Impute(t.Context(), field.Observed{Values: values}, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	here := fill(m, field.InferOptions{})
	if here.Noise != "local" {
		t.Errorf("noise %q", here.Noise)
	}
	compare.SameBits(t, "variance with 50 degrees of freedom", fill(m, field.InferOptions{DegreesOfFreedom: 50}).Variance.Data, here.Variance.Data)
	if slices.Equal(fill(m, field.InferOptions{DegreesOfFreedom: -1}).Variance.Data, here.Variance.Data) {
		t.Error("variances of a Gaussian are those of a Student distribution")
	}
	global, without := fill(m, field.InferOptions{LocalBandwidth: -1}), fill(m.with(t, Options{}), field.InferOptions{})
	compare.SameBits(t, "mean with the noise of all", global.Mean.Data, without.Mean.Data)
	if slices.Equal(global.Mean.Data, here.Mean.Data) {
		t.Error("near examples do not count")
	}
	for _, o := range []field.InferOptions{{LocalStrength: -1}, {LocalBandwidth: math.NaN()}, {DegreesOfFreedom: math.Inf(1)}} {
		if _, _, err := m.Impute(t.Context(), field.Observed{Values: values}, o); err == nil || !strings.HasPrefix(err.Error(), "sgplvm: InferOptions: ") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// Residuals and calibrations that do not belong to the parameters are refused, in words that say what
// was expected.
func TestOptionsErrors(t *testing.T) {
	shape := reference.Shape{Examples: 3, Inducing: 2, Latent: 1, Channels: 2, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.Matern52}}}
	still := modelOf(t, shape)
	inTime := shape
	inTime.Residual, inTime.Time, inTime.Sequences = "", "rbf", 1
	moving := modelOf(t, inTime).calibrated(t, rand.New(rand.NewPCG(1, 1)))
	change := func(f func(c *Calibration)) Options {
		c := *moving.calibration
		c.Mean, c.Inflation.Ratios, c.Factor = slices.Clone(c.Mean), slices.Clone(c.Inflation.Ratios), c.Factor.Clone()
		f(&c)
		return Options{Calibration: &c}
	}
	for _, c := range []struct {
		m    model
		o    Options
		want string
	}{
		{still, Options{Residuals: mat.New(3, 8)}, "residuals are 3×8 beside a noise covariance of order 0, expected 3×8 beside one of order 4"},
		{saying(t, learned(t, shape.Model(t), 1), Options{}), Options{Residuals: mat.New(1, 1)}, "residuals are 1×1 beside a noise covariance of order 4"},
		{still, Options{Calibration: moving.calibration}, "a calibration, expected none without a dynamical prior"},
		{moving, change(func(c *Calibration) { c.Factor = mat.New(4, 1) }), "calibration is 4×1, expected 4×2"},
		{moving, change(func(c *Calibration) { c.Mean = one(1) }), "calibration with 1 means and the power"},
		{moving, change(func(c *Calibration) { c.Power = math.NaN() }), "calibration with 2 means and the power NaN, expected 2 and a number from 0 to 2"},
		{moving, change(func(c *Calibration) { c.Inflation.Reach = math.Inf(1) }), "calibration with 3 ratios and the reach +Inf"},
		{moving, change(func(c *Calibration) { c.Inflation.Ratios[2] = -1 }), "calibration: ratio -1 of example 2, expected 0 or more"},
		{moving, change(func(c *Calibration) { c.Mean[1] = 0 }), "calibration: mean variance 0 of channel 1"},
		{moving, change(func(c *Calibration) { c.Factor.Set(3, 1, math.Inf(1)) }), "calibration: factor +Inf of point 3, channel 1"},
	} {
		if _, err := c.m.With(c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
}
