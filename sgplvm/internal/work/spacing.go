package work

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Spacing returns the mean spacing of points (n×d) that fill a box: for each dimension, its
// range over n^(1/d); ½ for a dimension in which all points are equal.
func Spacing(x mat.Matrix) []float64 {
	spacing := make([]float64, x.Cols)
	for q := range spacing {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range x.Rows {
			low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
		}
		spacing[q] = (high - low) / math.Pow(float64(x.Rows), 1/float64(x.Cols))
		if !(spacing[q] > 0) {
			spacing[q] = 0.5
		}
	}
	return spacing
}
