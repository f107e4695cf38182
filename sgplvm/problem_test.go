package sgplvm

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// problemOf is a problem of data in the model's own units.
func problemOf(y mat.Matrix, examples int, x []mat.Matrix, jitter float64) *problem {
	source := &matrixSource{y: y, examples: examples}
	return newProblem(&scaledSource{source: source, examples: examples, points: y.Rows / examples, channels: y.Cols,
		scaler: Scaler{Mean: make([]float64, y.Cols), Scale: ones(y.Cols)}}, x, jitter)
}

// observations returns the data, (n_ξ·n_s)×d_y.
func (b *problem) observations() mat.Matrix {
	y := mat.New(b.y.examples*b.y.points, b.y.channels)
	if err := b.y.read(y.Data, 0, b.y.examples); err != nil {
		panic(err)
	}
	return y
}

// gradientOf overwrites grad with the derivatives at p.
func (b *problem) gradientOf(grad, p *Params, free group) {
	if _, err := b.evaluate(p, grad, free); err != nil {
		panic(err)
	}
}

func (q *posterior) mustEvidence(e *example) *evidence {
	v, err := q.evidenceOf(e)
	if err != nil {
		panic(err)
	}
	return v
}

// Blocks and parts of a sweep, and blocks of rows of a kernel matrix, change nothing but
// rounding, whatever their size, and nothing at all with the number of processors.
func TestBlocks(t *testing.T) {
	defer func(a, b, c int) { blockNumbers, fewestColumns, blockWork = a, b, c }(blockNumbers, fewestColumns, blockWork)
	whole, columns, work := blockNumbers, fewestColumns, blockWork
	for _, shape := range []modelShape{
		{examples: 5, inducing: 3, latent: 2, channels: 2, jitter: 1e-6, space: []factorShape{{points: 8, dims: 1, kind: Matern32}, {points: 15, dims: 1, kind: Matern52}}},
		{examples: 5, inducing: 3, latent: 2, channels: 2, jitter: 1e-6, space: []factorShape{{points: 12, dims: 1, inducing: 9, kind: RBF}, {points: 11, dims: 1, kind: White}}},
		{examples: 5, inducing: 3, latent: 2, channels: 2, jitter: 1e-6, residual: Matern32, space: []factorShape{{points: 90, dims: 2, kind: Matern32, ard: true}}},
	} {
		evaluate := func(numbers, fewest, rows int) (bound float64, slopes [][]float64) {
			blockNumbers, fewestColumns, blockWork = numbers, fewest, rows
			m := shape.model(t)
			grad := m.params.clone()
			bound, err := m.problem.evaluate(m.params, grad, groupAll)
			if err != nil {
				t.Fatal(err)
			}
			_, slopes, _ = natural(grad, m.params.Latent.Parts())
			alpha, err := m.problem.computeAlpha(m.params)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.problem.truncate(m.params, 1); err != nil {
				t.Fatal(err)
			}
			return bound, append(slopes, alpha.Data, one(m.mustBound(t)))
		}
		want, wantSlopes := evaluate(whole, columns, work)
		var first [][]float64
		atEveryWidth(func(procs int) {
			got, slopes := evaluate(5*24, 24, 1)
			if first == nil {
				first = slopes
				near(t, shape.String()+": bound", one(got), one(want), 1e-11)
			}
			for k := range slopes {
				near(t, fmt.Sprintf("%v: slopes %d", shape, k), slopes[k], wantSlopes[k], 1e-8)
				sameBits(t, fmt.Sprintf("%v: slopes %d with %d processors", shape, k, procs), slopes[k], first[k])
			}
		})
	}
}
