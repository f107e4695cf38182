package eig_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Wherever in one slice the matrices, the values and the vectors lie, results are those of
// matrices of their own, or the call is refused; and it is refused only where the
// destinations share elements with one another or with L.
func TestAliasing(t *testing.T) {
	s := fuzz.New(81)
	refused, right := 0, 0
	for round := range 400 {
		n := 1 + s.IntN(4)
		data := make([]float64, 60)
		square := func() mat.Matrix {
			stride := n + s.IntN(3)
			return mat.Matrix{Rows: n, Cols: n, RowStride: stride, ColStride: 1, Data: data[s.IntN(len(data)-n*stride):]}
		}
		a, l, v := square(), square(), square()
		w := data[s.IntN(len(data)-n):][:n]
		for i := range data {
			data[i] = 1 + s.Float64()
		}
		general := s.Bool()
		run := func(dst *eig.Spectrum, a, l mat.Matrix) error {
			if general {
				return new(eig.Solver).General(dst, a, l)
			}
			return new(eig.Solver).Sym(dst, a)
		}
		var want eig.Spectrum
		if err := run(&want, a.Clone(), l.Clone()); err != nil {
			t.Fatal(err)
		}
		may := mat.Overlap(v, mat.Vector(w)) || general && (mat.Overlap(v, l) || mat.Overlap(mat.Vector(w), l))
		got := eig.Spectrum{Values: w, Vectors: v}
		if text := tier.Panic(func() { run(&got, a, l) }); text != "" {
			refused++
			if !may || !strings.HasPrefix(text, "eig: ") || !strings.Contains(text, fmt.Sprintf("%d×%d", n, n)) {
				t.Errorf("round %d: refused: %s", round, text)
			}
			continue
		}
		right++
		if fuzz.Digest(got.Vectors, mat.Vector(got.Values)) != fuzz.Digest(want.Vectors, mat.Vector(want.Values)) {
			t.Errorf("round %d, general %v, order %d: other bits than with matrices of their own", round, general, n)
		}
		if &got.Values[0] != &w[0] || &got.Vectors.Data[0] != &v.Data[0] {
			t.Errorf("round %d: the result is elsewhere", round)
		}
		values := data[s.IntN(len(data)-n):][:n]
		alone, err := eig.SymValues(a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		if err := new(eig.Solver).SymValues(values, a); err != nil || fuzz.SameBits(mat.Vector(values), mat.Vector(alone)) != nil {
			t.Errorf("round %d: values over the matrix: %v, %v, want %v", round, err, values, alone)
		}
	}
	if refused < 20 || right < 20 {
		t.Errorf("%d draws refused, %d right: a poor choice", refused, right)
	}
}

// Matrices that are only read may have elements that share a place; what is no view is refused.
func TestOddViews(t *testing.T) {
	for _, n := range []int{1, 2, 30, 70} {
		a := mat.Matrix{Rows: n, Cols: n, RowStride: 1, ColStride: 1, Data: make([]float64, 2*n-1)}
		for i := range a.Data {
			a.Data[i] = 1 / float64(i+1)
		}
		got, err := eig.Sym(a)
		if err != nil {
			t.Fatal(err)
		}
		want, err := eig.Sym(a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		if fuzz.Digest(got.Vectors, mat.Vector(got.Values)) != fuzz.Digest(want.Vectors, mat.Vector(want.Values)) {
			t.Errorf("order %d: other bits than of a copy", n)
		}
	}
	short := mat.Matrix{Rows: 3, Cols: 3, RowStride: 3, ColStride: 1, Data: make([]float64, 8, 9)}
	twice := mat.Matrix{Rows: 3, Cols: 3, RowStride: 1, ColStride: 1, Data: make([]float64, 9)}
	for name, call := range map[string]func(){
		"Sym":       func() { eig.Sym(short) },
		"SymValues": func() { eig.SymValues(short) },
		"General":   func() { eig.General(short, mat.Identity(3)) },
		"General L": func() { eig.General(mat.Identity(3), short) },
		"Sym dst":   func() { new(eig.Solver).Sym(&eig.Spectrum{Vectors: short}, mat.Identity(3)) },
		"Sym twice": func() { new(eig.Solver).Sym(&eig.Spectrum{Vectors: twice}, mat.Identity(3)) },
	} {
		op, _, _ := strings.Cut(name, " ")
		if got := tier.Panic(call); !strings.HasPrefix(got, "eig: "+op+": ") || !strings.Contains(got, "3×3") {
			t.Errorf("%s: panic %q", name, got)
		}
	}
}
