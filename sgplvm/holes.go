package sgplvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// incomplete reports whether values are missing or have errors of their own.
func (d Data) incomplete() (bool, error) {
	d, err := d.checked()
	if err != nil {
		return false, err
	}
	if some, err := checkErrors(d.Errors, d.Source); some || err != nil {
		return some, err
	}
	n, points, channels := d.Source.Dims()
	y, missing := data.Scaled{Source: d.Source, Examples: n, Points: points, Channels: channels}, false
	err = y.EachSlab(func(slab []float64, _ int) error {
		missing = missing || slices.ContainsFunc(slab, math.IsNaN)
		return nil
	})
	return missing, err
}

// checkErrors checks the standard errors of values, and returns whether some are not 0. Errors: *ConfigError,
// *ValueError, *ReadError.
func checkErrors(source, values Source) (some bool, err error) {
	if source == nil {
		return false, nil
	}
	n, points, channels := source.Dims()
	if a, b, c := values.Dims(); n != a || points != b || channels != c {
		return false, &ConfigError{Field: "Errors", Err: fmt.Errorf("standard errors of %d examples, %d points and %d channels, expected %d, %d and %d", n, points, channels, a, b, c)}
	}
	y, e := &data.Scaled{Source: values, Examples: n, Points: points, Channels: channels}, &data.Scaled{Source: source, Examples: n, Points: points, Channels: channels}
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
				return &ValueError{Example: at / y.Size(), Point: at % y.Size() / channels, Channel: at % channels, Value: v, Want: "a standard error, 0 or more, of a value that was observed"}
			}
			some = some || v > 0
		}
		return nil
	})
}
