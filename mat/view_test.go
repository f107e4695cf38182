package mat_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// drawView draws an r×c view of data in one of many layouts, repeated rows and columns
// and rows that run into one another among them.
func drawView(s *fuzz.Source, data []float64, r, c int) mat.Matrix {
	for {
		m := mat.Matrix{Rows: r, Cols: c, RowStride: s.IntN(12), ColStride: 1}
		switch s.IntN(5) {
		case 0, 1:
			m.RowStride = c + s.IntN(4)
		case 2:
			m.ColStride = s.IntN(4)
		case 3:
			m.RowStride, m.ColStride = 1, r+s.IntN(3)
		}
		first, span := s.IntN(len(data)), 0
		if r > 0 && c > 0 {
			span = (r-1)*m.RowStride + (c-1)*m.ColStride + 1
		}
		if first+span <= len(data) {
			m.Data = data[first : first+span]
			return m
		}
	}
}

// places is the set of the places in data that a view of it covers, and whether two
// elements share one.
func places(m mat.Matrix, data []float64) (set map[int]bool, twice bool) {
	set = map[int]bool{}
	if len(m.Data) == 0 {
		return set, false
	}
	first := 0
	for &data[first] != &m.Data[0] {
		first++
	}
	for i := range m.Rows {
		for j := range m.Cols {
			at := first + i*m.RowStride + j*m.ColStride
			twice = twice || set[at]
			set[at] = true
		}
	}
	return set, twice
}

// Whatever views of one slice an operation is given, it does what it does on matrices of
// their own, writes its destination and nothing else, or refuses; and it refuses only where the
// destination shares elements with an operand or with itself.
func TestAliasingSweep(t *testing.T) {
	tier.Skip(t, tier.Race)
	for _, op := range []struct {
		name   string
		shapes func(m, n, k int) [][2]int // of the destination and the operands
		f      func(v []mat.Matrix)
	}{
		{"Mul", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, k}, {k, n}} }, func(v []mat.Matrix) { mat.Mul(v[0], 2, v[1], v[2], 1) }},
		{"Mul", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, k}, {k, n}} }, func(v []mat.Matrix) { mat.Mul(v[0], 1, v[1], v[2], 0) }},
		{"MulSym", func(m, n, k int) [][2]int { return [][2]int{{m, m}, {m, k}, {k, m}} }, func(v []mat.Matrix) { mat.MulSym(v[0], 1, v[1], v[2], 1) }},
		{"Syrk", func(m, n, k int) [][2]int { return [][2]int{{m, m}, {m, k}} }, func(v []mat.Matrix) { mat.Syrk(v[0], 1, v[1], 1) }},
		{"SolveLower", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, m}} }, func(v []mat.Matrix) { mat.SolveLower(v[1], v[0]) }},
		{"SolveUpper", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, m}} }, func(v []mat.Matrix) { mat.SolveUpper(v[1], v[0]) }},
		{"MulLower", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, m}} }, func(v []mat.Matrix) { mat.MulLower(v[1], v[0]) }},
		{"MulUpper", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, m}} }, func(v []mat.Matrix) { mat.MulUpper(v[1], v[0]) }},
		{"Copy", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}} }, func(v []mat.Matrix) { mat.Copy(v[0], v[1]) }},
		{"Scale", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}} }, func(v []mat.Matrix) { mat.Scale(v[0], 3, v[1]) }},
		{"Add", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}, {m, n}} }, func(v []mat.Matrix) { mat.Add(v[0], v[1], 3, v[2]) }},
		{"MulElem", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}, {m, n}} }, func(v []mat.Matrix) { mat.MulElem(v[0], v[1], v[2]) }},
		{"ScaleRows", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}, {m, 1}} }, func(v []mat.Matrix) { mat.ScaleRows(v[0], v[2].Data, v[1]) }},
		{"ScaleCols", func(m, n, k int) [][2]int { return [][2]int{{m, n}, {m, n}, {n, 1}} }, func(v []mat.Matrix) { mat.ScaleCols(v[0], v[1], v[2].Data) }},
		{"Fill", func(m, n, k int) [][2]int { return [][2]int{{m, n}} }, func(v []mat.Matrix) { v[0].Fill(7) }},
		{"MirrorLower", func(m, n, k int) [][2]int { return [][2]int{{m, m}} }, func(v []mat.Matrix) { mat.MirrorLower(v[0]) }},
	} {
		s := fuzz.New(70)
		draws, refused, met := 1500, 0, 0
		if testing.Short() {
			draws /= 5
		}
		for range draws {
			data := make([]float64, 90)
			for i := range data {
				data[i] = float64(1+s.IntN(4)) * float64(1-2*s.IntN(2))
			}
			before := mat.Vector(data).Clone().Data
			var v, own []mat.Matrix
			for i, shape := range op.shapes(s.IntN(5), s.IntN(5), s.IntN(5)) {
				view := drawView(s, data, shape[0], shape[1])
				if strings.HasPrefix(op.name, "Scale") && i == 2 {
					view = mat.Vector(data[s.IntN(len(data)-shape[0]):][:shape[0]])
				}
				if i > 0 && s.IntN(8) == 0 && shape[0] == v[0].Rows && shape[1] == v[0].Cols && !strings.HasPrefix(op.name, "Scale") {
					view = v[0] // the destination itself
				}
				v, own = append(v, view), append(own, view.Clone())
			}
			op.f(own)
			dst, twice := places(v[0], data)
			mayRefuse := twice
			for _, operand := range v[1:] {
				elements, _ := places(operand, data)
				for at := range elements {
					mayRefuse = mayRefuse || dst[at]
				}
			}
			if mayRefuse {
				met++
			}
			what := fmt.Sprint(op.name)
			for _, m := range v {
				what += fmt.Sprintf(" %d×%d (%d, %d)", m.Rows, m.Cols, m.RowStride, m.ColStride)
			}
			if text := tier.Panic(func() { op.f(v) }); text != "" {
				refused++
				if !mayRefuse || !strings.HasPrefix(text, "mat: "+op.name+": ") {
					t.Fatalf("%s: refused: %s", what, text)
				}
				continue
			}
			for i := range v[0].Rows {
				for j := range v[0].Cols {
					if got, want := v[0].At(i, j), own[0].At(i, j); !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
						t.Fatalf("%s: element (%d, %d) is %g, on matrices of their own %g", what, i, j, got, want)
					}
				}
			}
			for at, w := range data {
				if !dst[at] && math.Float64bits(w) != math.Float64bits(before[at]) {
					t.Fatalf("%s: number %d, which is not of the destination, has changed", what, at)
				}
			}
		}
		if met < draws/30 || met > draws*19/20 || refused == 0 {
			t.Errorf("%s: %d of %d draws overlap, %d are refused: a poor choice", op.name, met, draws, refused)
		}
	}
}

