package data

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// CheckErrors checks the standard errors of values, and returns whether some are not 0. Errors: *field.ConfigError,
// *field.ValueError, *field.ReadError.
func CheckErrors(source, values field.Source) (some bool, err error) {
	if source == nil {
		return false, nil
	}
	n, points, channels := source.Dims()
	if a, b, c := values.Dims(); n != a || points != b || channels != c {
		return false, &field.ConfigError{Field: "Errors", Err: fmt.Errorf("standard errors of %d examples, %d points and %d channels, expected %d, %d and %d", n, points, channels, a, b, c)}
	}
	y, e := &Scaled{Source: values, Examples: n, Points: points, Channels: channels}, &Scaled{Source: source, Examples: n, Points: points, Channels: channels}
	return some, y.EachSlab(func(slab []float64, from int) error {
		own := make([]float64, len(slab))
		if err := e.ReadRaw(own, from, from+len(slab)/y.Size()); err != nil {
			return err
		}
		for i, v := range own {
			if slab[i] != slab[i] {
				continue
			}
			if !(v >= 0) || math.IsInf(v, 0) {
				at := from*y.Size() + i
				return &field.ValueError{Example: at / y.Size(), Point: at % y.Size() / channels, Channel: at % channels, Value: v, Want: "a standard error, 0 or more, of a value that was observed"}
			}
			some = some || v > 0
		}
		return nil
	})
}
