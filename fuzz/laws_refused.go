package fuzz

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Laws of what cannot be computed: it is refused, or the answer says so.

// notFinite draws NaN, +Inf or -Inf.
func (t *Trial) notFinite() float64 {
	return []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[t.IntN(3)]
}

// nonFiniteLaw puts NaN or an infinity into the lower triangle of a symmetric matrix. An operation that refuses by itself,
// Cholesky, has no other answer.
func nonFiniteLaw(field string) func(t *Trial, x Library) {
	return func(t *Trial, x Library) {
		n := t.some(13)
		i := t.IntN(n)
		j := t.IntN(i + 1)
		a := t.Given("a", withEntry(n, i, j, t.notFinite()).A)
		if got, err := callOf(field).do(x, a, mat.Matrix{}); err == nil && (finite(got...) || field == "Cholesky") {
			t.Failf("%g at (%d, %d) is accepted", a.At(i, j), i, j)
		}
	}
}

// withNaN draws a dominant symmetric matrix with a NaN in its lower triangle or, for a matrix that is not symmetric, anywhere.
func (t *Trial) withNaN(lower bool) mat.Matrix {
	n := t.some(13)
	i, j := t.IntN(n), t.IntN(n)
	a := withEntry(n, i, j, math.NaN()).A
	if !lower && i != j {
		a.Set(j, i, 1)
	}
	return t.Given("a", a)
}

// nanLaw is for operations to whose answer infinities may contribute 0.
func nanLaw(field string, lower bool) func(t *Trial, x Library) {
	return func(t *Trial, x Library) { t.notAnswered(x, field, t.withNaN(lower)) }
}

// notAnswered fails if the operation has a finite answer to a and ones.
func (t *Trial) notAnswered(x Library, field string, a mat.Matrix) {
	b := mat.New(a.Rows, 1)
	b.Fill(1)
	if got, err := callOf(field).do(x, a, b); err == nil && finite(got...) {
		t.Failf("the answer is finite")
	}
}

// solveNonFiniteLaw puts a NaN into the matrix or into a column of the right-hand side, of which the others are to stay finite.
func solveNonFiniteLaw(field string, lower bool) func(t *Trial, x Library) {
	return func(t *Trial, x Library) {
		if t.Bool() {
			t.notAnswered(x, field, t.withNaN(lower))
			return
		}
		n, k := t.some(13), t.some(4)
		row, column := t.IntN(n), t.IntN(k)
		b := Integers(t.Source, n, k, 4)
		b.Set(row, column, math.NaN())
		b = t.Given("b", b)
		y, err := callOf(field).do(x, withEntry(n, 0, 0, float64(n+1)).A, b.Clone())
		t.Assume(err == nil)
		for j := range k {
			if finite(y[0].Slice(0, n, j, j+1)) == (j == column) {
				t.Failf("NaN at (%d, %d) of b: column %d of the solution is %v", row, column, j, y[0].Slice(0, n, j, j+1).Clone().Data)
			}
		}
	}
}

// withZeros draws a matrix of integers with a row or a column of zeros.
func (t *Trial) withZeros() mat.Matrix {
	n := t.some(13)
	i, row, a := t.IntN(n), t.Bool(), Integers(t.Source, n, n, 8)
	for j := range n {
		if row {
			a.Set(i, j, 0)
		} else {
			a.Set(j, i, 0)
		}
	}
	return t.Given("a", a)
}

func singularLaw(field string) func(t *Trial, x Library) {
	return func(t *Trial, x Library) { t.notAnswered(x, field, t.withZeros()) }
}

func detSingularLaw(t *Trial, x Library) {
	if log, _, err := x.LogDet(t.withZeros()); err == nil && !math.IsInf(log, -1) {
		t.Failf("log|det A| is %g", log)
	}
}

// emptyLaw calls operations with dimensions of 0: the answers have their shapes and are zeros.
func emptyLaw(t *Trial, x Library) {
	k := t.Size(3)
	none, unit := mat.New(0, 0), mat.Identity(k)
	type shapes = [][2]int
	for _, c := range []struct {
		field string
		a, b  mat.Matrix
		want  shapes
	}{
		{"Mul", mat.New(2, 0), mat.New(0, 3), shapes{{2, 3}}},
		{"Mul", mat.New(0, k), mat.New(k, 3), shapes{{0, 3}}},
		{"Mul", mat.New(3, k), mat.New(k, 0), shapes{{3, 0}}},
		{"SolveLower", none, mat.New(0, k), shapes{{0, k}}},
		{"SolveLower", unit, mat.New(k, 0), shapes{{k, 0}}},
		{"SolveUpper", unit, mat.New(k, 0), shapes{{k, 0}}},
		{"Cholesky", none, none, shapes{{0, 0}}},
		{"Eig", none, none, shapes{{0, 1}, {0, 0}}},
		{"SolveSPD", unit, mat.New(k, 0), shapes{{k, 0}}},
		{"Solve", unit, mat.New(k, 0), shapes{{k, 0}}},
		{"InverseSPD", none, none, shapes{{0, 0}}},
		{"LogDetSPD", none, none, shapes{{1, 1}}},
		{"LU", none, none, nil},
		{"QR", mat.New(k, 0), none, shapes{{k, 0}}},
		{"SVD", mat.New(k, 0), none, shapes{{k, 0}, {0, 1}, {0, 0}}},
	} {
		if !x.has(c.field) {
			continue
		}
		what := fmt.Sprintf("%s of a %d×%d matrix and a %d×%d one", c.field, c.a.Rows, c.a.Cols, c.b.Rows, c.b.Cols)
		var got []mat.Matrix
		t.Fail(said(refused(func() (err error) { got, err = callOf(c.field).do(x, c.a, c.b); return err }), "%s", what))
		for i, want := range c.want {
			t.Fail(said(SameNumbers(got[i], mat.New(want[0], want[1])), "%s", what))
		}
	}
}

// shortLaw gives each operation a matrix whose slice ends one number early, with capacity behind it.
func shortLaw(t *Trial, x Library) {
	n := t.some(maxEig)
	a := mat.Identity(n)
	t.Note("shape", a)
	try := func(what string, do func(short mat.Matrix) error) {
		storage := append(slices.Clone(a.Data), Canary())
		storage[n*n-1] = Canary()
		m := a
		m.Data = storage[: n*n-1 : n*n+1]
		if refused(func() error { return do(m) }) == nil {
			t.Failf("%s accepts %d numbers for a %d×%d matrix", what, len(m.Data), n, n)
		}
		if math.Float64bits(storage[n*n-1]) != canaryBits || math.Float64bits(storage[n*n]) != canaryBits {
			t.Failf("%s writes behind the slice", what)
		}
	}
	for _, c := range calls {
		if !x.has(c.field) || c.takes >= anyFactors {
			continue
		}
		try(c.field+", matrix,", func(m mat.Matrix) error { _, err := c.do(x, m, a.Clone()); return err })
		switch c.field {
		case "Mul", "MulLower", "MulUpper", "SolveLower", "SolveUpper", "SolveSPD", "Solve":
			try(c.field+", right-hand side,", func(m mat.Matrix) error { _, err := c.do(x, a, m); return err })
		}
	}
	if x.Mul != nil {
		try("Mul, destination,", func(m mat.Matrix) error { x.Mul(m, 1, a, a, 0); return nil })
	}
	if x.Syrk != nil {
		try("Syrk, destination,", func(m mat.Matrix) error { x.Syrk(m, 1, a, 0); return nil })
	}
}
