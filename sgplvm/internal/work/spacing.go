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

// TwoSpacings returns twice the mean spacing of points (n×d) in each dimension.
func TwoSpacings(x mat.Matrix) []float64 {
	spacing := Spacing(x)
	for q := range spacing {
		spacing[q] *= 2
	}
	return spacing
}

// SquaredDistance returns Σ_k (a_k − b_k)².
func SquaredDistance(a, b []float64) (sum float64) {
	for k, v := range a {
		sum += (v - b[k]) * (v - b[k])
	}
	return sum
}

// NearestDistances returns the sum of the distances of some of the points x (n×d) from the nearest of others, and of how many: about
// most of them, at even steps. There are none where there are no others.
func NearestDistances(x mat.Matrix, of, from []int, most int) (sum, count float64) {
	if len(from) == 0 {
		return 0, 0
	}
	for k := 0; k < len(of); k += max(1, len(of)/most) {
		point, nearest := x.Row(of[k]), math.Inf(1)
		for _, j := range from {
			var squared float64
			for d, v := range x.Data[j*x.RowStride:][:len(point)] {
				squared += (point[d] - v) * (point[d] - v)
			}
			nearest = min(nearest, squared)
		}
		sum += math.Sqrt(nearest)
		count++
	}
	return sum, count
}
