package predict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Values that nothing else of an example explains count as missing, whatever they are and in any number below a half, so that all that is predicted is
// what would be without them, to the last bit; they are listed with places, values and scores. With KeepOutliers they are believed.
func TestImputeDropsOutliers(t *testing.T) {
	m := trained(t)
	truth := bumps(16, 98)
	for n := range 16 {
		rng := rand.New(rand.NewPCG(uint64(n), 65))
		clean := truth.Slice(n*30, n*30+30, 0, 1).Clone()
		for range 8 {
			clean.Set(rng.IntN(30), 0, math.NaN())
		}
		broken, without := clean.Clone(), clean.Clone()
		var places []int
		for _, p := range rng.Perm(30)[:1+n%4] {
			if clean.At(p, 0) != clean.At(p, 0) {
				continue
			}
			v := []float64{1e6, -9999, 100 + 2000*float64(1+rng.IntN(3)), 1e30}[rng.IntN(4)]
			broken.Set(p, 0, v)
			without.Set(p, 0, math.NaN())
			places = append(places, p)
		}
		slices.Sort(places)
		got, l, err := m.Impute(t.Context(), field.Observed{Values: broken}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := m.Impute(t.Context(), field.Observed{Values: without}, field.InferOptions{KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		if inferred, err := m.Infer(t.Context(), field.Observed{Values: broken}, field.InferOptions{}); err != nil || !slices.Equal(inferred.Mu, l.Mu) {
			t.Errorf("example %d: Infer %v, Impute %v, %v", n, inferred.Mu, l.Mu, err)
		}
		var found []int
		for _, v := range got.Outliers {
			found = append(found, v.Point)
			if v.Example != 0 || v.Channel != 0 || v.Value != broken.At(v.Point, 0) || !(v.Score > 10) {
				t.Errorf("example %d: %+v", n, v)
			}
		}
		if !slices.Equal(found, places) {
			t.Errorf("example %d: outliers at %v, want %v", n, found, places)
		}
		for i := range got.Mean.Data {
			if got.Mean.Data[i] != want.Mean.Data[i] || got.Variance.Data[i] != want.Variance.Data[i] {
				t.Errorf("example %d, point %d: %v ± %v, want %v ± %v", n, i, got.Mean.Data[i], got.Variance.Data[i], want.Mean.Data[i], want.Variance.Data[i])
			}
		}
		kept, _, err := m.Impute(t.Context(), field.Observed{Values: broken}, field.InferOptions{KeepOutliers: true})
		if err != nil || len(kept.Outliers) > 0 || len(places) > 0 && kept.Mean.At(places[0], 0) != broken.At(places[0], 0) {
			t.Errorf("example %d, kept: %v, %v", n, kept.Outliers, err)
		}
	}
}

// Clean examples lose nothing, nor do those that are of another kind than those of training as a whole: another unit, a part that is covered.
func TestImputeKeepsClean(t *testing.T) {
	m := trained(t)
	truth := bumps(16, 97)
	for n := range 16 {
		clean := truth.Slice(n*30, n*30+30, 0, 1)
		unit, covered := mat.New(30, 1), clean.Clone()
		for i, v := range clean.Data {
			unit.Data[i] = 1000 * v
			if i < 12 {
				covered.Data[i] = 60 + 10*float64(i)
			}
		}
		for name, values := range map[string]mat.Matrix{"clean": clean, "another unit": unit, "covered": covered} {
			p, _, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
			if err != nil || len(p.Outliers) > 0 {
				t.Errorf("example %d, %s: %v, %v", n, name, p.Outliers, err)
			}
		}
	}
}
