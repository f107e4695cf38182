package fuzz_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// every returns all cases of the package of order n.
func every(s *fuzz.Source, n int) []fuzz.Case {
	cases := fuzz.SymmetricCases(s, n)
	cases = append(cases, fuzz.DefiniteCases(s, n)...)
	cases = append(cases, fuzz.Families(s, n)...)
	cases = append(cases, fuzz.Stetester(s, n, 1e8)...)
	if n > 0 {
		cases = append(cases, fuzz.FailingPivot(s, n, n/3, 0), fuzz.FailingPivot(s, n, n-1, -1))
	}
	for _, c := range cases {
		cases = append(cases, c.Permuted(s), c.Scaled(5))
	}
	return cases
}

// What a case claims must agree with the naive algorithms.
func TestCases(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 8, 24}
	if testing.Short() {
		sizes = sizes[:5]
	}
	for _, n := range sizes {
		for _, c := range every(fuzz.New(uint64(n)), n) {
			t.Run(fmt.Sprintf("%d/%s", n, c.Name), func(t *testing.T) { checkCase(t, n, c) })
		}
	}
}

func checkCase(t *testing.T, n int, c fuzz.Case) {
	if c.A.Rows != n || c.A.Cols != n {
		t.Fatalf("A is %d×%d, want order %d", c.A.Rows, c.A.Cols, n)
	}
	if err := fuzz.SameBits(c.A.T(), c.A); err != nil {
		t.Errorf("not symmetric: %v", err)
	}
	if i, j, found := mat.NonFinite(c.A); found {
		t.Fatalf("element (%d, %d) is not finite", i, j)
	}
	w, v := fuzz.NaiveEig(c.A)
	if r := fuzz.EigResidual(c.A, w, v); !(r <= 10) {
		t.Errorf("naive eigenvalues: residual %.3g", r)
	}
	if r := fuzz.Orthogonality(v); !(r <= 10) {
		t.Errorf("naive eigenvectors: not orthogonal: %.3g", r)
	}
	if c.Eigenvalues != nil {
		// Jacobi's error is a few ε·‖A‖₂ a sweep, for about ten sweeps.
		if r := fuzz.EigenvalueError(c, w); !(r*float64(n) <= 32+float64(n)) {
			t.Errorf("eigenvalues %.3g n·ε·‖A‖ off: %v, known %v", r, w, c.Eigenvalues)
		}
	}
	l, failed := fuzz.NaiveCholesky(c.A)
	switch {
	case c.Pivot == fuzz.Unknown:
	case failed != c.Pivot:
		t.Errorf("Cholesky fails at pivot %d, the case says %d", failed, c.Pivot)
	case c.Definite():
		if r := fuzz.CholResidual(c.A, l); !(r <= 10) {
			t.Errorf("naive Cholesky: residual %.3g", r)
		}
	}
	if c.Factor.Rows > 0 {
		if err := fuzz.SameBits(l, c.Factor); err != nil {
			t.Errorf("Cholesky factor: %v", err)
		}
		if r := fuzz.CholResidual(c.A, c.Factor); r != 0 {
			t.Errorf("A is not exactly L·Lᵀ: residual %.3g", r)
		}
	}
}
