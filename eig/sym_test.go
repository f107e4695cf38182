package eig_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gate is the largest residual, in units of n·ε·‖A‖₁, and the largest departure
// from orthogonality, in units of n·ε; LAPACK's own tests allow 50.
const gate = 10

// check holds a spectrum of c.A to everything that a spectrum must be.
func check(t *testing.T, c fuzz.Case, sp eig.Spectrum) {
	t.Helper()
	n := c.A.Rows
	if len(sp.Values) != n || sp.Vectors.Rows != n || sp.Vectors.Cols != n {
		t.Errorf("%s: %d values and %d×%d vectors for order %d", c.Name, len(sp.Values), sp.Vectors.Rows, sp.Vectors.Cols, n)
		return
	}
	if r := fuzz.EigResidual(c.A, sp.Values, sp.Vectors); !(r <= gate) {
		t.Errorf("%s: residual %.3g, want at most %d", c.Name, r, gate)
	}
	if r := fuzz.Orthogonality(sp.Vectors); !(r <= gate) {
		t.Errorf("%s: departure from orthogonality %.3g, want at most %d", c.Name, r, gate)
	}
	if !slices.IsSorted(sp.Values) {
		t.Errorf("%s: the eigenvalues are not ascending", c.Name)
	}
	if len(c.Eigenvalues) == n {
		// n·ε·‖A‖₂ is the size of the backward error; some ε at the smallest orders.
		if r := fuzz.EigenvalueError(c, sp.Values) * float64(n); !(r <= float64(max(n, 10))) {
			t.Errorf("%s: eigenvalue error %.3g·ε·‖A‖₂, want at most %d", c.Name, r, max(n, 10))
		}
	}
	for j := range n {
		if i := decides(sp.Vectors.Slice(0, n, j, j+1)); !(sp.Vectors.At(i, j) > 0) {
			t.Errorf("%s: element %d of eigenvector %d, which decides its sign, is %g", c.Name, i, j, sp.Vectors.At(i, j))
		}
	}
}

// decides returns the row of a column's first element within a tenth of the
// largest magnitude.
func decides(column mat.Matrix) int {
	for i := range column.Rows {
		if math.Abs(column.At(i, 0)) >= 0.9*mat.NormMax(column) {
			return i
		}
	}
	return -1
}

// checkAll decomposes every case with one Solver and checks it, the values
// alone too.
func checkAll(t *testing.T, cases []fuzz.Case) {
	t.Helper()
	var s eig.Solver
	for _, c := range cases {
		var sp eig.Spectrum
		if err := s.Sym(&sp, c.A); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		check(t, c, sp)
		values := make([]float64, c.A.Rows)
		if err := s.SymValues(values, c.A); err != nil {
			t.Errorf("%s: values alone: %v", c.Name, err)
			continue
		}
		norm := mat.NormMax(mat.Vector(values))
		for i, w := range values {
			if !(math.Abs(w-sp.Values[i]) <= 10*fuzz.Eps*norm) {
				t.Errorf("%s: eigenvalue %d alone is %g, with vectors %g", c.Name, i, w, sp.Values[i])
				break
			}
		}
	}
}

// TestTypes runs LAPACK's 21 types at small orders, around the widths of panels
// and blocks and their multiples, and where products run in parts.
func TestTypes(t *testing.T) {
	sizes, seeds := []int{0, 1, 2, 3, 4, 5, 8, 16, 20, 24, 25, 26, 27, 31, 32, 33, 34, 63, 64, 65, 100, 127, 128, 129, 257}, uint64(2)
	if testing.Short() {
		sizes, seeds = []int{0, 1, 2, 3, 4, 5, 8, 16, 25, 32, 33, 34, 65}, 1
	}
	for _, n := range sizes {
		if n > 129 {
			seeds = 1
		}
		for seed := range seeds {
			checkAll(t, fuzz.SymmetricCases(fuzz.New(uint64(n)<<8|seed), n))
		}
	}
}

