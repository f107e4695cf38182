package pca

import (
	"math"
	"math/rand/v2"

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

// mostWhole is the smaller side up to which its matrix is decomposed: it takes a tenth of a second. Tests lower it.
var mostWhole = 1000

// A component is rounding if it has less than these shares of the variance, or of the sum of squares.
const negligible, rounded = 1e-10, 1e-14

// Components are the leading principal components of rows. With Yc, which is Y without the column means, they are eigenvectors v of
// A = Ycᵀ·Yc.
type Components struct {
	Scores mat.Matrix // Yc·v of the rows, scaled to norm 1, n×k
	Values []float64  // |Yc·v|², falling, k
	Errors []float64  // |A·v − λ·v|, k: an eigenvalue of A is no farther from λ; 0 where a whole matrix was decomposed

	Square   float64 // the sum of all squares of Y
	Variance float64 // of Yc
}

// Leading returns at most k components, those that have more than rounding of the variance. rng is asked where many rows have many
// columns. Errors: those of y and of eig.
func Leading(y Rows, k int, rng *rand.Rand) (c Components, err error) {
	n, p := y.Dims()
	mean := make([]float64, p)
	var vectors mat.Matrix
	switch {
	case min(n, p) > mostWhole:
		vectors, err = c.bySubspace(y, mean, k, rng)
	case n <= p:
		return c, c.byGram(y, k)
	default:
		vectors, err = c.byCovariance(y, mean)
	}
	if err != nil {
		return c, err
	}
	c.cut(k)
	return c, c.score(y, mean, vectors.Slice(0, p, 0, len(c.Values)))
}

// least is the value down to which components are none.
func (c *Components) least() float64 { return max(negligible*c.Variance, rounded*c.Square) }

// cut keeps k components, and none that are rounding.
func (c *Components) cut(k int) {
	count := 0
	for count < min(k, len(c.Values)) && c.Values[count] > c.least() {
		count++
	}
	c.Values, c.Errors = c.Values[:count], c.Errors[:count]
}

// score sets the scores for orthonormal v (p×k).
func (c *Components) score(y Rows, mean []float64, v mat.Matrix) error {
	n, _ := y.Dims()
	c.Scores = mat.New(n, v.Cols)
	shift := project(mat.NewDense(1, len(mean), mean), v, nil).Data
	return y.EachRows(func(rows mat.Matrix, from int) error {
		z := project(rows, v, shift)
		for i := range z.Rows {
			for j, value := range c.Values {
				c.Scores.Set(from+i, j, z.At(i, j)/math.Sqrt(value))
			}
		}
		return nil
	})
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

// byGram decomposes Yc·Ycᵀ, whose eigenvectors are the scores.
func (c *Components) byGram(y Rows, k int) error {
	gram, err := y.Gram()
	if err != nil {
		return err
	}
	c.Square = mat.Trace(gram)
	centre(gram)
	c.Variance = mat.Trace(gram)
	if c.Scores, err = c.decompose(gram); err != nil {
		return err
	}
	c.cut(k)
	c.Scores = c.Scores.Slice(0, gram.Rows, 0, len(c.Values)).Clone()
	return nil
}

// centre subtracts row and column means from a Gram matrix: the Gram matrix of
// the centred vectors.
func centre(g mat.Matrix) {
	n := g.Rows
	means := make([]float64, n)
	var grand float64
	for i := range n {
		for _, v := range g.Row(i) {
			means[i] += v / float64(n)
		}
		grand += means[i] / float64(n)
	}
	for i := range n {
		row := g.Row(i)
		for j := range row {
			row[j] += grand - means[i] - means[j]
		}
	}
}

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

// byCovariance decomposes A, and sets mean to the column means.
func (c *Components) byCovariance(y Rows, mean []float64) (mat.Matrix, error) {
	n, p := y.Dims()
	a := mat.New(p, p)
	err := y.EachRows(func(rows mat.Matrix, _ int) error {
		addMeans(mean, rows, n)
		mat.Syrk(a, 1, rows.T(), 1)
		return nil
	})
	if err != nil {
		return a, err
	}
	c.Square = mat.Trace(a)
	mat.Syrk(a, -float64(n), mat.Vector(mean), 1)
	c.Variance = mat.Trace(a)
	return c.decompose(a)
}

// addMeans adds what some of n rows have in the column means.
func addMeans(mean []float64, rows mat.Matrix, n int) {
	for i := range rows.Rows {
		asm.Axpy(1/float64(n), rows.Row(i), mean)
	}
}
