package eig_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

func sym(a mat.Matrix) ([]float64, mat.Matrix, error) {
	sp, err := eig.Sym(a)
	return sp.Values, sp.Vectors, err
}

func FuzzSym(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := fuzz.CheckEig(fuzz.FromBytes(data), sym); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLaws(t *testing.T) {
	for seed := range uint64(3000) {
		if err := fuzz.CheckEig(fuzz.New(seed), sym); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
