package chol_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A panic in any part of a factorisation reaches the caller: nobody waits for ever for
// what the part would have made. The matrix lacks rows from some row on, or there is no room for
// the diagonal from some row on.
func TestPanicInAPart(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const n = 400
	a := mat.Identity(n)
	try := func(what string, a mat.Matrix, room int) {
		t.Helper()
		failed := make(chan string, 1)
		go func() { failed <- tier.Panic(func() { chol.FactorizeUnchecked(a, room) }) }()
		select {
		case got := <-failed:
			if got == "" {
				t.Errorf("%s: no panic", what)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the factorisation hangs", what)
		}
	}
	for _, last := range []int{n*n - 1, n * n / 2, n*n - 80*n, 10, 0} {
		short := a
		short.Data = a.Data[:last:last]
		try(fmt.Sprintf("%d numbers of %d", last, n*n), short, n)
		if got := tier.Panic(func() { chol.Factorize(short) }); !strings.HasPrefix(got, "chol: Refactorize: ") || !strings.Contains(got, "400×400") {
			t.Errorf("Factorize of %d numbers of %d: panic %q", last, n*n, got)
		}
	}
	for room := 10; room < n-30; room += 70 {
		for range 5 {
			try(fmt.Sprintf("room for %d numbers", room), a, room)
		}
	}
	if _, err := chol.Factorize(a); err != nil {
		t.Errorf("after panics: %v", err)
	}
}

// Whatever part of the factor's storage an operation is given, it refuses, and leaves the
// factor as it was; views that share no element with L are as good as any.
func TestAliasing(t *testing.T) {
	s := fuzz.New(80)
	const n = 9
	f := mustFactorize(t, fuzz.SPD(s, n).A)
	before := f.L().Clone()
	l := f.L()
	inside := func(r, c int) mat.Matrix {
		i, j := s.IntN(n-r+1), s.IntN(n-c+1)
		return l.Slice(i, i+r, j, j+c)
	}
	for range 50 {
		row := l.Data[s.IntN(n*n-n+1):][:n] // across two rows
		for name, call := range map[string]func(){
			"Update":      func() { f.Update(row) },
			"Downdate":    func() { f.Downdate(row) },
			"Solve":       func() { f.Solve(inside(n, 2)) },
			"SolveHalf":   func() { f.SolveHalf(inside(n, 1).T().T()) },
			"SolveHalfT":  func() { f.SolveHalfT(inside(1, n).T()) },
			"MulHalf":     func() { f.MulHalf(inside(n, 3)) },
			"Inverse":     func() { f.Inverse(inside(n, n).T()) },
			"Refactorize": func() { f.Refactorize(inside(4, 4)) },
		} {
			if got := tier.Panic(call); !strings.HasPrefix(got, "chol: "+name+": ") || !strings.Contains(got, "overlaps") {
				t.Errorf("%s within the factor: panic %q", name, got)
			}
		}
		if err := fuzz.SameBits(f.L(), before); err != nil {
			t.Fatalf("refused calls changed the factor: %v", err)
		}
	}
}

// A destination of which elements share a place is refused; a matrix that is only read may
// have such.
func TestSharedElements(t *testing.T) {
	f := mustFactorize(t, mat.Identity(3))
	column := mat.Matrix{Rows: 3, Cols: 2, RowStride: 1, ColStride: 0, Data: []float64{1, 2, 3}}
	for name, call := range map[string]func(){
		"Solve": func() { f.Solve(column) }, "SolveHalf": func() { f.SolveHalf(column) }, "SolveHalfT": func() { f.SolveHalfT(column) },
		"MulHalf": func() { f.MulHalf(column) },
		"Inverse": func() { f.Inverse(mat.Matrix{Rows: 3, Cols: 3, RowStride: 1, ColStride: 1, Data: make([]float64, 5)}) },
	} {
		if got := tier.Panic(call); !strings.HasPrefix(got, "chol: "+name+": ") || !strings.Contains(got, "3×") {
			t.Errorf("%s of elements that share a place: panic %q", name, got)
		}
	}
	for _, n := range []int{1, 2, 30, 250} { // a Hankel matrix, with strides 1 and 1
		a := mat.Matrix{Rows: n, Cols: n, RowStride: 1, ColStride: 1, Data: make([]float64, 2*n-1)}
		for i := range a.Data {
			a.Data[i] = 1 / float64(i+1)
		}
		got, ladder := new(chol.Factor), []float64{1}
		if _, err := got.RefactorizeJitter(a, ladder); err != nil {
			t.Fatal(err)
		}
		want, _, err := chol.FactorizeJitter(a.Clone(), ladder)
		if err != nil {
			t.Fatal(err)
		}
		if err := fuzz.SameBits(got.L(), want.L()); err != nil {
			t.Errorf("order %d: %v", n, err)
		}
	}
}

// Empty right-hand sides of every layout are solved for.
func TestSolveEmpty(t *testing.T) {
	empty := mustFactorize(t, mat.New(0, 0))
	three := mustFactorize(t, mat.Identity(3))
	for columns := range 7 {
		for _, b := range []mat.Matrix{mat.New(0, columns), mat.New(columns, 0).T(), {Rows: 0, Cols: columns, RowStride: 1, ColStride: 3}} {
			empty.Solve(b)
			empty.SolveHalf(b)
			empty.SolveHalfT(b)
			empty.MulHalf(b)
		}
	}
	for _, b := range []mat.Matrix{mat.New(3, 0), mat.New(0, 3).T(), {Rows: 3, RowStride: 1, ColStride: 3}} {
		three.Solve(b)
		three.MulHalf(b)
	}
}

// The jitter of a 1×1 matrix is a multiple of its element, and so is that of any multiple
// of the identity.
func TestJitterIsRelative(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		a := mat.Identity(n)
		mat.Scale(a, 4, a)
		f, jitter, err := chol.FactorizeJitter(a, []float64{1.25})
		if err != nil || jitter != 5 {
			t.Errorf("order %d: jitter %g, error %v, want 5", n, jitter, err)
			continue
		}
		l := f.L()
		if got := l.At(n-1, n-1); got != 3 {
			t.Errorf("order %d: L ends with %g, want 3", n, got)
		}
	}
}
