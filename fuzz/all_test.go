package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// The module's own algebra keeps every law.
func TestLawsOfOurs(t *testing.T) { fuzz.Test(t, ours(), fuzz.Options{Draws: 60}) }

// It keeps the cheaper ones at orders where its blocks, tiles and shared work begin.
func TestLawsOfOursBlocked(t *testing.T) {
	if testing.Short() {
		t.Skip("references of large orders take long")
	}
	o := fuzz.Options{Draws: 8, Orders: []int{1, 41, 48, 49, 64, 65, 72, 73, 96, 97, 193, 220}}
	for _, name := range []string{
		"product: integers", "product: accuracy", "product: transposed", "symmetric product: syrk", "triangular product: upper",
		"solve lower: integers", "solve upper: integers", "Cholesky: exact", "Cholesky: pivot", "eigen: residual", "eigen: scaling", "processors", "short data",
	} {
		if v := fuzz.LawNamed(name).Try(ours(), o); v.Failure != nil {
			t.Error(v.Failure)
		}
	}
}

func FuzzLaws(f *testing.F) { fuzz.Target(f, ours()) }
