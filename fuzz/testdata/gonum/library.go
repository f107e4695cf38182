// Package gonum runs the laws of package fuzz on Gonum's linear algebra and
// optimiser, and writes down which hold: see RESULTS.md.
package gonum

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonum "gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

var errRefused = errors.New("refused")

// dense copies a view to Gonum's type.
func dense(m mat.Matrix) *gonum.Dense {
	if m.Rows == 0 || m.Cols == 0 {
		return gonum.NewDense(m.Rows, m.Cols, nil) // panics: Gonum has no such matrix
	}
	return gonum.NewDense(m.Rows, m.Cols, m.Clone().Data)
}

// symmetric copies a lower triangle to Gonum's type, which keeps the upper one.
func symmetric(m mat.Matrix) *gonum.SymDense {
	s := gonum.NewSymDense(m.Rows, nil)
	for i := range m.Rows {
		for j := range i + 1 {
			s.SetSym(i, j, m.At(i, j))
		}
	}
	return s
}

// back copies one of Gonum's matrices.
func back(m gonum.Matrix) mat.Matrix {
	r, c := m.Dims()
	b := mat.New(r, c)
	for i := range r {
		for j := range c {
			b.Set(i, j, m.At(i, j))
		}
	}
	return b
}

// view is a matrix in rows as BLAS takes it.
func view(m, n int, data []float64, stride int) blas64.General {
	return blas64.General{Rows: m, Cols: n, Data: data, Stride: stride}
}

func triangular(n int, data []float64, stride int, uplo blas.Uplo) blas64.Triangular {
	return blas64.Triangular{N: n, Data: data, Stride: stride, Uplo: uplo, Diag: blas.NonUnit}
}

func positive(a mat.Matrix) (*gonum.Cholesky, bool) {
	c := new(gonum.Cholesky)
	return c, c.Factorize(symmetric(a))
}

// Library is Gonum: products and triangular systems by blas64, on plain slices,
// and all else by package mat. It has no destination for eigenvectors and no
// Kronecker operator without the matrix, and does not tell a failing pivot.
func Library() fuzz.Library {
	solve := func(uplo blas.Uplo) func(n, k int, t []float64, ldt int, b []float64, ldb int) {
		return func(n, k int, t []float64, ldt int, b []float64, ldb int) {
			blas64.Trsm(blas.Left, blas.NoTrans, 1, triangular(n, t, ldt, uplo), view(n, k, b, ldb))
		}
	}
	x := fuzz.Slices{
		Mul: func(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, alpha, view(m, k, a, lda), view(k, n, b, ldb), beta, view(m, n, c, ldc))
		},
		SolveLower: solve(blas.Lower), SolveUpper: solve(blas.Upper),
	}.Library()
	symmetricLibrary(&x)
	generalLibrary(&x)
	x.KronMul = func(factors []mat.Matrix, v mat.Matrix) mat.Matrix {
		k := dense(mat.Identity(1))
		for _, f := range factors {
			next := new(gonum.Dense)
			next.Kronecker(k, dense(f))
			k = next
		}
		y := new(gonum.Dense)
		y.Mul(k, dense(v))
		return back(y)
	}
	x.Into = []fuzz.Operation{
		{Name: "Dense.Mul", Shapes: squares(2), Call: func(d mat.Matrix, in []mat.Matrix) error {
			return onViews(d, in, func(dst *gonum.Dense, a []*gonum.Dense) { dst.Mul(a[0], a[1]) })
		}},
		{Name: "Dense.Add", Shapes: squares(2), Call: func(d mat.Matrix, in []mat.Matrix) error {
			return onViews(d, in, func(dst *gonum.Dense, a []*gonum.Dense) { dst.Add(a[0], a[1]) })
		}},
		{Name: "Dense.MulElem", Shapes: squares(2), Call: func(d mat.Matrix, in []mat.Matrix) error {
			return onViews(d, in, func(dst *gonum.Dense, a []*gonum.Dense) { dst.MulElem(a[0], a[1]) })
		}},
		{Name: "Dense.Copy", Shapes: squares(1), Call: func(d mat.Matrix, in []mat.Matrix) error {
			return onViews(d, in, func(dst *gonum.Dense, a []*gonum.Dense) { dst.Copy(a[0]) })
		}},
		{Name: "Dense.Solve", Shapes: squares(2), Call: func(d mat.Matrix, in []mat.Matrix) error {
			return onViews(d, in, func(dst *gonum.Dense, a []*gonum.Dense) {
				if err := dst.Solve(a[0], a[1]); err != nil {
					panic(err)
				}
			})
		}},
	}
	x.Minimize = minimize
	return x
}

func squares(operands int) func(n int) ([2]int, [][2]int) {
	return func(n int) ([2]int, [][2]int) {
		all := make([][2]int, operands)
		for i := range all {
			all[i] = [2]int{n, n}
		}
		return [2]int{n, n}, all
	}
}

// onViews calls f on Gonum's views of the same storage; what they cannot be is
// refused.
func onViews(d mat.Matrix, in []mat.Matrix, f func(dst *gonum.Dense, a []*gonum.Dense)) error {
	views := make([]*gonum.Dense, len(in)+1)
	for i, m := range append([]mat.Matrix{d}, in...) {
		if m.Cols > 1 && m.ColStride != 1 || m.Rows > 1 && m.RowStride < m.Cols {
			return errRefused
		}
		views[i] = new(gonum.Dense)
		views[i].SetRawMatrix(blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(m.RowStride, m.Cols), Data: m.Data})
	}
	f(views[0], views[1:])
	return nil
}

