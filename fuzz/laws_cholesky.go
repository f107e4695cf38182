package fuzz

import (
	"fmt"
	"math"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat"
)

var choleskyLaws = []Law{
	{"Cholesky: exact", "where the factor is of integers or powers of two it comes back to the bit", []string{"Cholesky"}, 0, func(t *Trial, x Library) { choleskyLaw(t, x, KnownFactor, 0) }},
	{"Cholesky: residual", "‖L·Lᵀ - A‖₁ ≤ 10·n·ε·‖A‖₁ for definite A (LAPACK's dpot01)", []string{"Cholesky"}, 10, func(t *Trial, x Library) { choleskyLaw(t, x, Definite, KnownFactor) }},
	{"Cholesky: pivot", "an exact factorisation fails at its first pivot that is not positive", []string{"Cholesky"}, 10, func(t *Trial, x Library) {
		n := t.some(maxMul)
		var c Case
		switch t.IntN(3) {
		case 0:
			c = FailingPivot(t.Source, n, t.IntN(n), -t.IntN(2))
		case 1:
			c = LowRank(t.Source, n, t.IntN(n+1))
		default:
			c = diagonal(values(n, func(int) float64 { return t.integer(9) + 6 }))
		}
		if m := t.Given("a", c.A); SameBits(m, c.A) != nil { // made simpler: small integers, whose pivots are judged by exact arithmetic
			c = Case{Name: "made simpler", A: m, Pivot: exactPivot(m)}
			t.Assume(c.Pivot != Unknown)
		}
		judgeCholesky(t, x, c)
	}},
	{"Cholesky: scaling", "L(4^k·A) = 2^k·L(A) to the bit", []string{"Cholesky"}, 0, func(t *Trial, x Library) {
		n, k := t.Size(maxMul), t.IntN(401)-200
		c := t.Matrix(t.Draw(n, Definite, KnownFactor|Subnormal|WideRange))
		t.Assume(c.Definite())
		l, failed := x.Cholesky(c.A)
		m, again := x.Cholesky(scaled(c.A, 2*k))
		if failed != n || again != n {
			t.Failf("%s: refused", c.Name)
		}
		t.Fail(said(SameBits(Lower(m), scaled(Lower(l), k)), "%s times 4^%d", c.Name, k))
	}},
	{"Cholesky: leading block", "the factor of a leading block is the leading block of the factor, on integers", []string{"Cholesky"}, 0, func(t *Trial, x Library) {
		n := t.Size(maxMul)
		t.Assume(n > 0)
		k := 1 + t.IntN(n)
		a := t.Given("a", SPD(t.Source, n).A)
		t.Assume(exactPivot(a) == n)
		l, failed := x.Cholesky(a)
		m, again := x.Cholesky(a.Slice(0, k, 0, k))
		if failed != n || again != k {
			t.Failf("refused")
		}
		t.Fail(SameNumbers(Lower(m), Lower(l).Slice(0, k, 0, k)))
	}},
	{"Cholesky: non-finite", "NaN and infinities in the lower triangle are refused, and soon", []string{"Cholesky"}, 0, nonFiniteLaw("Cholesky")},
	{"definite solve: residual", "‖b - A·x‖₁ ≤ 30·n·ε·‖A‖₁·‖x‖₁", []string{"SolveSPD"}, 30, func(t *Trial, x Library) {
		c := t.definite(WideRange)
		b := t.Given("b", Normal(t.Source, c.A.Rows, t.Size(6)))
		y := t.answer(x, "SolveSPD", c.Name, c.A, b)[0]
		t.Judge(c.Name+": residual/n", SolveResidual(c.A, y, b)/float64(max(c.A.Rows, 1)))
	}},
	{"definite solve: integers", "a system with a factor of integers and an integer solution is exact", []string{"SolveSPD"}, 0, func(t *Trial, x Library) {
		c := SPD(t.Source, t.Size(12))
		y := t.Given("x", Integers(t.Source, c.A.Rows, t.some(5), 4))
		b := NaiveMul(1, c.A, y, 0, mat.Matrix{})
		got, err := x.SolveSPD(c.A, b)
		t.Fail(err)
		t.Fail(SameNumbers(got, y))
	}},
	{"definite solve: non-finite", "a NaN is refused or makes the solution non-finite, and soon", []string{"SolveSPD"}, 0, solveNonFiniteLaw("SolveSPD", true)},
	{"definite inverse", "‖I - A·A⁻¹‖₁ ≤ 30·n·ε·‖A‖₁·‖A⁻¹‖₁, and A⁻¹ is symmetric", []string{"InverseSPD"}, 30, func(t *Trial, x Library) {
		c := t.definite(WideRange)
		y := t.answer(x, "InverseSPD", c.Name, c.A)[0]
		t.Fail(said(SameNumbers(y, y.T()), "%s: the inverse is not symmetric", c.Name))
		t.Judge(c.Name+": residual", InverseResidual(c.A, y))
		if c.Inverse.Rows > 0 {
			t.Judge(c.Name+": residual of the known inverse", InverseResidual(y, c.A))
		}
	}},
	{"definite inverse: non-finite", "a NaN is refused or makes the inverse non-finite, and soon", []string{"InverseSPD"}, 0, nanLaw("InverseSPD", true)},
	{"definite log-determinant", "log|A| is within 10·n·ε·cond of the known one", []string{"LogDetSPD"}, 10, func(t *Trial, x Library) {
		c := t.Draw(t.Size(maxEig), Definite|KnownLogDet, Subnormal|WideRange)
		t.Given("a", c.A)
		got := t.answer(x, "LogDetSPD", c.Name, c.A)[0].At(0, 0)
		n := float64(max(c.A.Rows, 1))
		// Besides, each of n logarithms and the sum of them are rounded.
		unit := Eps * (n*condition(c.A) + n*(1+math.Abs(c.LogDet)))
		t.Judge(c.Name+": log-determinant off, in units of n·ε·cond, by", math.Abs(got-c.LogDet)/unit)
	}},
	{"log-determinant of a leading block", "log|A| of the bordered matrix less that of A is the Schur complement's logarithm", []string{"LogDetSPD"}, 10, func(t *Trial, x Library) {
		n := t.Size(maxMul - 1)
		c := arrow(integers(t.Source, n, 3))
		a := t.Given("a", c.A).Clone()
		t.Assume(exactPivot(a) == n+1)
		whole, err := x.LogDetSPD(a)
		t.Fail(err)
		part, err := x.LogDetSPD(a.Slice(0, n, 0, n))
		t.Fail(err)
		s := a.At(n, n)
		for i := range n {
			t.Assume(a.At(i, i) == 1)
			s -= a.At(n, i) * a.At(n, i)
		}
		unit := Eps * float64(n+1) * (condition(a) + math.Abs(whole) + math.Abs(part) + 1)
		t.Judge("difference off, in units of n·ε·cond, by", math.Abs(whole-part-math.Log(s))/unit)
	}},
	// Takes determinants far beyond what a float64 can be.
	{"definite log-determinant: scaling", "log|2^k·A| = log|A| + n·k·log 2", []string{"LogDetSPD"}, 10, func(t *Trial, x Library) {
		c, k := t.definite(WideRange|IllConditioned), t.IntN(1601)-800
		cond := condition(c.A)
		t.Assume(cond < 1e4 && ordinary(c.A))
		t.judgeScaled(c, k, cond, func(a mat.Matrix) (log, sign float64, err error) { log, err = x.LogDetSPD(a); return log, 1, err })
	}},
	{"definite log-determinant: non-finite", "NaN and infinities are refused or make it non-finite, and soon", []string{"LogDetSPD"}, 0, nonFiniteLaw("LogDetSPD")},
	{"update", "the updated factor has ‖L·Lᵀ - (A + x·xᵀ)‖₁ ≤ 10·n·ε·‖A + x·xᵀ‖₁", []string{"Update"}, 10, func(t *Trial, x Library) {
		c := t.definite(WideRange)
		t.Assume(condition(c.A) < 1e10) // so that the sum, once rounded, is still definite
		v := t.vector("x", c.A.Rows, math.Sqrt(mat.NormMax(c.A)))
		if t.Bool() { // a vector with zeros
			for i := range v {
				v[i] *= float64(t.values.IntN(2))
			}
		}
		l, err := changed(t, x.Update, c.A, v)
		t.Fail(said(err, "%s", c.Name))
		t.Judge(c.Name+": residual", CholResidual(plusOuter(c.A, 1, v), l))
	}},
	{"downdate", "downdating A + x·xᵀ by x gives A's factor", []string{"Downdate"}, 30, func(t *Trial, x Library) {
		c := t.definite(WideRange | IllConditioned)
		t.Assume(condition(c.A) < 1e4)
		v := t.vector("x", c.A.Rows, math.Sqrt(mat.NormMax(c.A)))
		l, err := changed(t, x.Downdate, plusOuter(c.A, 1, v), v)
		t.Fail(said(err, "%s", c.Name))
		// The sum is rounded, and what is taken away may be much of it.
		var square float64
		for _, y := range v {
			square += y * y
		}
		scale := 1 + square/max(mat.Norm1(c.A), math.SmallestNonzeroFloat64)
		t.Judge(c.Name+": residual", CholResidual(c.A, l)/(scale*condition(c.A)))
	}},
	{"downdate: refused", "a downdate to a matrix that is singular or indefinite is an error", []string{"Downdate"}, 0, func(t *Trial, x Library) {
		n := t.some(21)
		c := SPD(t.Source, n)
		i := t.IntN(n)
		a := t.Given("a", c.A)
		t.Assume(exactPivot(a) == n)
		v := make([]float64, n)
		v[i] = 2 * math.Sqrt(a.At(i, i))
		if t.Bool() { // the last pivot becomes 0, exactly
			l, _ := NaiveCholesky(a)
			clear(v)
			i = n - 1
			v[i] = l.At(i, i)
		}
		if _, err := x.Downdate(a, v); err == nil {
			t.Failf("%g is taken from A[%d,%d] = %g and no error is returned", v[i]*v[i], i, i, a.At(i, i))
		}
	}},
	{"update: non-finite", "a NaN in the vector is refused or makes the factor non-finite, and soon", []string{"Update"}, 0, func(t *Trial, x Library) { updateNonFiniteLaw(t, x.Update) }},
	{"downdate: non-finite", "a NaN in the vector is refused or makes the factor non-finite, and soon", []string{"Downdate"}, 0, func(t *Trial, x Library) { updateNonFiniteLaw(t, x.Downdate) }},
}

