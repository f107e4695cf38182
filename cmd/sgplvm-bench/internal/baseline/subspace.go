package baseline

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// leading follows the leading principal components of pictures that change a little from round to round, by
// orthogonal iteration with a Rayleigh-Ritz step (G. H. Golub and C. F. Van Loan, "Matrix Computations", section 8.2.4): it
// starts from the last round's, of which it keeps some more than are wanted.
type leading struct{ v mat.Matrix }

const (
	extraComponents = 8 // that are followed beside those wanted
	passes          = 2 // of orthogonal iteration in a round
	exactBelow      = 4 // times the components followed: where the smaller side is less, all components are found
)

// components returns at least count components of x (n×p) if it has so many: those with the largest eigenvalues, falling, of xᵀx/n.
func (l *leading) components(x mat.Matrix, count int) (directions mat.Matrix, values []float64, err error) {
	side, k := min(x.Rows, x.Cols), count+extraComponents
	if exactBelow*k > side {
		return components(x)
	}
	if l.v.Cols >= k {
		l.v = l.v.Slice(0, x.Cols, 0, k)
		if values, ok := l.refine(x); ok {
			return l.v, values, nil
		}
	}
	if directions, values, err = components(x); err == nil {
		l.v = directions.Slice(0, x.Cols, 0, min(k, len(values)))
	}
	return directions, values, err
}

// refine improves v, p×k, and returns its eigenvalues; false where its columns have become dependent.
func (l *leading) refine(x mat.Matrix) (values []float64, ok bool) {
	k := l.v.Cols
	z, g, gram := mat.New(x.Rows, k), mat.New(x.Cols, k), mat.New(k, k)
	for range passes {
		mat.Mul(z, 1, x, l.v, 0)
		mat.Mul(g, 1, x.T(), z, 0)
		norms := make([]float64, k)
		for j := range norms {
			column := g.Slice(0, g.Rows, j, j+1)
			if norms[j] = math.Sqrt(mat.Dot(column, column)); !(norms[j] > 0) {
				return nil, false
			}
			norms[j] = 1 / norms[j]
		}
		mat.ScaleCols(g, g, norms)
		mat.Syrk(gram, 1, g.T(), 0)
		factor, err := chol.Factorize(gram)
		if err != nil {
			return nil, false
		}
		factor.SolveHalf(g.T()) // G·L⁻ᵀ has orthonormal columns
		l.v = g.Clone()
	}
	mat.Mul(z, 1, x, l.v, 0)
	mat.Syrk(gram, 1/float64(x.Rows), z.T(), 0)
	s, err := eig.Sym(gram)
	if err != nil {
		return nil, false
	}
	falling := mat.New(k, k)
	for j := range k {
		values = append(values, max(0, s.Values[k-1-j]))
		mat.Copy(falling.Slice(0, k, j, j+1), s.Vectors.Slice(0, k, k-1-j, k-j))
	}
	mat.Mul(g, 1, l.v, falling, 0)
	l.v = g
	return values, true
}
