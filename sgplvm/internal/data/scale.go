package data

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Scaler maps the user's units to the model's, (y − Mean)/Scale for each
// channel, so that the training data have mean 0 and variance 1 per channel.
type Scaler struct{ Mean, Scale []float64 }

// newScaler computes mean and standard deviation of each channel, in two passes
// over the source. A channel that is constant but for rounding keeps its unit. The sums are formed around
// the first value, so a large common offset costs no digits, and one value after
// the other. Errors: *ReadError, and *ValueError for the first value that is not
// finite.
func newScaler(y *Scaled) (Scaler, error) {
	dy := y.Channels
	s := Scaler{Mean: make([]float64, dy), Scale: make([]float64, dy)}
	n := float64(y.Examples) * float64(y.Points)
	first, sum := make([]float64, dy), make([]float64, dy)
	err := y.EachSlab(func(slab []float64, from int) error {
		if from == 0 {
			copy(first, slab)
		}
		for i, v := range slab {
			if v-v != 0 {
				return y.refuse(from*y.Size()+i, v)
			}
		}
		for c := range dy {
			s := sum[c]
			for i := c; i < len(slab); i += dy {
				s += (slab[i] - first[c]) / n
			}
			sum[c] = s
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	for c := range dy {
		s.Mean[c] = first[c] + sum[c]
	}
	norms := make([]mat.Frobenius, dy)
	err = y.EachSlab(func(slab []float64, _ int) error {
		for c, mean := range s.Mean {
			for i := c; i < len(slab); i += dy {
				slab[i] -= mean
			}
			norms[c].Add(mat.NewDense(len(slab)/dy, dy, slab).Slice(0, len(slab)/dy, c, c+1))
		}
		return nil
	})
	for c := range dy {
		s.Scale[c] = norms[c].Norm() / math.Sqrt(n)
		if rounding := constantShare * math.Abs(s.Mean[c]); s.Scale[c] <= rounding && !math.IsInf(rounding, 0) {
			s.Scale[c] = 1
		}
	}
	return s, err
}

// Apply returns y (rows × channels) in the model's units.
func (s Scaler) Apply(y mat.Matrix) mat.Matrix {
	z := y.Clone()
	s.scale(z.Data)
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

// ScaleChannel sets dst to channel c of raw values, the channels of a point side by side,
// in the model's units.
func (s Scaler) ScaleChannel(dst, raw []float64, c int) {
	mean, scale, channels := s.Mean[c], s.Scale[c], len(s.Mean)
	for i := range dst {
		dst[i] = (raw[i*channels+c] - mean) / scale
	}
}
