package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

var generalLaws = []Law{
	{"general solve: residual", "‖b - A·x‖₁ ≤ 10·n·ε·‖A‖₁·‖x‖₁ for conditions up to 1000", []string{"Solve"}, 10, func(t *Trial, x Library) {
		c := t.solvable()
		t.Assume(mat.NormMax(c.A) < 0x1p900) // so that the solution is no subnormal number
		b := t.Given("b", Normal(t.Source, c.A.Rows, t.Size(6)))
		t.Assume(wellConditioned(c.A))
		y := t.answer(x, "Solve", c.Name, c.A, b)[0]
		t.Judge(c.Name+": residual/n", SolveResidual(c.A, y, b)/float64(max(c.A.Rows, 1)))
	}},
	{"general solve: integers", "of a unimodular matrix and an integer solution, the solution is right to cond·ε", []string{"Solve"}, 30, func(t *Trial, x Library) {
		a := t.Given("a", unimodular(t.Source, t.Size(16)).A)
		y := t.Given("x", Integers(t.Source, a.Rows, t.some(5), 4))
		t.Assume(wellConditioned(a))
		got, err := x.Solve(a, NaiveMul(1, a, y, 0, mat.Matrix{}))
		t.Fail(err)
		t.Judge("error/cond", ForwardError(got, y, 1e4))
	}},
	{"general inverse", "‖I - A·A⁻¹‖₁ ≤ 30·n·ε·‖A‖₁·‖A⁻¹‖₁", []string{"Inverse"}, 30, func(t *Trial, x Library) {
		c := t.solvable()
		t.Assume(wellConditioned(c.A))
		t.Judge(c.Name+": residual", InverseResidual(c.A, t.answer(x, "Inverse", c.Name, c.A)[0]))
	}},
	{"determinant", "log|det A| and its sign are the known ones, to n·ε·cond", []string{"LogDet"}, 10, func(t *Trial, x Library) {
		c := t.Draw(t.Size(maxEig), KnownLogDet|Finite, Subnormal|WideRange)
		t.Given("a", c.A)
		_, s, _ := NaiveSVD(c.A)
		cond := 1.0
		if n := len(s); n > 0 {
			cond = s[0] / s[n-1]
		}
		n := float64(max(c.A.Rows, 1))
		t.Assume(cond*n*Eps < 1e-3)
		got := t.answer(x, "LogDet", c.Name, c.A)[0].Data
		log, sign := got[0], got[1]
		if sign != c.Sign {
			t.Failf("%s: the determinant's sign is %g, want %g", c.Name, sign, c.Sign)
		}
		t.Judge(c.Name+": log-determinant off, in units of n·ε·cond, by", math.Abs(log-c.LogDet)/(Eps*n*(cond+1+math.Abs(c.LogDet))))
	}},
	{"determinant: transposed", "det Aᵀ = det A", []string{"LogDet"}, 10, func(t *Trial, x Library) {
		c := t.solvable()
		t.Assume(wellConditioned(c.A))
		p, s, err := x.LogDet(c.A)
		t.Fail(err)
		q, r, err := x.LogDet(c.A.T())
		t.Fail(err)
		if s != r {
			t.Failf("%s: the determinant's sign is %g, that of the transpose %g", c.Name, s, r)
		}
		t.Judge(c.Name+": off by", math.Abs(p-q)/(Eps*float64(max(c.A.Rows, 1))*(1e4+math.Abs(p))))
	}},
	// Takes determinants far beyond what a float64 can be.
	{"determinant: scaling", "log|det 2^k·A| = log|det A| + n·k·log 2", []string{"LogDet"}, 10, func(t *Trial, x Library) {
		c, k := t.solvable(), t.IntN(1601)-800
		t.Assume(wellConditioned(c.A) && ordinary(c.A))
		t.judgeScaled(c, k, 1e4, x.LogDet)
	}},
	{"LU", "P·A = L·U for A of any shape and rank, L unit lower with |l| ≤ 1, U upper, ‖P·A - L·U‖₁ ≤ 10·n·ε·‖A‖₁ times growth", []string{"LU"}, 10, func(t *Trial, x Library) {
		c := t.anyCase(0, WideRange)
		g := t.lay(c.A)
		in := watch(g)
		p, l, u, err := x.LU(g.Matrix)
		t.Assume(err == nil || c.Properties().Has(Nonsingular)) // others may be refused
		t.Fail(said(err, "%s", c.Name))
		t.Fail(in.kept())
		n := c.A.Rows
		seen := make([]bool, n)
		for _, i := range p {
			if i < 0 || i >= n || seen[i] {
				t.Failf("%s: rows %v are no permutation", c.Name, p)
			}
			seen[i] = true
		}
		for i := range l.Rows {
			for j := range l.Cols {
				if v := l.At(i, j); !(math.Abs(v) <= 1) || i == j && v != 1 || j > i && v != 0 {
					t.Failf("%s: L[%d,%d] = %g", c.Name, i, j, v)
				}
			}
		}
		if !Structure(u).Has(UpperTriangular) {
			t.Failf("%s: U is not upper triangular", c.Name)
		}
		rows := fill(n, c.A.Cols, func(i, j int) float64 { return c.A.At(p[i], j) })
		growth := max(1, mat.NormMax(u)/max(mat.NormMax(c.A), 0x1p-1022))
		t.judgeProduct(c.Name, ProductResidual(rows, l, u)/growth, rows, l, u)
	}},
	{"QR", "A = Q·R, QᵀQ = I, R upper, residuals ≤ 10·n·ε", []string{"QR"}, 10, func(t *Trial, x Library) {
		c := t.anyCase(0, Broad)
		got := t.answer(x, "QR", c.Name, c.A)
		q, r := got[0], got[1]
		if !Structure(r).Has(UpperTriangular) {
			t.Failf("%s: R is not upper triangular", c.Name)
		}
		t.judgeProduct(c.Name, ProductResidual(c.A, q, r), c.A, q, r)
		t.Judge(c.Name+": orthogonality", Orthogonality(q))
	}},
	{"singular values: residual", "A = U·diag(s)·Vᵀ, UᵀU = VᵀV = I, s ≥ 0 descending, residuals ≤ 10·n·ε", []string{"SVD"}, 10, func(t *Trial, x Library) {
		c := t.anyCase(0, 0)
		got := t.answer(x, "SVD", c.Name, c.A)
		u, v, middle := got[0], got[2], diagonal(got[1].Data).A
		t.judgeProduct(c.Name, ProductResidual(c.A, u, middle, v.T()), c.A, u, middle, v.T())
		t.Judge(c.Name+": orthogonality of U", Orthogonality(u))
		t.Judge(c.Name+": orthogonality of V", Orthogonality(v))
	}},
	{"singular values: known", "s is within n·ε·‖A‖₂ and Slack of the known ones", []string{"SVD"}, 2, func(t *Trial, x Library) {
		c := t.Draw(t.Size(maxEig), KnownSingular, 0)
		t.Given("a", c.A)
		s := t.singularValues(x, c.Name, c.A)
		for i, w := range c.SingularValues {
			t.Judge(fmt.Sprintf("%s: s[%d] off by", c.Name, i), (math.Abs(s[i]-w)-c.Slack)/unit(c.SingularValues))
		}
	}},
	{"singular values: rank", "as many are above rounding as the rank says", []string{"SVD"}, 0, func(t *Trial, x Library) {
		c := t.Draw(t.Size(maxEig), KnownRank, WideRange)
		t.Given("a", c.A)
		s := t.singularValues(x, c.Name, c.A)
		rank := 0
		for _, v := range s {
			if v > 10*unit(s) {
				rank++
			}
		}
		if rank > c.Rank || rank < c.Rank && wellRanked(c) {
			t.Failf("%s: %d singular values are above rounding, the rank is %d: %v", c.Name, rank, c.Rank, s)
		}
	}},
	{"singular values: transposed", "s(Aᵀ) = s(A)", []string{"SVD"}, 2, func(t *Trial, x Library) {
		c := t.anyCase(0, 0)
		t.Judge(c.Name+": transposed off by", farthest(t.singularValues(x, c.Name, c.A.T()), t.singularValues(x, c.Name, c.A)))
	}},
	{"singular values: non-finite", "NaN and infinities are refused or give non-finite answers, and soon", []string{"SVD"}, 0, nonFiniteLaw("SVD")},
	{"LU: non-finite", "NaN and infinities are refused or give non-finite answers, and soon", []string{"LU"}, 0, nonFiniteLaw("LU")},
	{"QR: non-finite", "NaN and infinities are refused or give non-finite answers, and soon", []string{"QR"}, 0, nonFiniteLaw("QR")},
	{"general solve: non-finite", "a NaN is refused or makes the solution non-finite, and soon", []string{"Solve"}, 0, solveNonFiniteLaw("Solve", false)},
	{"general inverse: non-finite", "a NaN is refused or makes the inverse non-finite, and soon", []string{"Inverse"}, 0, nanLaw("Inverse", true)},
	{"determinant: non-finite", "a NaN is refused or makes the log-determinant non-finite, and soon", []string{"LogDet"}, 0, nanLaw("LogDet", false)},
	{"general solve: singular", "a matrix with a row or a column of zeros is refused or gives a non-finite solution", []string{"Solve"}, 0, singularLaw("Solve")},
	{"general inverse: singular", "a matrix with a row or a column of zeros is refused or gives a non-finite inverse", []string{"Inverse"}, 0, singularLaw("Inverse")},
	{"determinant: singular", "a matrix with a row or a column of zeros is refused or has log|det A| = -Inf", []string{"LogDet"}, 0, detSingularLaw},
}

