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

func FuzzSym(f *testing.F) { fuzz.Target(f, fuzz.Library{Eig: sym}) }

func TestLaws(t *testing.T) {
	for seed := range uint64(3000) {
		if broken := (fuzz.Library{Eig: sym}).Try(fuzz.New(seed)); broken != nil {
			t.Errorf("seed %d: %v", seed, broken)
		}
	}
}
