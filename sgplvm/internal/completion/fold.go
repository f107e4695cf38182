package completion

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

// A long series of regular times that repeats itself, such as hours by day, is learned from as one example a period: what is seen at one time of the day
// tells of the same time on other days, and times of the day of one another.

const (
	minPeriod  = 4    // steps
	minFolded  = 20   // periods
	maxFolded  = 2500 // values of a period
	foldedFrom = 1000 // steps
	minShare   = 0.3  // that a period explains of what a smooth trend leaves
)

// Fold makes an example of each period of a series; nil where this shows none. Each step that is not there is missing. Errors: *field.ReadError.
func Fold(source field.Source, grid field.Grid, times []float64) (*Folding, error) {
	n, points, channels := source.Dims()
	if n < foldedFrom || points*channels*minPeriod > maxFolded {
		return nil, nil
	}
	place, first, step := regular(times)
	if place == nil {
		return nil, nil
	}
	steps := slices.Max(place) + 1
	y := mat.New(steps, points*channels)
	y.Fill(math.NaN())
	for i, at := range place {
		if err := source.ReadExamples(y.Row(at), i, i+1); err != nil {
			return nil, &field.ReadError{From: i, To: i + 1, Err: err}
		}
	}
	found, share := dynamics.Period(y, float64(min(steps/minFolded, maxFolded/y.Cols)))
	period := int(found + 0.5)
	if period < minPeriod || share < minShare {
		return nil, nil
	}
	count := (steps + period - 1) / period
	all := mat.New(count*period, y.Cols)
	all.Fill(math.NaN())
	copy(all.Data, y.Data)
	within := mat.New(period, 1)
	for k := range period {
		within.Set(k, 0, float64(k))
	}
	folded := field.Grid{within}
	if points > 1 {
		folded = append(folded, grid...)
	}
	begins := make([]float64, count)
	for k := range begins {
		begins[k] = first + float64(k*period)*step
	}
	return &Folding{Source: field.NewSource(all.Data, count, period*points, channels), Grid: folded, Times: begins, Steps: period, Place: place}, nil
}
