package training

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Where no covariance is learned, the mean variance of imputed values is added to the white noise, once.
func TestImputedIsWhite(t *testing.T) {
	d := bumps(12, 4, 3, 5)
	noise := func() float64 {
		tr := newTrainer(t, d, small().with(steps(6)))
		for range 2 { // what comes after the last step may be interrupted, and adds nothing again
			finish(t, tr)
			tr.state.Stage = stageFinish
		}
		return 1 / tr.params.Noise.Beta
	}
	before := noise()
	d.Imputed.Covariance = mat.New(12, 12)
	for i := range 12 {
		d.Imputed.Covariance.Set(i, i, 0.1*float64(i))
		d.Imputed.Covariance.Set(i, 11-i, 7) // counts for nothing
	}
	if after := noise(); math.Abs(after-before-0.55) > 1e-9 {
		t.Errorf("noise %v, %v without, expected 0.55 more", after, before)
	}
}
