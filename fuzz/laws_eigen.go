package fuzz

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

var eigenLaws = []Law{
	{"eigen: residual", "‖A - V·diag(w)·Vᵀ‖₁ ≤ 10·n·ε·‖A‖₁ and ‖I - Vᵀ·V‖₁ ≤ 10·n·ε (LAPACK's dsyt21)", []string{"Eig"}, 10, func(t *Trial, x Library) {
		c := t.symmetricCase(0, 0)
		got := t.answer(x, "Eig", c.Name, c.A)
		t.Judge(c.Name+": residual", EigResidual(c.A, got[0].Data, got[1]))
		t.Judge(c.Name+": orthogonality", Orthogonality(got[1]))
	}},
	{"eigen: known", "eigenvalues are within n·ε·‖A‖₂ (10·ε·‖A‖₂ below n = 10) and Slack of the known ones, ascending", []string{"Eig"}, 1, func(t *Trial, x Library) {
		c := t.symmetricCase(KnownSpectrum, 0)
		w := t.answer(x, "Eig", c.Name, c.A)[0].Data
		if !slices.IsSorted(w) {
			t.Failf("%s: the eigenvalues are not in ascending order: %v", c.Name, w)
		}
		n := float64(len(w))
		t.Judge(c.Name+": eigenvalues off by", EigenvalueError(c, w)*n/max(n, 10))
	}},
	{"eigen: values alone", "eigenvalues alone are those with vectors", []string{"Eig", "EigValues"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(0, 0)
		w := t.eigenvalues(x, c.Name, c.A)
		t.Judge(c.Name+": values alone off by", farthest(t.answer(x, "EigValues", c.Name, c.A)[0].Data, w))
	}},
	{"eigen: Sturm counts", "as many eigenvalues lie below x as T - x·I has negative pivots (LAPACK's dstech)", []string{"Eig"}, 0, func(t *Trial, x Library) {
		n := t.Size(maxEig)
		c := t.Matrix(t.Draw(n, Symmetric|Tridiagonal|Finite, WideRange|Subnormal))
		p := Structure(c.A)
		t.Assume(p.Has(Symmetric | Tridiagonal))
		d := values(n, func(i int) float64 { return c.A.At(i, i) })
		e := values(max(n-1, 0), func(i int) float64 { return c.A.At(i+1, i) })
		w := t.eigenvalues(x, c.Name, c.A)
		tol := max(2*unit(w), 0x1p-1000)
		for i, v := range w {
			if below := sturmCount(d, e, v-tol); below > i {
				t.Failf("%s: %d eigenvalues are below w[%d] = %g", c.Name, below, i, v)
			}
			if to := sturmCount(d, e, v+tol); to < i+1 {
				t.Failf("%s: %d eigenvalues are up to w[%d] = %g", c.Name, to, i, v)
			}
		}
	}},
	{"eigen: scaling", "w(2^k·A) = 2^k·w(A)", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c, k := t.symmetricCase(0, WideRange|Subnormal), t.IntN(401)-200
		t.Assume(mat.NormMax(c.A) < 0x1p600)
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, c.Name, scaled(c.A, k))
		t.Judge(fmt.Sprintf("%s times 2^%d: off by", c.Name, k), farthest(scaledValues(v, -k), w))
	}},
	{"eigen: permutation", "w(P·A·Pᵀ) = w(A)", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(0, Subnormal)
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, c.Name+", permuted", c.Permuted(t.Source).A)
		t.Judge(c.Name+": permuted off by", farthest(v, w))
	}},
	{"eigen: shift", "w(A + σ·I) = w(A) + σ", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(Integer, 0)
		t.Assume(mat.NormMax(c.A) < 1<<40)
		shift := t.integer(100)
		a := c.A.Clone()
		for i := range a.Rows {
			a.Set(i, i, a.At(i, i)+shift)
		}
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, c.Name+", shifted", a)
		largest := max(unit(w), unit(v))
		for i := range w {
			t.Judge(fmt.Sprintf("%s + %g: w[%d] off by", c.Name, shift, i), math.Abs(v[i]-w[i]-shift)/largest)
		}
	}},
	{"eigen: negation", "w(-A) = -w(A), in reverse order", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(0, 0)
		minus := fill(c.A.Rows, c.A.Cols, func(i, j int) float64 { return -c.A.At(i, j) })
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, "-"+c.Name, minus)
		slices.Reverse(v)
		t.Judge(c.Name+": negated off by", farthest(values(len(v), func(i int) float64 { return -v[i] }), w))
	}},
	{"eigen: interlacing", "eigenvalues of a leading block lie between those of the whole (Cauchy)", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(0, 0)
		n := c.A.Rows
		t.Assume(n > 1)
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, c.Name+", leading block", c.A.Slice(0, n-1, 0, n-1))
		for i := range v {
			t.Judge(fmt.Sprintf("%s: w[%d] of the leading block outside by", c.Name, i), max(w[i]-v[i], v[i]-w[i+1])/unit(w))
		}
	}},
	{"eigen: rank one", "adding x·xᵀ moves each eigenvalue up, and not beyond the next (Weyl)", []string{"Eig"}, 2, func(t *Trial, x Library) {
		c := t.symmetricCase(Integer, 0)
		t.Assume(mat.NormMax(c.A) < 1<<40)
		n := c.A.Rows
		y := values(n, func(int) float64 { return t.integer(5) })
		w := t.eigenvalues(x, c.Name, c.A)
		v := t.eigenvalues(x, c.Name+" + x·xᵀ", plusOuter(c.A, 1, y))
		largest := max(unit(w), unit(v))
		for i := range w {
			t.Judge(fmt.Sprintf("%s: w[%d] fell by", c.Name, i), (w[i]-v[i])/largest)
			if i+1 < n {
				t.Judge(fmt.Sprintf("%s: w[%d] is above the next one by", c.Name, i), (v[i]-w[i+1])/largest)
			}
		}
	}},
	{"eigen: trace", "Σ w = tr A and Σ w² = ‖A‖²_F", []string{"Eig"}, 4, func(t *Trial, x Library) {
		c := t.symmetricCase(0, 0)
		_, e := math.Frexp(mat.NormMax(c.A))
		w := scaledValues(t.eigenvalues(x, c.Name, c.A), -e)
		a := scaled(c.A, -e)
		n := len(w)
		var trace, sum, square float64
		for i := range n {
			trace += a.At(i, i)
			sum += w[i]
			square += w[i] * w[i]
		}
		norm := mat.NormFro(a)
		t.Judge(c.Name+": trace off by", math.Abs(trace-sum)/(float64(max(n, 1))*unit(w)))
		t.Judge(c.Name+": Frobenius norm off by", math.Abs(norm-math.Sqrt(square))/(float64(max(n, 1))*unit(w)))
	}},
	{"eigen: non-finite", "NaN and infinities in the lower triangle are refused or give non-finite answers, and soon", []string{"Eig"}, 0, nonFiniteLaw("Eig")},
	{"eigen: values alone, non-finite", "NaN and infinities in the lower triangle are refused or give non-finite values, and soon", []string{"EigValues"}, 0, nonFiniteLaw("EigValues")},
	{"eigen: definite", "a factorisation exists where eigenvalues are well above 0, and none where one is well below", []string{"Eig", "Cholesky"}, 0, func(t *Trial, x Library) {
		c := t.symmetricCase(0, Subnormal)
		n := float64(c.A.Rows)
		w := t.eigenvalues(x, c.Name, c.A)
		t.Assume(len(w) > 0)
		margin := 4 * (n + 1) * unit(w) // Demmel 1989: Cholesky's backward error
		_, failed := x.Cholesky(c.A)
		if w[0] > margin && failed != len(w) {
			t.Failf("%s: the least eigenvalue is %g and the factorisation fails at pivot %d", c.Name, w[0], failed)
		}
		if w[0] < -margin && failed == len(w) {
			t.Failf("%s: the least eigenvalue is %g and the factorisation succeeds", c.Name, w[0])
		}
	}},
	{"eigen: determinant", "log|A| is the sum of the logarithms of the eigenvalues", []string{"Eig", "LogDetSPD"}, 10, func(t *Trial, x Library) {
		c := t.definite(WideRange)
		t.Assume(mat.NormMax(c.A) < 0x1p900)
		w := t.eigenvalues(x, c.Name, c.A)
		log, err := x.LogDetSPD(c.A)
		t.Fail(said(err, "%s", c.Name))
		t.Assume(len(w) > 0 && w[0] > 4*unit(w))
		var sum, size float64
		for _, v := range w {
			sum += math.Log(v)
			size += math.Abs(math.Log(v))
		}
		t.Judge(c.Name+": off, in units of n·ε·cond, by", math.Abs(sum-log)/(float64(len(w))*(unit(w)/w[0]+Eps*(1+size))))
	}},
}

