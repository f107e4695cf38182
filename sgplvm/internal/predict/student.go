package predict

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Variances that follow the example (docs/math.md, section of that title).

// scale returns what all variances of an example are multiplied by whose |O| observed
// values have the squared Mahalanobis distance χ from their mean: (ν + χ)/(ν + |O|), as under
// a multivariate Student distribution with ν degrees of freedom (Kotz and Nadarajah,
// "Multivariate t Distributions and Their Applications", section 1.11).
func (t moments) scale(chi float64, observed int) float64 {
	if t.degreesOfFreedom == 0 {
		return 1
	}
	return (t.degreesOfFreedom + chi) / (t.degreesOfFreedom + float64(observed))
}

// nearbyStrength is the weight of an example's mean square, in values, beside those observed
// near a missing one.
const nearbyStrength = 5

// nearby returns, in columns, the weights that squares observed at some points have in
// judging what is missing at others: Gaussian, of two mean spacings. It is |O|×|M|.
func nearby(on *projection, seen, missing []int) mat.Matrix {
	weights, factor := mat.New(len(seen), len(missing)), mat.New(len(seen), len(missing))
	weights.Fill(1)
	dims := on.grid.Dims()
	from, to := data.SplitAll(seen, dims), data.SplitAll(missing, dims)
	for f, x := range on.grid {
		k := gaussian(work.TwoSpacings(x))
		k.Matrix(factor, work.Gather(x, from[f]), work.Gather(x, to[f]))
		mat.MulElem(weights, weights, factor)
	}
	return weights
}

// nearbyScale returns what the variances of the missing points are multiplied by beside scale:
// errors are larger in some parts of a picture. It is the mean square of the observed values'
// leave-one-out residuals near a point over that of all, both in units of what was expected,
//
//	(n₀·z̄ + Σ_i w_i·z_i)/((n₀ + Σ_i w_i)·z̄),   z_i = (C_OO⁻¹r)_i²/(C_OO⁻¹)_ii
//
// with the weights w (|O|×|M|), given C_OO⁻¹ and C_OO⁻¹r: Rasmussen and
// Williams, "Gaussian Processes for Machine Learning", section 5.4.2.
func nearbyScale(weights, inverse mat.Matrix, solved []float64) []float64 {
	n := weights.Rows
	z, mean := make([]float64, n), 0.0
	for i, v := range solved {
		z[i] = v * v / inverse.At(i, i)
		mean += z[i] / float64(n)
	}
	scale, total := make([]float64, weights.Cols), make([]float64, weights.Cols)
	for i, v := range z {
		asm.Axpy(v, weights.Row(i), scale)
		asm.Axpy(1, weights.Row(i), total)
	}
	for k, w := range total {
		if mean > 0 {
			scale[k] = (nearbyStrength*mean + scale[k]) / ((nearbyStrength + w) * mean)
		} else {
			scale[k] = 1
		}
	}
	return scale
}
