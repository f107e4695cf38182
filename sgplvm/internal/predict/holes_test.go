package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// learnedFrom returns what a random model says after learning from data with holes; complete data count as such where zero
// says that errors are known and all 0.
func learnedFrom(t testing.TB, m *reference.Model) model {
	t.Helper()
	u, alpha, err := m.Evaluator().Incomplete(t.Context(), m.Params)
	if err != nil {
		t.Fatal(err)
	}
	q, err := New(m.Params, m.Space, m.Scaler, alpha, m.Jitter, Options{Incomplete: u})
	if err != nil {
		t.Fatal(err)
	}
	return model{q, m}
}

// holedShape is a random shape with white noise, in time or not.
func holedShape(seed uint64) reference.Shape {
	if seed%3 == 2 {
		return reference.TimeShape(4 * seed)
	}
	return reference.RandomShape(seed)
}

// hide hides values of the data, of all channels alike or not, and gives some of them errors.
func hide(m *reference.Model, rng *rand.Rand) {
	alike := rng.IntN(2) == 0
	gone := map[int]bool{}
	m.Hide(func(example, point, channel int) bool {
		at := example*m.Space.Len() + point
		if !alike {
			return rng.Float64() < 0.3
		}
		if channel == 0 {
			gone[at] = rng.Float64() < 0.3
		}
		return gone[at]
	})
	m.Errors = mat.New(m.Y.Rows, m.Y.Cols) // so that data of which nothing is hidden count as such with holes
	if rng.IntN(3) == 0 {
		for i := range m.Errors.Rows {
			e := rng.Float64()
			for c := range m.Errors.Cols {
				m.Errors.Set(i, c, e)
			}
		}
	}
}

// Predictions, L* and conditional distributions against dense formulas, with the dense q(U) of every channel.
func TestHolesDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(80)) {
		m := holedShape(seed).Model(t)
		rng := rand.New(rand.NewPCG(seed, 42))
		hide(m, rng)
		q := learnedFrom(t, m)
		whole := *m
		whole.Y = mat.New(m.Y.Rows, m.Y.Cols)
		d := reference.NewDense(&whole)
		t0 := joined(q.incomplete.Latent, q.incomplete.Space)
		for c := range m.Channels() {
			h := d.Holed(m, c, t0)
			d.Alpha[c], d.AInverse = h.Alpha, h.Covariance
			compare.Near(t, "α", channelOf(q, c), h.Alpha, 1e-6)
		}
		for c := range m.Channels() {
			d.AInverse = d.Holed(m, c, t0).Covariance
			for _, g := range []field.Grid{nil, m.RandomGrid(rng)} {
				checkChannel(t, q, d, c, randomLatent(rng, m.Params.X.Mu.Cols), g)
			}
		}
		if t.Failed() {
			t.Fatal(seed)
		}
	}
}

// joined returns ⊗T_f.
func joined(latent mat.Matrix, space []mat.Matrix) mat.Matrix {
	t := latent
	for _, s := range space {
		next := mat.New(t.Rows*s.Rows, t.Cols*s.Cols)
		for i := range next.Rows {
			for j := range next.Cols {
				next.Set(i, j, t.At(i/s.Rows, j/s.Cols)*s.At(i%s.Rows, j%s.Cols))
			}
		}
		t = next
	}
	return t
}

// channelOf returns α of a channel.
func channelOf(q model, c int) []float64 {
	var v []float64
	for i := c; i < len(q.alpha.Data); i += q.channels() {
		v = append(v, q.alpha.Data[i])
	}
	return v
}

// checkChannel compares what is said of one channel, for which d has q(U).
func checkChannel(t *testing.T, q model, d *reference.Dense, c int, l field.Latent, g field.Grid) {
	t.Helper()
	const digits = 1e-6 // the dense α has the condition of the whole kernel matrix
	p, err := q.Predict(l, g)
	if err != nil {
		t.Fatal(err)
	}
	mean, cov, err := q.PredictDataCovariance(l, g)
	if err != nil {
		t.Fatal(err)
	}
	var slab field.Slab
	err = q.PredictSlabs(t.Context(), []field.Latent{l}, g, field.SlabOptions{Numbers: 1 << 20}, func(s field.Slab) error {
		slab = s
		for i := range s.Mean[0].Rows {
			compare.NearOne(t, "mean of a slab", s.Mean[0].At(i, c), p.Mean.At(s.First+i, c), 1e-11)
			compare.NearOne(t, "variance of a slab", s.Variance[0].At(i, c), p.Variance.At(s.First+i, c), 1e-11)
		}
		return nil
	})
	if err != nil || slab.Mean == nil {
		t.Fatal(err)
	}
	certain := field.Latent{Mu: l.Mu, S: make([]float64, len(l.S))}
	mixture, err := q.PredictMixture(certain, g, field.MixtureOptions{Components: 1})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := q.Predict(certain, g)
	if err != nil {
		t.Fatal(err)
	}
	whole := q.or(g)
	want := d.Forecast(l.Mu, l.S, nil, whole)
	scale, beta := q.scaler.Scale[c], q.params.Noise.Beta
	for a := range p.Mean.Rows {
		component := mixture.Component(0)
		variance := component.Variance.At(a, c)
		compare.NearOne(t, "variance of a mixture", variance, alone.Variance.At(a, c), 1e-10)
		compare.NearOne(t, "mean", p.Mean.At(a, c), q.scaler.Mean[c]+scale*want.Mean[c][a], digits)
		compare.NearOne(t, "mean beside a covariance", mean.At(a, c), p.Mean.At(a, c), 1e-12)
		compare.NearOne(t, "variance", p.Variance.At(a, c)/(scale*scale), want.Cov[c][a][a]+1/beta, digits)
		for b := range p.Mean.Rows {
			noise := 0.0
			if a == b {
				noise = 1 / beta
			}
			compare.NearOne(t, "covariance", cov[c].At(a, b)/(scale*scale), want.Cov[c][a][b]+noise, digits)
		}
	}
	values := mat.New(whole.Len(), q.channels())
	values.Fill(math.NaN())
	rng := rand.New(rand.NewPCG(uint64(c), 43))
	for i := range values.Rows {
		if rng.IntN(3) > 0 {
			values.Set(i, c, rng.NormFloat64())
		}
	}
	e := q.mustObserveAll(t, field.Observed{Grid: whole, Values: q.ref.UserValues(values)})
	compare.NearOne(t, "test bound", boundAt(mustEvidence(t, e), l), d.TestBound(l.Mu, l.S, nil, whole, values), digits)
	filled := q.conditional(t, e, l, field.InferOptions{})
	m, v := d.Conditional(l.Mu, l.S, nil, whole, values)
	for i := range m.Rows {
		compare.NearOne(t, "conditional mean", filled.Mean.At(i, c), m.At(i, c), digits)
		compare.NearOne(t, "conditional variance", filled.Variance.At(i, c), v.At(i, c), digits)
	}
}
