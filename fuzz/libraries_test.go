package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// ours is the module's own linear algebra.
func ours() fuzz.Library {
	x := fuzz.Library{
		Mul: mat.Mul, MulSym: mat.MulSym, Syrk: mat.Syrk,
		MulLower: mat.MulLower, MulUpper: mat.MulUpper, SolveLower: mat.SolveLower, SolveUpper: mat.SolveUpper,
		Cholesky: func(a mat.Matrix) (mat.Matrix, int) {
			f, err := chol.Factorize(a)
			var failed *chol.NotPositiveDefiniteError
			switch {
			case errors.As(err, &failed):
				return mat.Matrix{}, failed.Index
			case err != nil:
				return mat.Matrix{}, fuzz.Unknown
			}
			return f.L(), a.Rows
		},
		SolveSPD: func(a, b mat.Matrix) (mat.Matrix, error) {
			f, err := chol.Factorize(a)
			if err != nil {
				return mat.Matrix{}, err
			}
			x := b.Clone()
			f.Solve(x)
			return x, nil
		},
		InverseSPD: func(a mat.Matrix) (mat.Matrix, error) {
			f, err := chol.Factorize(a)
			if err != nil {
				return mat.Matrix{}, err
			}
			y := mat.New(a.Rows, a.Rows)
			f.Inverse(y)
			return y, nil
		},
		LogDetSPD: func(a mat.Matrix) (float64, error) {
			f, err := chol.Factorize(a)
			if err != nil {
				return 0, err
			}
			return f.LogDet(), nil
		},
		Update:   updated((*chol.Factor).Update),
		Downdate: updated((*chol.Factor).Downdate),
		Eig: func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			sp, err := eig.Sym(a)
			return sp.Values, sp.Vectors, err
		},
		EigValues: eig.SymValues,
		KronMul: func(factors []mat.Matrix, x mat.Matrix) mat.Matrix {
			o := kronprod.Of(factors...)
			y := mat.New(o.Rows(), x.Cols)
			o.Mul(y, x, nil)
			return y
		},
		KronSolve: func(factors []mat.Matrix, b mat.Matrix) (mat.Matrix, error) {
			f, err := kronprod.Factorize(kronprod.Of(factors...))
			if err != nil {
				return mat.Matrix{}, err
			}
			x := b.Clone()
			f.Solve(x)
			return x, nil
		},
		KronLogDet: func(factors []mat.Matrix) (float64, error) {
			f, err := kronprod.Factorize(kronprod.Of(factors...))
			if err != nil {
				return 0, err
			}
			return f.LogDet(), nil
		},
		KronEig: func(factors []mat.Matrix) ([]float64, []mat.Matrix, error) {
			sp, err := kronprod.Eigen(kronprod.Of(factors...))
			return sp.Values, sp.Vectors.Factors, err
		},
	}
	x.Into = append(x.Destinations(), operations()...)
	return x
}

func updated(change func(*chol.Factor, []float64) error) func(a mat.Matrix, x []float64) (mat.Matrix, error) {
	return func(a mat.Matrix, x []float64) (mat.Matrix, error) {
		f, err := chol.Factorize(a)
		if err != nil {
			return mat.Matrix{}, err
		}
		if err := change(f, x); err != nil {
			return mat.Matrix{}, err
		}
		return f.L(), nil
	}
}