// Views that leave their Data, though not its capacity, views with negative dimensions or
// strides, and strides whose multiples wrap around are refused by every operation that is given
// one, and no number beyond Data changes.
func TestNoViews(t *testing.T) {
	const huge = math.MaxInt/2 + 1 // four times that wraps around to 0
	storage := make([]float64, 100)
	for i := range storage {
		storage[i] = 1
	}
	good := func(r, c int) mat.Matrix { return mat.New(r, c) }
	for _, bad := range []mat.Matrix{
		{Rows: 5, Cols: 5, RowStride: 5, ColStride: 1, Data: storage[:24]},
		{Rows: 5, Cols: 5, RowStride: 1, ColStride: 5, Data: storage[:24]},
		{Rows: 5, Cols: 5, RowStride: 5, ColStride: 1, Data: storage[:0]},
		{Rows: 5, Cols: 5, RowStride: 5, ColStride: 1},
		{Rows: 5, Cols: 5, RowStride: huge, ColStride: 1, Data: storage},
		{Rows: 5, Cols: 5, RowStride: 1, ColStride: huge, Data: storage},
		{Rows: 5, Cols: 5, RowStride: huge, ColStride: huge, Data: storage},
		{Rows: 5, Cols: 5, RowStride: huge / 2, ColStride: huge / 2, Data: storage},
		{Rows: 5, Cols: 5, RowStride: -5, ColStride: 1, Data: storage},
		{Rows: 5, Cols: 5, RowStride: 5, ColStride: -1, Data: storage},
	} {
		for name, f := range map[string]func(){
			"Mul":            func() { mat.Mul(bad, 1, good(5, 3), good(3, 5), 0) },
			"Mul a":          func() { mat.Mul(good(5, 5), 1, bad, good(5, 5), 0) },
			"Mul b":          func() { mat.Mul(good(5, 5), 1, good(5, 5), bad, 0) },
			"MulSym":         func() { mat.MulSym(bad, 1, good(5, 3), good(3, 5), 0) },
			"MulSym a":       func() { mat.MulSym(good(5, 5), 1, bad, good(5, 5), 0) },
			"MulSym b":       func() { mat.MulSym(good(5, 5), 1, good(5, 5), bad, 0) },
			"Syrk":           func() { mat.Syrk(bad, 1, good(5, 3), 0) },
			"Syrk a":         func() { mat.Syrk(good(5, 5), 1, bad, 0) },
			"SolveLower":     func() { mat.SolveLower(bad, good(5, 2)) },
			"SolveLower b":   func() { mat.SolveLower(good(5, 5), bad) },
			"SolveUpper":     func() { mat.SolveUpper(bad, good(5, 2)) },
			"SolveUpper b":   func() { mat.SolveUpper(good(5, 5), bad) },
			"MulLower":       func() { mat.MulLower(bad, good(5, 2)) },
			"MulLower b":     func() { mat.MulLower(good(5, 5), bad) },
			"MulUpper":       func() { mat.MulUpper(bad, good(5, 2)) },
			"MulUpper b":     func() { mat.MulUpper(good(5, 5), bad) },
			"Copy":           func() { mat.Copy(bad, good(5, 5)) },
			"Copy src":       func() { mat.Copy(good(5, 5), bad) },
			"Scale":          func() { mat.Scale(bad, 2, good(5, 5)) },
			"Scale a":        func() { mat.Scale(good(5, 5), 2, bad) },
			"Add":            func() { mat.Add(bad, good(5, 5), 1, good(5, 5)) },
			"Add a":          func() { mat.Add(good(5, 5), bad, 1, good(5, 5)) },
			"Add b":          func() { mat.Add(good(5, 5), good(5, 5), 1, bad) },
			"MulElem":        func() { mat.MulElem(bad, good(5, 5), good(5, 5)) },
			"MulElem a":      func() { mat.MulElem(good(5, 5), bad, good(5, 5)) },
			"MulElem b":      func() { mat.MulElem(good(5, 5), good(5, 5), bad) },
			"ScaleRows":      func() { mat.ScaleRows(bad, good(5, 1).Data, good(5, 5)) },
			"ScaleRows a":    func() { mat.ScaleRows(good(5, 5), good(5, 1).Data, bad) },
			"ScaleCols":      func() { mat.ScaleCols(bad, good(5, 5), good(5, 1).Data) },
			"ScaleCols a":    func() { mat.ScaleCols(good(5, 5), bad, good(5, 1).Data) },
			"Fill":           func() { bad.Fill(3) },
			"MirrorLower":    func() { mat.MirrorLower(bad) },
			"Dot":            func() { mat.Dot(bad, good(5, 5)) },
			"Dot b":          func() { mat.Dot(good(5, 5), bad) },
			"Trace":          func() { mat.Trace(bad) },
			"NormInf":        func() { mat.NormInf(bad) },
			"NormMax":        func() { mat.NormMax(bad) },
			"Frobenius":      func() { mat.NormFro(bad) },
			"NonFinite":      func() { mat.NonFinite(bad) },
			"NonFiniteLower": func() { mat.NonFiniteLower(bad) },
			"Overlap":        func() { mat.Overlap(bad, good(1, 1)) },
			"Overlap b":      func() { mat.Overlap(good(1, 1), bad) },
			"Slice":          func() { bad.Slice(0, 1, 0, 1) },
			"Diag":           func() { bad.Diag() },
		} {
			text := tier.Panic(f)
			if op, _, _ := strings.Cut(name, " "); !strings.HasPrefix(text, "mat: "+op+": ") || !strings.Contains(text, "5×5") {
				t.Errorf("%s of strides %d, %d and %d numbers panics with %q", name, bad.RowStride, bad.ColStride, len(bad.Data), text)
			}
		}
	}
	for _, i := range []int{3, 4} {
		rows := mat.Matrix{Rows: 5, Cols: 5, RowStride: []int{3: 7, 4: huge}[i], ColStride: 1, Data: storage[:25]}
		if text := tier.Panic(func() { rows.Row(i) }); !strings.HasPrefix(text, "mat: Row: ") {
			t.Errorf("row %d of rows %d apart of 25 numbers: panic %q", i, rows.RowStride, text)
		}
	}
	if text := tier.Panic(func() { mat.Copy(mat.New(1, 1), mat.Matrix{Rows: -1, Cols: -1}) }); text == "" {
		t.Error("a -1×-1 matrix is copied")
	}
	if text := tier.Panic(func() { asm.Transpose(storage, huge, make([]float64, 100), 5, 5, 5) }); !strings.HasPrefix(text, "asm: Transpose: ") {
		t.Errorf("Transpose with a stride that wraps around panics with %q", text)
	}
	for i, v := range storage {
		if v != 1 {
			t.Errorf("number %d was overwritten", i)
		}
	}
}

