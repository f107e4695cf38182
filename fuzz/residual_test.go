package fuzz_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// problem is a matrix A with right answers from the naive algorithms.
type problem struct {
	a, l, v, x, b, inverse mat.Matrix
	exact                  mat.Matrix // stands for the true x
	c                      fuzz.Case
	w                      []float64
}

const order = 12

func newProblem(scale int) problem {
	s := fuzz.New(7)
	c := fuzz.WithSpectrum(s, "arithmetic", fuzz.Spectrum(s, fuzz.Arithmetic, order, 100)).Scaled(scale)
	p := problem{a: c.A, c: c}
	p.l, _ = fuzz.NaiveCholesky(p.a)
	p.w, p.v = fuzz.NaiveEig(p.a)
	solve := func(b mat.Matrix) mat.Matrix {
		return fuzz.NaiveSolveUpper(p.l.T(), fuzz.NaiveSolveLower(p.l, b))
	}
	p.b = fuzz.Normal(s, order, 3)
	p.x = solve(p.b)
	p.exact = p.x.Clone()
	p.inverse = solve(mat.Identity(order))
	return p
}

// checkers are the residuals with LAPACK's gate for each, an entry of the
// answer, and by how much that entry must be off to change the residual by 1.
var checkers = []struct {
	name     string
	gate     float64
	matrix   bool // whether the matrix itself is an argument
	residual func(p problem) float64
	entry    func(p problem) *float64
	unit     func(p problem) float64
}{
	{
		"CholResidual", 10, true,
		func(p problem) float64 { return fuzz.CholResidual(p.a, p.l) },
		func(p problem) *float64 { return &p.l.Row(order - 1)[0] }, // A[n-1,0] moves by L[0,0] times as much
		func(p problem) float64 { return order * fuzz.Eps * mat.Norm1(p.a) / p.l.At(0, 0) },
	},
	{
		"SolveResidual", 30, true,
		func(p problem) float64 { return fuzz.SolveResidual(p.a, p.x, p.b) },
		func(p problem) *float64 { return &p.x.Row(3)[1] }, // A·x moves by a column of A
		func(p problem) float64 {
			column := mat.Norm1(p.a.Slice(0, order, 3, 4))
			return fuzz.Eps * mat.Norm1(p.a) / column * mat.Norm1(p.x.Slice(0, order, 1, 2))
		},
	},
	{
		"ForwardError", 30, false,
		func(p problem) float64 { return fuzz.ForwardError(p.x, p.exact, 100) },
		func(p problem) *float64 { return &p.x.Row(3)[1] },
		func(p problem) float64 { return 100 * fuzz.Eps * mat.NormMax(p.x.Slice(0, order, 1, 2)) },
	},
	{
		"InverseResidual", 30, true,
		func(p problem) float64 { return fuzz.InverseResidual(p.a, p.inverse) },
		func(p problem) *float64 { return &p.inverse.Row(3)[1] },
		func(p problem) float64 {
			column := mat.Norm1(p.a.Slice(0, order, 3, 4))
			return order * fuzz.Eps * mat.Norm1(p.a) / column * mat.Norm1(p.inverse)
		},
	},
	{
		"EigResidual", 10, true,
		func(p problem) float64 { return fuzz.EigResidual(p.a, p.w, p.v) },
		func(p problem) *float64 { return &p.w[order-1] }, // A moves by v·vᵀ, of norm at least 1
		func(p problem) float64 { return order * fuzz.Eps * mat.Norm1(p.a) },
	},
	{
		"Orthogonality", 10, false,
		func(p problem) float64 { return fuzz.Orthogonality(p.v) },
		func(p problem) *float64 { return &p.v.Row(2)[5] }, // column 5 of VᵀV moves by row 2 of V, of norm 1
		func(p problem) float64 { return order * fuzz.Eps },
	},
	{
		"EigenvalueError", 1, false,
		func(p problem) float64 { return fuzz.EigenvalueError(p.c, p.w) },
		func(p problem) *float64 { return &p.w[4] },
		func(p problem) float64 { return order * fuzz.Eps * p.w[order-1] },
	},
}

