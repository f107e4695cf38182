package fuzz

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// lay lays an operand out in a drawn layout, with canaries around.
func (t *Trial) lay(m mat.Matrix) Guarded { return Guard(m, t.Layout()) }

// inputs are operands that a library must leave as they are.
type inputs struct {
	views []Guarded
	sum   [sha256.Size]byte
}

func watch(views ...Guarded) inputs { return inputs{views, digest(views)} }

func digest(views []Guarded) [sha256.Size]byte {
	ms := make([]mat.Matrix, len(views))
	for i, v := range views {
		ms[i] = v.Matrix
	}
	return Digest(ms...)
}

// kept returns an error if an input has changed, or a gap in its storage or in that of a result.
func (in inputs) kept(results ...Guarded) error {
	var err error
	if digest(in.views) != in.sum {
		err = errors.New("an operand that is only to be read has changed")
	}
	for _, g := range in.views {
		err = errors.Join(err, g.Check())
	}
	for _, g := range results {
		err = errors.Join(err, g.Check())
	}
	return err
}

// SameNumbers is [SameBits] but for the sign of zeros, which sums in another order may turn.
func SameNumbers(got, want mat.Matrix) error {
	if got.Rows == want.Rows && got.Cols == want.Cols {
		positive := func(m mat.Matrix) mat.Matrix {
			return fill(m.Rows, m.Cols, func(i, j int) float64 { return m.At(i, j) + 0 })
		}
		got, want = positive(got), positive(want)
	}
	return SameBits(got, want)
}

// factors draws m×k and k×n matrices of the given kind: integers, normal, widely spread, cancelling.
func (t *Trial) factors(kind, m, k, n int) (a, b mat.Matrix) {
	switch kind {
	case 0:
		a, b = Integers(t.Source, m, k, 8), Integers(t.Source, k, n, 8)
	case 1:
		a, b = Normal(t.Source, m, k), Normal(t.Source, k, n)
	case 2:
		a, b = Wide(t.Source, m, k, 300), Wide(t.Source, k, n, 300)
	default:
		a, b = Cancelling(t.Source, m, k, n)
	}
	return t.Given("a", a), t.Given("b", b)
}

func (t *Trial) scalar() float64 { return scalars[t.IntN(len(scalars))] }