// operations are further ones of the module that write where the caller says.
func operations() []fuzz.Operation {
	square := func(operands int) func(n int) ([2]int, [][2]int) {
		return func(n int) ([2]int, [][2]int) {
			return [2]int{n, n}, slices.Repeat([][2]int{{n, n}}, operands)
		}
	}
	diagonal := func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n, n}, {n, 1}} }
	op := func(name string, shapes func(n int) ([2]int, [][2]int), f func(dst mat.Matrix, in []mat.Matrix)) fuzz.Operation {
		return fuzz.Operation{Name: name, Shapes: shapes, Call: func(dst mat.Matrix, in []mat.Matrix) error { f(dst, in); return nil }}
	}
	plain := func(o fuzz.Operation, which ...int) fuzz.Operation {
		o.Plain = which
		return o
	}
	return []fuzz.Operation{
		op("Copy", square(1), func(d mat.Matrix, in []mat.Matrix) { mat.Copy(d, in[0]) }),
		op("Scale", square(1), func(d mat.Matrix, in []mat.Matrix) { mat.Scale(d, 3, in[0]) }),
		op("Add", square(2), func(d mat.Matrix, in []mat.Matrix) { mat.Add(d, in[0], 2, in[1]) }),
		op("MulElem", square(2), func(d mat.Matrix, in []mat.Matrix) { mat.MulElem(d, in[0], in[1]) }),
		plain(op("ScaleRows", diagonal, func(d mat.Matrix, in []mat.Matrix) { mat.ScaleRows(d, in[1].Data, in[0]) }), 1),
		plain(op("ScaleCols", diagonal, func(d mat.Matrix, in []mat.Matrix) { mat.ScaleCols(d, in[0], in[1].Data) }), 1),
		{Name: "Inverse", Shapes: square(1), Call: func(d mat.Matrix, in []mat.Matrix) error {
			f, err := chol.Factorize(dominant(in[0]))
			if err == nil {
				f.Inverse(d)
			}
			return err
		}},
		{Name: "eig.Solver.Sym", Shapes: square(1), Call: func(d mat.Matrix, in []mat.Matrix) error {
			var s eig.Solver
			sp := eig.Spectrum{Values: make([]float64, d.Rows), Vectors: d}
			err := s.Sym(&sp, in[0])
			if err == nil && d.Rows > 0 && &sp.Vectors.Data[0] != &d.Data[0] {
				return fmt.Errorf("other memory")
			}
			return err
		}},
		{Name: "eig.Solver.Sym, values inside vectors", Shapes: func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n, 1}, {n, n}} }, Plain: []int{-1, 0}, Writes: []int{0},
			Call: func(d mat.Matrix, in []mat.Matrix) error {
				var s eig.Solver
				return s.Sym(&eig.Spectrum{Values: in[0].Data, Vectors: d}, in[1])
			}},
		plain(op("kronprod.MulMode", func(n int) ([2]int, [][2]int) { return [2]int{n * n, 1}, [][2]int{{n, n}, {n * n, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			n := in[0].Rows
			kronprod.MulMode(kronprod.Shaped(d.Data, n, n), in[0], kronprod.Shaped(in[1].Data, n, n), 0)
		}), -1, 1),
		plain(op("kronprod.Marginal", func(n int) ([2]int, [][2]int) { return [2]int{n, 1}, [][2]int{{n * n, 1}, {n, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			n := d.Rows
			kronprod.Marginal(d.Data, kronprod.Shaped(in[0].Data, n, n), 0, [][]float64{nil, in[1].Data})
		}), -1, 0, 1),
		plain(op("kronprod.Gram", func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n * n, 1}, {n, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			n := d.Rows
			kronprod.Gram(d, kronprod.Shaped(in[0].Data, n, n), 0, [][]float64{nil, in[1].Data})
		}), 0, 1),
		plain(op("kronprod.Gram, last mode", func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{2 * n, 1}, {2, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			kronprod.Gram(d, kronprod.Shaped(in[0].Data, 2, d.Rows), 1, [][]float64{in[1].Data, nil})
		}), 0, 1),
		plain(op("kronprod.Cross of two", func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{2 * n, 1}, {2 * n, 1}, {2, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			n := d.Rows
			kronprod.Cross(d, kronprod.Shaped(in[0].Data, n, 2), kronprod.Shaped(in[1].Data, n, 2), 0, [][]float64{nil, in[2].Data})
		}), 0, 1, 2),
		plain(op("kronprod.Cross", func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n * n, 1}, {n, 1}} }, func(d mat.Matrix, in []mat.Matrix) {
			n := d.Rows
			x := kronprod.Shaped(in[0].Data, n, n)
			kronprod.Cross(d, x, x, 1, [][]float64{in[1].Data, nil})
		}), 0, 1),
		op("kronprod.Operator.Mul", func(n int) ([2]int, [][2]int) { return [2]int{n * n, 2}, [][2]int{{n * n, 2}, {n, n}} }, func(d mat.Matrix, in []mat.Matrix) {
			kronprod.Of(in[1], in[1]).Mul(d, in[0], nil)
		}),
	}
}

