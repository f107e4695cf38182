package fuzz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Sizes that the laws draw, unless a shorter input of bytes forbids.
const (
	mostMul = 40
	mostEig = 24
)

// scalars are multiples that keep integers exact.
var scalars = []float64{1, 0, -1, 2, -0.5}

// CheckMul draws a product alpha·a·b + beta·c, with shapes that may be 0 and
// views of any [Layout], and returns an error if mul, which must act as
// [mat.Mul], does not
//
//   - give the bits of [NaiveMul] on integers, but for the sign of a zero, and a
//     [MulError] of at most 1 on normal, widely spread and cancelling entries,
//   - read no destination with beta == 0, and no factor with alpha == 0 (each
//     then full of NaN),
//   - leave a, b and all gaps as they were,
//   - give dstᵀ for bᵀ·aᵀ within the same bounds.
func CheckMul(s *Source, mul func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64)) error {
	m, k, n := s.Size(mostMul), s.Size(mostMul), s.Size(mostMul)
	alpha, beta := scalars[s.IntN(len(scalars))], scalars[s.IntN(len(scalars))]
	var a, b mat.Matrix
	kind := s.IntN(4)
	switch kind {
	case 0:
		a, b = Integers(s, m, k, 8), Integers(s, k, n, 8)
	case 1:
		a, b = Normal(s, m, k), Normal(s, k, n)
	case 2:
		a, b = Wide(s, m, k, 300), Wide(s, k, n, 300)
	case 3:
		a, b = Cancelling(s, m, k, n)
	}
	// Odd integers: no zero, so no sign of a zero to differ in.
	c := fill(m, n, func(int, int) float64 { return 2*s.integer(8) + 1 })
	want := NaiveMul(alpha, a, b, beta, c)
	ga, gb, gc := Guard(a, s.Layout()), Guard(b, s.Layout()), Guard(c, s.Layout())
	if beta == 0 {
		gc.Fill(Canary())
	}
	if alpha == 0 {
		ga.Fill(Canary())
		gb.Fill(Canary())
	}
	sum := Digest(ga.Matrix, gb.Matrix)
	once := func(dst Guarded, view mat.Matrix, f func()) error {
		f()
		if Digest(ga.Matrix, gb.Matrix) != sum {
			return errors.New("a or b has changed")
		}
		if err := errors.Join(ga.Check(), gb.Check(), dst.Check()); err != nil {
			return err
		}
		if kind == 0 || alpha == 0 {
			return SameBits(unsigned(view), unsigned(want))
		}
		if r := MulError(view, alpha, a, b, beta, c); !(r <= 1) {
			return fmt.Errorf("the worst element is off by %.3g of its error bound", r)
		}
		return nil
	}
	gt := Guard(gc.T(), s.Layout())
	if err := once(gc, gc.Matrix, func() { mul(gc.Matrix, alpha, ga.Matrix, gb.Matrix, beta) }); err != nil {
		return fmt.Errorf("%g·a·b + %g·c, a %d×%d, b %d×%d: %w", alpha, beta, m, k, k, n, err)
	}
	if err := once(gt, gt.Matrix.T(), func() { mul(gt.Matrix, alpha, gb.T(), ga.T(), beta) }); err != nil {
		return fmt.Errorf("%g·bᵀ·aᵀ + %g·cᵀ, a %d×%d, b %d×%d: %w", alpha, beta, m, k, k, n, err)
	}
	return nil
}

// unsigned returns a copy in which zeros have no sign: that of a sum or a product that is
// zero depends on whether it is added to one.
func unsigned(a mat.Matrix) mat.Matrix {
	return fill(a.Rows, a.Cols, func(i, j int) float64 {
		if v := a.At(i, j); v != 0 {
			return v
		}
		return 0
	})
}

// CheckSolveLower draws a lower triangular system of order n with k right-hand
// sides, n and k possibly 0, and returns an error if solve, which must act as
// [mat.SolveLower], does not
//
//   - find an integer solution of an integer system with powers of two on the
//     diagonal to the bit,
//   - keep [SolveResidual] within 10·n for conditions up to 1e15,
//   - leave the triangle as it was, the strict upper part of it unread, and
//     all gaps untouched.
func CheckSolveLower(s *Source, solve func(l, b mat.Matrix)) error {
	return checkSolve(s, "lower", func(m mat.Matrix) mat.Matrix { return m }, solve)
}

// CheckSolveUpper is [CheckSolveLower] for upper triangular systems and
// [mat.SolveUpper].
func CheckSolveUpper(s *Source, solve func(u, b mat.Matrix)) error {
	// Reversing both orders makes a lower triangle an upper one.
	reverse := func(m mat.Matrix) mat.Matrix {
		return fill(m.Rows, m.Cols, func(i, j int) float64 { return m.At(m.Rows-1-i, m.Cols-1-j) })
	}
	return checkSolve(s, "upper", reverse, solve)
}