// symmetricLibrary adds what Gonum does with symmetric matrices.
func symmetricLibrary(x *fuzz.Library) {
	x.Cholesky = fuzz.TellsNoPivot(func(a mat.Matrix) (mat.Matrix, bool) {
		c, ok := positive(a)
		if !ok {
			return mat.Matrix{}, false
		}
		l := new(gonum.TriDense)
		c.LTo(l)
		return back(l), true
	})
	x.SolveSPD = func(a, b mat.Matrix) (mat.Matrix, error) {
		c, ok := positive(a)
		if !ok {
			return mat.Matrix{}, errRefused
		}
		y := new(gonum.Dense)
		if err := conditioned(c.SolveTo(y, dense(b))); err != nil {
			return mat.Matrix{}, err
		}
		return back(y), nil
	}
	x.InverseSPD = func(a mat.Matrix) (mat.Matrix, error) {
		c, ok := positive(a)
		if !ok {
			return mat.Matrix{}, errRefused
		}
		y := new(gonum.SymDense)
		if err := conditioned(c.InverseTo(y)); err != nil {
			return mat.Matrix{}, err
		}
		return back(y), nil
	}
	x.LogDetSPD = func(a mat.Matrix) (float64, error) {
		c, ok := positive(a)
		if !ok {
			return 0, errRefused
		}
		return c.LogDet(), nil
	}
	update := func(alpha float64) func(a mat.Matrix, v []float64) (mat.Matrix, error) {
		return func(a mat.Matrix, v []float64) (mat.Matrix, error) {
			c, ok := positive(a)
			if !ok {
				return mat.Matrix{}, errRefused
			}
			if !c.SymRankOne(c, alpha, gonum.NewVecDense(len(v), v)) {
				return mat.Matrix{}, errRefused
			}
			l := new(gonum.TriDense)
			c.LTo(l)
			return back(l), nil
		}
	}
	x.Update, x.Downdate = update(1), update(-1)
	x.Eig = func(a mat.Matrix) ([]float64, mat.Matrix, error) {
		e := new(gonum.EigenSym)
		if !e.Factorize(symmetric(a), true) {
			return nil, mat.Matrix{}, errRefused
		}
		v := new(gonum.Dense)
		e.VectorsTo(v)
		return e.Values(nil), back(v), nil
	}
	x.EigValues = func(a mat.Matrix) ([]float64, error) {
		e := new(gonum.EigenSym)
		if !e.Factorize(symmetric(a), false) {
			return nil, errRefused
		}
		return e.Values(nil), nil
	}
}

// conditioned drops the error by which Gonum warns of a large condition number:
// the answer is there.
func conditioned(err error) error {
	var c gonum.Condition
	if errors.As(err, &c) && !math.IsInf(float64(c), 1) {
		return nil
	}
	return err
}

// generalLibrary adds what Gonum does with general matrices.
func generalLibrary(x *fuzz.Library) {
	x.Solve = func(a, b mat.Matrix) (mat.Matrix, error) {
		y := new(gonum.Dense)
		if err := conditioned(y.Solve(dense(a), dense(b))); err != nil {
			return mat.Matrix{}, err
		}
		return back(y), nil
	}
	x.Inverse = func(a mat.Matrix) (mat.Matrix, error) {
		y := new(gonum.Dense)
		if err := conditioned(y.Inverse(dense(a))); err != nil {
			return mat.Matrix{}, err
		}
		return back(y), nil
	}
	x.LogDet = func(a mat.Matrix) (float64, float64, error) {
		log, sign := gonum.LogDet(dense(a))
		return log, sign, nil
	}
	x.LU = func(a mat.Matrix) ([]int, mat.Matrix, mat.Matrix, error) {
		if a.Rows != a.Cols {
			return nil, mat.Matrix{}, mat.Matrix{}, errRefused
		}
		f := new(gonum.LU)
		f.Factorize(dense(a))
		var l, u gonum.TriDense
		f.LTo(&l)
		f.UTo(&u)
		return inverted(f.RowPivots(nil)), back(&l), back(&u), nil
	}
	x.QR = func(a mat.Matrix) (mat.Matrix, mat.Matrix, error) {
		f := new(gonum.QR)
		f.Factorize(dense(a))
		var q, r gonum.Dense
		f.QTo(&q)
		f.RTo(&r)
		return back(&q).Slice(0, a.Rows, 0, a.Cols), back(&r).Slice(0, a.Cols, 0, a.Cols), nil
	}
	x.SVD = func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
		f := new(gonum.SVD)
		if !f.Factorize(dense(a), gonum.SVDThin) {
			return mat.Matrix{}, nil, mat.Matrix{}, errRefused
		}
		var u, v gonum.Dense
		f.UTo(&u)
		f.VTo(&v)
		return back(&u), f.Values(nil), back(&v), nil
	}
}

// inverted returns the inverse permutation.
func inverted(p []int) []int {
	q := make([]int, len(p))
	for i, j := range p {
		q[j] = i
	}
	return q
}

// minimize is Gonum's L-BFGS, which has no context: a status ends it.
func minimize(ctx context.Context, f func(x, grad []float64) float64, x0 []float64) ([]float64, float64, error) {
	ignored := make([]float64, len(x0))
	p := optimize.Problem{
		Func:   func(x []float64) float64 { return f(x, ignored) },
		Grad:   func(grad, x []float64) { f(x, grad) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	r, err := optimize.Minimize(p, x0, &optimize.Settings{GradientThreshold: 1e-6}, &optimize.LBFGS{})
	if r == nil {
		return nil, 0, err
	}
	if errors.Is(err, optimize.ErrLinesearcherFailure) { // near a minimum, by rounding
		err = nil
	}
	return r.X, r.F, err
}
