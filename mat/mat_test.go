package mat_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

var mr, nr = asm.Tile()

// variants are tuning constants that lead small shapes down every path:
// blocks of a few rows and columns that end inside the register tile, on it
// and behind it, products in chunks of the depth, and triangles split to the
// last row.
var variants = []struct {
	name   string
	tuning mat.Tuning
}{
	{"plain", mat.Tuning{MC: 8, KC: 5, NC: 8, Direct: 1 << 30, Clash: 1, LongK: 1 << 30, LongMN: 0, Bands: 0, Triangle: 3, Solve: 7, Narrow: 1, Parallel: 1 << 30}},
	{"blocks", mat.Tuning{MC: 2 * mr, KC: 5, NC: 2 * nr, Direct: 0, Clash: 1, LongK: 1 << 28, LongMN: 0, Bands: 5, Triangle: 2, Solve: 2 * mr, Narrow: 3, Parallel: 1}},
	{"blocks of one processor", mat.Tuning{MC: 2 * mr, KC: 7, NC: 2 * nr, Direct: 0, Clash: 1, LongK: 1 << 28, LongMN: 0, Bands: 5, Triangle: 2, Solve: 2 * mr, Narrow: 3, Parallel: 1 << 30}},
	{"odd blocks", mat.Tuning{MC: 3, KC: 1, NC: 5, Direct: 7, Clash: 3, LongK: 1 << 28, LongMN: 0, Bands: 1000, Triangle: 1, Solve: 1, Narrow: 1, Parallel: 0}},
	{"long", mat.Tuning{MC: 2 * mr, KC: 3, NC: 2 * nr, Direct: 0, Clash: 1 << 20, LongK: 4, LongMN: 36, Bands: 12, Triangle: 4, Solve: mr + 1, Narrow: 2, Parallel: 1}},
}

// eachVariant runs f under the default tuning constants and under variants,
// with enough processors for work to be shared.
func eachVariant(t *testing.T, f func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	t.Run("default", f)
	for _, v := range variants {
		former := mat.SetTuning(v.tuning)
		t.Run(v.name, f)
		mat.SetTuning(former)
	}
}

// A shape mistake panics with the operation and the shapes.
func TestShapePanics(t *testing.T) {
	m := func(r, c int) mat.Matrix { return mat.New(r, c) }
	for _, c := range []struct {
		f     func()
		op    string
		words string // what the text must hold besides
	}{
		{func() { mat.Mul(m(2, 4), 1, m(2, 3), m(5, 4), 0) }, "Mul", "2×4|2×3|5×4"},
		{func() { mat.Mul(m(3, 4), 1, m(2, 3), m(3, 4), 0) }, "Mul", "3×4|2×3"},
		{func() { mat.Mul(m(2, 5), 1, m(2, 3), m(3, 4), 0) }, "Mul", "2×5|2×3|3×4"},
		{func() { mat.Mul(m(0, 5), 1, m(0, 3), m(2, 5), 0) }, "Mul", "0×5|0×3|2×5"},
		{func() { mat.Syrk(m(2, 3), 1, m(2, 4), 0) }, "Syrk", "2×3|2×4"},
		{func() { mat.Syrk(m(3, 3), 1, m(2, 4), 0) }, "Syrk", "3×3|2×4"},
		{func() { mat.MulSym(m(2, 3), 1, m(2, 4), m(4, 3), 0) }, "MulSym", "2×3|2×4|4×3"},
		{func() { mat.MulSym(m(2, 2), 1, m(2, 4), m(3, 2), 0) }, "MulSym", "2×2|2×4|3×2"},
		{func() { mat.SolveLower(m(2, 3), m(2, 1)) }, "SolveLower", "2×3|2×1"},
		{func() { mat.SolveLower(m(3, 3), m(2, 1)) }, "SolveLower", "3×3|2×1"},
		{func() { mat.SolveUpper(m(3, 3), m(2, 1)) }, "SolveUpper", "3×3|2×1"},
		{func() { mat.MulLower(m(3, 3), m(2, 1)) }, "MulLower", "3×3|2×1"},
		{func() { mat.MulUpper(m(3, 2), m(3, 1)) }, "MulUpper", "3×2|3×1"},
		{func() { mat.Copy(m(3, 2), m(2, 3)) }, "Copy", "3×2|2×3"},
		{func() { mat.Scale(m(3, 2), 1, m(3, 3)) }, "Scale", "3×2|3×3"},
		{func() { mat.Add(m(3, 2), m(3, 3), 1, m(3, 2)) }, "Add", "3×2|3×3"},
		{func() { mat.Add(m(3, 2), m(3, 2), 1, m(3, 4)) }, "Add", "3×2|3×4"},
		{func() { mat.MulElem(m(3, 2), m(3, 3), m(3, 2)) }, "MulElem", "3×2|3×3"},
		{func() { mat.MulElem(m(3, 2), m(3, 2), m(1, 2)) }, "MulElem", "3×2|1×2"},
		{func() { mat.ScaleRows(m(3, 2), make([]float64, 3), m(2, 2)) }, "ScaleRows", "3×2|2×2"},
		{func() { mat.ScaleRows(m(3, 2), make([]float64, 2), m(3, 2)) }, "ScaleRows", "2|3×2"},
		{func() { mat.ScaleCols(m(3, 2), m(3, 1), make([]float64, 2)) }, "ScaleCols", "3×2|3×1"},
		{func() { mat.ScaleCols(m(3, 2), m(3, 2), make([]float64, 3)) }, "ScaleCols", "3|3×2"},
		{func() { mat.Dot(m(3, 2), m(2, 3)) }, "Dot", "3×2|2×3"},
		{func() { mat.Trace(m(3, 2)) }, "Trace", "3×2"},
		{func() { mat.MirrorLower(m(3, 2)) }, "MirrorLower", "3×2"},
		{func() { mat.NonFiniteLower(m(3, 2)) }, "NonFiniteLower", "3×2"},
		{func() { mat.New(-1, 2) }, "New", "-1×2"},
		{func() { mat.New(1<<30, 1<<30) }, "New", "1073741824×1073741824"},
		{func() { mat.NewDense(2, 2, make([]float64, 3)) }, "NewDense", "3|2×2"},
		{func() { a := m(2, 2); a.At(2, 0) }, "At", "(2, 0)|2×2"},
		{func() { a := m(2, 2); a.At(0, -1) }, "At", "(0, -1)|2×2"},
		{func() { a := m(2, 2); a.Set(0, 2, 1) }, "Set", "(0, 2)|2×2"},
		{func() { m(2, 3).Slice(0, 3, 0, 1) }, "Slice", "2×3"},
		{func() { m(2, 3).Slice(0, 1, 2, 1) }, "Slice", "2×3"},
		{func() { m(2, 3).Slice(-1, 1, 0, 1) }, "Slice", "2×3"},
		{func() { m(2, 3).Row(2) }, "Row", "2|2×3"},
		{func() { m(2, 3).T().Row(0) }, "Row", "3×2|3"},
	} {
		text := tier.Panic(c.f)
		if !strings.HasPrefix(text, "mat: "+c.op+": ") {
			t.Errorf("%s of %s panics with %q", c.op, c.words, text)
		}
		for _, word := range strings.Split(c.words, "|") {
			if !strings.Contains(text, word) {
				t.Errorf("%s panics with %q, which does not hold %q", c.op, text, word)
			}
		}
	}
}

