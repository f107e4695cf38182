package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

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
		inferred, err := m.Infer(t.Context(), obs, field.InferOptions{Candidates: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []field.Conditioning{field.ConditionGivenLatent, field.ConditionMoments, field.ConditionNone} {
			p, l, err := m.Impute(t.Context(), obs, field.InferOptions{Conditioning: how, Candidates: 3}) // without, the search is brief
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
				want = m.given(t, e, l, field.InferOptions{Conditioning: how})
				for k, scale := range want.Variance.Data {
					c := k % shape.Channels
					want.Mean.Data[k] = m.scaler.Mean[c] + float64(m.scaler.Scale[c]*want.Mean.Data[k])
					want.Variance.Data[k] = m.scaler.Scale[c] * m.scaler.Scale[c] * (scale + 1/m.params.Noise.Beta)
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