// symmetricCase draws a symmetric finite case, permuted and scaled now and then.
func (t *Trial) symmetricCase(want, not Properties) Case {
	c := t.Draw(t.Size(maxEig), Symmetric|Finite|want, not|Subnormal)
	if t.Bool() {
		c = c.Permuted(t.Source)
	}
	return t.Matrix(c)
}

// unit is the error that an eigenvalue of a matrix of order n and norm ‖A‖₂ may have: n·ε·‖A‖₂, and no less than at n = 10.
func unit(w []float64) float64 {
	return max(float64(max(len(w), 10))*Eps*mat.NormMax(mat.Vector(w)), 0x1p-1074)
}

// farthest returns the largest |v[i] - w[i]| in units of the error of w.
func farthest(v, w []float64) float64 {
	if len(v) != len(w) {
		return math.Inf(1)
	}
	var worst float64
	for i := range w {
		d := math.Abs(v[i]-w[i]) / unit(w)
		if d != d {
			return math.Inf(1)
		}
		worst = max(worst, d)
	}
	return worst
}

// eigenvalues asks for the eigenvalues of a matrix that must have some.
func (t *Trial) eigenvalues(x Library, what string, a mat.Matrix) []float64 {
	w, _, err := x.Eig(a)
	t.Fail(said(err, "%s", what))
	if len(w) != a.Rows || !finite(mat.Vector(w)) {
		t.Failf("%s: %d eigenvalues of a matrix of order %d: %v", what, len(w), a.Rows, w)
	}
	return w
}

// sturmCount returns how many eigenvalues of the symmetric tridiagonal matrix with diagonal d and off-diagonal e lie below x: the
// negative pivots of its factorisation (Givens 1954; golub and Van Loan, section 8.4). Its answer is right for a matrix off by a
// few ε·‖T‖. T may be as large as numbers can be: it is scaled by a power of two.
func sturmCount(d, e []float64, x float64) int {
	var largest float64
	for _, v := range slices.Concat(d, e) {
		largest = max(largest, math.Abs(v))
	}
	_, power := math.Frexp(largest)
	at := func(v float64) float64 { return math.Ldexp(v, -power) }
	count, q := 0, 1.0
	for i := range d {
		p := at(d[i]) - at(x)
		if i > 0 {
			p -= at(e[i-1]) * at(e[i-1]) / q
		}
		if math.Abs(p) < 0x1p-1022 {
			p = -0x1p-1022
		}
		if p < 0 {
			count++
		}
		q = p
	}
	return count
}
