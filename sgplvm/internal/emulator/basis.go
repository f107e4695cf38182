package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Basis holds principal components of some of the rows of a matrix Y of which only Y·Yᵀ is known: V = Ycᵀ·Weights, with Yc the rows less their mean.
type Basis struct {
	Rows       []int      // of Y that it was made of
	Weights    mat.Matrix // n×J
	Deviations []float64  // of the coordinates over the rows, falling, J
	means      []float64  // of each of the rows with all of them, and of these
	mean       float64
}

// negligible is the share of the variance below which a component is rounding.
const negligible = 1e-12

// NewBasis returns at most most components of the given rows, which are 2 or more. Errors: those of eig.
func NewBasis(gram mat.Matrix, rows []int, most int) (*Basis, error) {
	n := len(rows)
	b := &Basis{Rows: rows, means: make([]float64, n)}
	g := mat.New(n, n)
	for i, r := range rows {
		for k, s := range rows {
			v := gram.At(r, s)
			g.Set(i, k, v)
			b.means[i] += v / float64(n)
		}
		b.mean += b.means[i] / float64(n)
	}
	for i := range n {
		for k := range n {
			g.Row(i)[k] -= b.means[i] + b.means[k] - b.mean
		}
	}
	s, err := eig.Sym(g)
	if err != nil {
		return nil, err
	}
	total := 0.
	for _, v := range s.Values {
		total += max(0, v)
	}
	count := 0
	for count < min(most, n-1) && s.Values[n-1-count] > negligible*total {
		count++
	}
	b.Weights = mat.New(n, count)
	for j := range count {
		v := s.Values[n-1-j]
		b.Deviations = append(b.Deviations, math.Sqrt(v/float64(n)))
		mat.Scale(b.Weights.Slice(0, n, j, j+1), 1/math.Sqrt(v), s.Vectors.Slice(0, n, n-1-j, n-j))
	}
	return b, nil
}

// Coordinates returns Vᵀ(y − mean) of rows, and ‖y − mean‖², from cross, their products with the rows of the basis, and their own squares.
func (b *Basis) Coordinates(cross mat.Matrix, squares []float64) (p mat.Matrix, norms []float64) {
	c := cross.Clone()
	norms = make([]float64, c.Rows)
	for i := range c.Rows {
		row, mean := c.Row(i), 0.
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for k := range row {
			row[k] -= b.means[k] + mean - b.mean
		}
		norms[i] = squares[i] - 2*mean + b.mean
	}
	p = mat.New(c.Rows, b.Weights.Cols)
	mat.Mul(p, 1, c, b.Weights, 0)
	return p, norms
}

// of is Coordinates of rows of the matrix itself.
func (b *Basis) of(gram mat.Matrix, rows []int) (mat.Matrix, []float64) {
	cross, squares := mat.New(len(rows), len(b.Rows)), make([]float64, len(rows))
	for i, r := range rows {
		for k, s := range b.Rows {
			cross.Set(i, k, gram.At(r, s))
		}
		squares[i] = gram.At(r, r)
	}
	return b.Coordinates(cross, squares)
}

// largest returns the deviation of the first component, or 1 where there is none.
func (b *Basis) largest() float64 {
	if len(b.Deviations) == 0 {
		return 1
	}
	return b.Deviations[0]
}

// maxModes limits the components of the outputs.
const maxModes = 100

// modes returns how many components n runs have at most.
func modes(n int) int { return max(1, min(n-2, maxModes)) }

// eachSlab hands all rows of some values, scaled, to body: n×width, with the number of the first value. The source is read once for every slab.
func eachSlab(y *data.Scaled, body func(slab mat.Matrix, from int) error) error {
	n, size := y.Examples, y.Size()
	width := max(1, min(size, slabNumbers/n))
	for from := 0; from < size; from += width {
		to := min(from+width, size)
		slab := mat.New(n, to-from)
		err := y.EachRows(func(rows mat.Matrix, first int) error {
			mat.Copy(slab.Slice(first, first+rows.Rows, 0, to-from), rows.Slice(0, rows.Rows, from, to))
			return nil
		})
		if err == nil {
			err = body(slab, from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand returns V of some values, width×J, and the mean of the basis' rows there.
func (b *Basis) expand(slab mat.Matrix) (v mat.Matrix, mean []float64) {
	y := rows(slab, b.Rows)
	mean = make([]float64, y.Cols)
	for i := range y.Rows {
		for k, x := range y.Row(i) {
			mean[k] += x / float64(y.Rows)
		}
	}
	mat.Parallel(y.Rows, func(i int) {
		row := y.Row(i)
		for k := range row {
			row[k] -= mean[k]
		}
	})
	v = mat.New(y.Cols, b.Weights.Cols)
	mat.Mul(v, 1, y.T(), b.Weights, 0)
	return v, mean
}

// slabNumbers is about how many numbers of the outputs are held at a time.
var slabNumbers = 1 << 24
