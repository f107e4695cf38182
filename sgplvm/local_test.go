package sgplvm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// keeping returns a random model with a learned Σ that keeps its residuals.
func keeping(t *testing.T, shape modelShape) *Model {
	t.Helper()
	m := shape.model(t)
	if err := m.problem.learnNoise(m.params, 4); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.keepResiduals(); err != nil {
		t.Fatal(err)
	}
	return m
}

// The residuals are what the model's own prediction at the training posteriors leaves.
func TestKeptResiduals(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		m := keeping(t, residualShape(40000+seed))
		y, d := m.problem.observations(), newDense(m)
		n := m.space.Len()
		for e := range m.params.Mu.Rows {
			f := d.forecast(Latent{Mu: m.params.Mu.Row(e), S: m.params.S.Row(e)}, m.space)
			for i := range n {
				for c := range m.channels {
					near(t, "residual", one(m.residuals.At(e, i*m.channels+c)), one(y.At(e*n+i, c)-f.mean[c][i]), 1e-9)
				}
			}
		}
		q := m.mustReady(t)
		near(t, "values", q.kept.y.T().Clone().Data, y.Data, 1e-9)
	}
}

// Mean and covariance of an example's own noise by their definition, on the whole grid of
// training and on a part of it in another order.
func TestNoiseNear(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		m := keeping(t, residualShape(41000+seed))
		rng := rand.New(rand.NewPCG(seed, 5))
		if seed%3 == 0 {
			for range m.space[0].Cols {
				m.params.Taper = append(m.params.Taper, 0.5+2*rng.Float64())
			}
		}
		q, g, order := m.mustReady(t), m.space, rng.Perm(m.space.Len())
		if seed%2 == 0 {
			order = order[:1+len(order)/2]
			x := mat.New(len(order), m.space[0].Cols)
			for i, k := range order {
				copy(x.Row(i), m.space[0].Row(k))
			}
			g = Grid{x}
		} else {
			for i := range order {
				order[i] = i
			}
		}
		n := len(order)
		values := masked(rng, n, m.channels, 0.4, false)
		if seed%5 == 0 { // a training example itself
			y := m.problem.observations()
			for i, at := range order {
				for c := range m.channels {
					if v := values.At(i, c); v == v {
						values.Set(i, c, y.At(at, c))
					}
				}
			}
		}
		if v := values.At(0, 0); v != v { // something is seen
			values.Set(0, 0, 0.3)
		}
		e, err := m.observe(q, Observed{Grid: g, Values: m.scaler.unscaled(values)})
		if err != nil {
			t.Fatal(err)
		}
		h, nu := 0.2+rng.Float64(), 10*rng.Float64()
		got := q.noiseNear(e, h, nu)

		y := m.problem.observations()
		examples, points := m.params.Mu.Rows, m.space.Len()
		distance, least := make([]float64, examples), math.Inf(1)
		for k := range distance {
			count := 0.0
			for i, at := range order {
				for c := range m.channels {
					if v := values.At(i, c); v == v {
						distance[k] += math.Pow(v-y.At(k*points+at, c), 2)
						count++
					}
				}
			}
			distance[k] /= count
			least = min(least, distance[k])
		}
		weights, total := make([]float64, examples), nu
		for k, d := range distance {
			weights[k] = math.Exp(-0.5 * (d - least) / (h * h * max(least, 1/m.params.Beta)))
			total += weights[k]
		}
		residual := func(k, i, c int) float64 { return m.residuals.At(k, order[i]*m.channels+c) }
		whole, square := make([]int, n), mat.New(n, n)
		for i := range whole {
			whole[i] = i
		}
		together := got.covariance(whole, whole)
		for i := range n {
			mat.Copy(square.Slice(i, i+1, 0, n), got.covariance([]int{i}, whole))
			near(t, "variance", one(got.variance(i)), one(together.At(i, i)), 1e-9)
		}
		near(t, "covariance row by row", square.Data, together.Data, 1e-9)
		for i := range n {
			for c := range m.channels {
				var mean float64
				for k, w := range weights {
					mean += w * residual(k, i, c) / total
				}
				near(t, "mean", one(got.mean.At(i, c)), one(mean), 1e-5) // examples of weight below 1e-6 are left out
			}
			for j := range n {
				var sum float64
				for c := range m.channels {
					for k, w := range weights {
						sum += w * residual(k, i, c) * residual(k, j, c) / float64(m.channels)
					}
					sum -= total * got.mean.At(i, c) * got.mean.At(j, c) / float64(m.channels)
				}
				sum *= taperOf(q.params.Taper, m.space[0].Row(order[i]), m.space[0].Row(order[j]))
				sum += nu * m.params.Covariance.At(order[i], order[j])
				want := (1 + 1/total) * sum / total
				if i == j {
					want -= 1 / m.params.Beta
				}
				near(t, fmt.Sprintf("covariance of %d and %d", i, j), one(together.At(i, j)), one(want), 1e-5)
			}
		}
	}
}

// taperOf is exp(−Σ (x_q − y_q)²/ℓ_q²), 1 without lengths.
func taperOf(length, x, y []float64) float64 {
	var s float64
	for q, l := range length {
		s += math.Pow((x[q]-y[q])/l, 2)
	}
	return math.Exp(-s)
}