// Every checker accepts a right answer, refuses one with a single entry that
// is off by a hundred times its gate, and refuses NaN and infinities.
func TestCheckers(t *testing.T) {
	for _, c := range checkers {
		t.Run(c.name, func(t *testing.T) {
			p := newProblem(0)
			r := c.residual(p)
			if !(r >= 0 && r <= c.gate) {
				t.Fatalf("residual of the naive answer %.3g, want at most %g", r, c.gate)
			}
			e := c.entry(p)
			right := *e
			for _, times := range []float64{100, -100} {
				*e = right + times*c.gate*c.unit(p)
				if r := c.residual(p); !(r > 50*c.gate && r < 1000*c.gate) {
					t.Errorf("residual %.3g of an answer that is off by %g times the gate %g", r, times, c.gate)
				}
			}
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				*e = v
				if r := c.residual(p); !math.IsInf(r, 1) {
					t.Errorf("residual %.3g of an answer with %g, want +Inf", r, v)
				}
			}
			*e = right
			p.a.Set(2, 1, math.NaN())
			if r := c.residual(p); c.matrix && !math.IsInf(r, 1) {
				t.Errorf("residual %.3g for a matrix with NaN, want +Inf", r)
			}
		})
	}
}

// A scaling by a power of two does not change the residuals.
func TestCheckersScale(t *testing.T) {
	for _, scale := range []int{-500, -400, 400, 500} {
		one, p := newProblem(0), newProblem(scale)
		for _, c := range checkers {
			if got, want := c.residual(p), c.residual(one); got != want {
				t.Errorf("%s: residual %.3g at scale 4^%d, %.3g at scale 1", c.name, got, scale, want)
			}
		}
	}
}

// Zero matrices and empty ones have residual 0 with the right answer and +Inf
// with a wrong one.
func TestCheckersZero(t *testing.T) {
	z, one := mat.New(3, 3), mat.Identity(3)
	w, huge := make([]float64, 3), mat.New(3, 3)
	huge.Fill(0x1p700)
	huge.Set(0, 0, -0x1p700)
	for _, c := range []struct {
		name  string
		got   float64
		wrong bool
	}{
		{"Cholesky of 0", fuzz.CholResidual(z, z), false},
		{"Cholesky of 0", fuzz.CholResidual(z, one), true},
		{"eigenvalues of 0", fuzz.EigResidual(z, w, one), false},
		{"eigenvalues of 0", fuzz.EigResidual(z, []float64{0, 0, 1}, one), true},
		{"eigenvalues with vectors that overflow", fuzz.EigResidual(one, []float64{1, -1, 1}, huge), true},
		{"vectors that overflow", fuzz.Orthogonality(huge), true},
		{"solution with 0", fuzz.SolveResidual(z, one, z), false},
		{"solution with 0", fuzz.SolveResidual(z, one, one), true},
		{"solution 0", fuzz.ForwardError(z, z, 1), false},
		{"solution 0", fuzz.ForwardError(one, z, 1), true},
		{"inverse of 0", fuzz.InverseResidual(z, one), true},
		{"empty Cholesky", fuzz.CholResidual(mat.New(0, 0), mat.New(0, 0)), false},
		{"empty eigenvalues", fuzz.EigResidual(mat.New(0, 0), nil, mat.New(0, 0)), false},
		{"no vectors", fuzz.Orthogonality(mat.New(3, 0)), false},
		{"too many vectors", fuzz.Orthogonality(mat.New(0, 3)), true},
		{"no right-hand side", fuzz.SolveResidual(one, mat.New(3, 0), mat.New(3, 0)), false},
		{"empty product", fuzz.MulError(mat.New(2, 0), 1, mat.New(2, 3), mat.New(3, 0), 0, mat.Matrix{}), false},
	} {
		if c.wrong && !(c.got > 1e15) || !c.wrong && c.got != 0 {
			t.Errorf("%s: residual %g, wrong answer: %v", c.name, c.got, c.wrong)
		}
	}
}

func TestMulError(t *testing.T) {
	s := fuzz.New(3)
	const m, k, n = 5, 17, 4
	const alpha, beta = -1.25, 0.75
	wideA, wideB := fuzz.Wide(s, m, k, 300), fuzz.Wide(s, k, n, 300)
	cancelA, cancelB := fuzz.Cancelling(s, m, k, n)
	tinyA, tinyB := fuzz.Wide(s, m, k, 20), fuzz.Wide(s, k, n, 20)
	mat.Scale(tinyA, 0x1p-530, tinyA)
	mat.Scale(tinyB, 0x1p-530, tinyB)
	for _, c := range []struct {
		name string
		a, b mat.Matrix
	}{
		{"normal", fuzz.Normal(s, m, k), fuzz.Normal(s, k, n)},
		{"wide", wideA, wideB},
		{"cancelling", cancelA, cancelB},
		{"subnormal", tinyA, tinyB},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := fuzz.Normal(s, m, n)
			if c.name == "subnormal" {
				dst.Fill(0)
			}
			got := fuzz.NaiveMul(alpha, c.a, c.b, beta, dst)
			judge := func() float64 { return fuzz.MulError(got, alpha, c.a, c.b, beta, dst) }
			if r := judge(); !(r <= 1) {
				t.Fatalf("the naive product is off by %.3g of its bound", r)
			}
			size := math.Abs(beta * dst.At(2, 3))
			for l := range k {
				size += math.Abs(alpha * c.a.At(2, l) * c.b.At(l, 3))
			}
			right := got.At(2, 3)
			got.Set(2, 3, right+100*2*(k+3)*fuzz.Eps*size+200*k*0x1p-1074)
			if r := judge(); !(r > 50 && r < 200) {
				t.Errorf("an error of 100 bounds is judged as %.3g", r)
			}
			got.Set(2, 3, math.NaN())
			if r := judge(); !math.IsInf(r, 1) {
				t.Errorf("NaN is judged as %.3g", r)
			}
		})
	}
}

