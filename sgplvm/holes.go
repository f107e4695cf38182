package sgplvm

import (
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
	if some, err := data.CheckErrors(d.Errors, d.Source); some || err != nil {
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
