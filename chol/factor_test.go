package chol_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gate is the residual, in units of n·ε·‖A‖₁, that LAPACK's own test of the
// Cholesky factorisation rejects at three times its size.
const gate = 10

// sizes are small orders and the neighbours of orders of panels and blocks.
func sizes() []int {
	if testing.Short() {
		return []int{0, 1, 2, 3, 5, 10, 31, 32, 33, 63, 64, 65}
	}
	return []int{0, 1, 2, 3, 5, 10, 23, 24, 25, 31, 32, 33, 50, 63, 64, 65, 95, 96, 97, 127, 128, 129, 193, 200}
}

func mustFactorize(t *testing.T, a mat.Matrix) *chol.Factor {
	t.Helper()
	f, err := chol.Factorize(a)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestResidual is LAPACK's dchkpo: its nine types of matrices, three of each.
func TestResidual(t *testing.T) {
	orders, seeds := sizes(), uint64(1)
	if !testing.Short() {
		orders, seeds = append(orders, 257), 3
	}
	for _, n := range orders {
		for seed := range seeds {
			if n > 150 && seed > 0 {
				break // once is enough for the largest
			}
			for _, c := range fuzz.DefiniteCases(fuzz.New(100*seed+uint64(n)), n) {
				checkFactor(t, c)
			}
		}
	}
	if !testing.Short() {
		s := fuzz.New(500)
		c := fuzz.WithSpectrum(s, "condition 1e10", fuzz.Spectrum(s, fuzz.Geometric, 500, 1e10))
		c.Pivot = c.A.Rows
		checkFactor(t, c)
	}
}

// checkFactor factors a matrix and checks the residual, or that the right pivot
// fails with 0.
func checkFactor(t *testing.T, c fuzz.Case) {
	t.Helper()
	n := c.A.Rows
	f, err := chol.Factorize(c.A)
	if n > 0 && !c.Definite() {
		if failed, ok := errors.AsType[*chol.NotPositiveDefiniteError](err); !ok || failed.Index != c.Pivot || failed.Pivot != 0 || f != nil {
			t.Errorf("%s: got error %v, want failure of pivot %d with value 0", c.Name, err, c.Pivot)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return
	}
	if r := fuzz.CholResidual(c.A, f.L()); !(r <= gate) {
		t.Errorf("%s: residual %.3g, want at most %d", c.Name, r, gate)
	}
	if err := fuzz.SameBits(f.L(), fuzz.Lower(f.L())); err != nil || f.Size() != n {
		t.Errorf("%s: size %d; above the diagonal: %v", c.Name, f.Size(), err)
	}
}

// reference is the factorisation that the package promises to the last bit, on
// levels with fused multiply-adds: sums in the order of the columns, quotients by
// the reciprocal and one correction.
func reference(a mat.Matrix) mat.Matrix {
	n := a.Rows
	l := mat.New(n, n)
	fused := asm.Level() != "generic"
	for i := range n {
		for j := range i + 1 {
			x := a.At(i, j)
			for k := range j {
				if fused {
					x = math.FMA(-l.At(j, k), l.At(i, k), x)
				} else {
					x -= float64(l.At(j, k) * l.At(i, k))
				}
			}
			switch d := l.At(j, j); {
			case i == j:
				x = math.Sqrt(x)
			case fused:
				q := x * (1 / d)
				x = math.FMA(math.FMA(-q, d, x), 1/d, q)
			default:
				x /= d
			}
			l.Set(i, j, x)
		}
	}
	return l
}

// TestBits holds the factor to the bits of the reference, whatever the blocks, the
// number of processors, and the depth of a kernel's call.
func TestBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, n := range sizes() {
		s := fuzz.New(uint64(n))
		a := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 1e6)).A
		want := reference(a)
		for _, side := range []int{1, 30, 96, 500} {
			for _, procs := range []int{1, 2, 3, 7} {
				runtime.GOMAXPROCS(procs)
				chol.SetBlocking(t, side, 0, 13)
				if err := fuzz.SameBits(mustFactorize(t, a).L(), want); err != nil {
					t.Fatalf("n=%d, blocks of %d, %d processors: %v", n, side, procs, err)
				}
			}
		}
	}
}

// TestOrder meets every block once, after the blocks that it needs: those to the
// left in its row, and those of its column's diagonal block's row.
func TestOrder(t *testing.T) {
	for blocks := range 30 {
		done := make([]int, blocks) // in each row
		for task := range blocks * (blocks + 1) / 2 {
			i, j := chol.Place(blocks, task)
			if j < 0 || i < j || i >= blocks || done[i] != j || i > j && done[j] != j+1 {
				t.Fatalf("%d blocks in a column: task %d is (%d, %d), finished in each row: %v", blocks, task, i, j, done)
			}
			done[i]++
		}
	}
}

