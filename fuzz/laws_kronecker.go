package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

var kroneckerLaws = []Law{
	{"Kronecker: product", "(A₁ ⊗ A₂ ⊗ …)·x of integers is exact", []string{"KronMul"}, 0, func(t *Trial, x Library) {
		factors := t.kronFactors(false)
		dense := NaiveKron(factors...)
		b := t.Given("x", Integers(t.Source, dense.Cols, t.few(4), 8))
		laid := make([]mat.Matrix, len(factors))
		var views []Guarded
		for i, f := range factors {
			g := t.lay(f)
			laid[i], views = g.Matrix, append(views, g)
		}
		g := t.lay(b)
		in := watch(append(views, g)...)
		got := x.KronMul(laid, g.Matrix)
		t.Fail(in.kept())
		t.Fail(SameNumbers(got, NaiveMul(1, dense, b, 0, mat.Matrix{})))
	}},
	{"Kronecker: mixed product", "(A ⊗ B)·(C ⊗ D) = A·C ⊗ B·D on integers", []string{"KronMul"}, 0, func(t *Trial, x Library) {
		p, q, r, s := 1+t.few(3), 1+t.few(3), 1+t.few(3), 1+t.few(3)
		a, b := t.Given("a", Integers(t.Source, p, q, 4)), t.Given("b", Integers(t.Source, r, s, 4))
		c, d := t.Given("c", Integers(t.Source, q, p, 4)), t.Given("d", Integers(t.Source, s, r, 4))
		one := mat.Identity(p * r)
		left := x.KronMul([]mat.Matrix{a, b}, x.KronMul([]mat.Matrix{c, d}, one))
		right := x.KronMul([]mat.Matrix{NaiveMul(1, a, c, 0, mat.Matrix{}), NaiveMul(1, b, d, 0, mat.Matrix{})}, one)
		t.Fail(SameNumbers(left, right))
	}},
	{"Kronecker: vec", "(A ⊗ B)·vec X = vec(A·X·Bᵀ) on integers, rows following one another", []string{"KronMul"}, 0, func(t *Trial, x Library) {
		p, q, r, s := 1+t.few(4), 1+t.few(4), 1+t.few(4), 1+t.few(4)
		a, b := t.Given("a", Integers(t.Source, p, q, 4)), t.Given("b", Integers(t.Source, r, s, 4))
		m := t.Given("x", Integers(t.Source, q, s, 8))
		want := NaiveMul(1, NaiveMul(1, a, m, 0, mat.Matrix{}), b.T(), 0, mat.Matrix{})
		got := x.KronMul([]mat.Matrix{a, b}, mat.Vector(m.Clone().Data))
		t.Fail(SameNumbers(got, mat.Vector(want.Data)))
	}},
	{"Kronecker: transposed", "yᵀ·(A ⊗ B)·x = xᵀ·(Aᵀ ⊗ Bᵀ)·y on integers", []string{"KronMul"}, 0, func(t *Trial, x Library) {
		factors := t.kronFactors(false)
		turned := make([]mat.Matrix, len(factors))
		for i, f := range factors {
			turned[i] = f.T()
		}
		dense := NaiveKron(factors...)
		v, w := t.Given("x", Integers(t.Source, dense.Cols, 1, 8)), t.Given("y", Integers(t.Source, dense.Rows, 1, 8))
		left, right := mat.Dot(w, x.KronMul(factors, v)), mat.Dot(v, x.KronMul(turned, w))
		if left != right {
			t.Failf("%g and %g", left, right)
		}
	}},
	{"Kronecker: NaN spreads", "a NaN in x reaches what depends on it, though it meet zeros, and nothing else", []string{"KronMul"}, 0, func(t *Trial, x Library) {
		p, q := 1+t.few(3), 1+t.few(3)
		a, b := t.Given("a", Integers(t.Source, p, p, 1)), t.Given("b", Integers(t.Source, q, q, 1))
		v := mat.New(p*q, 2)
		row := t.IntN(p * q)
		v.Set(row, 0, math.NaN())
		got := x.KronMul([]mat.Matrix{a, b}, v)
		for i := range got.Rows {
			if y := got.At(i, 0); y == y {
				t.Failf("NaN in row %d of x: element %d is %g", row, i, y)
			}
			if y := got.At(i, 1); y != 0 {
				t.Failf("element %d of a column of zeros is %g", i, y)
			}
		}
	}},
	{"Kronecker: solve", "‖b - A·x‖₁ ≤ 30·n·ε·‖A‖₁·‖x‖₁ for A = A₁ ⊗ A₂ ⊗ …", []string{"KronSolve"}, 30, func(t *Trial, x Library) {
		factors, whole := t.definiteFactors()
		b := t.Given("b", Normal(t.Source, whole.A.Rows, t.few(3)))
		y, err := x.KronSolve(factors, b)
		t.Fail(err)
		t.Judge("residual/n", SolveResidual(whole.A, y, b)/float64(whole.A.Rows))
	}},
	{"Kronecker: log-determinant", "log|A₁ ⊗ A₂ ⊗ …| is that of exact factors, to 10·n·ε·cond", []string{"KronLogDet"}, 10, func(t *Trial, x Library) {
		factors, whole := t.definiteFactors()
		got, err := x.KronLogDet(factors)
		t.Fail(err)
		unit := Eps * float64(whole.A.Rows) * (condition(whole.A) + math.Abs(whole.LogDet))
		t.Judge("off, in units of n·ε·cond, by", math.Abs(got-whole.LogDet)/unit)
	}},
	{"Kronecker: eigen", "eigenvalues in the product's order, with the factors' vectors, give the product back", []string{"KronEig"}, 10, func(t *Trial, x Library) {
		factors, whole := t.definiteFactors()
		w, vectors, err := x.KronEig(factors)
		t.Fail(err)
		v := NaiveKron(vectors...)
		t.Judge("residual", EigResidual(whole.A, w, v))
		t.Judge("orthogonality", Orthogonality(v))
	}},
}

// kronFactors draws integer factors of shapes up to 4×4, or square ones.
func (t *Trial) kronFactors(square bool) []mat.Matrix {
	factors := make([]mat.Matrix, t.IntN(4))
	for f := range factors {
		r, c := t.few(4), t.few(4)
		if square {
			c = r
		}
		factors[f] = t.Given(fmt.Sprintf("a%d", f+1), Integers(t.Source, r, c, 4))
	}
	return factors
}

// definiteFactors draws up to three small definite factors with integer Cholesky factors.
func (t *Trial) definiteFactors() (factors []mat.Matrix, whole Case) {
	cases := make([]Case, 1+t.IntN(3))
	for i := range cases {
		cases[i] = SPD(t.Source, 1+t.few(3))
		m := t.Given(fmt.Sprintf("a%d", i+1), cases[i].A)
		if SameBits(m, cases[i].A) != nil {
			t.Assume(exactPivot(m) == m.Rows)
			l, _ := NaiveCholesky(m)
			cases[i] = Case{Name: "made simpler", A: m, Pivot: Unknown}.factored(l.At)
		}
		factors = append(factors, m)
		cases[i] = cases[i].factored(cases[i].Factor.At)
	}
	return factors, kronecker(cases...)
}
