package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

var triangularLaws = []Law{
	{"solve lower: integers", "an integer solution with powers of two on the diagonal is exact", []string{"SolveLower"}, 0, func(t *Trial, x Library) { triangularSolveLaw(t, x.SolveLower, false, true) }},
	{"solve lower: residual", "‖b - l·x‖₁ ≤ 10·n·ε·‖l‖₁·‖x‖₁ for conditions up to 1e15", []string{"SolveLower"}, 10, func(t *Trial, x Library) { triangularSolveLaw(t, x.SolveLower, false, false) }},
	{"solve upper: integers", "an integer solution with powers of two on the diagonal is exact", []string{"SolveUpper"}, 0, func(t *Trial, x Library) { triangularSolveLaw(t, x.SolveUpper, true, true) }},
	{"solve upper: residual", "‖b - u·x‖₁ ≤ 10·n·ε·‖u‖₁·‖x‖₁ for conditions up to 1e15", []string{"SolveUpper"}, 10, func(t *Trial, x Library) { triangularSolveLaw(t, x.SolveUpper, true, false) }},
	{"solve: scaling", "l⁻¹·(2^k·b) = 2^k·l⁻¹·b to the bit", []string{"SolveLower"}, 0, func(t *Trial, x Library) {
		n, k, e := t.Size(maxMul), t.Size(maxMul), t.IntN(401)-200
		l, b := t.Given("l", Triangular(t.Source, n, 100, false)), t.Given("b", Normal(t.Source, n, k))
		one, two := b.Clone(), scaled(b, e)
		x.SolveLower(l, one)
		x.SolveLower(l, two)
		t.Fail(SameBits(two, scaled(one, e)))
	}},
	{"solve: NaN spreads", "a NaN reaches what depends on it, though it meet zeros, and nothing else", []string{"SolveLower"}, 0, func(t *Trial, x Library) { triangularSpreadLaw(t, x.SolveLower, false, true) }},
	{"solve: NaN spreads, upper", "a NaN reaches what depends on it, though it meet zeros, and nothing else", []string{"SolveUpper"}, 0, func(t *Trial, x Library) { triangularSpreadLaw(t, x.SolveUpper, true, true) }},
	{"solve: round trip", "l⁻¹·(l·b) = b on integers", []string{"SolveLower", "MulLower"}, 0, func(t *Trial, x Library) {
		n, k := t.Size(maxMul), t.Size(maxMul)
		l, b := t.Given("l", IntegerFactor(t.Source, n)), t.Given("b", Integers(t.Source, n, k, 8))
		for i := range n {
			t.Assume(l.At(i, i) == 1 || l.At(i, i) == 2 || l.At(i, i) == 4)
		}
		c := b.Clone()
		x.MulLower(l, c)
		x.SolveLower(l, c)
		t.Fail(SameNumbers(c, b))
	}},
}

// reversed turns a lower triangle into an upper one by reversing both orders.
func reversed(m mat.Matrix) mat.Matrix {
	return fill(m.Rows, m.Cols, func(i, j int) float64 { return m.At(m.Rows-1-i, m.Cols-1-j) })
}

func triangularSolveLaw(t *Trial, solve func(t, b mat.Matrix), upper, exact bool) {
	n, k := t.Size(maxMul), t.Size(maxMul)
	arrange := func(m mat.Matrix) mat.Matrix { return m }
	if upper {
		arrange = reversed
	}
	var l, x, b mat.Matrix
	if exact {
		l, x = t.Given("l", IntegerFactor(t.Source, n)), t.Given("x", Integers(t.Source, n, k, 8))
		for i := range n {
			t.Assume(math.Abs(l.At(i, i)) == 1 || l.At(i, i) == 2 || l.At(i, i) == 4)
		}
		b = NaiveMul(1, l, x, 0, mat.Matrix{})
	} else {
		l = t.Given("l", Triangular(t.Source, n, math.Pow(10, float64(t.IntN(16))), t.Bool()))
		b = t.Given("b", Normal(t.Source, n, k))
		for i := range n {
			t.Assume(l.At(i, i) != 0)
		}
	}
	poisoned := l.Clone()
	PoisonUpper(poisoned)
	gt, gb := t.lay(arrange(poisoned)), t.lay(arrange(b))
	in := watch(gt)
	solve(gt.Matrix, gb.Matrix)
	t.Fail(in.kept(gb))
	if exact {
		t.Fail(SameNumbers(gb.Matrix, arrange(x)))
	} else {
		t.Judge("residual/n", SolveResidual(arrange(l), gb.Matrix, arrange(b))/float64(max(n, 1)))
	}
}

// triangularSpreadLaw puts a NaN into b, where it reaches its column from its row on, or below the diagonal of l, where it meets
// a number of b or of the solution that is 0: it reaches its row, and in a solution the rows after it.
func triangularSpreadLaw(t *Trial, apply func(t, b mat.Matrix), upper, solve bool) {
	n, k := t.some(21), t.some(21)
	l := fill(n, n, func(i, j int) float64 { return float64(min(max(i-j+1, 0), 1)) }) // ones
	b := Integers(t.Source, n, k, 8)
	row, column, inB := t.IntN(n), t.IntN(k), t.Bool()
	meets := t.IntN(row + 1) // column of l
	if inB = inB || meets == row; inB {
		b.Set(row, column, math.NaN())
	} else {
		l.Set(row, meets, math.NaN())
		for j := range k {
			b.Set(meets, j, 0)
			if solve && meets > 0 { // x[i] = b[i] - b[i-1]
				b.Set(meets, j, b.At(meets-1, j))
			}
		}
	}
	l, b = t.Given("l", l), t.Given("b", b)
	for i := range n { // simpler ones may have lost what is to meet
		for j := range i + 1 {
			t.Assume(l.At(i, j) != 0)
		}
	}
	arrange := func(m mat.Matrix) mat.Matrix { return m }
	if upper {
		arrange = reversed
	}
	got := arrange(b).Clone()
	apply(arrange(l), got)
	t.spread(fmt.Sprintf("NaN at row %d", row), arrange(got), func(i, j int) bool {
		return (j == column || !inB) && (i == row || i > row && (inB || solve))
	})
}
