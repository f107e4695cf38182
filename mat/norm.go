package mat

import "math"

// Norm1 returns the largest column sum of absolute values. A NaN anywhere
// makes it NaN.
func Norm1(a Matrix) float64 { return NormInf(a.T()) }

// NormInf returns the largest row sum of absolute values. A NaN anywhere makes
// it NaN.
func NormInf(a Matrix) float64 {
	var largest float64
	for i := range a.Rows {
		var s float64
		for j := range a.Cols {
			s += math.Abs(a.Data[i*a.RowStride+j*a.ColStride])
		}
		if s > largest || s != s {
			largest = s
		}
		if s != s {
			break
		}
	}
	return largest
}

// NormMax returns the largest absolute value. A NaN anywhere makes it NaN.
func NormMax(a Matrix) float64 {
	var largest float64
	for i := range a.Rows {
		for j := range a.Cols {
			v := math.Abs(a.Data[i*a.RowStride+j*a.ColStride])
			if v != v {
				return v
			}
			if v > largest {
				largest = v
			}
		}
	}
	return largest
}

// NormFro returns the Frobenius norm, the root of the sum of squares, free of
// overflow and underflow (the scaled sum of Blue 1978, as in LAPACK's dlassq).
func NormFro(a Matrix) float64 {
	scale, sum := 0.0, 1.0
	for i := range a.Rows {
		for j := range a.Cols {
			v := math.Abs(a.Data[i*a.RowStride+j*a.ColStride])
			switch {
			case v == 0:
			case v != v || math.IsInf(v, 0):
				return NormMax(a) // Inf, or NaN if there is one
			case scale < v:
				r := scale / v
				scale, sum = v, 1+float64(sum*float64(r*r))
			default:
				r := v / scale
				sum += float64(r * r)
			}
		}
	}
	return scale * math.Sqrt(sum)
}
