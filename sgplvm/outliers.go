package sgplvm

import (
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
	var err error
	d.searched = true
	d.Source, d.outliers, err = outlier.Without(d.Source, d.Grid, d.Times, d.Sequences)
	return d, err
}