// TestFamilies runs the matrices that are known in closed form, or known to be
// hard.
func TestFamilies(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 8, 16, 25, 33, 63, 64, 65, 128}
	if testing.Short() {
		sizes = []int{0, 1, 2, 3, 5, 16, 33, 64}
	}
	for _, n := range sizes {
		checkAll(t, fuzz.Cases(fuzz.New(uint64(n)), n, fuzz.Symmetric|fuzz.Finite, fuzz.Subnormal))
	}
}

// TestRepeated are full matrices with few distinct eigenvalues, and multiples of
// the identity with something small beside them, as white kernels give.
func TestRepeated(t *testing.T) {
	s := fuzz.New(30)
	var cases []fuzz.Case
	for _, n := range []int{2, 9, 33, 64, 70} {
		for _, distinct := range []int{1, 2, 3} {
			d := make([]float64, n)
			for i := range d {
				d[i] = float64(i % distinct)
			}
			cases = append(cases, fuzz.WithSpectrum(s, fmt.Sprintf("%d distinct", distinct), d))
		}
		for _, rank := range []int{1, n / 2} {
			c := fuzz.LowRank(s, n, rank)
			for _, white := range []float64{1, 1e8, 1e20} {
				a := c.A.Clone()
				for i := range n {
					a.Set(i, i, a.At(i, i)+white)
				}
				cases = append(cases, fuzz.Case{Name: fmt.Sprintf("%s + %g·I", c.Name, white), A: a})
			}
		}
	}
	checkAll(t, cases)
}

// TestTuning runs every path on small matrices.
func TestTuning(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	const n = 40
	usual := eig.Tuned()
	for _, width := range []int{1, 2, 3, 8, 20, n - 2, n - 1, n} {
		for _, order := range []int{1, 4, 13} {
			t.Run(fmt.Sprintf("width %d, parts of %d", width, order), func(t *testing.T) {
				to := usual
				to.SymvOrder = order
				to.LeastPanel, to.MostPanel = width, width
				to.LeastBlock, to.MostBlock = width, width
				if order > 1 {
					to.Ready, to.Vectors, to.Depth = 2*width, order, 3*order
				}
				eig.Tune(t, to)
				checkAll(t, fuzz.SymmetricCases(fuzz.New(2), n))
			})
		}
	}
}

// TestExactAnswers are matrices that need no rounding.
func TestExactAnswers(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 34, 35} {
		descending := make([]float64, n)
		for i := range descending {
			descending[i] = float64(n - i)
		}
		p := fuzz.New(uint64(n)).Perm(n)
		permuted := make([]float64, n)
		for i, j := range p {
			permuted[i] = descending[j]
		}
		for _, d := range [][]float64{make([]float64, n), slices.Repeat([]float64{-3}, n), descending, permuted} {
			a := mat.New(n, n)
			mat.Copy(a.Diag(), mat.Vector(d))
			sp, err := eig.Sym(a)
			if err != nil {
				t.Fatal(err)
			}
			// Column j is the unit vector of the j-th smallest, the first of equals.
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
			want := mat.New(n, n)
			for j, i := range order {
				want.Set(i, j, 1)
				if sp.Values[j] != d[i] {
					t.Errorf("diagonal %v: eigenvalue %d is %g, want %g", d, j, sp.Values[j], d[i])
				}
			}
			if err := fuzz.SameBits(sp.Vectors, want); err != nil {
				t.Errorf("diagonal %v: %v", d, err)
			}
		}
	}
}