// dominant returns a with 100 added to the diagonal.
func dominant(a mat.Matrix) mat.Matrix {
	b := a.Clone()
	for i := range b.Rows {
		b.Set(i, i, b.At(i, i)+100)
	}
	return b
}

// naive is a library of the plain algorithms of this package: right, and unable
// to solve what only pivoting of another kind would.
func naive() fuzz.Library {
	lower := func(a mat.Matrix) (mat.Matrix, error) {
		l, failed := fuzz.NaiveCholesky(a)
		if i, j, found := mat.NonFiniteLower(a); found {
			return l, fmt.Errorf("element (%d, %d) is not finite", i, j)
		}
		if failed < a.Rows {
			return l, fmt.Errorf("pivot %d", failed)
		}
		return l, nil
	}
	spd := func(a, b mat.Matrix) (mat.Matrix, error) {
		l, err := lower(a)
		if err != nil {
			return mat.Matrix{}, err
		}
		return fuzz.NaiveSolveUpper(l.T(), fuzz.NaiveSolveLower(l, b)), nil
	}
	rank1 := func(sign float64) func(a mat.Matrix, x []float64) (mat.Matrix, error) {
		return func(a mat.Matrix, x []float64) (mat.Matrix, error) {
			b := a.Clone()
			v := mat.Vector(x)
			mat.Mul(b, sign, v, v.T(), 1)
			return lower(b)
		}
	}
	checked := func(a mat.Matrix) error {
		if i, j, found := mat.NonFinite(a); found {
			return fmt.Errorf("element (%d, %d) is not finite", i, j)
		}
		return nil
	}
	return fuzz.Library{
		Mul: naiveMul,
		MulSym: func(d mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			lowerOf(d, fuzz.NaiveMul(alpha, a, b, beta, d))
		},
		Syrk: func(d mat.Matrix, alpha float64, a mat.Matrix, beta float64) {
			lowerOf(d, fuzz.NaiveMul(alpha, a, a.T(), beta, d))
		},
		MulLower:   func(l, b mat.Matrix) { within(l, b, func(i, k int) bool { return k <= i }) },
		MulUpper:   func(u, b mat.Matrix) { within(u, b, func(i, k int) bool { return k >= i }) },
		SolveLower: func(l, b mat.Matrix) { mat.Copy(b, fuzz.NaiveSolveLower(l, b)) },
		SolveUpper: func(u, b mat.Matrix) { mat.Copy(b, fuzz.NaiveSolveUpper(u, b)) },
		Cholesky: func(a mat.Matrix) (mat.Matrix, int) {
			if _, _, found := mat.NonFiniteLower(a); found {
				return mat.Matrix{}, fuzz.NotTold
			}
			return fuzz.NaiveCholesky(a)
		},
		SolveSPD: spd,
		InverseSPD: func(a mat.Matrix) (mat.Matrix, error) {
			y, err := spd(a, mat.Identity(a.Rows))
			if err == nil {
				mat.MirrorLower(y)
			}
			return y, err
		},
		LogDetSPD: func(a mat.Matrix) (float64, error) {
			if _, err := lower(a); err != nil {
				return 0, err
			}
			b := a.Clone()
			mat.MirrorLower(b)
			log, _ := naiveLogDet(b)
			return log, nil
		},
		Update: rank1(1), Downdate: rank1(-1),
		Eig: func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			if i, j, found := mat.NonFiniteLower(a); found {
				return nil, mat.Matrix{}, fmt.Errorf("element (%d, %d) is not finite", i, j)
			}
			w, v := fuzz.NaiveEig(a)
			return w, v, nil
		},
		EigValues: func(a mat.Matrix) ([]float64, error) { w, _ := fuzz.NaiveEig(a); return w, nil },
		Solve:     func(a, b mat.Matrix) (mat.Matrix, error) { return naiveSolve(a, b), checked(a) },
		Inverse:   func(a mat.Matrix) (mat.Matrix, error) { return naiveSolve(a, mat.Identity(a.Rows)), nil },
		LogDet: func(a mat.Matrix) (float64, float64, error) {
			log, sign := naiveLogDet(a)
			return log, sign, nil
		},
		LU: func(a mat.Matrix) ([]int, mat.Matrix, mat.Matrix, error) {
			p, l, u := naiveLU(a)
			return p, l, u, checked(a)
		},
		QR: func(a mat.Matrix) (mat.Matrix, mat.Matrix, error) {
			q, r := naiveQR(a)
			return q, r, checked(a)
		},
		SVD: func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
			if err := checked(a); err != nil {
				return mat.Matrix{}, nil, mat.Matrix{}, err
			}
			u, s, v := fuzz.NaiveSVD(a)
			return u, s, v, nil
		},
		KronMul: func(factors []mat.Matrix, x mat.Matrix) mat.Matrix {
			return fuzz.NaiveMul(1, fuzz.NaiveKron(factors...), x, 0, mat.Matrix{})
		},
		KronSolve: func(factors []mat.Matrix, b mat.Matrix) (mat.Matrix, error) {
			return spd(fuzz.NaiveKron(factors...), b)
		},
		KronLogDet: func(factors []mat.Matrix) (float64, error) {
			log, _ := naiveLogDet(fuzz.NaiveKron(factors...))
			return log, nil
		},
		KronEig: func(factors []mat.Matrix) ([]float64, []mat.Matrix, error) {
			values := mat.Identity(1)
			var vectors []mat.Matrix
			for _, f := range factors {
				w, v := fuzz.NaiveEig(f)
				values, vectors = fuzz.NaiveKron(values, mat.Vector(w)), append(vectors, v)
			}
			return values.Data, vectors, nil
		},
		Into: []fuzz.Operation{{Name: "naive Mul", Shapes: func(n int) ([2]int, [][2]int) { return [2]int{n, n}, [][2]int{{n, n}, {n, n}} },
			Call: func(d mat.Matrix, in []mat.Matrix) error {
				for i := range d.Rows {
					for j := range d.Cols {
						if mat.Overlap(d, in[0]) || mat.Overlap(d, in[1]) {
							return errors.New("overlap")
						}
						d.Set(i, j, mat.Dot(in[0].Slice(i, i+1, 0, d.Cols).T(), in[1].Slice(0, d.Cols, j, j+1)))
					}
				}
				return nil
			}}},
	}
}