// The ratio itself agrees with exact arithmetic.
func TestMulErrorExact(t *testing.T) {
	s := fuzz.New(6)
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	times := func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(2000).Mul(x, y) }
	for _, k := range []int{0, 1, 2, 5, 12} {
		for range 20 {
			a, b, c := fuzz.Normal(s, 1, k), fuzz.Normal(s, k, 1), s.NormFloat64()
			alpha, beta := s.NormFloat64(), s.NormFloat64()
			dst := mat.NewDense(1, 1, []float64{c})
			got := fuzz.NaiveMul(alpha, a, b, beta, dst)
			d, size := exact(got.At(0, 0)), math.Abs(beta*c)
			d.Sub(d, times(exact(beta), exact(c)))
			for l := range k {
				d.Sub(d, times(exact(alpha), times(exact(a.At(0, l)), exact(b.At(l, 0)))))
				size += math.Abs(alpha * a.At(0, l) * b.At(l, 0))
			}
			want, _ := d.Abs(d).Float64()
			want /= 2 * float64(k+3) * fuzz.Eps * size
			// The reference has an error near ε², the bound itself a few roundings.
			if r := fuzz.MulError(got, alpha, a, b, beta, dst); math.Abs(r-want) > 1e-10 {
				t.Errorf("depth %d: %g of the bound, want %g", k, r, want)
			}
		}
	}
}

func TestShapesRefused(t *testing.T) {
	a, b := mat.New(3, 3), mat.New(2, 3)
	for name, f := range map[string]func(){
		"fuzz: CholResidual: shapes do not fit: 3×3 2×3":                 func() { fuzz.CholResidual(a, b) },
		"fuzz: SolveResidual: shapes do not fit: 3×3 2×3 2×3":            func() { fuzz.SolveResidual(a, b, b) },
		"fuzz: ForwardError: shapes do not fit: 3×3 2×3":                 func() { fuzz.ForwardError(a, b, 1) },
		"fuzz: InverseResidual: shapes do not fit: 2×3 3×3":              func() { fuzz.InverseResidual(b, a) },
		"fuzz: EigResidual: shapes do not fit: 3×3 2×1 3×3":              func() { fuzz.EigResidual(a, make([]float64, 2), a) },
		"fuzz: MulError: shapes do not fit: 3×3 3×3 2×3 3×3":             func() { fuzz.MulError(a, 1, a, b, 0, a) },
		"fuzz: NaiveMul: a 3×3, b 2×3, c 0×0 do not fit":                 func() { fuzz.NaiveMul(1, a, b, 0, mat.Matrix{}) },
		"fuzz: IntN: no integer from 0 to -1":                            func() { fuzz.New(1).IntN(0) },
		"fuzz: Spectrum: no mode Mode(0) of condition 2":                 func() { fuzz.Spectrum(fuzz.New(1), 0, 3, 2) },
		"fuzz: Spectrum: no mode one large of condition 0.5":             func() { fuzz.Spectrum(fuzz.New(1), fuzz.OneLarge, 3, 0.5) },
		"fuzz: Triangular: condition NaN below 1":                        func() { fuzz.Triangular(fuzz.New(1), 3, math.NaN(), false) },
		"fuzz: FailingPivot: pivot 3 = 0 of a 3×3 matrix":                func() { fuzz.FailingPivot(fuzz.New(1), 3, 3, 0) },
		"fuzz: LowRank: rank 4 of a 3×3 matrix":                          func() { fuzz.LowRank(fuzz.New(1), 3, 4) },
		"fuzz: Graded: span 501 is not from 0 to 500":                    func() { fuzz.Graded(fuzz.New(1), 3, 501) },
		"fuzz: EigenvalueError: 3 eigenvalues, 0 known, of a 3×3 matrix": func() { fuzz.EigenvalueError(fuzz.FamilyNamed("Wilkinson").Make(nil, 3), make([]float64, 3)) },
	} {
		tier.Panics(t, name, f)
	}
}
