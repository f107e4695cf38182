package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// imputationErrors tell of values that were filled in how far they may be from what was missing. The zero value: none were.
type imputationErrors struct {
	covariance mat.Matrix // given the observed values, scaled, on average over examples and channels, n_s×n_s
	variance   mat.Matrix // of each, in the data's units, n_ξ×(n_s·d_y); 0 where it was observed
}

// examples returns what is known of some examples; the mean stays that of all.
func (u imputationErrors) examples(in []int) imputationErrors {
	if u.variance.Rows > 0 {
		u.variance = work.Gather(u.variance, in)
	}
	return u
}

// of returns what is known of some examples at some points.
func (u imputationErrors) of(in, points []int, channels int) imputationErrors {
	if u.variance.Rows == 0 {
		return u
	}
	some := imputationErrors{mat.New(len(points), len(points)), mat.New(len(in), len(points)*channels)}
	work.Submatrix(some.covariance, u.covariance, points, points)
	for k, i := range in {
		to, from := some.variance.Row(k), u.variance.Row(i)
		for j, at := range points {
			copy(to[j*channels:], from[at*channels:(at+1)*channels])
		}
	}
	return some
}
