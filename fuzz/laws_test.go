package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

func naiveMul(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
	mat.Copy(dst, fuzz.NaiveMul(alpha, a, b, beta, dst))
}

func FuzzMul(f *testing.F)        { fuzz.Target(f, fuzz.Library{Mul: mat.Mul}) }
func FuzzSolveLower(f *testing.F) { fuzz.Target(f, fuzz.Library{SolveLower: mat.SolveLower}) }
func FuzzSolveUpper(f *testing.F) { fuzz.Target(f, fuzz.Library{SolveUpper: mat.SolveUpper}) }