// TestFailingPivot gives every index its turn, under several block sizes: the
// index is exact, and so is the value, because the pivots before it are.
func TestFailingPivot(t *testing.T) {
	tier.Skip(t, tier.Race)
	type place struct{ n, k int }
	var places []place
	for k := range 70 {
		places = append(places, place{70, k})
	}
	for _, k := range []int{0, 31, 32, 33, 95, 96, 97, 127, 128, 129, 199} {
		if !testing.Short() {
			places = append(places, place{200, k})
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var f chol.Factor
	for _, p := range places {
		for _, value := range []int{0, -1} {
			c := fuzz.FailingPivot(fuzz.New(uint64(p.k)), p.n, p.k, value)
			for _, side := range []int{1, 30, 96} {
				chol.SetBlocking(t, side, 0, 50)
				err := f.Refactorize(c.A)
				var failed *chol.NotPositiveDefiniteError
				if !errors.As(err, &failed) || failed.Index != p.k {
					t.Fatalf("%s, blocks of %d: got error %v, want pivot %d", c.Name, side, err, p.k)
				}
				// The diagonal of the integer factor is 1, 2 or 4.
				v := float64(value)
				if got := failed.Pivot; got != v && got != 4*v && got != 16*v {
					t.Fatalf("%s, blocks of %d: the pivot is %g, want %d times 1, 4 or 16", c.Name, side, got, value)
				}
			}
		}
	}
}

// TestPivotsThatAreNoNumbers overflows inside the factorisation: the pivot is
// −Inf or NaN, and no factor comes out.
func TestPivotsThatAreNoNumbers(t *testing.T) {
	for _, c := range []struct {
		a     []float64
		index int
	}{
		{[]float64{1e-300, 0, 1e300, 1}, 1},                            // L[1,0] = 1e450
		{[]float64{1e-300, 0, 0, 1e300, 1e300, 0, 1e300, 1e300, 1}, 1}, // the same, with NaN below
		{[]float64{math.MaxFloat64, 0, -math.MaxFloat64, 1}, 1},
		{[]float64{math.SmallestNonzeroFloat64, 0, math.MaxFloat64, math.MaxFloat64}, 1},
	} {
		n := int(math.Sqrt(float64(len(c.a))))
		_, err := chol.Factorize(mat.NewDense(n, n, c.a))
		if failed, ok := errors.AsType[*chol.NotPositiveDefiniteError](err); !ok || failed.Index != c.index || failed.Pivot > 0 {
			t.Errorf("%v: got error %v, want pivot %d", c.a, err, c.index)
		}
	}
	// A pivot that a shift takes beyond the range is no pivot either.
	var f chol.Factor
	var failed *chol.NotPositiveDefiniteError
	for _, shift := range []float64{math.Inf(1), math.NaN(), math.MaxFloat64} {
		a := mat.NewDense(1, 1, []float64{math.MaxFloat64})
		if err := f.RefactorizeShifted(a, shift); !errors.As(err, &failed) || failed.Pivot <= math.MaxFloat64 {
			t.Errorf("shift %g: got error %v, want a pivot that is not finite", shift, err)
		}
	}
}

func TestNonFinite(t *testing.T) {
	tier.Skip(t, tier.Race)
	check := func(spd mat.Matrix, i, j int) {
		t.Helper()
		n := spd.Rows
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			a := spd.Clone()
			a.Set(i, j, bad)
			if i < n-1 { // a later one, not to be named
				a.Set(n-1, n-1, math.Inf(1))
			}
			f, err := chol.Factorize(a)
			var named *chol.NonFiniteError
			if f != nil || !errors.As(err, &named) {
				t.Fatalf("%g at (%d, %d) of n=%d: got %v, %v, want a NonFiniteError", bad, i, j, n, f, err)
			}
			if named.Row != i || named.Col != j || math.Float64bits(named.Value) != math.Float64bits(bad) {
				t.Fatalf("%g at (%d, %d) of n=%d: the error says %v", bad, i, j, n, err)
			}
			if want := fmt.Sprintf("element (%d, %d) is %g", i, j, bad); !strings.Contains(err.Error(), want) {
				t.Fatalf("error %q does not say %q", err, want)
			}
		}
	}
	s := fuzz.New(2)
	small := fuzz.SPD(s, 9).A
	for i := range 9 {
		for j := range i + 1 {
			check(small, i, j)
		}
	}
	for _, n := range []int{70, 200} {
		a := fuzz.SPD(s, n).A
		for range 20 {
			i := s.IntN(n)
			check(a, i, s.IntN(i+1))
		}
	}
}

// TestViews factors matrices in layouts with gaps and with canaries in the
// strict upper triangle: the bits are those of the plain matrix, and the
// argument is left alone.
func TestViews(t *testing.T) {
	s := fuzz.New(4)
	for _, n := range []int{1, 2, 9, 33, 70} {
		for range 10 {
			a := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 100)).A
			want := mustFactorize(t, a).L()
			poisoned := a.Clone()
			fuzz.PoisonUpper(poisoned)
			g := fuzz.Guard(poisoned, s.Layout())
			if err := fuzz.SameBits(mustFactorize(t, g.Matrix).L(), want); err != nil {
				t.Fatal(err)
			}
			if err := fuzz.SameBits(g.Matrix, poisoned); err != nil {
				t.Fatalf("the argument changed: %v", err)
			}
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRefactorize(t *testing.T) {
	s := fuzz.New(5)
	big, small := fuzz.SPD(s, 70), fuzz.SPD(s, 20)
	f := mustFactorize(t, big.A)
	storage := &f.L().Data[0]
	for _, c := range []fuzz.Case{small, big, fuzz.SPD(s, 0), fuzz.SPD(s, 33), big} {
		if err := f.Refactorize(c.A); err != nil {
			t.Fatal(err)
		}
		if err := fuzz.SameBits(f.L(), c.Factor); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if f.Size() > 0 && &f.L().Data[0] != storage {
			t.Errorf("%s: new storage", c.Name)
		}
	}
	allocations := testing.AllocsPerRun(10, func() {
		if err := f.Refactorize(small.A); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations for a smaller matrix, want 0", allocations)
	}
	shifted := small.A.Clone()
	for i := range shifted.Rows {
		shifted.Set(i, i, small.A.At(i, i)+0.5)
	}
	if err := f.RefactorizeShifted(small.A, 0.5); err != nil {
		t.Fatal(err)
	}
	if err := fuzz.SameBits(f.L(), mustFactorize(t, shifted).L()); err != nil {
		t.Errorf("shift: %v", err)
	}
}

// TestUnusable calls every method where there is no factor: before the first
// matrix, and after one that was refused.
func TestUnusable(t *testing.T) {
	b := mat.New(2, 2)
	for _, first := range []string{"zero value", "refused", "not finite"} {
		var f chol.Factor
		switch first {
		case "refused":
			f = *mustFactorize(t, mat.Identity(2))
			if f.Refactorize(mat.New(2, 2)) == nil {
				t.Fatal("a zero matrix was factored")
			}
		case "not finite":
			f = *mustFactorize(t, mat.Identity(2))
			if f.Refactorize(mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1})) == nil {
				t.Fatal("a NaN was factored")
			}
		}
		for op, call := range map[string]func(){
			"Size": func() { f.Size() }, "L": func() { f.L() }, "LogDet": func() { f.LogDet() },
			"Solve": func() { f.Solve(b) }, "SolveHalf": func() { f.SolveHalf(b) }, "SolveHalfT": func() { f.SolveHalfT(b) },
			"MulHalf": func() { f.MulHalf(b) }, "Inverse": func() { f.Inverse(b) }, "InverseDiagonal": func() { f.InverseDiagonal(nil) },
			"Update": func() { f.Update(nil) }, "Downdate": func() { f.Downdate(nil) },
		} {
			tier.PanicsWith(t, call, "chol: "+op+":", "there is no factor")
		}
		if err := f.Refactorize(mat.Identity(2)); err != nil || f.Size() != 2 {
			t.Errorf("%s: Refactorize does not revive the factor: %v", first, err)
		}
	}
}

func TestMisuse(t *testing.T) {
	f := mustFactorize(t, mat.Identity(3))
	for op, call := range map[string]func(mat.Matrix){
		"Solve": f.Solve, "SolveHalf": f.SolveHalf, "SolveHalfT": f.SolveHalfT, "MulHalf": f.MulHalf, "Inverse": f.Inverse,
	} {
		tier.PanicsWith(t, func() { call(mat.New(2, 4)) }, "chol: "+op+":", "3×3", "2×4")
		tier.PanicsWith(t, func() { call(f.L()) }, "chol: "+op+":", "3×3", "overlaps")
	}
	tier.PanicsWith(t, func() { f.Inverse(mat.New(3, 4)) }, "chol: Inverse:", "3×4", "square")
	tier.PanicsWith(t, func() { f.InverseDiagonal(make([]float64, 4)) }, "chol: InverseDiagonal:", "4 numbers", "3×3")
	tier.PanicsWith(t, func() { chol.Factorize(mat.New(2, 3)) }, "chol: Refactorize:", "2×3", "square")
	tier.PanicsWith(t, func() { f.Refactorize(f.L()) }, "chol: Refactorize:", "3×3", "overlaps")
	tier.PanicsWith(t, func() { f.Refactorize(f.L().Slice(1, 3, 0, 2)) }, "chol: Refactorize:", "2×2", "overlaps")
	tier.PanicsWith(t, func() { f.RefactorizeJitter(mat.Identity(3), []float64{}) }, "chol: RefactorizeJitter:", "ladder")
	if err := fuzz.SameBits(f.L(), mat.Identity(3)); err != nil {
		t.Errorf("a refused call changed the factor: %v", err)
	}
}

func TestSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 150
	}
	s := fuzz.New(6)
	a := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 1e6)).A
	b := fuzz.Normal(s, n, 50)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var want [32]byte
	for i, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		f := mustFactorize(t, a)
		x, inverse := b.Clone(), mat.New(n, n)
		f.Solve(x)
		f.Inverse(inverse)
		got := fuzz.Digest(f.L(), x, inverse, mat.Vector([]float64{f.LogDet()}))
		if i == 0 {
			want = got
		}
		if got != want {
			t.Errorf("GOMAXPROCS %d: other bits than with 1", procs)
		}
	}
}

// family returns the matrix of order n of a family that is not random.
func family(name string, n int) fuzz.Case { return fuzz.FamilyNamed(name).Make(nil, n) }