// choleskyLaw judges the factor of a definite case.
func choleskyLaw(t *Trial, x Library, want, not Properties) {
	c := t.Matrix(t.Draw(t.Size(maxMul), Definite|want, not|Subnormal))
	t.Assume(c.Definite())
	judgeCholesky(t, x, c)
}

// judgeCholesky compares what a library says of a case with what is known.
func judgeCholesky(t *Trial, x Library, c Case) {
	g := t.lay(c.A)
	PoisonUpper(g.Matrix)
	in := watch(g)
	l, failed := x.Cholesky(g.Matrix)
	t.Fail(in.kept())
	t.Fail(samePivot(c, failed))
	switch {
	case !c.Definite():
	case c.Factor.Rows > 0:
		t.Fail(said(SameNumbers(Lower(l), c.Factor), "%s: the factor", c.Name))
	default:
		t.judgeProduct(c.Name, CholResidual(c.A, l), c.A, Lower(l), Lower(l).T())
	}
}

func samePivot(c Case, failed int) error {
	if failed == c.Pivot || failed == NotTold && !c.Definite() {
		return nil
	}
	say := func(k int) string {
		switch k {
		case c.A.Rows:
			return "none"
		case NotTold:
			return "one that is not told"
		}
		return strconv.Itoa(k)
	}
	return fmt.Errorf("%s: the failing pivot is %s, want %s", c.Name, say(failed), say(c.Pivot))
}

