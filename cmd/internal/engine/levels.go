package engine

import (
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// typeLevels are the levels of pictures whose numbers are bytes or words; ok is false for other numbers.
func typeLevels(t npy.Type) (l picture.Levels, ok bool) {
	switch t {
	case npy.Uint8:
		return picture.Levels{High: math.MaxUint8, Bits: 8}, true
	case npy.Uint16:
		return picture.Levels{High: math.MaxUint16, Bits: 16}, true
	}
	return l, false
}

// noLevels are those of no values.
func noLevels() picture.Levels {
	return picture.Levels{Low: math.Inf(1), High: math.Inf(-1), Bits: 8}
}

// extended returns levels with which of some more values, NaN where missing, none is below black or above white.
func extended(l picture.Levels, values []float64) picture.Levels {
	for _, v := range values {
		if v == v {
			l.Low, l.High = min(l.Low, v), max(l.High, v)
		}
	}
	return l
}

// widened makes an empty or a single value a range.
func widened(l picture.Levels) picture.Levels {
	switch {
	case l.Low > l.High:
		l.Low, l.High = 0, 1
	case l.Low == l.High:
		l.High = max(l.Low+1, math.Nextafter(l.Low, math.Inf(1)))
	}
	return l
}