// IsDistinct agrees with the sets of places.
func TestIsDistinct(t *testing.T) {
	s := fuzz.New(71)
	data := make([]float64, 90)
	shared := 0
	for range 3000 {
		m := drawView(s, data, s.IntN(6), s.IntN(6))
		if _, twice := places(m, data); m.IsDistinct() == twice {
			t.Fatalf("IsDistinct = %v of %d×%d with strides %d, %d", !twice, m.Rows, m.Cols, m.RowStride, m.ColStride)
		} else if twice {
			shared++
		}
	}
	if shared < 100 {
		t.Errorf("%d of 3000 views have elements that share a place: a poor choice", shared)
	}
}

// What stands in the buffers that operations borrow reaches no result.
func TestBuffersMayHoldAnything(t *testing.T) {
	tier.Skip(t, tier.Race)
	eachVariant(t, func(t *testing.T) {
		s := fuzz.New(72)
		for _, n := range []int{1, mr - 1, mr + 1, 2*mr + 3, 45} {
			for _, columns := range []int{1, nr - 1, nr, 2*nr + 1} {
				l, b := fuzz.Triangular(s, n, 10, false), fuzz.Normal(s, n, columns)
				a, wide := fuzz.Normal(s, n, 30), fuzz.Normal(s, 30, columns)
				for name, f := range map[string]func(dst mat.Matrix){
					"SolveLower":           func(dst mat.Matrix) { mat.SolveLower(l, dst) },
					"SolveUpper":           func(dst mat.Matrix) { mat.SolveUpper(l.T(), dst) },
					"MulLower":             func(dst mat.Matrix) { mat.MulLower(l, dst) },
					"Mul":                  func(dst mat.Matrix) { mat.Mul(dst, 1.5, a, wide, 0.5) },
					"Mul of other layouts": func(dst mat.Matrix) { mat.Mul(dst, 1.5, a.T().Clone().T(), wide.T().Clone().T(), 0.5) },
				} {
					for _, layout := range []fuzz.Layout{{}, {Transposed: true}, {Spread: 1}} {
						want, got := fuzz.Guard(b, layout), fuzz.Guard(b, layout)
						f(want.Matrix)
						mat.FillKept(math.NaN())
						f(got.Matrix)
						mat.FillKept(0)
						if err := fuzz.SameBits(got.Matrix, want.Matrix); err != nil {
							t.Fatalf("%s, order %d, %d columns, %+v: %v", name, n, columns, layout, err)
						}
					}
				}
			}
		}
	})
}

// Fill keeps the sign of a zero.
func TestFillZero(t *testing.T) {
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		for _, l := range fuzz.Layouts {
			g := fuzz.Guard(ones(3, 4, 1), l)
			g.Fill(zero)
			for i := range 3 {
				for j := range 4 {
					if math.Float64bits(g.At(i, j)) != math.Float64bits(zero) {
						t.Fatalf("%+v: filled with %g, element (%d, %d) is %g", l, zero, i, j, g.At(i, j))
					}
				}
			}
		}
	}
}