// TestPeculiar are small matrices that have broken eigensolvers: zeros on the
// diagonal, blocks far smaller than the rest, equal diagonals.
func TestPeculiar(t *testing.T) {
	const tiny = 1e-200
	for _, c := range []struct {
		a, want []float64
	}{
		{[]float64{0, 1, 1, 0}, []float64{-1, 1}},
		{[]float64{1, tiny, tiny, 1}, []float64{1, 1}},
		{[]float64{tiny, 1, 1, -tiny}, []float64{-1, 1}},
		{[]float64{0, tiny, tiny, 0}, []float64{-tiny, tiny}},
		{[]float64{1, 0, 0, 0, 2 * tiny, tiny, 0, tiny, 2 * tiny}, []float64{tiny, 3 * tiny, 1}},
		{[]float64{2 * tiny, tiny, 0, tiny, 2 * tiny, 0, 0, 0, 1}, []float64{tiny, 3 * tiny, 1}},
		{[]float64{0, 0, 1, 0, 0, 0, 1, 0, 0}, []float64{-1, 0, 1}},
		{[]float64{0, tiny, 1, tiny, 0, tiny, 1, tiny, 0}, []float64{-1, 0, 1}},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, []float64{0, 0, 3}},
		{[]float64{0, 3, 4, 3, 0, 0, 4, 0, 0}, []float64{-5, 0, 5}},
	} {
		n := len(c.want)
		a := mat.NewDense(n, n, c.a)
		sp, err := eig.Sym(a)
		if err != nil {
			t.Errorf("%v: %v", c.a, err)
			continue
		}
		check(t, fuzz.Case{Name: fmt.Sprint(c.a), A: a}, sp)
		norm := mat.NormMax(mat.Vector(c.want))
		for i, w := range c.want {
			// Blocks that do not touch keep their own relative accuracy.
			tol := 4 * fuzz.Eps * norm
			if w != 0 && math.Abs(w) < 1e-100 {
				tol = 4 * fuzz.Eps * math.Abs(w)
			}
			if !(math.Abs(sp.Values[i]-w) <= tol) {
				t.Errorf("%v: eigenvalue %d is %g, want %g", c.a, i, sp.Values[i], w)
			}
		}
	}
}

// TestScale: a power of two goes through to the last bit, vectors untouched.
// 2^±500 is beyond the roots of the range; −1060 makes every entry subnormal.
func TestScale(t *testing.T) {
	s := fuzz.New(5)
	for _, n := range []int{1, 3, 33, 50} {
		a := fuzz.SPD(s, n).A // integers
		want, err := eig.Sym(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{-1060, -1000, -500, -100, -1, 1, 100, 500, 1000} {
			scaled := a.Clone()
			for i, x := range scaled.Data {
				scaled.Data[i] = math.Ldexp(x, k)
			}
			got, err := eig.Sym(scaled)
			if err != nil {
				t.Errorf("2^%d, n=%d: %v", k, n, err)
				continue
			}
			if err := fuzz.SameBits(got.Vectors, want.Vectors); err != nil {
				t.Errorf("2^%d, n=%d: vectors: %v", k, n, err)
			}
			for i, w := range want.Values {
				if got.Values[i] != math.Ldexp(w, k) {
					t.Errorf("2^%d, n=%d: eigenvalue %d is %g, want %g", k, n, i, got.Values[i], math.Ldexp(w, k))
				}
			}
		}
	}
}

// TestWide are matrices whose entries span the range of float64.
func TestWide(t *testing.T) {
	s := fuzz.New(6)
	var cases []fuzz.Case
	for _, n := range []int{2, 5, 33, 70} {
		for _, span := range []int{250, 500} {
			cases = append(cases, fuzz.Graded(s, n, span), fuzz.Graded(s, n, span).Permuted(s))
		}
		for range 5 {
			a := fuzz.Wide(s, n, n, 1000)
			mat.MirrorLower(a)
			cases = append(cases, fuzz.Case{Name: fmt.Sprintf("wide n=%d", n), A: a})
		}
	}
	checkAll(t, cases)
}

func TestNonFinite(t *testing.T) {
	s := fuzz.New(7)
	try := func(a mat.Matrix, i, j int) {
		t.Helper()
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			a := a.Clone()
			a.Set(i, j, bad)
			if i < a.Rows-1 { // a later one, not to be named
				a.Set(a.Rows-1, 0, math.NaN())
			}
			_, err := eig.Sym(a)
			_, errValues := eig.SymValues(a)
			for _, err := range []error{err, errValues} {
				if named, ok := errors.AsType[*eig.NonFiniteError](err); !ok || named.Row != i || named.Col != j || math.Float64bits(named.Value) != math.Float64bits(bad) {
					t.Fatalf("%g at (%d, %d) of n=%d: got error %v", bad, i, j, a.Rows, err)
				}
				if want := fmt.Sprintf("(%d, %d)", i, j); !strings.Contains(err.Error(), want) {
					t.Fatalf("error %q does not say %s", err, want)
				}
			}
		}
	}
	small := fuzz.SPD(s, 8).A
	for i := range 8 {
		for j := range i + 1 {
			try(small, i, j)
		}
	}
	for _, n := range []int{26, 40, 200} {
		a := fuzz.Normal(s, n, n)
		for range 10 {
			i := s.IntN(n)
			try(a, i, s.IntN(i+1))
		}
	}
}

