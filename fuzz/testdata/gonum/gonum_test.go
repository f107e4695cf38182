package gonum

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

var update = flag.Bool("update", false, "write RESULTS.md")

// verdicts tries all laws and returns a line of a table for each.
func verdicts() (table string, broken []string) {
	x := Library()
	var b strings.Builder
	b.WriteString("| law | gate | worst residual | holds | first counterexample |\n|---|---|---|---|---|\n")
	for _, l := range fuzz.Laws() {
		if !l.Applies(x) {
			continue
		}
		o := fuzz.Options{Draws: 200, Least: 1, Limit: 3 * time.Second, Shrink: time.Second}
		if l.Name == "empty" { // which is all that Gonum's lack of empty matrices should break
			o.Least = 0
		}
		v := l.Try(x, o)
		worst, holds, how := fmt.Sprintf("%.2g", v.Worst), "yes", ""
		if v.Failure != nil {
			holds = "**no**"
			text, _, _ := strings.Cut(v.Failure.Place.Error(), "\n")
			how = fmt.Sprintf("order %d: %s", v.Failure.Order, strings.ReplaceAll(text, "|", "\\|"))
			broken = append(broken, l.Name)
		}
		if l.Gate == 0 {
			worst = ""
		}
		fmt.Fprintf(&b, "| %s | %g | %s | %s | %s |\n", l.Name, l.Gate, worst, holds, how)
	}
	return b.String(), broken
}

// known are the laws that Gonum 0.17.0 breaks.
var known = []string{
	"product: alpha 0",                // NaN in a factor that is multiplied by 0
	"product: NaN spreads",            // 0·Inf is 0: products skip zeros
	"product: one row",                // alpha is multiplied in first, and overflows
	"Cholesky: non-finite",            // +Inf on the diagonal passes
	"eigen: values alone, non-finite", // finite ones are made up from NaN
	"singular values: non-finite",     // never ends
	"Kronecker: NaN spreads",          // as of the product
	"empty",                           // there are no matrices without rows or columns
	"minimum: cancelled",              // neither the best point nor always its value
	"minimum: non-finite",             // the same
}

// Five lines take any law to rapid: it draws the bytes, and makes them shorter.
func TestRapid(t *testing.T) {
	law, x := fuzz.LawNamed("product: integers"), Library()
	rapid.Check(t, func(t *rapid.T) {
		if broken := law.Run(x, fuzz.FromBytes(rapid.SliceOfN(rapid.Byte(), 8, 200).Draw(t, "source")).Least(1)); broken != nil {
			t.Fatal(broken)
		}
	})
}

// The same lines find a fault.
func TestRapidFinds(t *testing.T) {
	x := Library()
	x.Mul = func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		Library().Mul(dst, alpha, a, b, 0)
	}
	law, found := fuzz.LawNamed("product: integers"), false
	for seed := range 200 {
		data := rapid.SliceOfN(rapid.Byte(), 8, 200).Example(seed)
		found = found || law.Run(x, fuzz.FromBytes(data).Least(1)) != nil
	}
	if !found {
		t.Error("a product that forgets beta is not refused")
	}
}

// Gonum breaks the laws that it is known to break, and no others.
func TestGonum(t *testing.T) {
	table, broken := verdicts()
	if *update {
		text := fmt.Sprintf("# The laws of package fuzz on Gonum\n\nGonum v0.17.0; `go test -run TestGonum -update` in this folder writes this page.\nOf %d laws that apply it keeps %d.\n\n%s",
			strings.Count(table, "\n")-2, strings.Count(table, "\n")-2-len(broken), table)
		if err := os.WriteFile("RESULTS.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(broken, "\n"), strings.Join(known, "\n"); got != want {
		t.Errorf("broken laws:\n%s\nknown:\n%s", got, want)
	}
	if page, err := os.ReadFile("RESULTS.md"); err != nil || !bytes.Contains(page, []byte("v0.17.0")) {
		t.Errorf("RESULTS.md: %v", err)
	}
}
