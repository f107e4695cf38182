package predict

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Filled tells of training values that were not observed but filled in, by what is kept of them: means. Squares of
// their residuals are too small by the variances that the values had. What counts of the training examples near
// one at hand is therefore joined by a covariance that stands for the mean of theirs (docs/math.md, "Completion in rounds"),
//
//	g·R·g with g_i² = Σ w_n·v_ni
//
// of the variances v_n of what was filled in and one matrix R of correlations.
type Filled struct {
	Variance mat.Matrix // v, in the model's units, n_ξ×(n_s·d_y); 0 where a value was observed
	Alike    mat.Matrix // R, n_s×n_s, symmetric
}

// NewFilled returns variances together with how they vary together according to a mean covariance, n_s×n_s, of any scale.
func NewFilled(variance, covariance mat.Matrix) *Filled {
	r := covariance.Clone()
	for i := range r.Rows {
		row := r.Row(i)
		for j := range row {
			if v := covariance.At(i, i) * covariance.At(j, j); i != j && v > 0 {
				row[j] /= math.Sqrt(v)
			} else if i != j {
				row[j] = 0
			}
		}
		row[i] = 1
	}
	return &Filled{variance, r}
}

// validate returns why f does not fit residuals of examples at so many points, or nil.
func (f *Filled) validate(residuals mat.Matrix, points int) error {
	if f == nil {
		return nil
	}
	v, r := f.Variance, f.Alike
	if v.Rows != residuals.Rows || v.Cols != residuals.Cols || r.Rows != points || r.Cols != points || v.Rows == 0 {
		return fmt.Errorf("variances of what was filled in are %d×%d and their correlations %d×%d, expected %d×%d as the residuals and %d×%d",
			v.Rows, v.Cols, r.Rows, r.Cols, residuals.Rows, residuals.Cols, points, points)
	}
	for i := range v.Rows {
		for j, v := range v.Row(i) {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("variance %v of what was filled in of example %d, value %d, expected none below 0", v, i, j)
			}
		}
	}
	for i := range r.Rows {
		for j, c := range r.Row(i) {
			if !(math.Abs(c) < 1+1e-9) || c != r.At(j, i) {
				return fmt.Errorf("correlation %v of what was filled in at points %d and %d", c, i, j)
			}
		}
	}
	return nil
}
