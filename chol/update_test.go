package chol_test

import (
	"errors"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// updateOrders are around the number of rows that a sweep takes together.
func updateOrders() []int {
	if testing.Short() {
		return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 33}
	}
	return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 100, 150}
}

// plusOuter returns a + alpha·x·xᵀ, each element of the product rounded once.
func plusOuter(a mat.Matrix, alpha float64, x []float64) mat.Matrix {
	sum := a.Clone()
	for i := range x {
		for j := range x {
			sum.Set(i, j, a.At(i, j)+alpha*float64(x[i]*x[j]))
		}
	}
	return sum
}

func times(alpha float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = alpha * v
	}
	return y
}

// TestUpdate holds the factor of A + x·xᵀ to the residual of a new one, for small
// and large x. x stays as it is.
func TestUpdate(t *testing.T) {
	for _, n := range updateOrders() {
		s := fuzz.New(uint64(40 + n))
		for _, cond := range []float64{1, 1e3, 1e10} {
			c := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, cond))
			for _, size := range []float64{0, 1e-8, 1, 1e8} {
				x := times(size, fuzz.Normal(s, n, 1).Data)
				f := mustFactorize(t, c.A)
				before := append([]float64(nil), x...)
				if err := f.Update(x); err != nil {
					t.Fatalf("%s, x of size %g: %v", c.Name, size, err)
				}
				for i := range x {
					if x[i] != before[i] {
						t.Fatalf("%s: x changed", c.Name)
					}
				}
				if r := fuzz.CholResidual(plusOuter(c.A, 1, x), f.L()); !(r <= gate) {
					t.Errorf("%s, x of size %g: residual %.3g, want at most %d", c.Name, size, r, gate)
				}
				if err := fuzz.SameBits(f.L(), fuzz.Lower(f.L())); err != nil {
					t.Errorf("%s: above the diagonal: %v", c.Name, err)
				}
			}
		}
	}
}

// downdateGate allows a downdate ten units of n·ε times the norm of the matrix
// that is downdated: what is lost is small beside that, not beside what is left.
const downdateGate = 10

// TestDowndate compares with a new factorisation, up to a downdate that leaves one
// eigenvalue of L⁻¹·(A − x·xᵀ)·L⁻ᵀ at 10⁻⁴, 10⁻⁸ and 10⁻¹².
func TestDowndate(t *testing.T) {
	for _, n := range updateOrders() {
		s := fuzz.New(uint64(80 + n))
		if n == 0 {
			continue
		}
		c := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 1e3))
		for _, left := range []float64{1, 0.5, 1e-4, 1e-8, 1e-12} {
			f := mustFactorize(t, c.A)
			x := fuzz.Normal(s, n, 1)
			mat.Scale(x, math.Sqrt(1-left)/mat.NormFro(x), x)
			f.MulHalf(x) // xᵀ·A⁻¹·x = 1 − left
			if err := f.Downdate(x.Data); err != nil {
				t.Errorf("%s, %g left: %v", c.Name, left, err)
				continue
			}
			want := plusOuter(c.A, -1, x.Data)
			if r := fuzz.CholResidual(want, f.L()) * mat.Norm1(want) / mat.Norm1(c.A); !(r <= downdateGate) {
				t.Errorf("%s, %g left: residual %.3g, want at most %d", c.Name, left, r, downdateGate)
			}
		}
	}
}

// TestDowndateFails subtracts from min(i,j)+1, whose factor is all ones: with
// x = L·p every element is exact, and the first pivot to fail is the first k for
// which Σ p[i]² over i ≤ k reaches 1. The factor is what it was.
func TestDowndateFails(t *testing.T) {
	for _, n := range []int{1, 2, 4, 5, 9, 30} {
		f := mustFactorize(t, family("min(i,j)", n).A)
		before := f.L().Clone()
		for k := range n {
			for _, p := range []float64{1, 2, -3} {
				x := make([]float64, n) // p in row k of L⁻¹·x, a half before
				half := 0.0
				if k > 0 {
					half = 0.5
				}
				for i := range x {
					x[i] = half
					if i >= k {
						x[i] += p
					}
				}
				err := f.Downdate(x)
				var failed *chol.NotPositiveDefiniteError
				if !errors.As(err, &failed) || failed.Index != k || failed.Pivot > 0 {
					t.Fatalf("n=%d, %g at %d: got %v, want pivot %d", n, p, k, err, k)
				}
				// 1 − p²/(1 − ¼): the pivots of A − x·xᵀ are quotients of its leading minors.
				want := 1 - p*p/(1-half*half)
				if math.Abs(failed.Pivot-want) > 1e-13*math.Abs(want) {
					t.Fatalf("n=%d, %g at %d: the pivot is %v, want %v", n, p, k, failed.Pivot, want)
				}
				if err := fuzz.SameBits(f.L(), before); err != nil {
					t.Fatalf("n=%d, %g at %d: the factor changed: %v", n, p, k, err)
				}
			}
		}
	}
}

// TestUpdateRefuses names bad numbers and leaves the factor alone.
func TestUpdateRefuses(t *testing.T) {
	const n = 9
	f := mustFactorize(t, family("min(i,j)", n).A)
	before := f.L().Clone()
	for name, op := range map[string]func([]float64) error{"Update": f.Update, "Downdate": f.Downdate} {
		for i := range n {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				x := make([]float64, n)
				x[i], x[n-1] = bad, bad
				var named *chol.NonFiniteError
				if err := op(x); !errors.As(err, &named) || named.Row != i || named.Col != 0 || math.Float64bits(named.Value) != math.Float64bits(bad) {
					t.Errorf("%s, %g at %d: got %v", name, bad, i, err)
				}
			}
			x := make([]float64, n)
			x[i] = 1e200 // its square is infinite
			var failed *chol.NotPositiveDefiniteError
			if err := op(x); !errors.As(err, &failed) || failed.Index != i || !math.IsInf(failed.Pivot, 0) {
				t.Errorf("%s, 1e200 at %d: got %v", name, i, err)
			}
			if err := fuzz.SameBits(f.L(), before); err != nil {
				t.Fatalf("%s: the factor changed: %v", name, err)
			}
		}
		tier.PanicsWith(t, func() { op(make([]float64, 3)) }, "chol: "+name, "9×9", "3 numbers")
	}
}

// TestDowndateSubnormal leaves a pivot below the smallest number: 2^−1074 − 2^−1076.
func TestDowndateSubnormal(t *testing.T) {
	f := mustFactorize(t, mat.NewDense(1, 1, []float64{0x1p-1074}))
	if err := f.Downdate([]float64{0x1p-538}); err != nil {
		t.Fatal(err)
	}
	l, want := f.L(), 0x1p-538*math.Sqrt(3)
	if got := l.At(0, 0); math.Abs(got-want) > 2*fuzz.Eps*want {
		t.Errorf("root %g, want %g", got, want)
	}
}
