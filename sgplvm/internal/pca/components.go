package pca

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Rows are the rows of a matrix Y, n×p, which may lie in a file.
type Rows interface {
	// Dims returns n and p.
	Dims() (n, p int)

	// EachRows hands all rows to body, some at a time and in order, with the number of the first. body does not change them.
	EachRows(body func(rows mat.Matrix, from int) error) error

	// Gram returns Y·Yᵀ, n×n.
	Gram() (mat.Matrix, error)
}

// Dense are the rows of a matrix in memory.
type Dense mat.Matrix

// Dims returns n and p.
func (d Dense) Dims() (n, p int) { return d.Rows, d.Cols }

// EachRows hands all rows to body at once.
func (d Dense) EachRows(body func(rows mat.Matrix, from int) error) error {
	return body(mat.Matrix(d), 0)
}

// Gram returns Y·Yᵀ, n×n.
func (d Dense) Gram() (mat.Matrix, error) {
	gram := mat.New(d.Rows, d.Rows)
	mat.Syrk(gram, 1, mat.Matrix(d), 0)
	mat.MirrorLower(gram)
	return gram, nil
}

// Components are the leading principal components of rows. With Yc, which is Y without the column means, they are eigenvectors v of
// A = Ycᵀ·Yc.
type Components struct {
	Scores mat.Matrix // Yc·v of the rows, scaled to norm 1, n×k
	Values []float64  // |Yc·v|², falling, k
	Errors []float64  // |A·v − λ·v|, k: an eigenvalue of A is no farther from λ; 0 where a whole matrix was decomposed

	Square   float64 // the sum of all squares of Y
	Variance float64 // of Yc
}

// A component is rounding if it has less than these shares of the variance, or of the sum of squares.
const negligible, rounded = 1e-10, 1e-14

// least is the value down to which components are none.
func (c *Components) least() float64 { return max(negligible*c.Variance, rounded*c.Square) }

// decompose sets the eigenvalues of a, none of them negative, and returns its eigenvectors in their order.
func (c *Components) decompose(a mat.Matrix) (vectors mat.Matrix, err error) {
	s, err := eig.Sym(a)
	if err != nil {
		return a, err
	}
	n := a.Rows
	vectors = mat.New(n, n)
	c.Values, c.Errors = make([]float64, n), make([]float64, n)
	for j := range n {
		c.Values[j] = max(0, s.Values[n-1-j])
		mat.Copy(vectors.Slice(0, n, j, j+1), s.Vectors.Slice(0, n, n-1-j, n-j))
	}
	return vectors, nil
}

// project returns rows·v, less shift in each row.
func project(rows, v mat.Matrix, shift []float64) mat.Matrix {
	z := mat.New(rows.Rows, v.Cols)
	mat.Mul(z, 1, rows, v, 0)
	for i := range z.Rows {
		for j, s := range shift {
			z.Row(i)[j] -= s
		}
	}
	return z
}

// addMeans adds what some of n rows have in the column means.
func addMeans(mean []float64, rows mat.Matrix, n int) {
	for i := range rows.Rows {
		asm.Axpy(1/float64(n), rows.Row(i), mean)
	}
}
