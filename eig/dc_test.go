package eig_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A tridiagonal is a symmetric tridiagonal matrix with diagonal d and
// subdiagonal e.
type tridiagonal struct {
	name string
	d, e []float64
}

// ofCase takes the three diagonals of a matrix.
func ofCase(c fuzz.Case) tridiagonal {
	n := c.A.Rows
	t := tridiagonal{c.Name, make([]float64, n), make([]float64, max(n-1, 0))}
	for i := range n {
		t.d[i] = c.A.At(i, i)
		if i > 0 {
			t.e[i-1] = c.A.At(i, i-1)
		}
	}
	return t
}

// withSpectrum returns a tridiagonal matrix with the eigenvalues w, but for
// rounding, and random first components of its eigenvectors: the process of
// Lanczos on diag(w), each vector made orthogonal to all earlier ones. Where
// they span an invariant subspace it goes on with a random vector.
func withSpectrum(s *fuzz.Source, name string, w []float64) tridiagonal {
	n := len(w)
	t := tridiagonal{fmt.Sprintf("%s n=%d", name, n), make([]float64, n), make([]float64, max(n-1, 0))}
	q := fuzz.Normal(s, n, n) // rows become the vectors, one after the other
	for i := range n {
		v := q.Row(i)
		if i > 0 {
			next := make([]float64, n)
			for l, x := range q.Row(i - 1) {
				next[l] = w[l] * x
			}
			if norm := orthogonalize(next, q, i); norm > 100*fuzz.Eps*mat.NormMax(mat.Vector(w)) {
				t.e[i-1] = norm
				copy(v, next)
			}
		}
		norm := orthogonalize(v, q, i)
		for l, x := range v {
			v[l] = x / norm
			t.d[i] += float64(v[l]*w[l]) * v[l]
		}
	}
	return t
}

// orthogonalize takes from v its components along the first k rows of q, twice,
// and returns its length.
func orthogonalize(v []float64, q mat.Matrix, k int) (norm float64) {
	row, basis, dots := mat.NewDense(1, len(v), v), q.Slice(0, k, 0, len(v)), mat.New(1, k)
	for range 2 {
		mat.Mul(dots, 1, row, basis.T(), 0)
		mat.Mul(row, -1, dots, basis, 1)
	}
	return math.Sqrt(mat.Dot(row, row))
}

// reversed returns the matrix from its last row to its first.
func (t tridiagonal) reversed() tridiagonal {
	r := tridiagonal{t.name + ", reversed", slices.Clone(t.d), slices.Clone(t.e)}
	slices.Reverse(r.d)
	slices.Reverse(r.e)
	return r
}

// norm returns the largest sum of magnitudes of a row.
func (t tridiagonal) norm() float64 {
	var largest float64
	for i, x := range t.d {
		sum := math.Abs(x)
		if i > 0 {
			sum += math.Abs(t.e[i-1])
		}
		if i < len(t.e) {
			sum += math.Abs(t.e[i])
		}
		largest = max(largest, sum)
	}
	return largest
}

// residual returns the largest ‖T·z − w·z‖₂ over the pairs, in units of
// n·ε·‖T‖₁: a stricter measure than that of T − Z·diag(w)·Zᵀ, and of order n².
func (t tridiagonal) residual(w []float64, z mat.Matrix) float64 {
	n := len(t.d)
	var worst float64
	for j := range n {
		var sum float64
		for i := range n {
			r := float64((t.d[i] - w[j]) * z.At(i, j))
			if i > 0 {
				r += float64(t.e[i-1] * z.At(i-1, j))
			}
			if i < n-1 {
				r += float64(t.e[i] * z.At(i+1, j))
			}
			sum = math.Hypot(sum, r)
		}
		if !(sum <= worst) {
			worst = sum
		}
	}
	if worst == 0 {
		return 0
	}
	return worst / t.norm() / (float64(n) * fuzz.Eps)
}

