package bound_test

import (
	"errors"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// FuzzBound tries the law below.
func FuzzBound(f *testing.F) { fuzz.OneOf(f, tryNumbers) }

// Any parameters are refused, or have a bound: no more than noise of precision β gives data that are predicted without an error.
func tryNumbers(t *testing.T, s *fuzz.Source) {
	shape := reference.ShapeOf(s.IntN)
	shape.Jitter = 1e-3 // without it rounding decides where a kernel matrix is singular
	x := subjectOf(t, shape)
	all := natural(x.Params).at
	for range 1 + s.IntN(4) {
		p := all[s.IntN(len(all))]
		if *p *= math.Pow(10, float64(s.IntN(33)-16)); s.IntN(8) == 1 {
			*p = s.Bits()
		}
	}
	if x.Params.Validate(x.Space) != nil || x.Params.Noise.Beta > 1e12 { // noise that vanishes multiplies rounding
		return
	}
	grad := x.Params.Clone()
	value, err := x.evaluator.Evaluate(t.Context(), x.Params, grad, bound.GroupAll)
	var factor *field.FactorizationError
	switch p := x.Params; {
	case errors.As(err, &factor) || err != nil && p.X.Paths != nil:
	case err != nil:
		t.Errorf("%v: error %v of type %T", shape, err, err)
	case !math.IsInf(x.evaluator.Magnitude(p), 0):
		n := float64(x.Y.Rows * x.Y.Cols)
		most := n / 2 * math.Log(p.Noise.Beta/(2*math.Pi))
		if !(value <= most+0x1p-32*(math.Abs(most)+x.evaluator.Magnitude(p))) {
			t.Errorf("%v: bound %v, expected at most %v", shape, value, most)
		}
	}
}
