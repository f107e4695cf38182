package fuzz_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// lists returns the cases of order n of the lists by which LAPACK and STETESTER
// test, some of them permuted and scaled.
func lists(s *fuzz.Source, n int) []fuzz.Case {
	cases := fuzz.SymmetricCases(s, n)
	cases = append(cases, fuzz.DefiniteCases(s, n)...)
	cases = append(cases, fuzz.Stetester(s, n, 1e8)...)
	for _, c := range cases {
		cases = append(cases, c.Permuted(s), c.Scaled(5))
	}
	return cases
}

// What a case claims must agree with the naive algorithms.
func TestLists(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 8, 16}
	if testing.Short() {
		sizes = sizes[:4]
	}
	for _, n := range sizes {
		for _, c := range lists(fuzz.New(uint64(n)), n) {
			t.Run(fmt.Sprintf("%d/%s", n, c.Name), func(t *testing.T) { prove(t, c) })
		}
	}
}

// Every family claims at every order what is true, and what it says of itself
// holds of the case permuted and scaled too.
func TestFamilies(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 8, 9, 13, 16}
	if testing.Short() {
		sizes = []int{0, 1, 2, 5, 8}
	}
	seen := map[fuzz.Properties]int{}
	for _, f := range fuzz.Collection() {
		t.Run(f.Name, func(t *testing.T) {
			made := 0
			for _, n := range sizes {
				if f.Takes != nil && !f.Takes(n) {
					continue
				}
				made++
				s := fuzz.New(uint64(n))
				c := f.Make(s, n)
				if min(c.A.Rows, c.A.Cols) != n {
					t.Fatalf("%s: a %d×%d matrix, want order %d", c.Name, c.A.Rows, c.A.Cols, n)
				}
				prove(t, c)
				for _, p := range fuzz.AllProperties() {
					if n > 2 && c.Properties().Has(p) {
						seen[p]++
					}
				}
				if p := c.Properties(); p.Has(fuzz.Square|fuzz.Finite) && !p.Any(fuzz.Subnormal) && mat.NormMax(c.A) < 1e300 {
					prove(t, c.Permuted(s))
					prove(t, c.Scaled(5))
				}
			}
			if made == 0 {
				t.Error("no case was made")
			}
		})
	}
	for _, p := range fuzz.AllProperties() {
		if seen[p] == 0 {
			t.Errorf("no family has a case that is %v", p)
		}
	}
}

func TestRegressionsProven(t *testing.T) {
	for _, c := range fuzz.Regressions() {
		prove(t, c)
	}
}

// facts are what prove computes of a matrix to judge claims by.
type facts struct {
	a       mat.Matrix
	w       []float64 // naive eigenvalues, if symmetric and finite
	s       []float64 // naive singular values, if finite
	cond    float64
	largest float64
	claimed fuzz.Properties
}

// prove checks everything that the case says, by other means than it was made.
func prove(t *testing.T, c fuzz.Case) {
	t.Helper()
	f := facts{a: c.A, claimed: c.Properties(), cond: 1, largest: mat.NormMax(c.A)}
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, %d×%d: %s", c.Name, c.A.Rows, c.A.Cols, fmt.Sprintf(format, args...))
	}
	if f.claimed.Closed() != f.claimed {
		wrong("the set %v is not closed", f.claimed)
	}
	_, _, found := mat.NonFinite(c.A)
	if !found && f.largest > 0 && f.largest < 1e300 {
		_, f.s, _ = fuzz.NaiveSVD(c.A)
		if k := len(f.s); k > 0 {
			f.cond = f.s[0] / f.s[k-1]
		}
	}
	if !found && f.claimed.Has(fuzz.Symmetric) {
		var v mat.Matrix
		f.w, v = fuzz.NaiveEig(c.A)
		if r := max(fuzz.EigResidual(c.A, f.w, v), fuzz.Orthogonality(v)); !(r <= 10 || f.largest < 1e-290) {
			wrong("naive eigenvalues: residual %.3g", r)
		}
	}
	for _, p := range fuzz.AllProperties() {
		if p >= fuzz.Semidefinite && !f.claimed.Has(p) {
			continue
		}
		if holds, decided := property(f, p); f.claimed.Has(p) && decided && !holds {
			wrong("claims to be %v", p)
		} else if !f.claimed.Has(p) && decided && holds {
			wrong("is %v and does not say so", p)
		}
	}
	knowledge(c, f, wrong)
}

