package mat

import "math"

// Norm1 returns the largest column sum of absolute values. A NaN anywhere
// makes it NaN.
func Norm1(a Matrix) float64 { return NormInf(a.T()) }

// NormInf returns the largest row sum of absolute values. A NaN anywhere makes
// it NaN.
func NormInf(a Matrix) float64 {
	CheckSource("mat: NormInf", "a", a)
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
	CheckSource("mat: NormMax", "a", a)
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
// overflow and underflow.
func NormFro(a Matrix) float64 {
	var f Frobenius
	f.Add(a)
	return f.Norm()
}

// Frobenius is the Frobenius norm of a matrix that is seen in parts; the zero value
// is that of no elements. It is free of overflow and underflow (the scaled sum of
// Blue 1978, as in LAPACK's dlassq) and does not depend on where the parts begin.
type Frobenius struct {
	scale, sum float64 // the squares sum to scale²·sum
	largest    float64 // infinity or NaN where there is one, else 0
}

// Add takes in the elements of a, row by row.
func (f *Frobenius) Add(a Matrix) {
	CheckSource("mat: Frobenius", "a", a)
	for i := range a.Rows {
		for j := range a.Cols {
			v := math.Abs(a.Data[i*a.RowStride+j*a.ColStride])
			switch {
			case v == 0:
			case v-v != 0:
				f.largest = max(f.largest, v) // NaN wins
			case f.scale < v:
				r := f.scale / v
				f.scale, f.sum = v, 1+float64(f.sum*float64(r*r))
			default:
				r := v / f.scale
				f.sum += float64(r * r)
			}
		}
	}
}

// Norm returns the norm of all elements so far: infinity or NaN if there is one.
func (f *Frobenius) Norm() float64 {
	if f.largest != 0 {
		return f.largest
	}
	return f.scale * math.Sqrt(f.sum)
}
