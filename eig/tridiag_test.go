package eig_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// TestReduction: A = Q·T·Qᵀ with T tridiagonal and Q orthogonal, in the units of
// the spectrum's tests, whatever comes between.
func TestReduction(t *testing.T) {
	sizes := []int{1, 2, 3, 7, 8, 9, 31, 33, 34, 64, 65, 66, 97, 130}
	if testing.Short() {
		sizes = []int{1, 2, 3, 9, 33, 34, 65}
	}
	var s eig.Solver
	for _, n := range sizes {
		rng := fuzz.New(uint64(n))
		zero := mat.New(n, n)
		for _, c := range append(fuzz.SymmetricCases(rng, n), family("Clement", n), family("min(i,j)", n), fuzz.LowRank(rng, n, n/2)) {
			d, e, scale := reduce(t, &s, c.A)
			tri := mat.New(n, n)
			for i, x := range d {
				tri.Set(i, i, x)
			}
			for i, x := range e {
				tri.Set(i, i+1, x)
				tri.Set(i+1, i, x)
			}
			q := mat.Identity(n)
			s.BackTransform(q.T())
			if r := fuzz.Orthogonality(q); !(r <= gate) {
				t.Errorf("%s: Q departs from orthogonality by %.3g, want at most %d", c.Name, r, gate)
			}
			a := ldexp(c.A, -scale)
			mat.MirrorLower(a)
			diff := fuzz.NaiveMul(1, fuzz.NaiveMul(1, q, tri, 0, zero), q.T(), -1, a)
			if r, tol := mat.Norm1(diff), gate*float64(n)*fuzz.Eps*mat.Norm1(a); !(r <= tol) {
				t.Errorf("%s: QTQᵀ is off by %.3g, want at most %.3g", c.Name, r, tol)
			}
		}
	}
}

// ldexp returns 2^k·a.
func ldexp(a mat.Matrix, k int) mat.Matrix {
	b := a.Clone()
	for i, x := range b.Data {
		b.Data[i] = math.Ldexp(x, k)
	}
	return b
}

// TestSymv: the product of every trailing matrix with a vector, exactly, in
// either direction and any number of parts.
func TestSymv(t *testing.T) {
	usual := eig.Tuned()
	rng := fuzz.New(50)
	var s eig.Solver
	for _, n := range []int{1, 3, 4, 8, 9, 23, 41} {
		a := fuzz.Integers(rng, n, n, 8)
		mat.MirrorLower(a)
		for _, order := range []int{1, 3, 5, n} {
			to := usual
			to.SymvOrder = order
			eig.Tune(t, to)
			scale, err := s.Load(a)
			if err != nil {
				t.Fatal(err)
			}
			for first := range n {
				m := n - first
				x := fuzz.Integers(rng, m, 1, 8)
				want := fuzz.NaiveMul(1, a.Slice(first, n, first, n), x, 0, mat.New(m, 1))
				for _, backward := range []bool{false, true} {
					got := ldexp(mat.Vector(s.Symv(first, x.Data, backward)), scale)
					if err := fuzz.SameBits(got, want); err != nil {
						t.Errorf("n=%d, first %d, parts of %d, backward %v: %v", n, first, order, backward, err)
					}
				}
			}
		}
	}
}
