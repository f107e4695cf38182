package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// What is missing has the covariance of a Gaussian given what was observed, C_MM − C_MO·C_OO⁻¹·C_OM, of latent variables that are certain;
// what of that is white has the variances given all other values.
func TestImputeUnsure(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		shape := samplingShape(51000 + seed)
		m := saying(t, shape.Model(t), Options{})
		l := randomLatent(rng, len(m.params.X.Mu.Row(0)))
		clear(l.S)
		n, channels := m.grid.Len(), m.channels()
		values, want, innovations := missing(n, channels), mat.New(n, n), mat.New(n, n)
		_, full, err := m.PredictDataCovariance(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for c := range channels {
			var seen, rest []int
			for i := range n {
				if c == 2 && !math.IsNaN(values.At(i, 0)) || c != 2 && rng.IntN(2) == 0 && c != 1 { // of the second channel nothing is seen, of the third what is of the first
					values.Set(i, c, rng.NormFloat64())
					seen = append(seen, i)
				} else {
					rest = append(rest, i)
				}
			}
			scale := m.scaler.Scale[c] * m.scaler.Scale[c]
			oo, om := mat.New(len(seen), len(seen)), mat.New(len(seen), len(rest))
			for k, i := range seen {
				for j, at := range seen {
					oo.Set(k, j, full[c].At(i, at)/scale)
				}
				for j, at := range rest {
					om.Set(k, j, full[c].At(i, at)/scale)
				}
			}
			given := om.Clone()
			if len(seen) > 0 {
				f, err := chol.Factorize(oo)
				if err != nil {
					t.Fatal(err)
				}
				f.Solve(given)
			}
			for k, i := range rest {
				for j, at := range rest {
					v := full[c].At(i, at) / scale
					for o := range seen {
						v -= float64(om.At(o, k) * given.At(o, j))
					}
					want.Set(i, at, want.At(i, at)+v)
				}
			}
			whole := full[c].Clone()
			f, err := chol.Factorize(whole)
			if err != nil {
				t.Fatal(err)
			}
			inverse := mat.New(n, n)
			f.Inverse(inverse)
			for _, i := range rest {
				innovations.Set(i, i, innovations.At(i, i)+1/(scale*inverse.At(i, i)))
			}
		}
		var any []int // points of which anything is missing
		for i := range n {
			if want.At(i, i) > 0 {
				any = append(any, i)
			}
		}
		covariance := func(white bool, o field.InferOptions) mat.Matrix {
			e, err := m.begin(t.Context(), field.Observed{Values: values}, o, wide)
			if err != nil {
				t.Fatal(err)
			}
			e.w.SetLatent(l.Mu, l.S)
			if err := e.w.Complete(); err != nil {
				t.Fatal(err)
			}
			of, err := e.w.Covariance(white)
			if err != nil || of.Rows != len(any) {
				t.Fatalf("%v, or %d points for the %d of which anything is missing", err, of.Rows, len(any))
			}
			all := mat.New(n, n)
			for k, i := range any {
				for l, j := range any[:k+1] {
					all.Set(i, j, of.At(k, l))
				}
			}
			mat.MirrorLower(all)
			return all
		}
		compare.Near(t, "innovations", covariance(true, field.InferOptions{FirstOrder: true}).Data, innovations.Data, 1e-6)
		compare.Near(t, "covariance", covariance(false, field.InferOptions{FirstOrder: true}).Data, want.Data, 1e-7)
		refined := covariance(false, field.InferOptions{})
		for i := range n {
			if v := refined.At(i, i); (v > 0) != (want.At(i, i) > 0) || v-v != 0 {
				t.Errorf("point %d has the variance %v with refined latent variables, %v without", i, v, want.At(i, i))
			}
		}
	}
}

// What is predicted beside a covariance is what Impute predicts, to the bit, whatever the example.
func TestImputeUnsurePredicts(t *testing.T) {
	tier.Skip(t, tier.Race)
	for seed := range uint64(compare.Sizes(10)) {
		for _, c := range roomCases(t, 960+seed) {
			c.each(t, rand.New(rand.NewPCG(seed, 34)), func(m roomCase, what string) {
				m.o.KeepOutliers = true
				for _, white := range []bool{false, true} {
					p, l, _, err := m.ImputeUnsure(t.Context(), white, m.obs, m.o)
					if err != nil {
						t.Fatal(what, err)
					}
					want, latent, err := m.Impute(t.Context(), m.obs, m.o)
					if err != nil {
						t.Fatal(what, err)
					}
					compare.SameBits(t, fmt.Sprintf("seed %d, %s: predicted", seed, what), slices.Concat(p.Mean.Data, p.Variance.Data, l.Mu, l.S), slices.Concat(want.Mean.Data, want.Variance.Data, latent.Mu, latent.S))
				}
			})
		}
	}
}
