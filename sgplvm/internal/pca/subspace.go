package pca

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The leading eigenvectors of a large A are found in a subspace that grows by the residuals of its Ritz vectors, a block Krylov space that is cut to
// these when it has become large (Golub and Underwood 1977; Stathopoulos and Saad 1998). Each block goes through the rows once.
const (
	extra     = 10   // columns of a block beside the components that are wanted
	maxBlocks = 4    // in a subspace
	maxPasses = 24   // through the rows
	maxError  = 0.01 // |A·v − λ·v|/λ with which they end: where gaps are smaller, vectors of like λ are as good
)

// bySubspace returns Ritz vectors of A, p×k, and sets mean to the column means.
func (c *Components) bySubspace(y Rows, mean []float64, k int, rng *rand.Rand) (v mat.Matrix, err error) {
	n, p := y.Dims()
	err = y.EachRows(func(rows mat.Matrix, _ int) error {
		addMeans(mean, rows, n)
		c.Square += mat.Dot(rows, rows)
		return nil
	})
	c.Variance = c.Square - float64(n)*asm.SumSquares(mean)
	block := k + extra
	next := mat.New(p, block)
	for i := range next.Data {
		next.Data[i] = rng.NormFloat64()
	}
	var basis, images mat.Matrix // V with orthonormal columns, and A·V
	for pass := 1; err == nil; pass++ {
		if next, err = orthonormal(next, basis); err != nil || next.Cols == 0 {
			break
		}
		var image mat.Matrix
		if image, err = multiply(y, mean, next); err != nil {
			break
		}
		basis, images = beside(basis, next), beside(images, image)
		t := mat.New(basis.Cols, basis.Cols)
		mat.Mul(t, 1, basis.T(), images, 0)
		var u mat.Matrix
		if u, err = c.decompose(t); err != nil {
			break
		}
		u = u.Slice(0, u.Rows, 0, min(block, u.Cols))
		c.Values, c.Errors = c.Values[:u.Cols], c.Errors[:u.Cols]
		v = project(basis, u, nil)
		image = project(images, u, nil)
		next = mat.New(p, u.Cols)
		mat.ScaleCols(next, v, c.Values)
		mat.Add(next, image, -1, next)
		if c.judge(next, k) <= maxError || pass == maxPasses {
			break
		}
		if basis.Cols > (maxBlocks-1)*block {
			basis, images = v, image
		}
	}
	return v, err
}

// judge sets errors to the norms of residuals and returns the largest of the k components that are wanted, over their values.
func (c *Components) judge(residuals mat.Matrix, k int) (worst float64) {
	for j := range c.Errors {
		c.Errors[j] = mat.NormFro(residuals.Slice(0, residuals.Rows, j, j+1))
		if j < k && c.Values[j] > c.least() {
			worst = max(worst, c.Errors[j]/c.Values[j])
		}
	}
	return worst
}

// multiply returns A·v = Yᵀ·(Yc·v).
func multiply(y Rows, mean []float64, v mat.Matrix) (mat.Matrix, error) {
	image, shift := mat.New(v.Rows, v.Cols), project(mat.NewDense(1, len(mean), mean), v, nil).Data
	return image, y.EachRows(func(rows mat.Matrix, _ int) error {
		mat.Mul(image, 1, rows.T(), project(rows, v, shift), 1)
		return nil
	})
}

// independent is the share of the largest singular value of columns of norm 1 below which a direction is dropped.
const independent = 1e-6

// orthonormal returns an orthonormal basis of what the columns of x, which it overwrites, have beside those of basis.
func orthonormal(x, basis mat.Matrix) (mat.Matrix, error) {
	for range 2 { // since the first time rounding is divided by small norms
		if basis.Cols > 0 {
			along := mat.New(basis.Cols, x.Cols)
			mat.Mul(along, 1, basis.T(), x, 0)
			mat.Mul(x, -1, basis, along, 1)
		}
		for j := range x.Cols {
			column := x.Slice(0, x.Rows, j, j+1)
			if norm := mat.NormFro(column); norm > 0 {
				mat.Scale(column, 1/norm, column)
			}
		}
		gram := mat.New(x.Cols, x.Cols)
		mat.Syrk(gram, 1, x.T(), 0)
		s, err := eig.Sym(gram)
		if err != nil {
			return x, err
		}
		first, largest := 0, 0.0
		for _, v := range s.Values {
			largest = max(largest, v)
		}
		for first < x.Cols && !(s.Values[first] > independent*independent*largest) {
			first++
		}
		scale := s.Values[first:]
		for j, v := range scale {
			scale[j] = 1 / math.Sqrt(v)
		}
		x = project(x, s.Vectors.Slice(0, x.Cols, first, x.Cols), nil)
		mat.ScaleCols(x, x, scale)
	}
	return x, nil
}

// beside returns the columns of a and of b.
func beside(a, b mat.Matrix) mat.Matrix {
	all := mat.New(b.Rows, a.Cols+b.Cols)
	if a.Cols > 0 {
		mat.Copy(all.Slice(0, b.Rows, 0, a.Cols), a)
	}
	mat.Copy(all.Slice(0, b.Rows, a.Cols, all.Cols), b)
	return all
}
