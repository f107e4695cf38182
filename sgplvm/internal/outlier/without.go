package outlier

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Together is how many values are searched together. Tests lower it.
var Together = 1 << 21

// Without returns a source, with points and times of its examples, without the values that nothing around them explains, and these. Errors: *field.ReadError.
func Without(source field.Source, grid field.Grid, times []float64, sequences []int) (field.Source, []field.Outlier, error) {
	y := data.Scaled{Source: source}
	y.Examples, y.Points, y.Channels = source.Dims()
	var found []field.Outlier
	points := data.InSpacings(grid)
	step := min(y.Examples, max(1, Together/y.Size()))
	values := make([]float64, step*y.Size())
	for from := 0; from < y.Examples; from += step {
		to := min(from+step, y.Examples)
		part := values[:(to-from)*y.Size()]
		if err := y.ReadRaw(part, from, to); err != nil {
			return source, nil, err
		}
		for k, v := range part {
			if math.IsInf(v, 0) { // which is refused later
				part[k] = math.NaN()
			}
		}
		e := Examples{Y: mat.NewDense(to-from, y.Size(), part), Channels: y.Channels, Points: points}
		if times != nil {
			e.Times = times[from:to]
		}
		if sequences != nil {
			e.Sequences = sequences[from:to]
		}
		for _, v := range Find(e) {
			v.Example += from
			found = append(found, v)
		}
	}
	if len(found) > 0 {
		source = &withoutSource{source, found}
	}
	return source, found, nil
}

// A withoutSource is a source some of whose values count as missing.
type withoutSource struct {
	field.Source
	missing []field.Outlier // in order
}

// ReadExamples is Source's.
func (s *withoutSource) ReadExamples(dst []float64, from, to int) error {
	if err := s.Source.ReadExamples(dst, from, to); err != nil {
		return err
	}
	_, points, channels := s.Source.Dims()
	first, _ := slices.BinarySearchFunc(s.missing, from, func(v field.Outlier, example int) int { return v.Example - example })
	for _, v := range s.missing[first:] {
		if v.Example >= to {
			break
		}
		dst[((v.Example-from)*points+v.Point)*channels+v.Channel] = math.NaN()
	}
	return nil
}
