package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// contradiction returns what in a configuration contradicts something else in it, or the data. What is open
// contradicts nothing. Errors: *ConfigError.
func (c Config) contradiction(d trainingSet) error {
	if err := c.aboutTime(d); err != nil {
		return err
	}
	if err := c.aboutResidual(d); err != nil {
		return err
	}
	var bad *ConfigError
	if errors.As(predict.CheckOptions(c.Infer), &bad) {
		return &ConfigError{Field: "Infer", Err: bad.Err}
	}
	return nil
}

// aboutTime is contradiction about what needs times.
func (c Config) aboutTime(d trainingSet) error {
	timed := d.Times != nil || d.Film
	parts, _ := psi.Parse(c.LatentKernel) // checked elsewhere
	switch {
	case !(c.Period >= 0) || math.IsInf(c.Period, 0):
		return &ConfigError{Field: "Period", Err: fmt.Errorf("%v, expected a positive number", c.Period)}
	case c.Period > 0 && !timed:
		return &ConfigError{Field: "Period", Err: errors.New("a period of examples without times")}
	case c.TimeKernel.Kind != "" && !timed:
		return &ConfigError{Field: "TimeKernel", Err: fmt.Errorf("%v for examples without times", c.TimeKernel)}
	case c.OwnTimeKernels == On && !timed:
		return &ConfigError{Field: "OwnTimeKernels", Err: errors.New("on for examples without times")}
	case c.LatentTime.Kind != "" && !timed:
		return &ConfigError{Field: "LatentTime", Err: fmt.Errorf("%v for examples without times", c.LatentTime)}
	case c.LatentTime.Kind != "" && len(parts) > 0 && !slices.Contains(parts, "time"):
		return &ConfigError{Field: "LatentTime", Err: fmt.Errorf("%v beside the latent kernel %s, expected one with time", c.LatentTime, c.LatentKernel)}
	case c.Motion == On && !d.Film:
		return &ConfigError{Field: "Motion", Err: errors.New("on for examples that are no film")}
	case c.Partly != nil && !timed:
		return &ConfigError{Field: "Partly", Err: errors.New("a second model of examples without times, expected none")}
	case !(c.PartlyReach >= 0) || math.IsInf(c.PartlyReach, 0) || c.PartlyReach > 0 && c.Partly == nil:
		return &ConfigError{Field: "PartlyReach", Err: fmt.Errorf("%v, expected a positive distance beside a second model", c.PartlyReach)}
	case c.Partly != nil && c.Partly.Partly != nil:
		return &ConfigError{Field: "Partly", Err: errors.New("a second model within a second model, expected one")}
	}
	return nil
}

// aboutResidual is contradiction about what needs a structured residual.
func (c Config) aboutResidual(d trainingSet) error {
	r := c.Residual
	none := r.Kernel.Kind == kernel.White
	switch {
	case c.Lean && r.Local == On:
		return &ConfigError{Field: "Lean", Err: errors.New("with local residuals, which the file would keep, expected one of the two")}
	case none && r.Rounds > 0:
		return &ConfigError{Field: "Residual.Rounds", Err: fmt.Errorf("%d rounds beside a residual that is none", r.Rounds)}
	case (none || r.Rounds < 0) && r.Local == On:
		return &ConfigError{Field: "Residual.Local", Err: errors.New("on beside a residual that is not learned")}
	case none && c.Training.CoarsePoints > 0 && len(d.Grid) == 1:
		return &ConfigError{Field: "Training.CoarsePoints", Err: fmt.Errorf("%d points beside a residual that is none", c.Training.CoarsePoints)}
	case r.Kernel.Kind != "" && !none && len(d.Grid) > 1:
		return &ConfigError{Field: "Residual.Kernel", Err: fmt.Errorf("%v with %d spatial factors, expected one: joint", r.Kernel, len(d.Grid))}
	}
	return nil
}

// aboutHoles is contradiction about what cannot be done with values that are missing or have errors of their own.
func (c Config) aboutHoles(d trainingSet) error {
	refuse := func(field, what string) error {
		return &ConfigError{Field: field, Err: fmt.Errorf("%s for data with missing values or errors of their own, expected none", what)}
	}
	switch {
	case c.Residual.Kernel.Kind != "" && c.Residual.Kernel.Kind != "white":
		return refuse("Residual.Kernel", "a structured residual")
	case d.film != nil, c.Motion == On:
		return refuse("Motion", "motion of a film")
	}
	return nil
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
