package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// What was observed comes back as it was, with no variance, whatever its size
// and whatever else is missing.
func TestImputeKeepsObserved(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(13000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 42))
		for _, share := range []float64{0, 0.5} {
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), shape.Channels, share, false))
			kept := values.Clone()
			p, _, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "the caller's values", values.Data, kept.Data)
			for i, y := range kept.Data {
				unit := math.Pow(m.scaler.Scale[i%shape.Channels], 2)
				switch mean, variance := p.Mean.Data[i], p.Variance.Data[i]; {
				case y == y && (mean != y || variance != 0):
					t.Errorf("%v: observed %v, returned %v with variance %v", shape, y, mean, variance)
				case y != y && !(variance >= unit/m.params.Noise.Beta && mean-mean == 0):
					t.Errorf("%v: missing value filled with %v, variance %v", shape, mean, variance)
				}
			}
			if share == 0 && p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q with nothing missing", shape, p.Conditioning)
			}
		}
	}
}

// A neighbour of the same picture says more than the latent variables alone:
// conditioning lowers the error on the training set's own kind of data.
func TestImputeFills(t *testing.T) {
	m := trained(t)
	truth := bumps(16, 99)
	rng := rand.New(rand.NewPCG(3, 42))
	var square, total float64
	for n := range 16 {
		want := truth.Slice(n*30, n*30+30, 0, 1)
		values := want.Clone()
		for i := range 30 {
			if rng.IntN(2) == 0 {
				values.Set(i, 0, math.NaN())
			}
		}
		p, _, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			if d := p.Mean.At(i, 0) - want.At(i, 0); values.At(i, 0) != values.At(i, 0) {
				square += d * d / p.Variance.At(i, 0)
				total++
				if math.Abs(d) > 8 { // noise 1, bumps of 40
					t.Errorf("example %d, point %d: %v, want %v", n, i, p.Mean.At(i, 0), want.At(i, 0))
				}
			}
		}
	}
	if square /= total; square < 0.3 || square > 2 {
		t.Errorf("squared errors are %g times their variance", square)
	}
}

// What Impute does in each way is what it says: q(x) is that of Infer, and without
// conditioning the prediction that of Predict.
func TestImputeConditioning(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := samplingShape(17000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 46))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.5, false)
		values.Set(0, 0, 1)
		e := m.mustObserve(t, nil, values)
		obs := field.Observed{Values: m.ref.UserValues(values)}
		strength := float64(seed%2) * 3
		inferred, err := m.Infer(t.Context(), obs, field.InferOptions{NoiseStrength: strength, Candidates: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []field.Conditioning{field.ConditionGivenLatent, field.ConditionMoments, field.ConditionNone} {
			p, l, err := m.Impute(t.Context(), obs, field.InferOptions{Conditioning: how, NoiseStrength: strength, Candidates: 3}) // without, the search is brief
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "latent mean", l.Mu, inferred.Mu)
			want := field.Prediction{Conditioning: "none"}
			if how == field.ConditionNone {
				if want, err = m.Predict(l, nil); err != nil {
					t.Fatal(err)
				}
			} else {
				want = m.given(t, e, l, field.InferOptions{Conditioning: how, NoiseStrength: strength})
				for k, scale := range want.Variance.Data {
					c := k % shape.Channels
					want.Mean.Data[k] = m.scaler.Mean[c] + float64(m.scaler.Scale[c]*want.Mean.Data[k])
					want.Variance.Data[k] = m.scaler.Scale[c] * m.scaler.Scale[c] * (scale + l.NoiseRatio()/m.params.Noise.Beta)
				}
			}
			if p.Conditioning != want.Conditioning {
				t.Errorf("%v: conditioning %q is %q, want %q", shape, how, p.Conditioning, want.Conditioning)
			}
			for i, y := range values.Data {
				if y == y {
					want.Mean.Data[i], want.Variance.Data[i] = obs.Values.Data[i], 0
				}
			}
			compare.Near(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), p.Mean.Data, want.Mean.Data, 1e-9)
			compare.Near(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), p.Variance.Data, want.Variance.Data, 1e-9)
		}
		var config *field.ConfigError
		if _, _, err := m.Impute(t.Context(), obs, field.InferOptions{Conditioning: "exact"}); !errors.As(err, &config) || config.Field != "InferOptions" {
			t.Errorf("an unknown way: %v", err)
		}
	}
}

// Conditioning on everything returns the data: where each missing point is also an
// observed one and there is hardly any noise, the observed value.
func TestConditionOnEverything(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(18000 + seed).With(reference.RBF)
		ref := shape.Model(t)
		ref.Params.Noise.Beta = 1e10
		m := saying(t, ref, Options{})
		rng := rand.New(rand.NewPCG(seed, 47))
		last := len(m.grid) - 1
		x := m.grid[last]
		twice := mat.New(2*x.Rows, x.Cols)
		mat.Copy(twice.Slice(0, x.Rows, 0, x.Cols), x)
		mat.Copy(twice.Slice(x.Rows, 2*x.Rows, 0, x.Cols), x)
		g := append(slices.Clone(m.grid[:last]), twice)
		values := reference.Masked(rng, g.Len(), shape.Channels, 0, true)
		want := values.Clone()
		for i := range values.Rows {
			for c := range values.Cols {
				if j := i % twice.Rows; j >= x.Rows {
					want.Set(i, c, values.At(i-x.Rows, c))
					values.Set(i, c, math.NaN())
				}
			}
		}
		e := m.mustObserve(t, g, values)
		l := randomLatent(rng, shape.Latent)
		l.Mu[0] = 10 // where the training data say nothing
		for _, how := range []field.Conditioning{field.ConditionGivenLatent, field.ConditionMoments} {
			p := m.conditional(t, e, l, field.InferOptions{Conditioning: how})
			for i, y := range values.Data {
				if y != y { // β⁻¹ over the least eigenvalue of K is left, 1e-4 at most
					compare.NearOne(t, fmt.Sprintf("%v, conditioning %q: mean", shape, how), p.Mean.Data[i], want.Data[i], 1e-3)
					compare.NearOne(t, fmt.Sprintf("%v, conditioning %q: variance", shape, how), p.Variance.Data[i], 0, 1e-3)
				}
			}
		}
	}
}
