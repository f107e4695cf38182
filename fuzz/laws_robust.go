package fuzz

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

var robustLaws = []Law{
	{"empty", "matrices without rows or columns are ordinary ones", nil, 0, emptyLaw},
	{"short data", "a matrix whose slice is shorter than its shape is refused, soon, and nothing behind the slice is written", nil, 0, shortLaw},
	{"overlap", "a destination that shares elements with an operand gives the right answer or is refused", []string{"Into"}, 1, overlapLaw},
	{"again", "the same call gives the same bits", nil, 0, againLaw},
	{"processors", "the same call gives the same bits at any GOMAXPROCS", nil, 0, processorsLaw},
	{"goroutines", "calls from many goroutines give the bits of one", nil, 0, goroutinesLaw},
}

// emptyLaw calls every operation with dimensions of 0.
func emptyLaw(t *Trial, x Library) {
	none := mat.New(0, 0)
	k := t.Size(3)
	try := func(has bool, name string, f func() error) {
		if !has {
			return
		}
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v", p)
				}
			}()
			return f()
		}()
		t.Fail(said(err, "%s", name))
	}
	shape := func(m mat.Matrix, r, c int) error {
		if m.Rows != r || m.Cols != c {
			return fmt.Errorf("a %d×%d matrix, want %d×%d", m.Rows, m.Cols, r, c)
		}
		return nil
	}
	try(x.Mul != nil, "Mul with k = 0", func() error {
		c := mat.New(2, 3)
		c.Fill(Canary())
		x.Mul(c, 1, mat.New(2, 0), mat.New(0, 3), 0)
		return SameNumbers(c, mat.New(2, 3))
	})
	try(x.Mul != nil, "Mul with m = 0", func() error { x.Mul(mat.New(0, 3), 1, mat.New(0, k), mat.New(k, 3), 0); return nil })
	try(x.Mul != nil, "Mul with n = 0", func() error { x.Mul(mat.New(3, 0), 1, mat.New(3, k), mat.New(k, 0), 0); return nil })
	try(x.SolveLower != nil, "SolveLower of order 0", func() error { x.SolveLower(none, mat.New(0, k)); return nil })
	try(x.SolveLower != nil, "SolveLower without columns", func() error { x.SolveLower(mat.Identity(k), mat.New(k, 0)); return nil })
	try(x.SolveUpper != nil, "SolveUpper without columns", func() error { x.SolveUpper(mat.Identity(k), mat.New(k, 0)); return nil })
	try(x.Cholesky != nil, "Cholesky of order 0", func() error {
		l, failed := x.Cholesky(none)
		if failed != 0 {
			return fmt.Errorf("fails at %d", failed)
		}
		return shape(l, 0, 0)
	})
	try(x.Eig != nil, "Eig of order 0", func() error {
		w, v, err := x.Eig(none)
		if err == nil && len(w) > 0 {
			err = fmt.Errorf("%d eigenvalues", len(w))
		}
		return firstOf(err, shape(v, 0, 0))
	})
	try(x.SolveSPD != nil, "SolveSPD without columns", func() error {
		y, err := x.SolveSPD(mat.Identity(k), mat.New(k, 0))
		return firstOf(err, shape(y, k, 0))
	})
	try(x.Solve != nil, "Solve without columns", func() error { y, err := x.Solve(mat.Identity(k), mat.New(k, 0)); return firstOf(err, shape(y, k, 0)) })
	try(x.InverseSPD != nil, "InverseSPD of order 0", func() error { y, err := x.InverseSPD(none); return firstOf(err, shape(y, 0, 0)) })
	try(x.LogDetSPD != nil, "LogDetSPD of order 0", func() error {
		log, err := x.LogDetSPD(none)
		if err == nil && log != 0 {
			err = fmt.Errorf("log-determinant %g, want 0", log)
		}
		return err
	})
	try(x.LU != nil, "LU of order 0", func() error { _, _, _, err := x.LU(none); return err })
	try(x.QR != nil, "QR without columns", func() error { q, _, err := x.QR(mat.New(k, 0)); return firstOf(err, shape(q, k, 0)) })
	try(x.SVD != nil, "SVD without columns", func() error { _, s, _, err := x.SVD(mat.New(k, 0)); return firstOf(err, shape(mat.Vector(s), 0, 1)) })
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// shortLaw gives each operation a matrix whose slice ends one number early, with
// capacity behind it.
func shortLaw(t *Trial, x Library) {
	n := t.some(maxEig)
	short := func() (mat.Matrix, []float64) {
		m := mat.Identity(n)
		storage := append(slices.Clone(m.Data), Canary())
		storage[n*n-1] = Canary()
		m.Data = storage[: n*n-1 : n*n+1]
		return m, storage
	}
	a, one := mat.Identity(n), mat.New(n, 1)
	t.Note("shape", a)
	try := func(has bool, name string, f func(m mat.Matrix) error) {
		if !has {
			return
		}
		m, storage := short()
		if refused(func() error { return f(m) }) == nil {
			t.Failf("%s accepts %d numbers for a %d×%d matrix", name, len(m.Data), n, n)
		}
		if math.Float64bits(storage[n*n-1]) != canaryBits || math.Float64bits(storage[n*n]) != canaryBits {
			t.Failf("%s writes behind the slice", name)
		}
	}
	try(x.Mul != nil, "Mul, destination,", func(m mat.Matrix) error { x.Mul(m, 1, a, a, 0); return nil })
	try(x.Mul != nil, "Mul, factor,", func(m mat.Matrix) error { x.Mul(mat.New(n, n), 1, a, m, 0); return nil })
	try(x.Syrk != nil, "Syrk", func(m mat.Matrix) error { x.Syrk(m, 1, a, 0); return nil })
	try(x.MulLower != nil, "MulLower", func(m mat.Matrix) error { x.MulLower(a, m); return nil })
	try(x.SolveLower != nil, "SolveLower, b,", func(m mat.Matrix) error { x.SolveLower(a, m); return nil })
	try(x.SolveUpper != nil, "SolveUpper, triangle,", func(m mat.Matrix) error { x.SolveUpper(m, one.Clone()); return nil })
	try(x.Cholesky != nil, "Cholesky", func(m mat.Matrix) error {
		if _, failed := x.Cholesky(m); failed != n {
			return fmt.Errorf("refused")
		}
		return nil
	})
	try(x.Eig != nil, "Eig", func(m mat.Matrix) error { _, _, err := x.Eig(m); return err })
	try(x.SVD != nil, "SVD", func(m mat.Matrix) error { _, _, _, err := x.SVD(m); return err })
}

