package eig_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// checkGeneral holds a spectrum of Ψ·v = λ·K·v, K = L·Lᵀ, to what follows from
// C = L⁻¹ΨL⁻ᵀ having been decomposed with a backward error of n·ε·‖C‖:
//
//	‖ΨV − KV·diag(λ)‖₁ ≤ gate·n·ε·‖L‖₁·‖C‖      ‖VᵀKV − I‖₁ ≤ gate·n·ε·‖L‖₁·‖V‖₁
//
// where ‖C‖ = max|λ|. C itself is found to n·ε·‖C‖ if L is well conditioned but
// for the scale of its rows, as the factors of these tests are.
func checkGeneral(t *testing.T, name string, psi, l mat.Matrix, sp eig.Spectrum) {
	t.Helper()
	n := psi.Rows
	if len(sp.Values) != n || sp.Vectors.Rows != n || sp.Vectors.Cols != n {
		t.Errorf("%s: %d values and %d×%d vectors for order %d", name, len(sp.Values), sp.Vectors.Rows, sp.Vectors.Cols, n)
		return
	}
	psi, l = fuzz.Lower(psi), fuzz.Lower(l)
	mat.MirrorLower(psi)
	v, zero := sp.Vectors, mat.New(n, n)
	tv := fuzz.NaiveMul(1, l.T(), v, 0, zero)
	kv := fuzz.NaiveMul(1, l, tv, 0, zero)
	mat.ScaleCols(kv, kv, sp.Values)
	unit := gate * float64(n) * fuzz.Eps
	r := mat.Norm1(fuzz.NaiveMul(1, psi, v, -1, kv))
	if tol := unit * mat.Norm1(l) * mat.NormMax(mat.Vector(sp.Values)); !(r <= tol) {
		t.Errorf("%s: residual %.3g, want at most %.3g", name, r, tol)
	}
	r = mat.Norm1(fuzz.NaiveMul(1, tv.T(), tv, -1, mat.Identity(n)))
	if tol := unit * mat.Norm1(l) * mat.Norm1(v); !(r <= tol) {
		t.Errorf("%s: VᵀKV is off by %.3g, want at most %.3g", name, r, tol)
	}
	if !slices.IsSorted(sp.Values) {
		t.Errorf("%s: the eigenvalues are not ascending", name)
	}
	for j := range n {
		if i := decides(v.Slice(0, n, j, j+1)); !(v.At(i, j) > 0) {
			t.Errorf("%s: element %d of eigenvector %d, which decides its sign, is %g", name, i, j, v.At(i, j))
		}
	}
}

// TestGeneral: every type of symmetric Ψ against factors of several
// conditions, at orders around the one that is not halved.
func TestGeneral(t *testing.T) {
	tier.Skip(t, tier.Race)
	sizes := []int{0, 1, 2, 3, 7, 31, 32, 33, 65, 100}
	if testing.Short() {
		sizes = []int{0, 1, 2, 5, 33, 65}
	}
	var s eig.Solver
	for _, n := range sizes {
		rng := fuzz.New(uint64(n))
		for _, cond := range []float64{1, 1e3, 1e7} {
			l := fuzz.Triangular(rng, n, cond, true)
			for _, c := range fuzz.SymmetricCases(rng, n) {
				var sp eig.Spectrum
				if err := s.General(&sp, c.A, l); err != nil {
					t.Errorf("%s, condition %g: %v", c.Name, cond, err)
					continue
				}
				checkGeneral(t, fmt.Sprintf("%s, condition %g", c.Name, cond), c.A, l, sp)
			}
		}
	}
}

