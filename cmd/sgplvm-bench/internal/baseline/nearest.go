package baseline

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// nearest predicts the values of the training picture that is nearest on the
// observed ones.
type nearest struct {
	pictures mat.Matrix
	mean     []float64 // for pictures of which nothing was observed
	unit     []float64 // squared residual of each value relative to all, p
	typical  float64   // mean squared distance per observed value to the nearest
	constant float64   // τ: part of the variance that does not follow the distance
}

// nearestAxes is the parameter of nearest: how far the variance follows the distance.
func nearestAxes() []axis {
	return []axis{{"constant part", []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1}, 4}}
}

// fitNearest prepares what leave-one-out residuals say: with δ² the mean squared
// distance to the nearest picture on the observed values, a missing value's
// variance is proportional to u_j·((1−τ)·δ² + τ·(mean δ²)), u_j from the squared
// differences between each training picture and its nearest.
func fitNearest(y mat.Matrix) (func(parameters []float64) (conditional, error), error) {
	n, p := y.Rows, y.Cols
	mean, c := moments(y)
	gram := mat.New(n, n)
	mat.Syrk(gram, 1, c, 0)
	unit := make([]float64, p)
	var typical float64
	for i := range n {
		best, closest := math.Inf(1), -1
		for k := range n {
			if k == i {
				continue
			}
			if d := gram.At(i, i) + gram.At(k, k) - 2*gram.At(max(i, k), min(i, k)); d < best {
				best, closest = d, k
			}
		}
		typical += max(best, 0) / float64(n*p)
		for j, v := range c.Row(i) {
			unit[j] += square(v-c.At(closest, j)) / float64(n)
		}
	}
	if floor := least * spread(y); typical < floor {
		typical = floor
	}
	for j := range unit {
		// A tenth of the overall residual: values that never differed have a variance, too.
		unit[j] = 0.9*unit[j]/typical + 0.1
	}
	return func(parameters []float64) (conditional, error) {
		return &nearest{y, mean, unit, typical, parameters[0]}, nil
	}, nil
}

func (m *nearest) fill(mean, variance, seen mat.Matrix, p pattern) error {
	known := columns(m.pictures, p.seen)
	for i := range seen.Rows {
		best, closest := math.Inf(1), -1
		for k := range known.Rows {
			var d float64
			for l, v := range known.Row(k) {
				d += square(v - seen.At(i, l))
			}
			if d < best {
				best, closest = d, k
			}
		}
		level := m.typical
		from := m.mean
		if len(p.seen) > 0 {
			level = (1-m.constant)*best/float64(len(p.seen)) + m.constant*m.typical
			from = m.pictures.Row(closest)
		}
		for k, j := range p.missing {
			mean.Set(i, k, from[j])
			variance.Set(i, k, level*m.unit[j])
		}
	}
	return nil
}