// Operation is an operation that writes to a destination given by the caller,
// as the law of overlaps needs it.
type Operation struct {
	Name string
	// Shapes returns rows and columns of the destination and of the operands for
	// an order n ≥ 1.
	Shapes func(n int) (dst [2]int, operands [][2]int)
	// InPlace says that the destination is an operand too.
	InPlace bool
	// Writes lists the operands that are destinations as well.
	Writes []int
	// Plain lists the operands that Call takes as slices, and which therefore
	// are vectors without gaps; -1 stands for the destination.
	Plain []int
	// Call does the operation. A panic or an error refuses the arguments.
	Call func(dst mat.Matrix, operands []mat.Matrix) error
}

// Destinations returns the operations of x that write to a matrix given by the
// caller, for its field Into: what the law of overlaps is to try.
func (x Library) Destinations() []Operation {
	var all []Operation
	add := func(has bool, name string, operands int, call func(dst mat.Matrix, in []mat.Matrix)) {
		if !has {
			return
		}
		shapes := func(n int) ([2]int, [][2]int) { return [2]int{n, n}, slices.Repeat([][2]int{{n, n}}, operands) }
		all = append(all, Operation{Name: name, Shapes: shapes, Call: func(dst mat.Matrix, in []mat.Matrix) error { call(dst, in); return nil }})
	}
	over := func(name string, f func(t, b mat.Matrix)) {
		add(f != nil, name, 1, func(b mat.Matrix, in []mat.Matrix) { f(in[0], b) })
	}
	add(x.Mul != nil, "Mul", 2, func(dst mat.Matrix, in []mat.Matrix) { x.Mul(dst, 1, in[0], in[1], 0) })
	add(x.Mul != nil, "Mul, beta 1,", 2, func(dst mat.Matrix, in []mat.Matrix) { x.Mul(dst, 2, in[0], in[1], 1) })
	add(x.MulSym != nil, "MulSym", 2, func(dst mat.Matrix, in []mat.Matrix) { x.MulSym(dst, 1, in[0], in[1], 0) })
	add(x.Syrk != nil, "Syrk", 1, func(dst mat.Matrix, in []mat.Matrix) { x.Syrk(dst, 1, in[0], 0) })
	over("MulLower", x.MulLower)
	over("MulUpper", x.MulUpper)
	over("SolveLower", x.SolveLower)
	over("SolveUpper", x.SolveUpper)
	return all
}