// below counts the eigenvalues below x, by the signs of the pivots of T − x·I
// (Barth, Martin and Wilkinson, Numer. Math. 9, 1967).
func (t tridiagonal) below(x float64) int {
	count, q := 0, 1.0
	for i, d := range t.d {
		var e float64
		if i > 0 {
			e = t.e[i-1]
		}
		q = d - x - float64(e/q)*e
		if q == 0 {
			q = 0x1p-1000
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// holds tells whether (w, z) is a decomposition of the matrix.
func (t tridiagonal) holds(tt *testing.T, w []float64, z mat.Matrix) {
	tt.Helper()
	if r := t.residual(w, z); !(r <= gate) {
		tt.Errorf("%s: residual %.3g, want at most %d", t.name, r, gate)
	}
	if o := fuzz.Orthogonality(z); !(o <= gate) {
		tt.Errorf("%s: departure from orthogonality %.3g, want at most %d", t.name, o, gate)
	}
	// Sturm counts: eigenvalue i is within n·ε·‖T‖ of w[i], the size of the
	// backward error (some ε at the smallest orders).
	w = slices.Clone(w)
	slices.Sort(w)
	slack := float64(max(len(w), 10))*fuzz.Eps*t.norm() + 0x1p-1000
	for i, x := range w {
		if t.below(x-slack) > i || t.below(x+slack) < i+1 {
			tt.Errorf("%s: eigenvalue %d is %g, of which the Sturm counts %d and %d do not allow", t.name, i, x, t.below(x-slack), t.below(x+slack))
			break
		}
	}
}

// holdsAlone compares the eigenvalues alone with those that came with vectors:
// the same algorithm, and roundings of the weights that differ.
func (t tridiagonal) holdsAlone(tt *testing.T, w []float64) {
	tt.Helper()
	alone, err := eig.TridiagonalValues(t.d, t.e)
	if err != nil {
		tt.Errorf("%s: values alone: %v", t.name, err)
		return
	}
	w = slices.Clone(w)
	slices.Sort(w)
	slices.Sort(alone)
	for i, x := range alone {
		if !(math.Abs(x-w[i]) <= 10*fuzz.Eps*t.norm()) {
			tt.Errorf("%s: eigenvalue %d alone is %g, with vectors %g", t.name, i, x, w[i])
			return
		}
	}
}

// cutOvers runs f with several orders at which matrices are divided.
func cutOvers(t *testing.T, orders []int, f func(t *testing.T)) {
	usual := eig.Tuned()
	for _, order := range orders {
		t.Run(fmt.Sprintf("leaves of %d", order), func(t *testing.T) {
			to := usual
			to.LeafOrder = order
			eig.Tune(t, to)
			f(t)
		})
	}
}

// stetester are tridiagonal matrices with the spectra of STETESTER, signs and
// the reverse, and its matrices that are given by their elements.
func stetester(n int, conds []float64) []tridiagonal {
	s := fuzz.New(uint64(n))
	var ts []tridiagonal
	for _, cond := range conds {
		for mode := fuzz.OneLarge; mode <= fuzz.Dense; mode++ {
			w := fuzz.Spectrum(s, mode, n, cond)
			negative := make([]float64, n)
			for i, x := range w {
				negative[i] = -x
			}
			name := fmt.Sprintf("%v, condition %.0e", mode, cond)
			plain := withSpectrum(s, name, w)
			ts = append(ts, plain, plain.reversed(),
				withSpectrum(s, name+", negative", negative),
				withSpectrum(s, name+", random signs", fuzz.RandomSigns(s, slices.Clone(w))))
		}
	}
	return append(ts, special(s, n)...)
}

// special are matrices that are given by their elements.
func special(s *fuzz.Source, n int) []tridiagonal {
	var ts []tridiagonal
	for _, c := range []fuzz.Case{
		family("second difference", n), family("Clement", n), family("Wilkinson", n), family("Hermite", n), family("Laguerre", n), family("Legendre", n),
	} {
		ts = append(ts, ofCase(c), ofCase(c).reversed())
	}
	fill := func(name string, d, e func(i int) float64) {
		t := tridiagonal{fmt.Sprintf("%s n=%d", name, n), make([]float64, n), make([]float64, max(n-1, 0))}
		for i := range t.d {
			t.d[i] = d(i)
		}
		for i := range t.e {
			t.e[i] = e(i)
		}
		ts = append(ts, t)
	}
	zero := func(int) float64 { return 0 }
	one := func(int) float64 { return 1 }
	fill("zero", zero, zero)
	fill("identity", one, zero)
	fill("ones", one, one)
	fill("zero diagonal", zero, one)
	fill("uniform", func(int) float64 { return 2*s.Float64() - 1 }, func(int) float64 { return 2*s.Float64() - 1 })
	fill("normal", func(int) float64 { return s.NormFloat64() }, func(int) float64 { return s.NormFloat64() })
	// STETESTER's SETTO0: some elements are 0.
	fill("some zero", func(int) float64 { return float64(s.IntN(3) - 1) }, func(int) float64 { return float64(s.IntN(3)) / 2 })
	fill("weakly coupled", func(i int) float64 { return float64(i % 3) }, func(int) float64 { return 1e-15 })
	fill("skew Wilkinson", func(i int) float64 { return float64(n-1)/2 - float64(i) }, one)
	fill("falling", func(i int) float64 { return math.Ldexp(1, -i) }, func(i int) float64 { return math.Ldexp(1, -i-2) })
	fill("rising", func(i int) float64 { return math.Ldexp(1, i-n) }, func(i int) float64 { return math.Ldexp(1, i-n-1) })
	fill("wide", func(int) float64 { return math.Ldexp(s.NormFloat64(), s.IntN(1800)-900) }, func(int) float64 { return math.Ldexp(s.NormFloat64(), s.IntN(1800)-900) })
	fill("subnormal couplings", one, func(int) float64 { return 5e-324 })
	fill("tiny", one, func(i int) float64 { return math.Ldexp(1, -20*i) })
	fill("huge", func(int) float64 { return s.NormFloat64() * 1e300 }, func(int) float64 { return s.NormFloat64() * 1e300 })
	return ts
}

// Matrices of all spectra are decomposed wherever they are divided, with vectors and without.
func TestDivideAndConquer(t *testing.T) {
	sizes, conds := []int{50, 125, 250}, []float64{1e4, 1 / fuzz.Eps}
	if testing.Short() {
		sizes, conds = []int{50}, []float64{1e8}
	}
	all := map[int][]tridiagonal{}
	for _, n := range sizes {
		all[n] = stetester(n, conds)
	}
	usual := eig.Tuned().LeafOrder
	cutOvers(t, []int{2, 3, 8, 24, usual, 1000}, func(t *testing.T) {
		for _, n := range sizes {
			if order := eig.Tuned().LeafOrder; n > 200 && order != 3 && order != usual {
				continue // checking takes far longer than solving
			}
			for _, c := range all[n] {
				w, z, err := eig.Tridiagonal(c.d, c.e)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				c.holds(t, w, z)
				c.holdsAlone(t, w)
			}
		}
	})
}

// TestDivideSizes runs small orders and those around the cut-overs and their
// multiples.
func TestDivideSizes(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	s := fuzz.New(21)
	var sizes []int
	for n := range 20 {
		sizes = append(sizes, n)
	}
	usual := eig.Tuned().LeafOrder
	for _, n := range []int{usual, 2 * usual, 4 * usual} { // leaves, then merges of two and of four
		sizes = append(sizes, n-1, n, n+1)
	}
	cutOvers(t, []int{0, 1, 2, 3, 5, usual}, func(t *testing.T) {
		for _, n := range sizes {
			if n > 100 && testing.Short() {
				continue
			}
			for _, c := range special(s, n) {
				w, z, err := eig.Tridiagonal(c.d, c.e)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				c.holds(t, w, z)
				c.holdsAlone(t, w)
			}
		}
	})
}

// So are clusters that couplings of any size hold together.
func TestGluedWilkinson(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	for _, glue := range []float64{1e-14, 1e-13, 1e-11, 1e-9, 1e-7, 1e-4, 1e-2, 1, 1e2, 1e4} {
		for _, copies := range []int{2, 5, 11} {
			c := ofCase(fuzz.GluedWilkinson(21, copies, glue))
			for _, c := range []tridiagonal{c, c.reversed()} {
				w, z, err := eig.Tridiagonal(c.d, c.e)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				c.holds(t, w, z)
			}
		}
	}
}

// TestSecularLimit: a root that is not found in the steps that are allowed is an
// error that names its row.
func TestSecularLimit(t *testing.T) {
	to := eig.Tuned()
	to.LeafOrder = 10
	c := ofCase(family("second difference", 40))
	for _, steps := range []int{0, 1} {
		to.SecularSteps = steps
		eig.Tune(t, to)
		_, _, err := eig.Tridiagonal(c.d, c.e)
		if failed, ok := errors.AsType[*eig.NotConvergedError](err); !ok || failed.Order != 40 || failed.Sweeps != steps || failed.Index < 0 || failed.Index >= 40 {
			t.Errorf("limit %d: got error %v", steps, err)
		}
	}
	// The limit is far away: 16 steps are the most that these matrices need.
	to.SecularSteps = 22
	eig.Tune(t, to)
	for _, c := range stetester(50, []float64{1e4}) {
		if _, _, err := eig.Tridiagonal(c.d, c.e); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