// TestGeneralScale: powers of two go through exactly, far beyond the roots of
// the range.
func TestGeneralScale(t *testing.T) {
	rng := fuzz.New(23)
	for _, n := range []int{1, 8, 40} {
		psi, l := fuzz.SPD(rng, n).A, fuzz.IntegerFactor(rng, n)
		want, err := eig.General(psi, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []struct{ psi, l int }{{900, 0}, {-900, 0}, {0, 400}, {0, -400}, {900, 400}, {-900, -400}} {
			p, f := psi.Clone(), l.Clone()
			mat.Scale(p, math.Ldexp(1, k.psi), p)
			mat.Scale(f, math.Ldexp(1, k.l), f)
			got, err := eig.General(p, f)
			if err != nil {
				t.Errorf("n=%d, Ψ·2^%d, L·2^%d: %v", n, k.psi, k.l, err)
				continue
			}
			mat.Scale(got.Vectors, math.Ldexp(1, k.l), got.Vectors)
			for i, w := range got.Values {
				got.Values[i] = math.Ldexp(w, 2*k.l-k.psi)
			}
			if fuzz.Digest(got.Vectors, mat.Vector(got.Values)) != fuzz.Digest(want.Vectors, mat.Vector(want.Values)) {
				t.Errorf("n=%d, Ψ·2^%d, L·2^%d: other bits", n, k.psi, k.l)
			}
		}
	}
}

// TestGeneralViews: any layout gives the same bits, the upper triangles are not
// read, and Ψ may be the destination.
func TestGeneralViews(t *testing.T) {
	rng := fuzz.New(25)
	for _, n := range []int{1, 9, 40} {
		psi, l := fuzz.Normal(rng, n, n), fuzz.IntegerFactor(rng, n)
		want, err := eig.General(psi, l)
		if err != nil {
			t.Fatal(err)
		}
		bits := fuzz.Digest(want.Vectors, mat.Vector(want.Values))
		poisonedPsi, poisonedL := psi.Clone(), l.Clone()
		fuzz.PoisonUpper(poisonedPsi)
		fuzz.PoisonUpper(poisonedL)
		for _, layout := range fuzz.Layouts {
			gp, gl := fuzz.Guard(poisonedPsi, layout), fuzz.Guard(poisonedL, layout)
			got, err := eig.General(gp.Matrix, gl.Matrix)
			if err != nil {
				t.Fatal(err)
			}
			if fuzz.Digest(got.Vectors, mat.Vector(got.Values)) != bits {
				t.Errorf("n=%d, layout %+v: other bits", n, layout)
			}
			if err := errors.Join(gp.Check(), gl.Check(), fuzz.SameBits(gp.Matrix, poisonedPsi), fuzz.SameBits(gl.Matrix, poisonedL)); err != nil {
				t.Error(err)
			}
		}
		var s eig.Solver
		for _, dst := range []mat.Matrix{psi, psi.T()} {
			a := psi.Clone()
			if dst.ColStride != 1 {
				a = a.T()
				mat.Copy(a, psi)
			}
			sp := eig.Spectrum{Vectors: a}
			if err := s.General(&sp, a, l); err != nil {
				t.Fatal(err)
			}
			if fuzz.Digest(sp.Vectors, mat.Vector(sp.Values)) != bits {
				t.Errorf("n=%d: other bits in place", n)
			}
		}
	}
}

func TestGeneralRefusals(t *testing.T) {
	rng := fuzz.New(26)
	const n = 6
	refused := func(err error, matrix string, i, j int, bad float64) {
		t.Helper()
		if named, ok := errors.AsType[*eig.NonFiniteError](err); !ok || named.Matrix != matrix || named.Row != i || named.Col != j || !(named.Value == bad || bad != bad && named.Value != named.Value) {
			t.Errorf("%g at (%d, %d) of %s: got error %v", bad, i, j, matrix, err)
		} else if want := fmt.Sprintf("(%d, %d) of %s", i, j, matrix); !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	for i := range n {
		for j := range i + 1 {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				psi, l := fuzz.Normal(rng, n, n), fuzz.IntegerFactor(rng, n)
				psi.Set(i, j, bad)
				_, err := eig.General(psi, l)
				refused(err, "Ψ", i, j, bad)
				l.Set(i, j, bad)
				_, err = eig.General(psi, l)
				refused(err, "L", i, j, bad)
			}
		}
		for _, bad := range []float64{0, math.Copysign(0, -1), -1} {
			l := fuzz.IntegerFactor(rng, n)
			l.Set(i, i, bad)
			_, err := eig.General(fuzz.Normal(rng, n, n), l)
			if failed, ok := errors.AsType[*eig.FactorError](err); !ok || failed.Index != i || failed.Value != bad {
				t.Errorf("L[%d,%d] = %g: got error %v", i, i, bad, err)
			} else if want := fmt.Sprintf("(%d, %d) of L is %g", i, i, bad); !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
	}
	// K so nearly singular that the answer is beyond float64.
	_, err := eig.General(mat.Identity(2), mat.NewDense(2, 2, []float64{1, 0, 0, 1e-200}))
	refused(err, "L⁻¹ΨL⁻ᵀ", 1, 1, math.Inf(1))
	_, err = eig.General(mat.New(2, 2), mat.NewDense(2, 2, []float64{1, 0, 0, math.SmallestNonzeroFloat64}))
	refused(err, "V", 0, 1, math.NaN())
	// λ alone is.
	tiny, huge := mat.Identity(2), mat.Identity(2)
	mat.Scale(tiny, 1e-100, tiny)
	mat.Scale(huge, 1e200, huge)
	_, err = eig.General(huge, tiny)
	var over *eig.OverflowError
	if want := 400 * math.Log2(10); !errors.As(err, &over) || over.Index != 0 || math.Abs(over.Log2-want) > 1e-9*want {
		t.Errorf("λ = 1e400: got error %v", err)
	}
	to := eig.Tuned()
	to.SweepsPerRow = 0
	eig.Tune(t, to)
	_, err = eig.General(family("second difference", n).A, mat.Identity(n))
	if slow, ok := errors.AsType[*eig.NotConvergedError](err); !ok || slow.Order != n {
		t.Errorf("no sweeps allowed: got error %v", err)
	}
}

func TestGeneralMisuse(t *testing.T) {
	for _, c := range []struct {
		call  func()
		words []string
	}{
		{func() { eig.General(mat.New(2, 3), mat.New(2, 2)) }, []string{"eig: General:", "Ψ is 2×3", "L 2×2"}},
		{func() { eig.General(mat.New(2, 2), mat.New(2, 3)) }, []string{"eig: General:", "Ψ is 2×2", "L 2×3"}},
		{func() { eig.General(mat.New(2, 2), mat.New(3, 3)) }, []string{"eig: General:", "Ψ is 2×2", "L 3×3"}},
		{func() {
			l := mat.Identity(2)
			new(eig.Solver).General(&eig.Spectrum{Vectors: l}, mat.New(2, 2), l)
		}, []string{"eig: General:", "2×2", "overlaps", "factor"}},
	} {
		tier.PanicsWith(t, c.call, c.words...)
	}
}
