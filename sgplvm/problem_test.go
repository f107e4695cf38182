package sgplvm

import (
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