// definite draws a definite case with a right-hand side.
func (t *Trial) definite(not Properties) Case {
	c := t.Matrix(t.Draw(t.Size(maxEig), Definite, not|Subnormal))
	t.Assume(c.Definite())
	return c
}

// condition bounds ‖A‖·‖A⁻¹‖ of a definite matrix: by its naive eigenvalues, or by norms where these take long.
func condition(a mat.Matrix) float64 {
	if n := a.Rows; n > maxMul {
		l, failed := NaiveCholesky(a)
		if failed < n {
			return math.Inf(1)
		}
		return mat.Norm1(a) * mat.Norm1(NaiveSolveUpper(l.T(), NaiveSolveLower(l, mat.Identity(n))))
	}
	w, _ := NaiveEig(a)
	if len(w) == 0 {
		return 1
	}
	return math.Abs(w[len(w)-1] / w[0])
}

// ordinary reports whether the largest entry is far from overflow and underflow.
func ordinary(a mat.Matrix) bool {
	norm := mat.NormMax(a)
	return norm < 0x1p100 && norm > 0x1p-100 || norm == 0
}

// judgeScaled compares the determinants of a matrix and of 2^k times it.
func (t *Trial) judgeScaled(c Case, k int, cond float64, det func(a mat.Matrix) (log, sign float64, err error)) {
	log, sign, err := det(c.A)
	t.Fail(said(err, "%s", c.Name))
	far, same, err := det(scaled(c.A, k))
	t.Fail(said(err, "%s times 2^%d", c.Name, k))
	if sign != same {
		t.Failf("%s: the determinant's sign is %g, times 2^%d %g", c.Name, sign, k, same)
	}
	n := float64(c.A.Rows)
	want := log + n*float64(k)*math.Ln2
	unit := Eps * (n + 1) * (cond + math.Abs(log) + n*math.Abs(float64(k)))
	t.Judge(fmt.Sprintf("%s times 2^%d: off, in units of n·ε·cond, by", c.Name, k), math.Abs(far-want)/unit)
}

