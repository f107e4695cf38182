package fuzz_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// tail is a product that leaves out the last term of a depth above k.
func tail(k int) fuzz.Library {
	return fuzz.Library{Mul: func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
		if d := a.Cols; d > k {
			a, b = a.Slice(0, a.Rows, 0, d-1), b.Slice(0, d-1, 0, b.Cols)
		}
		mat.Mul(dst, alpha, a, b, beta)
	}}
}

// A counterexample is of the lowest order at which the fault shows, its entries
// are small integers and zeros, and its bytes bring it back.
func TestShrinking(t *testing.T) {
	depths := []int{0, 1, 3, 6, 20}
	if testing.Short() {
		depths = depths[:3]
	}
	for _, k := range depths {
		law := fuzz.LawNamed("product: integers")
		f := law.Try(tail(k), fuzz.Options{Shrink: time.Minute}).Failure
		if f == nil {
			t.Fatalf("a product without the last of %d terms passes", k+1)
		}
		if f.Order != k+1 || f.First < f.Order {
			t.Errorf("order %d, found at %d, want %d:\n%v", f.Order, f.First, k+1, f)
		}
		nonzero := 0
		for _, m := range f.Operands[:2] {
			for _, v := range m.Data {
				if v != 0 {
					nonzero++
				}
				if v != math.Trunc(v) || math.Abs(v) > 4 {
					t.Errorf("entry %v of %s", v, m.Name)
				}
			}
		}
		if nonzero > 2 {
			t.Errorf("%d entries of a and b are not 0, want 2:\n%v", nonzero, f)
		}
		if f.Again(tail(k)) == nil {
			t.Error("the counterexample does not bring it back")
		}
		if f.Again(tail(1000)) != nil {
			t.Error("the counterexample breaks a right product")
		}
	}
}

// A fault that begins at some order above what a law draws by itself comes down to
// that order; what grows with a power of the order keeps its own sizes.
func TestLowestOrder(t *testing.T) {
	at := func(k int) fuzz.Library {
		return fuzz.Library{
			Cholesky: func(a mat.Matrix) (mat.Matrix, int) {
				l, failed := fuzz.NaiveCholesky(a)
				if a.Rows > k && failed == a.Rows {
					l.Set(k, k, 1.5*l.At(k, k))
				}
				return l, failed
			},
			KronMul: func(factors []mat.Matrix, x mat.Matrix) mat.Matrix {
				return fuzz.NaiveMul(1, fuzz.NaiveKron(factors...), x, 0, mat.Matrix{})
			},
		}
	}
	o := fuzz.Options{Orders: []int{40, 50, 60}, Draws: 20, Shrink: 10 * time.Second}
	if k := 40; !testing.Short() {
		f := fuzz.LawNamed("Cholesky: exact").Try(at(k), o).Failure
		if f == nil || f.Order != k+1 {
			t.Fatalf("order %d is wanted: %v", k+1, f)
		}
		if again := f.Again(at(k)); again == nil || again.Order != k+1 {
			t.Errorf("the bytes bring back %v", again)
		}
	}
	for _, l := range fuzz.Laws() {
		if strings.HasPrefix(l.Name, "Kronecker: ") && l.Applies(at(0)) {
			if v := l.Try(at(0), o); v.Failure != nil || v.Tried == 0 {
				t.Errorf("law %q: %d trials, %v", l.Name, v.Tried, v.Failure)
			}
		}
	}
}

// Operations that write to a matrix of the caller's are tried over their operands.
func TestDestinations(t *testing.T) {
	law := fuzz.LawNamed("overlap")
	x := fuzz.Library{SolveLower: func(l, b mat.Matrix) { // column by column, without a copy of l
		for j := range b.Cols {
			column := b.Slice(0, b.Rows, j, j+1)
			mat.Copy(column, fuzz.NaiveSolveLower(l, column))
		}
	}}
	x.Into = x.Destinations()
	if len(x.Into) != 1 || x.Into[0].Name != "SolveLower" {
		t.Fatalf("operations %v", x.Into)
	}
	if law.Try(x, fuzz.Options{Shrink: -1}).Failure == nil {
		t.Error("a triangle that is overwritten while it is read is not noticed")
	}
	if n := len(ours().Destinations()); n != 8 {
		t.Errorf("%d operations of ours, want 8", n)
	}
	for _, o := range ours().Destinations() {
		y := fuzz.Library{Into: []fuzz.Operation{o}}
		if v := law.Try(y, fuzz.Options{}); v.Failure != nil || v.Tried == 0 {
			t.Errorf("%s: %d trials, %v", o.Name, v.Tried, v.Failure)
		}
	}
}