// knowledge checks what the fields of a case say.
func knowledge(c fuzz.Case, f facts, wrong func(format string, args ...any)) {
	n := c.A.Rows
	if c.Eigenvalues != nil {
		// Jacobi's error is a few ε·‖A‖₂ a sweep, for about ten sweeps.
		if r := fuzz.EigenvalueError(c, f.w); !(r*float64(n) <= 32+float64(n)) {
			wrong("eigenvalues %.3g n·ε·‖A‖ off: %v, known %v", r, f.w, c.Eigenvalues)
		}
	}
	if c.SingularValues != nil && f.s != nil {
		for i, v := range c.SingularValues {
			if off := math.Abs(f.s[i]-v) - c.Slack; !(off <= float64(32+n)*fuzz.Eps*f.s[0]) {
				wrong("singular values %v, known %v", f.s, c.SingularValues)
				break
			}
		}
	}
	if f.claimed.Has(fuzz.KnownPivot) {
		l, failed := fuzz.NaiveCholesky(c.A)
		if failed != c.Pivot {
			wrong("Cholesky fails at pivot %d, the case says %d", failed, c.Pivot)
		} else if c.Definite() && f.largest > 1e-290 {
			if r := fuzz.CholResidual(c.A, l); !(r <= 10) {
				wrong("naive Cholesky: residual %.3g", r)
			}
		}
		if c.Factor.Rows > 0 {
			if err := fuzz.SameNumbers(l, c.Factor); err != nil {
				wrong("Cholesky factor: %v", err)
			}
			if r := fuzz.CholResidual(c.A, c.Factor); r != 0 {
				wrong("A is not exactly L·Lᵀ: residual %.3g", r)
			}
		}
	}
	if c.Inverse.Rows > 0 {
		if r := max(fuzz.InverseResidual(c.A, c.Inverse), fuzz.InverseResidual(c.Inverse, c.A)); !(r <= 2) {
			wrong("the inverse is none: residual %.3g", r)
		}
	}
	if f.claimed.Has(fuzz.KnownLogDet) {
		log, sign := exactDeterminant(c.A)
		if sign != c.Sign || !(math.Abs(log-c.LogDet) <= 10*fuzz.Eps*(float64(n)*f.cond+1+math.Abs(log))) {
			wrong("log-determinant %v sign %v, the case says %v and %v", log, sign, c.LogDet, c.Sign)
		}
	}
	if f.claimed.Has(fuzz.KnownRank) && f.s != nil {
		tol := float64(10*max(n, c.A.Cols)) * fuzz.Eps * f.s[0]
		k := c.Rank
		if k < len(f.s) && f.s[k] > tol || k > 0 && f.s[k-1] == 0 {
			wrong("rank %d, singular values %v", k, f.s)
		}
	}
	if c.Factors != nil && fuzz.SameNumbers(fuzz.NaiveKron(c.Factors...), c.A) != nil {
		wrong("is not the Kronecker product of its factors")
	}
}

// exactDeterminant returns log|det a| and its sign by rational arithmetic on the
// entries as they are stored.
func exactDeterminant(a mat.Matrix) (log, sign float64) {
	n := a.Rows
	w := make([][]*big.Rat, n)
	for i := range w {
		w[i] = make([]*big.Rat, n)
		for j := range w[i] {
			w[i][j] = new(big.Rat).SetFloat64(a.At(i, j))
		}
	}
	det := big.NewRat(1, 1)
	for k := range n {
		p := k
		for p < n && w[p][k].Sign() == 0 {
			p++
		}
		if p == n {
			return math.Inf(-1), 0
		}
		if p != k {
			w[p], w[k] = w[k], w[p]
			det.Neg(det)
		}
		det.Mul(det, w[k][k])
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(w[i][k], w[k][k])
			if f.Sign() == 0 {
				continue
			}
			for j := k + 1; j < n; j++ {
				w[i][j].Sub(w[i][j], new(big.Rat).Mul(f, w[k][j]))
			}
		}
	}
	m := new(big.Float).SetPrec(100).SetRat(det)
	fraction := new(big.Float)
	e := m.MantExp(fraction)
	v, _ := fraction.Float64()
	return math.Log(math.Abs(v)) + float64(e)*math.Ln2, float64(det.Sign())
}

