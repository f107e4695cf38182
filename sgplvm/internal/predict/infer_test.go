package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// With nothing observed L* is −KL, exactly, and the posterior is the prior.
func TestNothingObserved(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(6000 + seed)
		m := modelOf(t, shape)
		values := missing(m.grid.Len(), shape.Channels)
		e := m.mustObserve(t, nil, values)
		l := randomLatent(rand.New(rand.NewPCG(seed, 9)), shape.Latent)
		got := boundAt(mustEvidence(t, e), l)
		if want := -psi.KL(mat.NewDense(1, shape.Latent, l.Mu), mat.NewDense(1, shape.Latent, l.S), nil); got != want {
			t.Errorf("%v: L* %v, −KL %v", shape, got, want)
		}

		prior := field.Latent{Mu: make([]float64, shape.Latent), S: work.Ones(shape.Latent)}
		for _, g := range []field.Grid{nil, m.ref.RandomGrid(rand.New(rand.NewPCG(seed, 10)))} {
			obs := field.Observed{Grid: g, Values: values}
			if g != nil {
				obs.Values = missing(g.Len(), shape.Channels)
			}
			p, posterior, err := m.Impute(t.Context(), obs, field.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(m.PriorLatent(), posterior); d != "" {
				t.Errorf("%v: not the prior:\n%s", shape, d)
			}
			want, err := m.Predict(prior, g)
			if err != nil {
				t.Fatal(err)
			}
			compare.Near(t, "mean", p.Mean.Data, want.Mean.Data, 1e-10)
			compare.Near(t, "variance", p.Variance.Data, want.Variance.Data, 1e-10)
			if p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q", shape, p.Conditioning)
			}
		}
	}
}

// logLikelihood is E_q(U) log p(y* | x, U) of the observed values for a certain
// latent point.
func logLikelihood(d *reference.Dense, x []float64, g field.Grid, values mat.Matrix) float64 {
	t, beta := d.Forecast(x, make([]float64, len(x)), nil, g), d.P.Noise.Beta
	var sum float64
	for c := range values.Cols {
		for i := range values.Rows {
			if y := values.At(i, c); y == y {
				sum += 0.5*math.Log(beta/(2*math.Pi)) - beta/2*(math.Pow(y-t.Mean[c][i], 2)+t.Cov[c][i][i])
			}
		}
	}
	return sum
}

// With one latent dimension L* = ∫ q(x)·(log p(y*|x) + log p(x) − log q(x)) dx is
// a quadrature over certain latent points, and by Jensen's inequality it is
// at most log ∫ p(x)·e^(log p(y*|x)) dx, whatever q is.
func TestEvidenceQuadrature(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(7000 + seed)
		shape.Latent = 1
		m := modelOf(t, shape)
		d := reference.NewDense(m.ref)
		rng := rand.New(rand.NewPCG(seed, 11))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.4, seed%2 == 0)
		values.Set(0, 0, 0.5) // at least one
		e := m.mustObserve(t, nil, values)

		l := field.Latent{Mu: one(rng.NormFloat64()), S: one(0.1 * rng.Float64())}
		if rbf, is := m.params.Latent.Part("rbf").(*psi.RBF); is {
			l.S[0] *= math.Pow(rbf.LengthScale[0], 2)
		}
		var want float64
		for k, node := range nodes {
			x := l.Mu[0] + math.Sqrt(l.S[0])*node
			logPrior := -0.5 * (math.Log(2*math.Pi) + x*x)
			logQ := -0.5 * (math.Log(2*math.Pi*l.S[0]) + node*node)
			want += weights[k] * (logLikelihood(d, one(x), m.grid, values) + logPrior - logQ)
		}
		got := boundAt(mustEvidence(t, e), l)
		compare.NearOne(t, shape.String()+": L*", got, want, 1e-9)

		best, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		const step = 0.05
		var sum float64
		for x := -10.0; x <= 10; x += step {
			sum += step * math.Exp(logLikelihood(d, one(x), m.grid, values)-best.Bound-x*x/2) / math.Sqrt(2*math.Pi)
		}
		if gap := math.Log(sum); !(gap >= -1e-9) {
			t.Errorf("%v: L* %v is above the log evidence by %g", shape, best.Bound, -gap)
		}
	}
}

