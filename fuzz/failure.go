package fuzz

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Failure is a broken law: what, where, and how to have it again. It is an error.
type Failure struct {
	Law      Law
	Place    error // what is wrong
	Residual float64
	Bytes    []byte    // [FromBytes] of them breaks the law; after shrinking, with Operands
	Operands []Operand // of the simplest counterexample
	Order    int       // the largest dimension of an operand of it
	First    int       // the same, as first found
	Options  Options   // of which Orders, Most and Least belong to Bytes
	rounded  bool      // whether operands were changed after they had been drawn
	hung     bool
	laid     bool // whether the law holds where operands lie in rows without gaps
}

// Again tries the law on the counterexample, of another library say.
func (f *Failure) Again(x Library) *Failure { return f.Law.Run(x, f.source(), f.matrices()...) }

func (f *Failure) source() *Source { return f.Options.sized(FromBytes(f.Bytes)) }

func (f *Failure) matrices() []mat.Matrix {
	return values(len(f.Operands), func(i int) mat.Matrix { return f.Operands[i].Matrix })
}

// Unwrap returns what is wrong.
func (f *Failure) Unwrap() error { return f.Place }

// most is how many numbers of an operand are printed.
const most = 64

// Error says law, place, order, small operands as Go source, and the call that breaks the law again.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "law %q is broken: %s\n  %v\n  order %d", f.Law.Name, f.Law.Says, f.Place, f.Order)
	if f.First != f.Order {
		fmt.Fprintf(&b, ", found at order %d", f.First)
	}
	if f.empty() {
		b.WriteString(", only with matrices without elements")
	}
	if f.laid {
		b.WriteString(", only where operands do not lie in rows without gaps")
	}
	for _, m := range f.Operands {
		if m.Rows*m.Cols > most {
			fmt.Fprintf(&b, "\n  %s is %d×%d", m.Name, m.Rows, m.Cols)
		} else {
			fmt.Fprintf(&b, "\n  %v", m)
		}
	}
	return b.String() + "\n  replay: " + f.call(f.rounded)
}

// call is the call that breaks the law again, with the operands where they do not follow from the bytes.
func (f *Failure) call(operands bool) string {
	law := "law"
	if slices.ContainsFunc(Laws(), func(l Law) bool { return l.Name == f.Law.Name }) {
		law = fmt.Sprintf("fuzz.LawNamed(%q)", f.Law.Name)
	}
	source := fmt.Sprintf("fuzz.FromBytes([]byte(%q))", f.Bytes)
	if o := f.Options; o.Orders != nil {
		source += fmt.Sprintf(".Orders(%s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Orders), " ", ", "), "[]"))
	} else if o.Most > 0 {
		source += fmt.Sprintf(".Most(%d)", o.Most)
	}
	if f.Options.Least > 0 {
		source += fmt.Sprintf(".Least(%d)", f.Options.Least)
	}
	for _, m := range f.Operands {
		if operands {
			source += ", " + m.Name
		}
	}
	return fmt.Sprintf("%s.Run(library, %s)", law, source)
}

// Replay returns the source of a test that breaks the law again, with all operands, of a [Library] named library.
func (f *Failure) Replay() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %v\nfunc TestReplay(t *testing.T) {\n", strings.ReplaceAll(f.Place.Error(), "\n", "\n// "))
	for _, m := range f.Operands {
		fmt.Fprintf(&b, "\t%v\n", m)
	}
	fmt.Fprintf(&b, "\tif broken := %s; broken != nil {\n\t\tt.Fatal(broken)\n\t}\n}\n", f.call(true))
	return b.String()
}

// report makes the test fail. Operands too large to print are written to a file.
func (f *Failure) report(t *testing.T) {
	t.Helper()
	text := f.Error()
	if slices.ContainsFunc(f.Operands, func(m Operand) bool { return m.Rows*m.Cols > most }) {
		file, err := os.CreateTemp("", "fuzz-*.go")
		if err == nil {
			_, err = file.WriteString(f.Replay())
			file.Close()
			text += "\n  operands: " + file.Name()
		}
		if err != nil {
			text += fmt.Sprintf("\n  operands could not be written: %v", err)
		}
	}
	t.Error(text)
}

// empty reports whether an operand has no elements.
func (f *Failure) empty() bool {
	return slices.ContainsFunc(f.Operands, func(m Operand) bool { return m.Rows*m.Cols == 0 })
}

// String returns the operand as Go source.
func (m Operand) String() string {
	numbers := make([]string, 0, m.Rows*m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			switch v := m.At(i, j); {
			case v != v:
				numbers = append(numbers, "math.NaN()")
			case math.IsInf(v, 0):
				numbers = append(numbers, fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, v))))
			case v == 0 && math.Signbit(v):
				numbers = append(numbers, "math.Copysign(0, -1)")
			default:
				numbers = append(numbers, fmt.Sprint(v))
			}
		}
	}
	return fmt.Sprintf("%s := mat.NewDense(%d, %d, []float64{%s})", m.Name, m.Rows, m.Cols, strings.Join(numbers, ", "))
}

// where tells the place of a panic: the first calls that are neither of the run time nor of this package.
func where(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	var text strings.Builder
	at := max(slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "panic(") }), 0)
	for k := 0; at+1 < len(lines) && k < 3; at += 2 {
		name, _, _ := strings.Cut(lines[at], "(0x")
		place, _, _ := strings.Cut(strings.TrimSpace(lines[at+1]), " +0x")
		if strings.HasPrefix(name, "panic(") || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, here+".") {
			continue
		}
		fmt.Fprintf(&text, "\n    %s", place)
		k++
	}
	return text.String()
}

// here is the path of this package.
var here = reflect.TypeFor[Law]().PkgPath()