// every reports whether f holds of all places.
func every(a mat.Matrix, f func(i, j int, v float64) bool) bool {
	for i := range a.Rows {
		for j := range a.Cols {
			if !f(i, j, a.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// property decides a property by its definition, and reports whether it could.
func property(f facts, p fuzz.Properties) (holds, decided bool) {
	a, m, n := f.a, f.a.Rows, f.a.Cols
	finite := every(a, func(_, _ int, v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) })
	equal := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	zeros := func(off func(i, j int) bool) bool {
		return every(a, func(i, j int, v float64) bool { return !off(i, j) || v == 0 })
	}
	tol := float64(32+n) * fuzz.Eps
	switch p {
	case fuzz.Square:
		return m == n, true
	case fuzz.Tall:
		return m > n, true
	case fuzz.Broad:
		return m < n, true
	case fuzz.Finite:
		return finite, true
	case fuzz.NonFinite:
		return !finite, true
	case fuzz.Subnormal:
		return !every(a, func(_, _ int, v float64) bool { return v == 0 || !(math.Abs(v) < 0x1p-1022) }), true
	case fuzz.Integer:
		return finite && every(a, func(_, _ int, v float64) bool { return math.Abs(v) <= 1<<53 && v == float64(int64(v)) }), true
	case fuzz.Nonnegative:
		return every(a, func(_, _ int, v float64) bool { return v >= 0 }), true
	case fuzz.Symmetric:
		return m == n && fuzz.Digest(a) == fuzz.Digest(a.T()), true
	case fuzz.UpperTriangular:
		return zeros(func(i, j int) bool { return i > j }), true
	case fuzz.LowerTriangular:
		return zeros(func(i, j int) bool { return i < j }), true
	case fuzz.DiagonalOnly:
		return zeros(func(i, j int) bool { return i != j }), true
	case fuzz.Tridiagonal:
		return zeros(func(i, j int) bool { return i > j+1 || j > i+1 }), true
	case fuzz.Hessenberg:
		return zeros(func(i, j int) bool { return i > j+1 }), true
	case fuzz.Toeplitz:
		return every(a, func(i, j int, v float64) bool {
			k := min(i, j)
			return equal(v, a.At(i-k, j-k))
		}), true
	case fuzz.Hankel:
		return every(a, func(i, j int, v float64) bool {
			k := min(i, n-1-j)
			return equal(v, a.At(i-k, j+k))
		}), true
	case fuzz.Circulant:
		return m == n && every(a, func(i, j int, v float64) bool { return equal(v, a.At(0, (j-i+n)%n)) }), true
	case fuzz.Persymmetric:
		return m == n && every(a, func(i, j int, v float64) bool { return equal(v, a.At(n-1-j, n-1-i)) }), true
	case fuzz.ZeroLine:
		line := func(b mat.Matrix) bool {
			for i := range b.Rows {
				if mat.NormInf(b.Slice(i, i+1, 0, b.Cols)) == 0 {
					return true
				}
			}
			return false
		}
		return m == n && n > 0 && finite && (line(a) || line(a.T())), true
	}
	if !finite || f.s == nil {
		return false, false
	}
	least := 0.0
	if k := len(f.s); k > 0 {
		least = f.s[k-1]
	}
	switch p {
	case fuzz.Dominant:
		return m == n && every(a, func(i, j int, _ float64) bool {
			return 2*math.Abs(a.At(i, i)) >= mat.NormInf(a.Slice(i, i+1, 0, n))*(1-1e-12)
		}), f.claimed.Has(fuzz.Dominant)
	case fuzz.Laplacian:
		ones := mat.New(n, 1)
		ones.Fill(1)
		return n == 0 || mat.NormMax(fuzz.NaiveMul(1, a, ones, 0, mat.Matrix{})) == 0 && zeros(func(i, j int) bool { return i != j && a.At(i, j) > 0 }), f.claimed.Has(fuzz.Laplacian)
	case fuzz.Semidefinite:
		return f.w != nil && f.w[0] >= -tol*f.s[0], f.w != nil || m != n
	case fuzz.Definite:
		_, failed := fuzz.NaiveCholesky(a)
		return failed == n, true
	case fuzz.Indefinite:
		return f.w != nil && f.w[0] < 0 && f.w[n-1] > 0, f.w != nil || m != n
	case fuzz.Singular, fuzz.Deficient:
		return least <= tol*f.s[0], n > 0
	case fuzz.Nonsingular:
		if m != n || n > 9 { // beyond, arithmetic without rounding takes long
			return false, m != n
		}
		_, sign := exactDeterminant(a)
		return sign != 0, true
	case fuzz.Repeated, fuzz.Clustered:
		for i := 1; i < len(f.w); i++ {
			if f.w[i]-f.w[i-1] <= (0x1p-20+tol)*f.s[0] {
				return true, true
			}
		}
		return false, n > 0
	case fuzz.WellConditioned:
		return n == 0 || f.s[0] <= 1001*least, true
	case fuzz.IllConditioned:
		return n > 0 && f.s[0] >= 0.99e8*least, n > 0
	case fuzz.Orthonormal:
		return fuzz.Orthogonality(a) <= 10, true
	case fuzz.Positive:
		return nonnegativeMinors(a), true
	}
	return false, false
}

// nonnegativeMinors checks minors of orders up to 3 of neighbouring rows and
// columns, which decide total positivity when they and all others of
// neighbours are positive (Fekete 1912).
func nonnegativeMinors(a mat.Matrix) bool {
	for k := 1; k <= min(3, a.Rows, a.Cols); k++ {
		for i := 0; i+k <= a.Rows; i++ {
			for j := 0; j+k <= a.Cols; j++ {
				if log, sign := naiveLogDet(a.Slice(i, i+k, j, j+k)); sign < 0 && log > -25+float64(k)*math.Log(mat.NormMax(a)) {
					return false
				}
			}
		}
	}
	return true
}