// The result is at least as good as every start, its bound is that of its
// posterior, and no direction leads further up.
func TestInferOptimum(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(8000 + seed)
		m := modelOf(t, shape)
		values := reference.Masked(rand.New(rand.NewPCG(seed, 12)), m.grid.Len(), shape.Channels, 0.3, false)
		values.Set(0, 0, 1)
		e := m.mustObserve(t, nil, values)
		v := mustEvidence(t, e)
		l, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dmu, ds := make([]float64, shape.Latent), make([]float64, shape.Latent)
		if got, _ := v.At(new(psi.Scratch), l.Mu, l.S, dmu, ds); got != l.Bound {
			t.Errorf("%v: bound %v reported, %v at the posterior", shape, l.Bound, got)
		}
		for i := range dmu {
			if g := max(math.Abs(dmu[i]), math.Abs(ds[i]*l.S[i])); !(g <= 1e-3*max(1, math.Abs(l.Bound))) {
				t.Errorf("%v: slope %g in dimension %d at the end", shape, g, i)
			}
		}
		var starts []field.Latent
		for k := range shape.Examples {
			starts = append(starts, m.TrainingLatent(k))
		}
		starts = append(starts, field.Latent{Mu: make([]float64, shape.Latent), S: work.Ones(shape.Latent)})
		for _, s := range starts {
			if b := boundAt(v, s); !(l.Bound >= b) {
				t.Errorf("%v: bound %v, start %d has %v", shape, l.Bound, s.Start, b)
			}
		}
		if l.Start < -1 || l.Start >= shape.Examples {
			t.Errorf("%v: start %d", shape, l.Start)
		}
		// A single step from a single start is no worse than the best start.
		quick, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{Candidates: 1, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range starts {
			if b := boundAt(v, s); !(quick.Bound >= b) {
				t.Errorf("%v: bound %v after one step, start %d has %v", shape, quick.Bound, s.Start, b)
			}
		}
		// More starts can only help.
		all, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{Candidates: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if !(all.Bound >= l.Bound) {
			t.Errorf("%v: bound %v from all starts, %v from three", shape, all.Bound, l.Bound)
		}
	}
}

// A training example shown again, half of it, is found again.
func TestInferFindsTrainingExample(t *testing.T) {
	m := trained(t)
	for i := range m.params.X.Mu.Rows {
		values := m.ref.Y.Slice(i*m.grid.Len(), (i+1)*m.grid.Len(), 0, m.channels()).Clone()
		for j := range values.Rows {
			if j%2 == i%2 {
				values.Set(j, 0, math.NaN())
			}
		}
		l, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for q, mu := range l.Mu {
			sd := math.Sqrt(m.params.X.S.At(i, q) + l.S[q])
			if d := math.Abs(mu - m.params.X.Mu.At(i, q)); !(d <= 4*sd) {
				t.Errorf("example %d, dimension %d: %v found, %v in training, standard deviation %g", i, q, mu, m.params.X.Mu.At(i, q), sd)
			}
		}
	}
}

// Where no training example is like the one seen, the prior is the best start.
func TestInferStartsFromPrior(t *testing.T) {
	ref := reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.RBF}}}.Model(t)
	for _, a := range []mat.Matrix{ref.Params.X.Mu, ref.Params.Z} {
		for i := range a.Data {
			a.Data[i] += 8 // unlikely under the prior
		}
	}
	ref.Params.Latent.Part("rbf").(*psi.RBF).Variance = 1e-3 // and not worth it
	m := saying(t, ref, Options{})
	l, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(mat.New(4, 1))}, field.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l.Start != -1 {
		t.Errorf("started from training example %d: %+v", l.Start, l)
	}
}

func TestInferSameBitsAtAnyWidth(t *testing.T) {
	m := trained(t)
	rng := rand.New(rand.NewPCG(3, 12))
	values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), 1, 0.5, false))
	var want []float64
	compare.AtEveryWidth(func(procs int) {
		fresh := trained(t)
		p, l, err := fresh.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Concat(l.Mu, l.S, one(l.Bound), p.Mean.Data, p.Variance.Data)
		if want == nil {
			want = got
		}
		compare.SameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

// Of many training examples whose values the model keeps only those nearest to what was observed are starting points.
func TestInferNearestStarts(t *testing.T) {
	defer func(starts int) { scoredStarts = starts }(scoredStarts)
	scoredStarts = 2
	others := 0
	for seed := range uint64(compare.Sizes(40)) {
		m := keeping(t, learned(t, reference.ResidualShape(44000+seed).Model(t), 4))
		rng := rand.New(rand.NewPCG(seed, 8))
		n, last := m.grid.Len(), m.params.X.Mu.Rows-1
		values := m.ref.Y.Slice(last*n, (last+1)*n, 0, m.channels()).Clone() // near a training example, so that one is where the search begins
		for i := range values.Data {
			values.Data[i] += 0.01 * rng.NormFloat64()
		}
		distances := m.distancesByDefinition(values, all(n), nil)
		l, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		if l.Start < 0 {
			continue
		}
		nearer := 0
		for _, d := range distances {
			if d < distances[l.Start] {
				nearer++
			}
		}
		if nearer > 1 {
			t.Errorf("seed %d: the start %d has %d nearer ones", seed, l.Start, nearer)
		}
		if len(distances) > 2 {
			others++
		}
	}
	if others == 0 {
		t.Error("no model has more than two examples")
	}
}
