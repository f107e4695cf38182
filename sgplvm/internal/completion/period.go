package completion

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A Folding makes examples of a series: row k of the series is step Place[k], and an example has Steps steps.
type Folding struct {
	Steps int
	Place []int

	Source field.Source // of the examples
	Grid   field.Grid   // of the steps of a period and of the points
	Times  []float64    // when each example begins
}

// String says it in a sentence for the user.
func (f *Folding) String() string {
	return fmt.Sprintf("the series repeats itself every %d steps: each period is an example of the model", f.Steps)
}

// Unfold returns the rows of the series, n examples of so many points and channels, from folded examples, one in a row of src.
func (f *Folding) Unfold(src mat.Matrix, n, points, channels int) mat.Matrix {
	dst, size := mat.New(n*points, channels), points*channels
	for i, at := range f.Place {
		copy(dst.Data[i*size:], src.Row(at / f.Steps)[at%f.Steps*size:][:size])
	}
	return dst
}

// regular returns the number of steps from the first time to each, and the first time and the step; nil if times are not regular.
func regular(times []float64) (place []int, first, step float64) {
	sorted := slices.Sorted(slices.Values(times))
	var gaps []float64
	for i, t := range sorted[1:] {
		gaps = append(gaps, t-sorted[i])
	}
	slices.Sort(gaps)
	if step = gaps[len(gaps)/2]; !(step > 0) || gaps[0] < 0.5*step {
		return nil, 0, 0
	}
	first = sorted[0]
	if (sorted[len(sorted)-1]-first)/step > 2*float64(len(times)) {
		return nil, 0, 0
	}
	for _, t := range times {
		k := math.Round((t - first) / step)
		if math.Abs((t-first)/step-k) > 0.1 {
			return nil, 0, 0
		}
		place = append(place, int(k))
	}
	return place, first, step
}
