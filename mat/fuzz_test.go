package mat_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

func FuzzMat(f *testing.F) {
	fuzz.Target(f, fuzz.Library{
		Mul: mat.Mul, MulSym: mat.MulSym, Syrk: mat.Syrk, MulLower: mat.MulLower, MulUpper: mat.MulUpper,
		SolveLower: mat.SolveLower, SolveUpper: mat.SolveUpper,
	})
}