func checkSolve(s *Source, name string, arrange func(mat.Matrix) mat.Matrix, solve func(t, b mat.Matrix)) error {
	n, k := s.Size(mostMul), s.Size(mostMul)
	exact := s.Bool()
	var l, x, b mat.Matrix
	if exact {
		l, x = IntegerFactor(s, n), Integers(s, n, k, 8)
		b = NaiveMul(1, l, x, 0, mat.Matrix{})
	} else {
		l, b = Triangular(s, n, math.Pow(10, float64(s.IntN(16))), s.Bool()), Normal(s, n, k)
	}
	t, poisoned := arrange(l), l.Clone()
	PoisonUpper(poisoned)
	x, b = arrange(x), arrange(b)
	gt, gb := Guard(arrange(poisoned), s.Layout()), Guard(b, s.Layout())
	sum := Digest(gt.Matrix)
	solve(gt.Matrix, gb.Matrix)
	err := errors.Join(gt.Check(), gb.Check())
	if Digest(gt.Matrix) != sum {
		err = errors.Join(err, errors.New("the triangle has changed"))
	}
	if exact {
		err = errors.Join(err, SameBits(gb.Matrix, x))
	} else if r := SolveResidual(t, gb.Matrix, b); !(r <= 10*float64(n)) {
		err = errors.Join(err, fmt.Errorf("residual %.3g·n", r/float64(n)))
	}
	if err != nil {
		return fmt.Errorf("%s triangular system of order %d with %d right-hand sides: %w", name, n, k, err)
	}
	return nil
}

// CheckCholesky draws a symmetric matrix, its strict upper triangle full of
// NaN, and returns an error if factor does not give what is known of it: the
// lower triangular factor to the bit where that is exact, a [CholResidual] of
// at most 10 elsewhere, or the index of the failing pivot. factor returns the
// factor, of which the lower triangle is read, and the index, counted from 0,
// of the first pivot that is not positive, or the order if there is none; it
// must not change its argument.
func CheckCholesky(s *Source, factor func(a mat.Matrix) (l mat.Matrix, failed int)) error {
	n := s.Size(mostMul)
	var c Case
	switch kind := s.IntN(5); {
	case kind == 0 || n == 0:
		c = SPD(s, n)
	case kind == 1:
		c = FailingPivot(s, n, s.IntN(n), -s.IntN(2))
	case kind == 2:
		c = LowRank(s, n, s.IntN(n+1))
	case kind == 3:
		c = Graded(s, n, s.IntN(250))
	default:
		c = WithSpectrum(s, "spectrum", Spectrum(s, Modes[s.IntN(5)], n, math.Pow(10, float64(s.IntN(9)))))
	}
	g := Guard(c.A, s.Layout())
	PoisonUpper(g.Matrix)
	sum := Digest(g.Matrix)
	l, failed := factor(g.Matrix)
	err := g.Check()
	if Digest(g.Matrix) != sum {
		err = errors.Join(err, errors.New("the matrix has changed"))
	}
	switch {
	case failed != c.Pivot:
		err = errors.Join(err, fmt.Errorf("the failing pivot is %d, want %d", failed, c.Pivot))
	case !c.Definite():
	case c.Factor.Rows > 0:
		err = errors.Join(err, SameBits(Lower(l), c.Factor))
	default:
		if r := CholResidual(c.A, l); !(r <= 10) {
			err = errors.Join(err, fmt.Errorf("residual %.3g", r))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// CheckEig draws a symmetric matrix, its strict upper triangle full of NaN,
// and returns an error if eig does not return eigenvalues w in ascending order,
// within n·ε·‖A‖₂ (10·ε·‖A‖₂ for n below 10) and Slack of the known ones, with
// eigenvectors v in its columns that have an [EigResidual] and [Orthogonality]
// of at most 10. eig must not change its argument.
func CheckEig(s *Source, eig func(a mat.Matrix) (w []float64, v mat.Matrix, err error)) error {
	n := s.Size(mostEig)
	var c Case
	switch families := Families(s, n); s.IntN(3) {
	case 0:
		c = families[s.IntN(len(families))]
	case 1:
		d := Spectrum(s, Modes[s.IntN(len(Modes))], n, math.Pow(10, float64(s.IntN(16))))
		c = WithSpectrum(s, "spectrum", RandomSigns(s, d)).Scaled(s.IntN(401) - 200)
	case 2:
		cases := SymmetricCases(s, n)
		c = cases[s.IntN(len(cases))]
	}
	if s.Bool() {
		c = c.Permuted(s)
	}
	g := Guard(c.A, s.Layout())
	PoisonUpper(g.Matrix)
	sum := Digest(g.Matrix)
	w, v, err := eig(g.Matrix)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	err = g.Check()
	if Digest(g.Matrix) != sum {
		err = errors.Join(err, errors.New("the matrix has changed"))
	}
	if !slices.IsSorted(w) {
		err = errors.Join(err, errors.New("the eigenvalues are not in ascending order"))
	}
	if r := EigResidual(c.A, w, v); !(r <= 10) {
		err = errors.Join(err, fmt.Errorf("residual %.3g", r))
	}
	if r := Orthogonality(v); !(r <= 10) {
		err = errors.Join(err, fmt.Errorf("orthogonality %.3g", r))
	}
	if c.Eigenvalues != nil {
		if r := EigenvalueError(c, w); !(r*float64(n) <= float64(max(n, 10))) {
			err = errors.Join(err, fmt.Errorf("eigenvalues off by %.3g·n·ε·‖A‖₂", r))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}
