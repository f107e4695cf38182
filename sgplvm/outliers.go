package sgplvm

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// Check looks through the data, in one pass, for what cannot be meant: infinite values, nothing that was observed, all
// channels constant or all examples equal, values so far outside the rest that they must stand for
// something else, such as 1e20 or -9999 for land, at all examples of a point. Trainers refuse the same, single ones too. The warnings, one sentence each,
// name a single example, what is missing, and outliers (Outliers). Errors: *ConfigError, *ValueError, *ReadError.
func (d Data) Check() (warnings []string, err error) {
	if d, err = d.checked(); err != nil {
		return nil, err
	}
	return trainingSet{Data: d}.check()
}

// check is Check; of outliers that are known already there is no warning.
func (d trainingSet) check() (warnings []string, err error) {
	told := len(d.outliers)
	if d, err = d.withoutOutliers(); err != nil {
		return nil, err
	}
	if warnings, err = data.Check(d.Source); err == nil && len(d.outliers) > told {
		warnings = append(warnings, OutlierText(d.outliers))
	}
	return warnings, err
}

// outlierNumbers is how many values are searched for outliers together. Tests lower it.
var outlierNumbers = 1 << 21

// Outliers returns the values that nothing around them explains, example by example: broken readings, undeclared words for "no value", spikes.
// Fit and Complete take them for missing unless Config.KeepOutliers says otherwise. They are judged column by column, a column being the values
// of a channel at a point, by neighbours in space and in time where there are any, and without each other. Values of which all
// in a column are far, such as land in maps of the sea, are none: Check refuses them. Errors: *ConfigError, *ReadError.
func (d Data) Outliers() ([]Outlier, error) {
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	set, err := trainingSet{Data: d}.withoutOutliers()
	return set.outliers, err
}

// withoutOutliers returns the data, which are checked, without their outliers, and these. It looks for them once.
func (d trainingSet) withoutOutliers() (trainingSet, error) {
	if d.searched || d.film != nil {
		return d, nil
	}
	y := data.Scaled{Source: d.Source}
	y.Examples, y.Points, y.Channels = d.Source.Dims()
	points := data.InSpacings(d.Grid)
	step := min(y.Examples, max(1, outlierNumbers/y.Size()))
	values := make([]float64, step*y.Size())
	for from := 0; from < y.Examples; from += step {
		to := min(from+step, y.Examples)
		part := values[:(to-from)*y.Size()]
		if err := y.ReadRaw(part, from, to); err != nil {
			return d, err
		}
		for k, v := range part {
			if math.IsInf(v, 0) { // which is refused later
				part[k] = math.NaN()
			}
		}
		e := outlier.Examples{Y: mat.NewDense(to-from, y.Size(), part), Channels: y.Channels, Points: points}
		if d.Times != nil {
			e.Times = d.Times[from:to]
		}
		if d.Sequences != nil {
			e.Sequences = d.Sequences[from:to]
		}
		for _, v := range outlier.Find(e) {
			v.Example += from
			d.outliers = append(d.outliers, v)
		}
	}
	d.searched = true
	if len(d.outliers) > 0 {
		d.Source = &withoutSource{d.Source, d.outliers}
	}
	return d, nil
}

// A withoutSource is a source some of whose values count as missing.
type withoutSource struct {
	Source
	missing []Outlier // in order
}

// ReadExamples is Source's.
func (s *withoutSource) ReadExamples(dst []float64, from, to int) error {
	if err := s.Source.ReadExamples(dst, from, to); err != nil {
		return err
	}
	_, points, channels := s.Source.Dims()
	first, _ := slices.BinarySearchFunc(s.missing, from, func(v Outlier, example int) int { return v.Example - example })
	for _, v := range s.missing[first:] {
		if v.Example >= to {
			break
		}
		dst[((v.Example-from)*points+v.Point)*channels+v.Channel] = math.NaN()
	}
	return nil
}
