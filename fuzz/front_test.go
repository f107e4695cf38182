package fuzz_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// wide is a product whose last column is wrong from the ninth on, and which panics
// for matrices without elements.
func wide() fuzz.Library {
	return fuzz.Library{Mul: func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		if dst.Rows*dst.Cols*a.Cols == 0 {
			panic("no elements")
		}
		naiveMul(dst, alpha, a, b, beta)
		if n := dst.Cols; n > 8 {
			dst.Slice(0, dst.Rows, n-1, n).Fill(3)
		}
	}}
}

// A panic for matrices without elements hides no other fault: it is told of where there is none.
func TestEmptyHidesNothing(t *testing.T) {
	f := fuzz.LawNamed("product: integers").Try(wide(), fuzz.Options{}).Failure
	if f == nil || f.Order != 9 || strings.Contains(f.Error(), "no elements") {
		t.Errorf("order 9 is wanted: %v", f)
	}
	f = fuzz.LawNamed("product: integers").Try(wide(), fuzz.Options{Most: 8}).Failure
	if f == nil || !strings.Contains(f.Error(), "only with matrices without elements") {
		t.Errorf("only matrices without elements show it: %v", f)
	}
}

// Where strides alone are wrong the report says so, and where a gap was read.
func TestLayoutIsTold(t *testing.T) {
	packed := fuzz.Library{Mul: func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		a.RowStride, a.ColStride = a.Cols, 1
		naiveMul(dst, alpha, a, b, beta)
	}}
	law, says := fuzz.LawNamed("product: integers"), "only where operands do not lie in rows without gaps"
	if f := law.Try(packed, fuzz.Options{}).Failure; f == nil || !strings.Contains(f.Error(), says) {
		t.Errorf("strides are ignored: %v", f)
	}
	if f := law.Try(tail(1), fuzz.Options{}).Failure; f == nil || strings.Contains(f.Error(), says) {
		t.Errorf("a term is missing in any layout: %v", f)
	}
	gap := mat.New(1, 1)
	gap.Fill(fuzz.Canary())
	if err := fuzz.SameBits(gap, mat.New(1, 1)); err == nil || !strings.Contains(err.Error(), "canary") {
		t.Errorf("a gap is read: %v", err)
	}
}

const asFailing = "KRONFIELD_FUZZ_FAILS"

// What fails here is read by TestReport.
func TestFailing(t *testing.T) {
	if os.Getenv(asFailing) == "" {
		t.Skip("for TestReport")
	}
	x := wide()
	x.Mul = func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		wide().Mul(dst, alpha, a, b, beta)
		if a.Cols > 70 {
			dst.Fill(3)
		}
	}
	fuzz.Test(t, x, fuzz.Options{Draws: 30, Orders: []int{8, 71}, Least: 1, Shrink: -1}) // line of TestReport
}

// A failure is at the line of the caller, and what is too large to be printed is in a file that
// is Go source of a test with all operands.
func TestReport(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run", "^TestFailing$/product:_integers")
	folder := t.TempDir()
	c.Env = append(os.Environ(), asFailing+"=1", "TMPDIR="+folder, "TMP="+folder)
	out, err := c.CombinedOutput()
	if err == nil {
		t.Fatalf("nothing fails:\n%s", out)
	}
	source, err := os.ReadFile("front_test.go")
	if err != nil {
		t.Skip("no source: ", err)
	}
	for i, text := range strings.Split(string(source), "\n") {
		if place := "front_test.go:" + fmt.Sprint(i+1) + ":"; strings.HasSuffix(text, "// line of TestReport") && !strings.Contains(string(out), place) {
			t.Errorf("no failure at %s\n%s", place, out)
		}
	}
	name := regexp.MustCompile(`operands: (\S+)`).FindStringSubmatch(string(out))
	if name == nil {
		t.Fatalf("no file of operands:\n%s", out)
	}
	text, err := os.ReadFile(name[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package replay\n"+string(text), 0); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
	for _, part := range []string{"a := mat.NewDense(", "b := mat.NewDense(", "c := mat.NewDense(", ", a, b, c); broken != nil"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the file does not contain %q:\n%s", part, text)
		}
	}
}
