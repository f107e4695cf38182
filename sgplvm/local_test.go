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
		near(t, "values", q.kept.y.Data, y.Data, 1e-9)
	}
}

// Mean and covariance of an example's own noise by their definition, on the whole grid of
// training and on a part of it in another order.
func TestNoiseNear(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		m := keeping(t, residualShape(41000+seed))
		rng := rand.New(rand.NewPCG(seed, 5))
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
		values.Set(0, 0, 0.3) // something is seen
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
		for i := range n {
			for c := range m.channels {
				var mean float64
				for k, w := range weights {
					mean += w * residual(k, i, c) / total
				}
				near(t, "mean", one(got.mean.At(i, c)), one(mean), 1e-5) // examples of weight below 1e-6 are left out
			}
			for j := range n {
				sum := nu * m.params.Covariance.At(order[i], order[j])
				for c := range m.channels {
					for k, w := range weights {
						sum += w * residual(k, i, c) * residual(k, j, c) / float64(m.channels)
					}
					sum -= total * got.mean.At(i, c) * got.mean.At(j, c) / float64(m.channels)
				}
				want := (1 + 1/total) * sum / total
				if i == j {
					want -= 1 / m.params.Beta
				}
				near(t, fmt.Sprintf("covariance of %d and %d", i, j), one(got.structured.At(i, j)), one(want), 1e-5)
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
