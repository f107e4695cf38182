package fuzz_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

func naiveMul(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
	mat.Copy(dst, fuzz.NaiveMul(alpha, a, b, beta, dst))
}

func naiveEig(a mat.Matrix) ([]float64, mat.Matrix, error) {
	w, v := fuzz.NaiveEig(a)
	return w, v, nil
}

// outside writes one number behind the last element of each row but the last,
// through the storage that rows share.
func outside(m mat.Matrix) {
	if m.Rows > 1 && m.ColStride > 0 && m.RowStride > m.Cols*m.ColStride {
		m.Data[m.Cols*m.ColStride] = 0
	}
}

// lastBit moves the first element, if there is one, to its neighbour.
func lastBit(m mat.Matrix) {
	if m.Rows > 0 && m.Cols > 0 {
		m.Set(0, 0, math.Nextafter(m.At(0, 0), math.Inf(1)))
	}
}

// A law accepts right implementations on every draw and refuses each wrong one
// on some draw.
func TestLaws(t *testing.T) {
	type library = fuzz.Library
	type product = func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64)
	type overwriting = func(t, b mat.Matrix)
	mul := func(f product) library { return library{Mul: f} }
	lower := func(f overwriting) library { return library{SolveLower: f} }
	upper := func(f overwriting) library { return library{SolveUpper: f} }
	chol := func(f func(a mat.Matrix) (mat.Matrix, int)) library { return library{Cholesky: f} }
	eig := func(f func(a mat.Matrix) ([]float64, mat.Matrix, error)) library { return library{Eig: f} }
	for _, c := range []struct {
		name  string
		right bool
		library
	}{
		{"mul", true, mul(mat.Mul)},
		{"naive mul", true, mul(naiveMul)},
		{"naive mul with every zero turned", true, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			for i := range dst.Rows {
				for j := range dst.Cols {
					if dst.At(i, j) == 0 {
						dst.Set(i, j, -dst.At(i, j))
					}
				}
			}
		})},
		{"mul turns the sign of an element", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			if dst.Rows > 0 && dst.Cols > 0 {
				dst.Set(0, 0, -dst.At(0, 0))
			}
		})},
		{"mul ignores beta", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			mat.Mul(dst, alpha, a, b, min(1, math.Abs(beta)))
		})},
		{"mul reads dst with beta 0", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			mat.Add(dst, fuzz.NaiveMul(alpha, a, b, 0, dst), beta, dst)
		})},
		{"mul reads factors with alpha 0", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			x := fuzz.NaiveMul(1, a, b, 0, mat.Matrix{})
			mat.Scale(x, alpha, x)
			naiveMul(dst, 0, a, b, beta)
			mat.Add(dst, dst, 1, x)
		})},
		{"mul leaves out the last term", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			k := max(a.Cols-1, 0)
			naiveMul(dst, alpha, a.Slice(0, a.Rows, 0, k), b.Slice(0, k, 0, b.Cols), beta)
		})},
		{"mul writes outside", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			outside(dst)
		})},
		{"mul writes its factor", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			mat.Scale(a, alpha, a)
		})},
		{"mul writes the factor that it need not read", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			if alpha == 0 {
				b.Fill(0)
			}
		})},
		{"mul off by a bit", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			lastBit(dst)
		})},
		{"mul in single precision", false, mul(func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			naiveMul(dst, alpha, a, b, beta)
			for i := range dst.Rows {
				for j := range dst.Cols {
					dst.Set(i, j, float64(float32(dst.At(i, j))))
				}
			}
		})},
		{"solve lower", true, lower(mat.SolveLower)},
		{"naive solve lower", true, lower(func(l, b mat.Matrix) { mat.Copy(b, fuzz.NaiveSolveLower(l, b)) })},
		{"solve reads above the diagonal", false, lower(func(l, b mat.Matrix) {
			x := fuzz.NaiveSolveLower(l, b)
			for i := range x.Rows {
				for j := range x.Cols {
					b.Set(i, j, x.At(i, j)+0*l.At(0, l.Cols-1))
				}
			}
		})},
		{"solve takes the diagonal for 1", false, lower(func(l, b mat.Matrix) {
			l = l.Clone()
			l.Diag().Fill(1)
			mat.Copy(b, fuzz.NaiveSolveLower(l, b))
		})},
		{"solve writes the triangle", false, lower(func(l, b mat.Matrix) {
			mat.Copy(b, fuzz.NaiveSolveLower(l, b))
			l.Diag().Fill(1)
		})},
		{"solve writes outside", false, lower(func(l, b mat.Matrix) {
			mat.Copy(b, fuzz.NaiveSolveLower(l, b))
			outside(b)
		})},
		{"solve off by a bit", false, lower(func(l, b mat.Matrix) {
			mat.Copy(b, fuzz.NaiveSolveLower(l, b))
			lastBit(b)
		})},
		{"solve in single precision", false, lower(func(l, b mat.Matrix) {
			x := fuzz.NaiveSolveLower(l, b)
			for i := range x.Rows {
				for j := range x.Cols {
					b.Set(i, j, float64(float32(x.At(i, j))))
				}
			}
		})},
		{"solve upper", true, upper(mat.SolveUpper)},
		{"naive solve upper", true, upper(func(u, b mat.Matrix) { mat.Copy(b, fuzz.NaiveSolveUpper(u, b)) })},
		{"solve upper is lower", false, upper(mat.SolveLower)},
		{"naive Cholesky", true, chol(fuzz.NaiveCholesky)},
		{"Cholesky accepts everything", false, chol(func(a mat.Matrix) (mat.Matrix, int) {
			l, _ := fuzz.NaiveCholesky(a)
			return l, a.Rows
		})},
		{"Cholesky counts from 1", false, chol(func(a mat.Matrix) (mat.Matrix, int) {
			l, failed := fuzz.NaiveCholesky(a)
			if failed < a.Rows {
				failed++
			}
			return l, failed
		})},
		{"Cholesky with jitter", false, chol(func(a mat.Matrix) (mat.Matrix, int) {
			a = a.Clone()
			for i := range a.Rows {
				a.Set(i, i, a.At(i, i)*(1+1e-10))
			}
			return fuzz.NaiveCholesky(a)
		})},
		{"Cholesky off by a bit", false, chol(func(a mat.Matrix) (mat.Matrix, int) {
			l, failed := fuzz.NaiveCholesky(a)
			lastBit(l)
			return l, failed
		})},
		{"Cholesky in place", false, chol(func(a mat.Matrix) (mat.Matrix, int) {
			l, failed := fuzz.NaiveCholesky(a)
			mat.Copy(a, l)
			return l, failed
		})},
		{"naive eigenvalues", true, eig(naiveEig)},
		{"eigenvalues in descending order", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			slices.Reverse(w)
			n := a.Rows
			r := v.Clone()
			for j := range n {
				mat.Copy(r.Slice(0, n, j, j+1), v.Slice(0, n, n-1-j, n-j))
			}
			return w, r, nil
		})},
		{"eigenvalues in order but for rounding", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			for j := 1; j < len(w); j++ {
				if w[j]-w[j-1] < 4*fuzz.Eps*math.Abs(w[j]) {
					w[j], w[j-1] = w[j-1], w[j]
				}
			}
			return w, v, nil
		})},
		{"eigenvectors not normalised", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			mat.Scale(v, 1+1e-12, v)
			return w, v, nil
		})},
		{"eigenvectors of 0 not normalised", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			for j, x := range w {
				if x == 0 {
					v.Slice(0, a.Rows, j, j+1).Fill(2)
				}
			}
			return w, v, nil
		})},
		{"eigenvectors in rows", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			return w, v.T(), nil
		})},
		{"eigenvalues off by 1e-12", false, eig(func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			w, v := fuzz.NaiveEig(a)
			for i := range w {
				w[i] *= 1 + 1e-12
			}
			return w, v, nil
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			draws := 400
			if testing.Short() && c.right {
				draws = 50
			}
			for seed := range uint64(draws) {
				broken := c.Try(fuzz.New(seed))
				if broken != nil && c.right {
					t.Fatalf("seed %d: %v", seed, broken)
				}
				if broken != nil {
					return
				}
			}
			if !c.right {
				t.Error("no draw refuses it")
			}
		})
	}
}

func FuzzMul(f *testing.F)        { fuzz.Target(f, fuzz.Library{Mul: mat.Mul}) }
func FuzzSolveLower(f *testing.F) { fuzz.Target(f, fuzz.Library{SolveLower: mat.SolveLower}) }
func FuzzSolveUpper(f *testing.F) { fuzz.Target(f, fuzz.Library{SolveUpper: mat.SolveUpper}) }
