package engine

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
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

// LevelsOf are the levels of pictures like some others: those of their type or, of other numbers, from the least to the greatest.
func LevelsOf(f *dataset.Form, values func(frame int) []float64) picture.Levels {
	if l, ok := typeLevels(f.Type); ok {
		return l
	}
	l := noLevels()
	for i := range f.Count {
		l = extended(l, values(i))
	}
	return widened(l)
}

// Range returns between which values those of a model lie: as of its pictures, or three standard deviations about the mean.
func Range(m *sgplvm.Model) (low, high float64) {
	l := modelLevels(m)
	return l.Low, l.High
}

// modelLevels are the levels of pictures that a model predicts: those of its training pictures where it has kept their type or their range, as
// train and fill do, else three standard deviations about the mean.
func modelLevels(m *sgplvm.Model) picture.Levels {
	if l, ok := keptLevels(m.Attributes()); ok {
		return l
	}
	l, p := noLevels(), m.Summary()
	for c, mean := range p.Mean {
		l.Low, l.High = min(l.Low, mean-3*p.Deviation[c]), max(l.High, mean+3*p.Deviation[c])
	}
	return widened(l)
}

// Deviation is the largest standard deviation of the training data's channels.
func Deviation(m *sgplvm.Model) float64 { return slices.Max(m.Summary().Deviation) }
