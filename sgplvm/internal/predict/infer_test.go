package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
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
		l, err := m.Infer(t.Context(), field.Observed{Values: m.ref.UserValues(values)}, field.InferOptions{Iterations: 200})
		if err != nil {
			t.Fatal(err)
		}
		dmu, ds := make([]float64, shape.Latent), make([]float64, shape.Latent)
		if got := v.At(new(psi.Scratch), l.Mu, l.S, dmu, ds); got != l.Bound {
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
