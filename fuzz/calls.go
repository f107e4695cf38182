package fuzz

import (
	"reflect"

	"github.com/seed-08962ecc/kronfield/mat"
)

// call is an operation of a library on a matrix and right-hand sides, which it may overwrite, with its answers as matrices. It
// ends in an error where the operation refuses the matrix.
type call struct {
	field string // of Library
	takes kind
	do    func(x Library, a, b mat.Matrix) ([]mat.Matrix, error)
}

// kind is what a call takes: any square matrix, a definite one, two of which the Kronecker product is made.
type kind int

const (
	anyMatrix kind = iota
	definiteMatrix
	anyFactors
	definiteFactors
)

var calls = []call{
	{"Mul", anyMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		c := mat.New(a.Rows, b.Cols)
		c.Fill(Canary())
		x.Mul(c, 1, a, b, 0)
		return answers(nil, c)
	}},
	{"MulSym", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		c := mat.New(a.Rows, a.Rows)
		x.MulSym(c, 1, a, a.T(), 0)
		return answers(nil, c)
	}},
	{"MulLower", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) { x.MulLower(a, b); return answers(nil, b) }},
	{"MulUpper", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) { x.MulUpper(a, b); return answers(nil, b) }},
	{"SolveLower", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) { x.SolveLower(a, b); return answers(nil, b) }},
	{"SolveUpper", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) { x.SolveUpper(a, b); return answers(nil, b) }},
	{"Syrk", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		c := mat.New(a.Rows, a.Rows)
		x.Syrk(c, 1, a, 0)
		return answers(nil, c)
	}},
	{"Cholesky", definiteMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		l, failed := x.Cholesky(a)
		return answers(refusal(failed == a.Rows), Lower(l))
	}},
	{"SolveSPD", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		y, err := x.SolveSPD(a, b)
		return answers(err, y)
	}},
	{"InverseSPD", definiteMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		y, err := x.InverseSPD(a)
		return answers(err, y)
	}},
	{"LogDetSPD", definiteMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		log, err := x.LogDetSPD(a)
		return answers(err, mat.Vector([]float64{log}))
	}},
	{"Update", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		l, err := x.Update(a, firstColumn(b))
		return answers(err, Lower(l))
	}},
	{"Downdate", definiteMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		l, err := x.Downdate(plusOuter(a, 1, firstColumn(b)), firstColumn(b))
		return answers(err, Lower(l))
	}},
	{"Eig", definiteMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		w, v, err := x.Eig(a)
		return answers(err, mat.Vector(w), v)
	}},
	{"EigValues", definiteMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		w, err := x.EigValues(a)
		return answers(err, mat.Vector(w))
	}},
	{"Solve", anyMatrix, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		y, err := x.Solve(a, b)
		return answers(err, y)
	}},
	{"Inverse", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) { y, err := x.Inverse(a); return answers(err, y) }},
	{"LogDet", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		log, sign, err := x.LogDet(a)
		return answers(err, mat.Vector([]float64{log, sign}))
	}},
	{"LU", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		_, l, u, err := x.LU(a)
		return answers(err, l, u)
	}},
	{"QR", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		q, r, err := x.QR(a)
		return answers(err, q, r)
	}},
	{"SVD", anyMatrix, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		u, s, v, err := x.SVD(a)
		return answers(err, u, mat.Vector(s), v)
	}},
	{"KronMul", anyFactors, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		return answers(nil, x.KronMul([]mat.Matrix{a, a}, b))
	}},
	{"KronSolve", definiteFactors, func(x Library, a, b mat.Matrix) ([]mat.Matrix, error) {
		y, err := x.KronSolve([]mat.Matrix{a, a}, b)
		return answers(err, y)
	}},
	{"KronLogDet", definiteFactors, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		log, err := x.KronLogDet([]mat.Matrix{a, a})
		return answers(err, mat.Vector([]float64{log}))
	}},
	{"KronEig", definiteFactors, func(x Library, a, _ mat.Matrix) ([]mat.Matrix, error) {
		w, v, err := x.KronEig([]mat.Matrix{a, a})
		return append(v, mat.Vector(w)), err
	}},
}

func answers(err error, ms ...mat.Matrix) ([]mat.Matrix, error) { return ms, err }

func firstColumn(b mat.Matrix) []float64 { return b.Slice(0, b.Rows, 0, min(b.Cols, 1)).Clone().Data }

// callOf returns the call of an operation.
func callOf(field string) call {
	for _, c := range calls {
		if c.field == field {
			return c
		}
	}
	panic("fuzz: no call of " + field)
}

// answer lays a, and right-hand sides b if the call takes some, out in drawn layouts with canaries around, and above the diagonal
// where only a lower triangle is to be read. It returns the answers, and fails if there are none or an operand changes.
func (t *Trial) answer(x Library, field, what string, a mat.Matrix, b ...mat.Matrix) []mat.Matrix {
	c := callOf(field)
	views := []Guarded{t.lay(a), {}}
	if c.takes == definiteMatrix {
		PoisonUpper(views[0].Matrix)
	}
	for _, m := range b {
		views[1] = t.lay(m)
	}
	in := watch(views...)
	got, err := c.do(x, views[0].Matrix, views[1].Matrix)
	t.Fail(said(err, "%s", what))
	t.Fail(in.kept())
	for k, m := range got {
		if i, j, found := mat.NonFinite(m); found {
			t.Failf("%s: answer %d of %s has %g at (%d, %d)", what, k+1, field, m.At(i, j), i, j)
		}
	}
	return got
}

// has reports whether the library has the operation of that field.
func (x Library) has(field string) bool { return !reflect.ValueOf(x).FieldByName(field).IsNil() }