var productLaws = []Law{
	{"product: integers", "alpha·a·b + beta·c of integers is exact, whatever the layout", []string{"Mul"}, 0, func(t *Trial, x Library) { productLaw(t, x, 0) }},
	{"product: accuracy", "each element is within 2γ(k+3) of its sum of absolute values", []string{"Mul"}, 1, func(t *Trial, x Library) { productLaw(t, x, 1+t.IntN(3)) }},
	{"product: transposed", "(a·b)ᵀ = bᵀ·aᵀ on integers", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
		a, b := t.factors(0, m, k, n)
		ga, gb, gc := t.lay(a), t.lay(b), t.lay(mat.New(n, m))
		in := watch(ga, gb)
		x.Mul(gc.Matrix, 1, gb.T(), ga.T(), 0)
		t.Fail(in.kept(gc))
		t.Fail(SameNumbers(gc.T(), NaiveMul(1, a, b, 0, mat.Matrix{})))
	}},
	{"product: beta 0", "with beta = 0 the destination is not read", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
		alpha := t.scalar()
		a, b := t.factors(0, m, k, n)
		c := t.lay(mat.New(m, n))
		c.Fill(Canary())
		x.Mul(c.Matrix, alpha, t.lay(a).Matrix, t.lay(b).Matrix, 0)
		t.Fail(c.Check())
		t.Fail(said(SameNumbers(c.Matrix, NaiveMul(alpha, a, b, 0, mat.Matrix{})), "alpha %g", alpha))
	}},
	{"product: alpha 0", "with alpha = 0 the factors are not read", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
		beta := t.scalar()
		a, b := t.lay(mat.New(m, k)), t.lay(mat.New(k, n))
		a.Fill(Canary())
		b.Fill(Canary())
		in := watch(a, b)
		c := t.Given("c", fill(m, n, func(int, int) float64 { return 2*t.integer(8) + 1 }))
		g := t.lay(c)
		x.Mul(g.Matrix, 0, a.Matrix, b.Matrix, beta)
		t.Fail(in.kept(g))
		t.Fail(said(SameNumbers(g.Matrix, NaiveMul(0, a.Matrix, b.Matrix, beta, c)), "beta %g", beta))
	}},
	{"product: associative", "(a·b)·c = a·(b·c) on integers", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, l, n := t.Size(20), t.Size(20), t.Size(20), t.Size(20)
		a, b := t.factors(0, m, k, l)
		c := t.Given("c", Integers(t.Source, l, n, 8))
		t.Fail(SameNumbers(mul(x, mul(x, a, b), c), mul(x, a, mul(x, b, c))))
	}},
	{"product: distributive", "a·(b + c) = a·b + a·c on integers", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
		a, b := t.factors(0, m, k, n)
		c := t.Given("c", Integers(t.Source, k, n, 8))
		sum := fill(k, n, func(i, j int) float64 { return b.At(i, j) + c.At(i, j) })
		right := mul(x, a, c)
		x.Mul(right, 1, a, b, 1)
		t.Fail(SameNumbers(mul(x, a, sum), right))
	}},
	{"product: scaling", "(2^k·a)·b = 2^k·(a·b) to the bit", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n, e := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul), t.IntN(401)-200
		a, b := t.factors(1, m, k, n)
		want := scaled(mul(x, a, b), e)
		t.Fail(SameBits(mul(x, scaled(a, e), b), want))
	}},
	{"product: permutation", "(P·a)·b = P·(a·b) on integers", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
		a, b := t.factors(0, m, k, n)
		p := t.Perm(m)
		rows := func(m mat.Matrix) mat.Matrix {
			return fill(m.Rows, m.Cols, func(i, j int) float64 { return m.At(p[i], j) })
		}
		t.Fail(SameNumbers(mul(x, rows(a), b), rows(mul(x, a, b))))
	}},
	// Puts zeros where they meet what is not finite: 0·NaN and 0·Inf are NaN, and must not be skipped.
	{"product: NaN spreads", "a NaN or Inf in a row of a makes that row of a·b + c non-finite, in a column of b that column, in c itself, and nothing else", []string{"Mul"}, 0, func(t *Trial, x Library) {
		m, k, n := t.some(13), t.some(13), t.some(13)
		i, l, j := t.IntN(m), t.IntN(k), t.IntN(n)
		v := t.notFinite()
		a, b, c := Integers(t.Source, m, k, 8), Integers(t.Source, k, n, 8), Integers(t.Source, m, n, 8)
		a.Set(i, l, 0)
		b.Set(l, j, 0)
		where, row, column := t.IntN(3), i, j // of what is not finite
		switch where {
		case 0:
			a.Set(i, l, v)
			column = -1
		case 1:
			b.Set(l, j, v)
			row = -1
		default:
			c.Set(i, j, v)
		}
		a, b, c = t.Given("a", a), t.Given("b", b), t.Given("c", c)
		got := c.Clone()
		x.Mul(got, 1, a, b, 1)
		t.spread(fmt.Sprintf("%g in %s", v, [...]string{"a", "b", "c"}[where]), got, func(p, q int) bool {
			return (row < 0 || p == row) && (column < 0 || q == column)
		})
	}},
	// Judges products with one row against the same scalars, where overflow and underflow of alpha·a differ from those of
	// alpha·(a·b).
	{"product: one row", "a product with one row is that with two, where alpha·a overflows too", []string{"Mul"}, 1, func(t *Trial, x Library) {
		k, n := t.some(maxMul), t.some(maxMul)
		e := t.IntN(3) - 1
		a := t.Given("a", scaled(Normal(t.Source, 1, k), 500*e))
		b := t.Given("b", scaled(Normal(t.Source, k, n), -900*e))
		alpha := math.Ldexp(1, 700*e) // alpha·a overflows or underflows, alpha·(a·b) does not
		c, two := mat.New(1, n), mat.New(2, n)
		x.Mul(c, alpha, a, b, 0)
		both := fill(2, k, func(_, j int) float64 { return a.At(0, j) })
		x.Mul(two, alpha, both, b, 0)
		for j := range n {
			p, q := c.At(0, j), two.At(0, j)
			if (p == 0) != (q == 0) || math.IsInf(p, 0) != math.IsInf(q, 0) {
				t.Failf("element %d is %g with one row and %g with two", j, p, q)
			}
		}
		t.Judge("the worst element is off, in units of its error bound, by", MulError(scaled(c, -700*e), 1, a, b, 0, mat.Matrix{}))
	}},
	{"symmetric product: syrk", "syrk is the lower triangle of a·aᵀ; the upper one stays", []string{"Syrk"}, 1, func(t *Trial, x Library) {
		n, k := t.Size(maxMul), t.Size(maxMul)
		alpha, beta := t.scalar(), t.scalar()
		a := t.Given("a", []mat.Matrix{Integers(t.Source, n, k, 8), Normal(t.Source, n, k)}[t.IntN(2)])
		c, g := t.triangle(n, beta)
		ga := t.lay(a)
		in := watch(ga)
		x.Syrk(g.Matrix, alpha, ga.Matrix, beta)
		t.Fail(in.kept(g))
		t.Fail(CheckUpper(g.Matrix))
		t.lowerOf(g.Matrix, alpha, a, a.T().Clone(), beta, c)
	}},
	{"symmetric product: NaN spreads", "a NaN or Inf in row i of a makes row and column i of a·aᵀ non-finite, and nothing else", []string{"Syrk"}, 0, func(t *Trial, x Library) {
		n, k := t.some(13), t.some(13)
		i, l, v := t.IntN(n), t.IntN(k), t.notFinite()
		a := Integers(t.Source, n, k, 8)
		a.Set(t.IntN(n), l, 0)
		a.Set(i, l, v)
		a = t.Given("a", a)
		got := mat.New(n, n)
		x.Syrk(got, 1, a, 0)
		mat.MirrorLower(got)
		t.spread(fmt.Sprintf("%g at (%d, %d) of a", v, i, l), got, func(p, q int) bool { return p == i || q == i })
	}},
	{"symmetric product: accuracy", "the lower triangle is that of alpha·a·b + beta·c; the upper one stays", []string{"MulSym"}, 1, func(t *Trial, x Library) {
		n, k := t.Size(maxMul), t.Size(maxMul)
		alpha, beta := t.scalar(), t.scalar()
		a := t.Given("a", Normal(t.Source, n, k))
		w := values(k, func(int) float64 { return t.NormFloat64() })
		b := fill(k, n, func(i, j int) float64 { return w[i] * a.At(j, i) })
		c, g := t.triangle(n, beta)
		ga, gb := t.lay(a), t.lay(b)
		in := watch(ga, gb)
		x.MulSym(g.Matrix, alpha, ga.Matrix, gb.Matrix, beta)
		t.Fail(in.kept(g))
		t.Fail(CheckUpper(g.Matrix))
		t.lowerOf(g.Matrix, alpha, a, b, beta, c)
	}},
	{"triangular product: lower", "l·b of integers is exact, and reads nothing above the diagonal", []string{"MulLower"}, 0, func(t *Trial, x Library) { triangularProductLaw(t, x.MulLower, false) }},
	{"triangular product: upper", "u·b of integers is exact, and reads nothing below the diagonal", []string{"MulUpper"}, 0, func(t *Trial, x Library) { triangularProductLaw(t, x.MulUpper, true) }},
	{"triangular product: NaN spreads", "a NaN reaches what depends on it, though it meet zeros, and nothing else", []string{"MulLower"}, 0, func(t *Trial, x Library) { triangularSpreadLaw(t, x.MulLower, false, false) }},
	{"triangular product: NaN spreads, upper", "a NaN reaches what depends on it, though it meet zeros, and nothing else", []string{"MulUpper"}, 0, func(t *Trial, x Library) { triangularSpreadLaw(t, x.MulUpper, true, false) }},
}