// solvable draws a square case that a general solver must solve.
func (t *Trial) solvable() Case {
	c := t.Draw(t.Size(maxEig), Square|Finite|WellConditioned, Subnormal|WideRange)
	c.A = t.Given("a", c.A)
	return c
}

// wellConditioned reports whether σ₁ ≤ 10⁴·σ_n.
func wellConditioned(a mat.Matrix) bool {
	_, s, _ := NaiveSVD(a)
	return len(s) == 0 || s[0] > 0 && s[0] <= 1e4*s[len(s)-1]
}

// ProductResidual returns ‖A - F₁·F₂·…‖₁ / (max(m, n)·‖A‖₁·ε) for an m×n matrix and what it was factored into (LAPACK's dget01,
// dqrt01, dbdt01). It is free of overflow. A non-finite entry gives +Inf.
func ProductResidual(a mat.Matrix, factors ...mat.Matrix) float64 {
	if !finite(append(factors, a)...) {
		return math.Inf(1)
	}
	p := mat.Identity(a.Rows)
	total := 0
	for _, f := range factors {
		refuse("ProductResidual", p.Cols == f.Rows, p, f)
		e := exponent(f)
		total += e
		p = NaiveMul(1, p, scaled(f, -e), 0, mat.Matrix{})
	}
	refuse("ProductResidual", p.Rows == a.Rows && p.Cols == a.Cols, p, a)
	e := exponent(a)
	r := fill(a.Rows, a.Cols, func(i, j int) float64 { return math.Ldexp(p.At(i, j), total-e) - math.Ldexp(a.At(i, j), -e) })
	return guarded(mat.Norm1(r), mat.Norm1(scaled(a, -e)), float64(max(a.Rows, a.Cols))*Eps)
}