// The text says law, place, order, operands and how to have it again.
func TestFailureText(t *testing.T) {
	f := fuzz.LawNamed("product: integers").Try(tail(1), fuzz.Options{Shrink: time.Minute}).Failure
	text := f.Error()
	for _, part := range []string{`law "product: integers" is broken`, "element (", "order 2", `replay: fuzz.LawNamed("product: integers").Run(library, fuzz.FromBytes([]byte("`, "a, b, c)", "a := mat.NewDense("} {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not contain %q:\n%s", part, text)
		}
	}
	var found *fuzz.Failure
	if err := fuzz.Check(tail(1), fuzz.Options{Draws: 20, Shrink: -1}); !errors.As(err, &found) {
		t.Errorf("Check: error %v", err)
	}
	m := mat.NewDense(1, 4, []float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1), 0.1})
	if got, want := (fuzz.Operand{Name: "a", Matrix: m}).String(), "a := mat.NewDense(1, 4, []float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1), 0.1})"; got != want {
		t.Errorf("literal %s, want %s", got, want)
	}
}

// What panics or does not end breaks the law; what need not hold does not.
func TestTrialsEnd(t *testing.T) {
	law := fuzz.LawNamed("eigen: non-finite")
	panics := fuzz.Library{Eig: func(a mat.Matrix) ([]float64, mat.Matrix, error) { panic("out of range") }}
	if f := law.Try(panics, fuzz.Options{Draws: 1, Shrink: -1}).Failure; f == nil || !strings.Contains(f.Error(), "out of range") {
		t.Errorf("a panic: %v", f)
	}
	end := make(chan struct{})
	defer close(end)
	hangs := fuzz.Library{Eig: func(a mat.Matrix) ([]float64, mat.Matrix, error) { <-end; return nil, mat.Matrix{}, errors.New("late") }}
	f := law.Try(hangs, fuzz.Options{Draws: 1, Limit: 20 * time.Millisecond, Shrink: 100 * time.Millisecond}).Failure
	if f == nil || !strings.Contains(f.Error(), "no answer within") || len(f.Operands) == 0 {
		t.Errorf("a trial that does not end: %v", f)
	}
	if v := fuzz.LawNamed("QR").Try(hangs, fuzz.Options{}); v.Tried != 0 || v.Failure != nil {
		t.Errorf("a law about what the library has not: %+v", v)
	}
}

// Laws have names of their own, say something, and draw problems.
func TestLawsAreTried(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	names := map[string]bool{}
	x := naive()
	x.Minimize, x.Gradient, x.Start = descend, square, func(s *fuzz.Source) []float64 { return []float64{s.NormFloat64(), 1} }
	for _, l := range fuzz.Laws() {
		if names[l.Name] || l.Says == "" {
			t.Errorf("law %q is named twice, or says nothing", l.Name)
		}
		names[l.Name] = true
		o, least := fuzz.Options{Draws: 40}, 2
		if testing.Short() {
			o.Draws, least = 25, 1
		}
		v := l.Try(x, o)
		if v.Failure != nil {
			t.Error(v.Failure)
		}
		if v.Tried < least {
			t.Errorf("law %q: %d of %d trials came to a verdict", l.Name, v.Tried, o.Draws)
		}
	}
}

// The front page counts right.
func TestFrontPage(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	for what, n := range map[string]int{"families": len(fuzz.Collection()), "properties": len(fuzz.AllProperties()), "laws": len(fuzz.Laws())} {
		if line := fmt.Sprintf("//\t%-11s %d ", what, n); !strings.Contains(string(page), line) {
			t.Errorf("doc.go does not say %q", line)
		}
	}
	readme, err := os.ReadFile("../README.md")
	if said := fmt.Sprintf("%d families of matrices with known answers, %d laws", len(fuzz.Collection()), len(fuzz.Laws())); err != nil || !strings.Contains(string(readme), said) {
		t.Errorf("README.md does not say %q: %v", said, err)
	}
	groups := map[string]bool{}
	for _, f := range fuzz.Collection() {
		groups[f.Group] = true
	}
	if len(groups) != 8 {
		t.Errorf("%d groups, doc.go says eight", len(groups))
	}
}