// A learned Σ is the tapered mean of the residuals' squares, blended with the parametric
// one.
func TestLearnNoiseTapered(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		m := residualShape(42000 + seed).model(t)
		p, x := m.params, m.space[0]
		cov, err := m.problem.residualCovariance(p)
		if err != nil {
			t.Fatal(err)
		}
		cov = cov.Clone()
		for q := range x.Cols {
			p.Taper = append(p.Taper, 0.7+float64(q))
		}
		d := newDense(m)
		parametric := d.noiseAt(d.points)
		const strength = 3.0
		if err := m.problem.learnNoise(p, strength); err != nil {
			t.Fatal(err)
		}
		n := float64(p.Mu.Rows)
		for i := range x.Rows {
			for j := range x.Rows {
				want := (n*cov.At(i, j)*taperOf(p.Taper, x.Row(i), x.Row(j)) + strength*parametric[i][j]) / (n + strength)
				near(t, "Σ", one(p.Covariance.At(i, j)), one(want), 1e-10)
			}
		}
	}
}

// With ν degrees of freedom all variances of missing values, noise included, are
// (ν + χ)/(ν + |O|) times those of a Gaussian, with χ = rᵀ·C_OO⁻¹·r by the dense formulas, and
// as many times more as the squares of observed values nearby, each predicted from all others,
// are above the mean of such squares.
func TestFreedom(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		m := residualShape(43000 + seed).model(t)
		rng := rand.New(rand.NewPCG(seed, 6))
		q, d := m.mustReady(t), newDense(m)
		values := masked(rng, m.space.Len(), m.channels, 0.4, false)
		e, err := m.observe(q, Observed{Values: m.scaler.unscaled(values)})
		if err != nil {
			t.Fatal(err)
		}
		l, freedom := randomLatent(rng, m.params.Mu.Cols), 1+20*rng.Float64()
		moments := q.momentsOf(l)
		plain, err := q.conditionalOn(e, moments, ConditionGivenLatent)
		if err != nil {
			t.Fatal(err)
		}
		moments.freedom = freedom
		scaled, err := q.conditionalOn(e, moments, ConditionGivenLatent)
		if err != nil {
			t.Fatal(err)
		}
		f, noise, white := d.forecast(l, m.space), d.noiseAt(d.points), 1/m.params.Beta
		for c, seen := range e.seen {
			if len(seen) == 0 || len(seen) == m.space.Len() {
				continue
			}
			coo, residual := newRows(len(seen), len(seen)), make([]float64, len(seen))
			for a, i := range seen {
				residual[a] = values.At(i, c) - f.mean[c][i]
				for b, j := range seen {
					coo[a][b] = f.shared[i][j] + noise[i][j]
				}
			}
			factor := (freedom + inner(residual, solveWith(choleskyOf(coo), residual))) / (freedom + float64(len(seen)))
			var squares []float64
			var mean float64
			for a := range seen {
				without, rest, cross := rows{}, []float64{}, []float64{}
				for b := range seen {
					if b != a {
						without = append(without, slices.Delete(slices.Clone(coo[b]), a, a+1))
						rest, cross = append(rest, residual[b]), append(cross, coo[a][b])
					}
				}
				weights := solveWith(choleskyOf(without), cross)
				r := residual[a] - inner(weights, rest)
				squares = append(squares, r*r/(coo[a][a]-inner(weights, cross)))
				mean += squares[a] / float64(len(seen))
			}
			x, width := m.space[0], twoSpacings(m.space[0])
			for _, i := range complement(seen, m.space.Len()) {
				sum, total := 5*mean, 5.
				for a, j := range seen {
					var d float64
					for k, w := range width {
						d += math.Pow((x.At(i, k)-x.At(j, k))/w, 2)
					}
					sum, total = sum+math.Exp(-d/2)*squares[a], total+math.Exp(-d/2)
				}
				factor := factor * sum / (total * mean)
				near(t, "mean", one(scaled.Mean.At(i, c)), one(plain.Mean.At(i, c)), 0)
				near(t, "variance", one(scaled.Variance.At(i, c)+white), one(factor*(plain.Variance.At(i, c)+white)), 1e-9)
			}
		}
	}
}

// A model that keeps its residuals has them in its file and fills in with the same bits
// when it is loaded; asked not to, it fills in as one without them.
func TestLocalResidualsFile(t *testing.T) {
	m := keeping(t, modelShape{examples: 6, inducing: 4, latent: 2, channels: 2, jitter: 1e-6, residual: Matern32, space: []factorShape{{points: 6, dims: 2, kind: Matern52}}})
	var file, again bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Save(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Errorf("another file, error %v", err)
	}
	values := m.scaler.unscaled(masked(rand.New(rand.NewPCG(7, 7)), m.space.Len(), m.channels, 0.5, true))
	fill := func(m *Model, o InferOptions) Prediction {
		p, _, err := m.Impute(context.Background(), Observed{Values: values}, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	here, there := fill(m, InferOptions{}), fill(loaded, InferOptions{})
	sameBits(t, "mean of the loaded model", there.Mean.Data, here.Mean.Data)
	sameBits(t, "variance of the loaded model", there.Variance.Data, here.Variance.Data)

	sameBits(t, "variance with 50 degrees of freedom", fill(m, InferOptions{Freedom: 50}).Variance.Data, here.Variance.Data)
	if slices.Equal(fill(m, InferOptions{Freedom: -1}).Variance.Data, here.Variance.Data) {
		t.Error("variances of a Gaussian are those of a Student distribution")
	}

	global := fill(m, InferOptions{LocalBandwidth: -1})
	m.residuals, m.posterior = mat.Matrix{}, nil
	without := fill(m, InferOptions{})
	sameBits(t, "mean with the noise of all", global.Mean.Data, without.Mean.Data)
	if slices.Equal(global.Mean.Data, here.Mean.Data) {
		t.Error("near examples do not count")
	}
	for _, o := range []InferOptions{{LocalStrength: -1}, {LocalBandwidth: math.NaN()}, {NoiseStrength: -1}} {
		if _, _, err := m.Impute(context.Background(), Observed{Values: values}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}

	m.residuals = mat.New(1, 1)
	if err := m.validate(); err == nil {
		t.Error("residuals of another shape are accepted")
	}
}