// productLaw judges alpha·a·b + beta·c in drawn layouts: exactly for integers.
func productLaw(t *Trial, x Library, kind int) {
	m, k, n := t.Size(maxMul), t.Size(maxMul), t.Size(maxMul)
	alpha, beta := t.scalar(), t.scalar()
	a, b := t.factors(kind, m, k, n)
	c := t.Given("c", fill(m, n, func(int, int) float64 { return 2*t.integer(8) + 1 }))
	ga, gb, gc := t.lay(a), t.lay(b), t.lay(c)
	in := watch(ga, gb)
	x.Mul(gc.Matrix, alpha, ga.Matrix, gb.Matrix, beta)
	t.Fail(in.kept(gc))
	if kind == 0 {
		t.Fail(said(SameNumbers(gc.Matrix, NaiveMul(alpha, a, b, beta, c)), "%g·a·b + %g·c", alpha, beta))
		return
	}
	t.Judge(fmt.Sprintf("%g·a·b + %g·c: the worst element is off, in units of its error bound, by", alpha, beta), MulError(gc.Matrix, alpha, a, b, beta, c))
}

// said puts a text before an error, if there is one.
func said(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// mul is a·b by the library.
func mul(x Library, a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows, b.Cols)
	x.Mul(c, 1, a, b, 0)
	return c
}