// place draws a view of r×c elements in storage.
func (t *Trial) place(storage []float64, r, c int, plain bool) mat.Matrix {
	across, down := 1, max(c, 1)
	if !plain {
		across = 1 + t.IntN(2)
		down = across*max(c, 1) + t.IntN(3)
		if t.Bool() { // columns first
			down = 1 + t.IntN(2)
			across = down*max(r, 1) + t.IntN(3)
		}
	}
	span := (r-1)*down + (c-1)*across + 1
	at := t.IntN(min(len(storage)-span+1, 2*r*c+2))
	return mat.Matrix{Rows: r, Cols: c, RowStride: down, ColStride: across, Data: storage[at : at+span : at+span]}
}

// overlapLaw puts the destination and one operand into the same storage.
func overlapLaw(t *Trial, x Library) {
	op := x.Into[t.IntN(len(x.Into))]
	n := max(t.few(8), 1)
	dst, shapes := op.Shapes(n)
	storage := make([]float64, 4096)
	for i := range storage {
		storage[i] = float64(1 + t.values.IntN(4))
	}
	d := t.place(storage, dst[0], dst[1], slices.Contains(op.Plain, -1))
	operands, copies := make([]mat.Matrix, len(shapes)), make([]mat.Matrix, len(shapes))
	which := t.IntN(len(shapes))
	for k, s := range shapes {
		plain := slices.Contains(op.Plain, k)
		switch {
		case k != which:
			operands[k] = fill(s[0], s[1], func(int, int) float64 { return float64(1 + t.values.IntN(4)) })
		case s == dst && !plain && t.IntN(4) == 0:
			operands[k] = d
		default:
			operands[k] = t.place(storage, s[0], s[1], plain)
		}
		copies[k] = operands[k].Clone()
		t.Note(fmt.Sprintf("operand%d", k), copies[k])
	}
	want := d.Clone()
	if err := refused(func() error { return op.Call(want, copies) }); err != nil || !finite(want) {
		t.Assume(false) // nothing to compare with
	}
	before := slices.Clone(storage)
	if refused(func() error { return op.Call(d, operands) }) != nil {
		return
	}
	where := fmt.Sprintf("%s with the destination, %d×%d with strides %d, %d, over operand %d, %d×%d with strides %d, %d:", op.Name,
		d.Rows, d.Cols, d.RowStride, d.ColStride, which, operands[which].Rows, operands[which].Cols, operands[which].RowStride, operands[which].ColStride)
	written := make(map[*float64]bool)
	judge := func(got, want mat.Matrix) {
		t.Judge(where+" the worst element is off, in units of 1e-9, by", distance(got, want)/(1e-9*max(1, mat.NormMax(want))))
		for i := range got.Rows {
			for j := range got.Cols {
				written[&got.Data[i*got.RowStride+j*got.ColStride]] = true
			}
		}
	}
	judge(d, want)
	for _, k := range op.Writes {
		judge(operands[k], copies[k])
	}
	for i := range storage {
		if !written[&storage[i]] && storage[i] != before[i] {
			t.Failf("%s a number outside the destination was overwritten", where)
		}
	}
}

// distance returns the largest difference of two elements, +Inf for a NaN.
func distance(a, b mat.Matrix) float64 {
	var off float64
	for i := range a.Rows {
		for j := range a.Cols {
			if off = max(off, math.Abs(a.At(i, j)-b.At(i, j))); off != off {
				return math.Inf(1)
			}
		}
	}
	return off
}

// refused returns the error of f, or its panic as one.
func refused(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return f()
}