func TestNotConverged(t *testing.T) {
	const n = 30
	a := family("second difference", n).A
	usual := eig.Tuned()
	var s eig.Solver
	var sp eig.Spectrum
	for _, limit := range []int{0, 1} {
		to := usual
		to.SweepsPerRow = limit
		eig.Tune(t, to)
		for _, err := range []error{s.Sym(&sp, a), s.SymValues(make([]float64, n), a)} {
			if failed, ok := errors.AsType[*eig.NotConvergedError](err); !ok || failed.Order != n || failed.Sweeps != limit*n || failed.Index < 0 || failed.Index >= n-1 {
				t.Errorf("limit %d: got error %v, want one after %d sweeps", limit, err, limit*n)
			} else if want := fmt.Sprintf("order %d after %d sweeps", n, limit*n); !strings.Contains(err.Error(), want) {
				t.Errorf("limit %d: error %q does not say %q", limit, err, want)
			}
		}
		// A diagonal matrix needs no sweep.
		if err := s.Sym(&sp, mat.Identity(3)); err != nil {
			t.Errorf("limit %d: identity: %v", limit, err)
		}
	}
	eig.Tune(t, usual)
	if err := s.Sym(&sp, a); err != nil {
		t.Fatalf("after the failure: %v", err)
	}
	check(t, family("second difference", n), sp)
	// A small part of the usual limit is enough.
	to := usual
	to.SweepsPerRow = 3
	eig.Tune(t, to)
	checkAll(t, fuzz.SymmetricCases(fuzz.New(8), 60))
}

func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		sign  float64
		index int
	}{{1, 3}, {-1, 0}} {
		a := mat.New(4, 4)
		a.Fill(c.sign * math.MaxFloat64)
		_, err := eig.Sym(a)
		if failed, ok := errors.AsType[*eig.OverflowError](err); !ok || failed.Index != c.index || math.Abs(failed.Log2-1026) > 1e-9 {
			t.Errorf("all %g: got error %v, want eigenvalue %d of 2^1026", a.At(0, 0), err, c.index)
		} else if want := fmt.Sprintf("eigenvalue %d has a magnitude of 2^1026", c.index); !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	a := mat.NewDense(1, 1, []float64{math.MaxFloat64})
	if sp, err := eig.Sym(a); err != nil || sp.Values[0] != math.MaxFloat64 {
		t.Errorf("largest float64: %v, %v", sp.Values, err)
	}
}