// judgeProduct is Judge for the residual of a product of factors, and says where it is
// farthest from a: a factorisation in which one element is wrong differs there alone.
func (t *Trial) judgeProduct(name string, residual float64, a mat.Matrix, factors ...mat.Matrix) {
	what := name + ": residual"
	if !(residual <= t.gate) {
		p := factors[0]
		for _, f := range factors[1:] {
			p = NaiveMul(1, p, f, 0, mat.Matrix{})
		}
		var row, column int
		var most float64
		for i := range a.Rows {
			for j := range a.Cols {
				if d := math.Abs(p.At(i, j) - a.At(i, j)); !(d < most) {
					row, column, most = i, j, d
				}
			}
		}
		what = fmt.Sprintf("%s, most at (%d, %d),", what, row, column)
	}
	t.Judge(what, residual)
}

// anyCase draws a finite matrix of any shape; one in two is not square, though most families are.
func (t *Trial) anyCase(want, not Properties) Case {
	switch t.IntN(4) {
	case 0:
		want |= Tall
	case 1:
		if not&Broad == 0 {
			want |= Broad
		}
	}
	c := t.Draw(t.Size(maxEig), Finite|want, not|Subnormal)
	c.A = t.Given("a", c.A)
	return c
}

// singularValues asks for the values of a matrix that must have some.
func (t *Trial) singularValues(x Library, what string, a mat.Matrix) []float64 {
	_, s, _, err := x.SVD(a)
	t.Fail(said(err, "%s", what))
	if len(s) != min(a.Rows, a.Cols) || !finite(mat.Vector(s)) {
		t.Failf("%s: %d singular values of a %d×%d matrix: %v", what, len(s), a.Rows, a.Cols, s)
	}
	for i, v := range s {
		if !(v >= 0) || i > 0 && v > s[i-1] {
			t.Failf("%s: singular values %v are not descending to 0", what, s)
		}
	}
	return s
}

// wellRanked reports whether the naive singular values show the rank.
func wellRanked(c Case) bool {
	_, s, _ := NaiveSVD(c.A)
	return c.Rank == 0 || s[c.Rank-1] > 100*unit(s)
}
