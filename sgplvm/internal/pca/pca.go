package pca

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// maxWhole is the smaller side up to which its matrix is decomposed: it takes a tenth of a second. Tests lower it.
var maxWhole = 1000

// Leading returns at most k components, those that have more than rounding of the variance. rng is asked where many rows have many
// columns. Errors: those of y and of eig.
func Leading(y Rows, k int, rng *rand.Rand) (c Components, err error) {
	n, p := y.Dims()
	mean := make([]float64, p)
	var vectors mat.Matrix
	switch {
	case min(n, p) > maxWhole:
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