// within multiplies b by the elements that t has, and by no zeros beside them.
func within(t, b mat.Matrix, has func(i, k int) bool) {
	c := b.Clone()
	b.Fill(0)
	for i := range b.Rows {
		for k := range b.Rows {
			if has(i, k) {
				row := b.Slice(i, i+1, 0, b.Cols)
				mat.Add(row, row, t.At(i, k), c.Slice(k, k+1, 0, b.Cols))
			}
		}
	}
}

// lowerOf copies the lower triangle.
func lowerOf(d, a mat.Matrix) {
	for i := range d.Rows {
		for j := range i + 1 {
			d.Set(i, j, a.At(i, j))
		}
	}
}

// square is ‖x‖².
func square(x, grad []float64) float64 {
	var v float64
	for i, y := range x {
		v += y * y
		grad[i] = 2 * y
	}
	return v
}

// descend walks down the gradient, with steps that halve where f does not fall.
func descend(ctx context.Context, f func(x, grad []float64) float64, x0 []float64) ([]float64, float64, error) {
	x, g := slices.Clone(x0), make([]float64, len(x0))
	y, h := slices.Clone(x0), make([]float64, len(x0))
	v := f(x, g)
	for step, n := 1.0, 0; step > 1e-300 && n < 5000 && ctx.Err() == nil; n++ {
		for i := range x {
			y[i] = x[i] - step*g[i]
		}
		if w := f(y, h); w < v && !math.IsInf(w, 0) {
			x, y, g, h, v = y, x, h, g, w
			step *= 2
		} else {
			step /= 2
		}
	}
	return x, v, nil
}
