package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Scaler maps the user's units to the model's, (y − Mean)/Scale for each
// channel, so that the training data have mean 0 and variance 1 per channel.
type Scaler struct{ Mean, Scale []float64 }

// newScaler computes mean and standard deviation of each column of y. A
// constant channel keeps its unit. The sums are formed around the first value,
// so a large common offset costs no digits.
func newScaler(y mat.Matrix) Scaler {
	s := Scaler{Mean: make([]float64, y.Cols), Scale: make([]float64, y.Cols)}
	n := float64(y.Rows)
	for c := range y.Cols {
		first := y.At(0, c)
		var sum float64
		for i := range y.Rows {
			sum += (y.At(i, c) - first) / n
		}
		s.Mean[c] = first + sum
		column := mat.New(y.Rows, 1)
		for i := range y.Rows {
			column.Data[i] = y.At(i, c) - s.Mean[c]
		}
		s.Scale[c] = mat.NormFro(column) / math.Sqrt(n)
		if s.Scale[c] == 0 {
			s.Scale[c] = 1
		}
	}
	return s
}

// apply returns y in the model's units.
func (s Scaler) apply(y mat.Matrix) mat.Matrix {
	z := mat.New(y.Rows, y.Cols)
	for i := range y.Rows {
		for c := range y.Cols {
			z.Set(i, c, (y.At(i, c)-s.Mean[c])/s.Scale[c])
		}
	}
	return z
}

// scale puts points, one after the other, into the model's units.
func (s Scaler) scale(v []float64) {
	for c, mean := range s.Mean {
		scale := s.Scale[c]
		for i := c; i < len(v); i += len(s.Mean) {
			v[i] = (v[i] - mean) / scale
		}
	}
}
