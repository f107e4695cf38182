package chol_test

import (
	"errors"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

func factor(a mat.Matrix) (mat.Matrix, int) {
	f, err := chol.Factorize(a)
	var failed *chol.NotPositiveDefiniteError
	switch {
	case errors.As(err, &failed):
		return mat.Matrix{}, failed.Index
	case err != nil:
		return mat.Matrix{}, -1
	}
	return f.L(), a.Rows
}

func FuzzFactorize(f *testing.F) { fuzz.Target(f, fuzz.Library{Cholesky: factor}) }

func TestLaws(t *testing.T) {
	tier.Skip(t, tier.Race)
	seeds := uint64(1200)
	if testing.Short() {
		seeds = 200
	}
	for _, side := range []int{3, 96} {
		chol.SetBlocking(t, side, 0, 50)
		for seed := range seeds {
			if broken := (fuzz.Library{Cholesky: factor}).Try(fuzz.New(seed)); broken != nil {
				t.Errorf("blocks of %d, seed %d: %v", side, seed, broken)
			}
		}
	}
}
