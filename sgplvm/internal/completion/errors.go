package completion

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Errors tell of values that were filled in how far they may be from what was missing. The zero value: none were.
type Errors struct {
	Covariance mat.Matrix // given the observed values, scaled, on average over examples and channels, n_s×n_s
	Variance   mat.Matrix // of each, in the data's units, n_ξ×(n_s·d_y); 0 where it was observed
}

// Of returns what is known of some examples; the mean stays that of all.
func (u Errors) Of(in []int) Errors {
	if u.Variance.Rows > 0 {
		u.Variance = work.Gather(u.Variance, in)
	}
	return u
}

// At returns what is known of some examples at some points.
func (u Errors) At(in, points []int, channels int) Errors {
	if u.Variance.Rows == 0 {
		return u
	}
	some := Errors{mat.New(len(points), len(points)), mat.New(len(in), len(points)*channels)}
	work.Submatrix(some.Covariance, u.Covariance, points, points)
	for k, i := range in {
		to, from := some.Variance.Row(k), u.Variance.Row(i)
		for j, at := range points {
			copy(to[j*channels:], from[at*channels:(at+1)*channels])
		}
	}
	return some
}