// spread fails unless got is finite exactly where it is to be.
func (t *Trial) spread(what string, got mat.Matrix, reached func(p, q int) bool) {
	for p := range got.Rows {
		for q := range got.Cols {
			if v := got.At(p, q); (v-v == 0) == reached(p, q) {
				t.Failf("%s: element (%d, %d) of the result is %g", what, p, q, v)
			}
		}
	}
}

// triangle draws the start of a square destination, odd integers below and on the diagonal, canaries above; all canaries where it
// is not to be read.
func (t *Trial) triangle(n int, beta float64) (c mat.Matrix, g Guarded) {
	c = t.Given("c", fill(n, n, func(int, int) float64 { return 2*t.integer(8) + 1 }))
	g = t.lay(c)
	PoisonUpper(g.Matrix)
	if beta == 0 {
		g.Fill(Canary())
	}
	return c, g
}

// lowerOf judges the lower triangle of got as that of alpha·a·b + beta·c.
func (t *Trial) lowerOf(got mat.Matrix, alpha float64, a, b mat.Matrix, beta float64, c mat.Matrix) {
	full := NaiveMul(alpha, a, b, beta, c)
	for i := range got.Rows {
		for j := range i + 1 {
			full.Set(i, j, got.At(i, j))
		}
	}
	t.Judge("the worst element is off, in units of its error bound, by", MulError(full, alpha, a, b, beta, c))
}

func triangularProductLaw(t *Trial, mul func(t, b mat.Matrix), upper bool) {
	n, k := t.Size(maxMul), t.Size(maxMul)
	l, b := t.Given("l", IntegerFactor(t.Source, n)), t.Given("b", Integers(t.Source, n, k, 8))
	poisoned := l.Clone()
	PoisonUpper(poisoned)
	if upper {
		l, poisoned = l.T(), poisoned.T()
	}
	gt, gb := t.lay(poisoned), t.lay(b)
	in := watch(gt)
	mul(gt.Matrix, gb.Matrix)
	t.Fail(in.kept(gb))
	t.Fail(SameNumbers(gb.Matrix, NaiveMul(1, l, b, 0, mat.Matrix{})))
}
