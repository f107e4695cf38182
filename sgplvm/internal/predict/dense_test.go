package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Predictions, L* and conditional distributions against dense formulas: with white and structured noise, with a learned covariance of it, which holds on the training grid
// alone, and with a part of time, at times of a sequence, of another that is not known, and at no time. Kernel matrices have a condition number below 10⁶ and the dense
// formulas use their inverses: 1e-9 leaves one digit.
func TestDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(200)) {
		shape := samplingShape(seed)
		switch seed % 10 {
		case 8:
			shape = reference.ResidualShape(32000 + seed)
		case 9:
			shape = reference.TimeShape(seed / 10)
		}
		t.Run(shape.String(), func(t *testing.T) {
			ref := shape.Model(t)
			if seed%10 == 8 {
				learned(t, ref, 3)
			}
			m, d, rng := saying(t, ref, Options{}), reference.NewDense(ref), rand.New(rand.NewPCG(seed, 3))
			times := []*data.Instant{nil}
			if m.times != nil {
				first := m.times[0]
				times = append(times, &first, &data.Instant{Sequence: first.Sequence, Time: 1.3}, &data.Instant{Sequence: 99})
			}
			for _, at := range times {
				for _, g := range []field.Grid{nil, m.ref.RandomGrid(rng)} {
					l := randomLatent(rng, shape.Latent)
					if l.At = at; rng.IntN(3) == 0 {
						clear(l.S)
					}
					checkForecast(t, m, d, l, g)
					checkExample(t, m, d, rng, at, m.or(g))
				}
			}
		})
	}
}

func checkForecast(t *testing.T, m model, d *reference.Dense, l field.Latent, g field.Grid) {
	t.Helper()
	mean, cov, err := m.PredictCovariance(l, g)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	g = m.or(g)
	want, noise := d.Forecast(l.Mu, l.S, l.At, g), d.Noise(reference.GridPoints(g))
	for c, scale := range m.scaler.Scale {
		for a := range mean.Rows {
			y := m.scaler.Mean[c] + scale*want.Mean[c][a]
			compare.NearOne(t, "mean", mean.At(a, c), y, 1e-9)
			compare.NearOne(t, "marginal mean", p.Mean.At(a, c), y, 1e-9)
			compare.NearOne(t, "marginal variance", p.Variance.At(a, c)/(scale*scale), want.Cov[c][a][a]+noise[a][a], 1e-9)
			for b := range mean.Rows {
				compare.NearOne(t, "covariance", cov[c].At(a, b)/(scale*scale), want.Cov[c][a][b], 1e-9)
			}
		}
	}
}

func checkExample(t *testing.T, m model, d *reference.Dense, rng *rand.Rand, at *data.Instant, g field.Grid) {
	t.Helper()
	values := reference.Masked(rng, g.Len(), m.channels(), 0.4, rng.IntN(2) == 0)
	dims := m.params.X.Mu.Cols
	obs := field.Observed{Grid: g, Values: m.ref.UserValues(values)}
	if at != nil { // the standard normal prior at a time
		obs.Prior = &field.Latent{Mu: make([]float64, dims), S: work.Ones(dims), At: at}
	}
	e := m.mustObserveAll(t, obs)
	l := randomLatent(rng, dims)
	l.At = at
	compare.NearOne(t, "test bound", boundAt(mustEvidence(t, e), l), d.TestBound(l.Mu, l.S, at, g, values), 1e-9)

	p := m.conditional(t, e, l, field.InferOptions{})
	mean, variance := d.Conditional(l.Mu, l.S, at, g, values)
	compare.Near(t, "conditional mean", p.Mean.Data, mean.Data, 1e-9)
	compare.Near(t, "conditional variance", p.Variance.Data, variance.Data, 1e-9)
}

// Predictions and L* against values that were computed with 50 digits.
func TestCases(t *testing.T) {
	for _, c := range reference.Cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			m := saying(t, c.Model(t), Options{})
			for i, f := range c.Expected.Forward {
				l, g := field.Latent{Mu: f.Mu, S: f.S}, c.Grid(t, i)
				mean, cov, err := m.PredictCovariance(l, g)
				if err != nil {
					t.Fatal(err)
				}
				p, err := m.Predict(l, g)
				if err != nil {
					t.Fatal(err)
				}
				compare.Near(t, fmt.Sprintf("%d: mean", i), mean.Data, slices.Concat(f.Mean...), reference.Digits)
				compare.Near(t, fmt.Sprintf("%d: marginal mean", i), p.Mean.Data, slices.Concat(f.Mean...), reference.Digits)
				for k := range cov {
					compare.Near(t, fmt.Sprintf("%d: covariance of channel %d", i, k), cov[k].Data, slices.Concat(f.Cov[k]...), reference.Digits)
					for j := range p.Mean.Rows {
						compare.NearOne(t, fmt.Sprintf("%d: marginal variance", i), p.Variance.At(j, k)-1/c.Beta, f.Cov[k][j][j], reference.Digits)
					}
				}
			}
			test := c.Expected.Test
			values := missing(m.grid.Len(), m.channels())
			for k, i := range test.Observed {
				copy(values.Row(i), test.Y[k])
			}
			got := boundAt(mustEvidence(t, m.mustObserve(t, nil, values)), field.Latent{Mu: test.Mu, S: test.S})
			compare.NearOne(t, "test bound", got, test.Bound, reference.Digits)
		})
	}
}
