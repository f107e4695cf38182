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

// Operation is an operation that writes to a destination given by the caller, as the law of overlaps needs it.
type Operation struct {
	Name string
	// Shapes returns rows and columns of the destination and of the operands for an order n ≥ 1.
	Shapes func(n int) (dst [2]int, operands [][2]int)
	// InPlace says that the destination is an operand too.
	InPlace bool
	// Writes lists the operands that are destinations as well.
	Writes []int
	// Plain lists the operands that Call takes as slices, and which therefore are vectors without gaps; -1 stands for the
	// destination.
	Plain []int
	// Call does the operation. A panic or an error refuses the arguments.
	Call func(dst mat.Matrix, operands []mat.Matrix) error
}

// Destinations returns the operations of x that write to a matrix given by the caller, for its field Into: what the law of
// overlaps is to try.
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
