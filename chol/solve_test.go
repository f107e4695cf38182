package chol_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// spectra are positive definite matrices with known eigenvalues.
func spectra(n int) []fuzz.Case {
	s := fuzz.New(uint64(n))
	var cases []fuzz.Case
	for _, cond := range []float64{1, 100, 1e6, 1e10} {
		cases = append(cases, fuzz.WithSpectrum(s, "geometric", fuzz.Spectrum(s, fuzz.Geometric, n, cond)))
	}
	return append(cases, family("second difference", n), family("min(i,j)", n))
}

func condition(c fuzz.Case) float64 {
	if len(c.Eigenvalues) == 0 {
		return 1
	}
	return c.Eigenvalues[len(c.Eigenvalues)-1] / c.Eigenvalues[0]
}

// TestSolve holds Solve to the gates of LAPACK's dpot02 and dget04, 30, for one
// and for several right-hand sides in any layout.
func TestSolve(t *testing.T) {
	tier.Skip(t, tier.Race)
	const gate = 30
	for _, n := range sizes() {
		s := fuzz.New(uint64(n))
		for _, c := range spectra(n) {
			f := mustFactorize(t, c.A)
			for _, k := range []int{0, 1, 3, 4, 5, 17} {
				chol.SetNarrow(t, []int{0, 2, 4}[n%3], []int{5, 512}[n%2])
				x := fuzz.Uniform(s, n, k)
				b := fuzz.NaiveMul(1, c.A, x, 0, mat.Matrix{})
				g := fuzz.Guard(b, s.Layout())
				f.Solve(g.Matrix)
				if err := g.Check(); err != nil {
					t.Fatal(err)
				}
				// The residual is that of one column times n, so that the gate suits every order.
				if r := fuzz.SolveResidual(c.A, g.Matrix, b) / float64(max(n, 1)); !(r <= gate) {
					t.Errorf("%s: residual %.3g, want at most %d", c.Name, r, gate)
				}
				// b is rounded n times over, which moves x by n·ε·cond.
				if r := fuzz.ForwardError(g.Matrix, x, float64(n)*condition(c)); !(r <= gate) {
					t.Errorf("%s: forward error %.3g, want at most %d", c.Name, r, gate)
				}
			}
		}
	}
}

// TestHalves compares the triangular operations with plain substitution, and
// exactly where the factor has a unit diagonal of integers.
func TestHalves(t *testing.T) {
	for _, n := range sizes() {
		s := fuzz.New(uint64(n))
		c := family("min(i,j)", n) // L is the triangle of ones, L⁻¹ takes differences
		f := mustFactorize(t, c.A)
		x := fuzz.Integers(s, n, 2+n%4, 100)
		for _, op := range []struct {
			name string
			call func(mat.Matrix)
			want mat.Matrix
		}{
			{"MulHalf", f.MulHalf, fuzz.NaiveMul(1, c.Factor, x, 0, mat.Matrix{})},
			{"SolveHalf", f.SolveHalf, fuzz.NaiveSolveLower(c.Factor, x)},
			{"SolveHalfT", f.SolveHalfT, fuzz.NaiveSolveUpper(c.Factor.T(), x)},
			{"Solve", f.Solve, fuzz.NaiveSolveUpper(c.Factor.T(), fuzz.NaiveSolveLower(c.Factor, x))},
		} {
			g := fuzz.Guard(x, s.Layout())
			op.call(g.Matrix)
			if err := g.Check(); err != nil {
				t.Fatalf("%s n=%d: %v", op.name, n, err)
			}
			mat.Add(g.Matrix, g.Matrix, -1, op.want)
			if d := mat.NormMax(g.Matrix); d != 0 {
				t.Errorf("%s n=%d: differs by %g from the exact answer", op.name, n, d)
			}
		}
	}
}

func TestInverse(t *testing.T) {
	tier.Skip(t, tier.Race)
	const gate = 30 // of LAPACK's dpot03
	for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 65, 100} {
		s := fuzz.New(uint64(n))
		chol.SetBlocking(t, []int{1, 48, 96}[n%3], 0, 50)
		for _, c := range append(spectra(n), fuzz.DefiniteCases(s, n)...) {
			if !c.Definite() {
				continue
			}
			g := fuzz.Guard(fuzz.Normal(s, n, n), s.Layout())
			mustFactorize(t, c.A).Inverse(g.Matrix)
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			if r := fuzz.InverseResidual(c.A, g.Matrix); !(r <= gate) {
				t.Errorf("%s: residual %.3g, want at most %d", c.Name, r, gate)
			}
			if err := fuzz.SameBits(g.Matrix, g.Matrix.T()); err != nil {
				t.Errorf("%s: not symmetric: %v", c.Name, err)
			}
		}
		// The diagonal alone, and nothing behind it.
		for _, c := range append(spectra(n), fuzz.DefiniteCases(s, n)...) {
			if !c.Definite() {
				continue
			}
			inverse, got := mat.New(n, n), append(make([]float64, n), -1)
			f := mustFactorize(t, c.A)
			f.Inverse(inverse)
			f.InverseDiagonal(got[:n])
			for i := range n {
				// Sums of n squares in two orders.
				if want := inverse.At(i, i); !(math.Abs(got[i]-want) <= 2*float64(n)*fuzz.Eps*want) {
					t.Errorf("%s: element %d of the inverse's diagonal is %g, in all of the inverse %g", c.Name, i, got[i], want)
				}
			}
			if got[n] != -1 {
				t.Errorf("%s: more than the diagonal is written", c.Name)
			}
		}
		// min(i,j)+1 is the inverse of the second difference with a free end.
		inverse := mat.New(n, n)
		mustFactorize(t, family("min(i,j)", n).A).Inverse(inverse)
		want := family("second difference", n).A
		if n > 0 {
			want.Set(n-1, n-1, 1)
		}
		mat.Add(want, want, -1, inverse)
		if d := mat.NormMax(want); d != 0 {
			t.Errorf("inverse of min(i,j), n=%d: off by %g", n, d)
		}
	}
}

// TestConcurrentFactors factors and inverts on many goroutines at once, each of
// which shares its blocks with the same helpers.
func TestConcurrentFactors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	chol.SetBlocking(t, 24, 0, 2048)
	s := fuzz.New(8)
	const n = 150
	a := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 100)).A
	f, want := mustFactorize(t, a), mat.New(n, n)
	f.Inverse(want)
	errs := make([]error, 24)
	mat.Parallel(len(errs), func(i int) {
		g, err := chol.Factorize(a)
		if err != nil {
			errs[i] = err
			return
		}
		inverse := mat.New(n, n)
		g.Inverse(inverse)
		errs[i] = errors.Join(fuzz.SameBits(g.L(), f.L()), fuzz.SameBits(inverse, want))
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