// vector draws a vector that a law gives as a plain slice.
func (t *Trial) vector(name string, n int, scale float64) []float64 {
	v := t.Given(name, Normal(t.Source, n, 1))
	return values(n, func(i int) float64 { return scale * v.At(i, 0) })
}

// plusOuter returns a + sign·x·xᵀ.
func plusOuter(a mat.Matrix, sign float64, x []float64) mat.Matrix {
	return symmetric(a.Rows, func(i, j int) float64 { return a.At(i, j) + sign*float64(x[i]*x[j]) })
}

// changed is the factor that change returns, and fails if it changes its operands.
func changed(t *Trial, change func(a mat.Matrix, x []float64) (mat.Matrix, error), a mat.Matrix, x []float64) (mat.Matrix, error) {
	before := Digest(a, mat.Vector(x))
	l, err := change(a, x)
	if Digest(a, mat.Vector(x)) != before {
		t.Failf("an operand that is only to be read has changed")
	}
	return l, err
}

func updateNonFiniteLaw(t *Trial, change func(a mat.Matrix, x []float64) (mat.Matrix, error)) {
	n := t.some(13)
	a := t.Given("a", mat.Identity(n))
	v := t.vector("x", n, 0.1)
	i := t.IntN(n)
	v[i] = math.NaN()
	if l, err := change(a, v); err == nil && finite(Lower(l)) {
		t.Failf("NaN at %d of x gives a finite factor", i)
	}
}

// exactPivot returns the first pivot of a that is not positive, or the order, if Cholesky's algorithm goes as far as that in
// integers alone; else Unknown.
func exactPivot(a mat.Matrix) int {
	l, failed := NaiveCholesky(a)
	if !Structure(a).Has(Symmetric|Integer) || !Structure(l).Has(Integer) {
		return Unknown
	}
	return failed
}