func TestConstructors(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	m := mat.NewDense(2, 3, data)
	m.Set(1, 0, 40)
	if data[3] != 40 || m.At(1, 0) != 40 || m.At(0, 2) != 3 {
		t.Error("NewDense does not share its slice")
	}
	if z := mat.NewDense(2, 2, nil); z.Rows != 2 || z.Cols != 2 || z.At(1, 1) != 0 {
		t.Error("NewDense of nil is not a matrix of zeros")
	}
	if v := mat.Vector(data); v.Rows != 6 || v.Cols != 1 || v.At(5, 0) != 6 {
		t.Error("Vector is not a column")
	}
	id := mat.Identity(3)
	for i := range 3 {
		for j := range 3 {
			if want := map[bool]float64{true: 1}[i == j]; id.At(i, j) != want {
				t.Errorf("Identity: element (%d, %d) is %g", i, j, id.At(i, j))
			}
		}
	}
	for _, shape := range [][2]int{{0, 0}, {0, 4}, {4, 0}} {
		z := mat.New(shape[0], shape[1])
		if z.Rows != shape[0] || z.Cols != shape[1] || z.T().Rows != shape[1] || z.Clone().Cols != shape[1] {
			t.Errorf("an empty matrix of shape %v is none", shape)
		}
		if _, _, found := mat.NonFinite(z); found || mat.NormMax(z) != 0 || z.Slice(0, z.Rows, 0, z.Cols).Rows != z.Rows {
			t.Errorf("an empty matrix of shape %v has elements", shape)
		}
	}
}

// elements is the set of the places that a view covers, its first being first.
func elements(m mat.Matrix, first int) map[int]bool {
	set := map[int]bool{}
	for i := range m.Rows {
		for j := range m.Cols {
			set[first+i*m.RowStride+j*m.ColStride] = true
		}
	}
	return set
}

// Overlap agrees with the sets of elements of all kinds of views of one slice.
func TestOverlap(t *testing.T) {
	s := fuzz.New(2)
	data := make([]float64, 64)
	view := func() (mat.Matrix, int) {
		for {
			m := mat.Matrix{Rows: s.IntN(6), Cols: s.IntN(6), RowStride: s.IntN(10), ColStride: s.IntN(4)}
			if s.Bool() { // a rectangle of a matrix with rows of 8, or of 3 and then maybe into the next row
				m.RowStride, m.ColStride = 8-5*s.IntN(2), 1
			}
			if s.Bool() {
				m = m.T()
			}
			first := s.IntN(len(data))
			end := first
			if m.Rows > 0 && m.Cols > 0 {
				end += (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride + 1
			}
			if end <= len(data) {
				m.Data = data[first:end]
				return m, first
			}
		}
	}
	draws, met := 40000, 0
	if testing.Short() {
		draws /= 10
	}
	for range draws {
		a, p := view()
		b, q := view()
		inB, want := elements(b, q), false
		for e := range elements(a, p) {
			want = want || inB[e]
		}
		if want {
			met++
		}
		if got := mat.Overlap(a, b); got != want {
			t.Fatalf("Overlap = %v of %d×%d with strides %d, %d at %d and %d×%d with strides %d, %d at %d",
				got, a.Rows, a.Cols, a.RowStride, a.ColStride, p, b.Rows, b.Cols, b.RowStride, b.ColStride, q)
		}
	}
	if met < draws/10 || met > draws*9/10 {
		t.Errorf("%d of %d pairs overlap: a poor choice of pairs", met, draws)
	}
	if mat.Overlap(mat.Vector(data), mat.Vector(make([]float64, 64))) {
		t.Error("two slices overlap")
	}
}