// TestViews: any layout of the argument gives the bits of the plain one, and
// neither the gaps nor the upper triangle are read or written.
func TestViews(t *testing.T) {
	s := fuzz.New(9)
	for _, n := range []int{1, 2, 9, 40} {
		a := fuzz.Normal(s, n, n)
		mat.MirrorLower(a)
		want, err := eig.Sym(a)
		if err != nil {
			t.Fatal(err)
		}
		poisoned := a.Clone()
		fuzz.PoisonUpper(poisoned)
		for _, layout := range fuzz.Layouts {
			g := fuzz.Guard(poisoned, layout)
			got, err := eig.Sym(g.Matrix)
			if err != nil {
				t.Fatal(err)
			}
			if fuzz.Digest(got.Vectors, mat.Vector(got.Values)) != fuzz.Digest(want.Vectors, mat.Vector(want.Values)) {
				t.Errorf("n=%d, layout %+v: other bits", n, layout)
			}
			if err := errors.Join(g.Check(), fuzz.SameBits(g.Matrix, poisoned)); err != nil {
				t.Error(err)
			}
			// The same layout as a destination.
			d := fuzz.Guard(fuzz.Normal(s, n, n), layout)
			sp := eig.Spectrum{Vectors: d.Matrix}
			var solver eig.Solver
			if err := solver.Sym(&sp, a); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Check(), fuzz.SameBits(sp.Vectors, want.Vectors)); err != nil {
				t.Errorf("n=%d, layout %+v as destination: %v", n, layout, err)
			}
			inPlace := &sp.Vectors.Data[0] == &d.Data[0]
			if contiguous := n == 1 || d.ColStride == 1; inPlace != contiguous {
				t.Errorf("n=%d, layout %+v: used in place: %v, want %v", n, layout, inPlace, contiguous)
			}
		}
	}
}

func TestMisuse(t *testing.T) {
	var s eig.Solver
	for _, c := range []struct {
		call  func()
		words []string
	}{
		{func() { eig.Sym(mat.New(2, 3)) }, []string{"eig: Sym:", "2×3", "square"}},
		{func() { eig.SymValues(mat.New(2, 3)) }, []string{"eig: SymValues:", "2×3", "square"}},
		{func() { s.SymValues(make([]float64, 1), mat.New(2, 2)) }, []string{"eig: SymValues:", "1 values", "2×2"}},
	} {
		tier.PanicsWith(t, c.call, c.words...)
	}
}

func TestSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	to := eig.Tuned()
	to.SymvOrder = 16
	eig.Tune(t, to)
	s := fuzz.New(11)
	a, l := fuzz.Normal(s, 200, 200), fuzz.Triangular(s, 200, 100, true)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var want [32]byte
	procs, times := []int{1, 2, 3, 4, 7, 8, 16}, 3
	if testing.Short() {
		procs, times = []int{1, 2, 3, 8}, 1
	}
	for _, procs := range procs {
		runtime.GOMAXPROCS(procs)
		for range times {
			sp, err := eig.Sym(a)
			if err != nil {
				t.Fatal(err)
			}
			gen, err := eig.General(a, l)
			if err != nil {
				t.Fatal(err)
			}
			got := fuzz.Digest(sp.Vectors, mat.Vector(sp.Values), gen.Vectors, mat.Vector(gen.Values))
			if want == [32]byte{} {
				want = got
			}
			if got != want {
				t.Errorf("GOMAXPROCS %d: other bits than with 1", procs)
			}
		}
	}
}

// Stop ends the work wherever it is asked, with its own error, and the solver works again afterwards.
func TestStop(t *testing.T) {
	n := 200
	a := mat.New(n, n)
	for i := range n {
		for j := range i + 1 {
			a.Set(i, j, math.Sin(float64(i*i+3*j)))
		}
	}
	want, err := eig.Sym(a)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	var s eig.Solver
	asked := 0
	for limit := 0; ; limit++ {
		left := limit
		s.Stop = func() error {
			if left--; left < 0 {
				return enough
			}
			return nil
		}
		var sp eig.Spectrum
		err := s.Sym(&sp, a)
		if err == nil {
			asked = limit
			break
		}
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
	}
	if asked < 10 {
		t.Errorf("asked %d times, want often", asked)
	}
	s.Stop = nil
	var sp eig.Spectrum
	if err := s.Sym(&sp, a); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sp.Values, want.Values) || !slices.Equal(sp.Vectors.Data, want.Vectors.Data) {
		t.Error("after work that was stopped a decomposition has other bits")
	}
}

// family returns the matrix of order n of a family that is not random.
func family(name string, n int) fuzz.Case { return fuzz.FamilyNamed(name).Make(nil, n) }
