package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
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
		o := o
		if name == "processors" { // which tries one operation at a time
			o.Draws = 40
		}
		if v := fuzz.LawNamed(name).Try(ours(), o); v.Failure != nil {
			t.Error(v.Failure)
		}
	}
}

func FuzzLaws(f *testing.F) { fuzz.Target(f, ours()) }

// What other libraries were caught with is refused, or answered within the gates, and soon.
func TestRegressions(t *testing.T) {
	law := fuzz.Law{Name: "regressions", Says: "reported matrices are refused or decomposed", Gate: 10, Needs: []string{"Eig"}, Check: func(t *fuzz.Trial, x fuzz.Library) {
		all := fuzz.Regressions()
		c := all[t.IntN(len(all))]
		a := t.Given("a", c.A)
		_, failed := x.Cholesky(a)
		w, v, err := x.Eig(a)
		switch p := c.Properties(); {
		case !p.Has(fuzz.Square):
		case p.Has(fuzz.NonFinite):
			if _, _, found := mat.NonFiniteLower(a); found && (err == nil || failed == a.Rows) {
				t.Failf("%s: accepted", c.Name)
			}
		case p.Has(fuzz.Symmetric):
			t.Fail(err)
			t.Judge(c.Name+": residual", max(fuzz.EigResidual(a, w, v), fuzz.Orthogonality(v)))
		}
	}}
	if v := law.Try(ours(), fuzz.Options{Draws: 100}); v.Failure != nil || v.Tried < 100 {
		t.Errorf("%d trials: %v", v.Tried, v.Failure)
	}
}
