package chol_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// In its own storage a matrix becomes the same factor, bit by bit, or fails in the same way.
func TestRefactorizeInPlace(t *testing.T) {
	var f chol.Factor
	for _, n := range sizes() {
		for _, c := range fuzz.DefiniteCases(fuzz.New(uint64(n)), n) {
			for _, broken := range []float64{0, math.NaN(), math.Inf(1), -1e30} {
				a := c.A.Clone()
				if broken != 0 && n > 0 {
					a.Row(n - 1)[n/2] = broken
				}
				want, wantErr := chol.Factorize(a)
				room := mat.New(n, n+3)
				own := room.Slice(0, n, 0, n) // rows that do not follow one another
				mat.Copy(own, a)
				err := f.RefactorizeInPlace(own)
				if !reflect.DeepEqual(err, wantErr) && (err == nil || wantErr == nil || err.Error() != wantErr.Error()) {
					t.Errorf("%s, n=%d: %v, expected %v", c.Name, n, err, wantErr)
				}
				if wantErr != nil || err != nil {
					continue
				}
				for i := range n {
					for j, v := range want.L().Row(i) {
						l := f.L()
						if got := own.At(i, j); math.Float64bits(got) != math.Float64bits(v) || math.Float64bits(l.At(i, j)) != math.Float64bits(v) {
							t.Fatalf("%s, n=%d: element %d, %d is %v, expected %v", c.Name, n, i, j, got, v)
						}
					}
				}
			}
		}
	}
	for name, a := range map[string]mat.Matrix{"not square": mat.New(2, 3), "columns": mat.New(2, 4).Slice(0, 2, 0, 2).T()} {
		if tier.Panic(func() { _ = f.RefactorizeInPlace(a) }) == "" {
			t.Errorf("%s: no panic", name)
		}
	}
}
