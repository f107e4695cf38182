package data

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Scaler maps the user's units to the model's, (y − Mean)/Scale for each
// channel, so that the training data have mean 0 and variance 1 per channel.
type Scaler struct{ Mean, Scale []float64 }

// newScaler computes mean and standard deviation of each channel over its observed values, in two passes
// over the source, three where values are missing, which it counts. A channel that is constant but for rounding keeps its unit.
// The sums are formed around the first value, so a large common offset costs no digits, and one value after
// the other. Errors: *ReadError, *ValueError for the first infinite value, *ConfigError for a channel without values.
func newScaler(y *Scaled) (Scaler, error) {
	dy := y.Channels
	s := Scaler{Mean: make([]float64, dy), Scale: make([]float64, dy)}
	n := make([]float64, dy) // observed values
	for c := range n {
		n[c] = float64(y.Examples) * float64(y.Points)
	}
	first, sum, missing, err := y.sums(n)
	if err != nil {
		return s, err
	}
	for c, count := range missing {
		y.Missing += count
		n[c] -= float64(count)
		if n[c] == 0 {
			return s, nothing(y, c)
		}
	}
	if y.Missing > 0 {
		if first, sum, _, err = y.sums(n); err != nil {
			return s, err
		}
	}
	for c := range dy {
		s.Mean[c] = first[c] + sum[c]
	}
	norms := make([]mat.Frobenius, dy)
	err = y.EachSlab(func(slab []float64, _ int) error {
		for c, mean := range s.Mean {
			for i := c; i < len(slab); i += dy {
				slab[i] -= mean
				if slab[i] != slab[i] {
					slab[i] = 0
				}
			}
			norms[c].Add(mat.NewDense(len(slab)/dy, dy, slab).Slice(0, len(slab)/dy, c, c+1))
		}
		return nil
	})
	for c := range dy {
		s.Scale[c] = norms[c].Norm() / math.Sqrt(n[c])
		if rounding := constantShare * math.Abs(s.Mean[c]); s.Scale[c] <= rounding && !math.IsInf(rounding, 0) {
			s.Scale[c] = 1
		}
	}
	return s, err
}

// sums returns the first observed value of each channel, the mean difference of all n[c] from it, and how many are
// missing.
func (s *Scaled) sums(n []float64) (first, sum []float64, missing []int, err error) {
	dy := s.Channels
	first, sum, missing = make([]float64, dy), make([]float64, dy), make([]int, dy)
	for c := range first {
		first[c] = math.NaN()
	}
	err = s.EachSlab(func(slab []float64, from int) error {
		for i, v := range slab {
			if math.IsInf(v, 0) {
				return s.refuse(from*s.Size()+i, v)
			}
		}
		for c := range dy {
			all := sum[c]
			for i := c; i < len(slab); i += dy {
				v := slab[i]
				if v != v {
					missing[c]++
					continue
				}
				if first[c] != first[c] {
					first[c] = v
				}
				all += (v - first[c]) / n[c]
			}
			sum[c] = all
		}
		return nil
	})
	return first, sum, missing, err
}

// Apply returns y (rows × channels) in the model's units.
func (s Scaler) Apply(y mat.Matrix) mat.Matrix {
	z := y.Clone()
	s.ApplyTo(z)
	return z
}

// ApplyTo is Apply in place, of a matrix without gaps.
func (s Scaler) ApplyTo(y mat.Matrix) { s.scale(y.Data) }

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
