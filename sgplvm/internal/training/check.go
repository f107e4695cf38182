package training

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Contradiction returns what in settings contradicts other settings, or data with or without times, of frames of a film or not, of so many spatial factors. What
// is open contradicts nothing. Errors: *field.ConfigError.
func (c Settings) Contradiction(timed, film bool, factors int) error {
	if err := c.aboutTime(timed || film, film); err != nil {
		return err
	}
	if err := c.aboutResidual(factors); err != nil {
		return err
	}
	var bad *field.ConfigError
	if errors.As(predict.CheckOptions(c.Infer), &bad) {
		return &field.ConfigError{Field: "Infer", Err: bad.Err}
	}
	return nil
}

// aboutTime is Contradiction about what needs times.
func (c Settings) aboutTime(timed, film bool) error {
	parts, _ := psi.Parse(c.LatentKernel) // checked elsewhere
	switch {
	case !(c.Period >= 0) || math.IsInf(c.Period, 0):
		return &field.ConfigError{Field: "Period", Err: fmt.Errorf("%v, expected a positive number", c.Period)}
	case c.Period > 0 && !timed:
		return &field.ConfigError{Field: "Period", Err: errors.New("a period of examples without times")}
	case c.TimeKernel.Kind != "" && !timed:
		return &field.ConfigError{Field: "TimeKernel", Err: fmt.Errorf("%v for examples without times", c.TimeKernel)}
	case c.OwnTimeKernels == field.On && !timed:
		return &field.ConfigError{Field: "OwnTimeKernels", Err: errors.New("on for examples without times")}
	case c.LatentTime.Kind != "" && !timed:
		return &field.ConfigError{Field: "LatentTime", Err: fmt.Errorf("%v for examples without times", c.LatentTime)}
	case c.LatentTime.Kind != "" && len(parts) > 0 && !slices.Contains(parts, "time"):
		return &field.ConfigError{Field: "LatentTime", Err: fmt.Errorf("%v beside the latent kernel %s, expected one with time", c.LatentTime, c.LatentKernel)}
	case c.Motion == field.On && !film:
		return &field.ConfigError{Field: "Motion", Err: errors.New("on for examples that are no film")}
	case c.Partly != nil && !timed:
		return &field.ConfigError{Field: "Partly", Err: errors.New("a second model of examples without times, expected none")}
	case !(c.PartlyReach >= 0) || math.IsInf(c.PartlyReach, 0) || c.PartlyReach > 0 && c.Partly == nil:
		return &field.ConfigError{Field: "PartlyReach", Err: fmt.Errorf("%v, expected a positive distance beside a second model", c.PartlyReach)}
	case c.Partly != nil && c.Partly.Partly != nil:
		return &field.ConfigError{Field: "Partly", Err: errors.New("a second model within a second model, expected one")}
	}
	return nil
}

// aboutResidual is Contradiction about what needs a structured residual.
func (c Settings) aboutResidual(factors int) error {
	r := c.Residual
	none := r.Kernel.Kind == kernel.White
	switch {
	case c.Lean && r.Local == field.On:
		return &field.ConfigError{Field: "Lean", Err: errors.New("with local residuals, which the file would keep, expected one of the two")}
	case none && r.Rounds > 0:
		return &field.ConfigError{Field: "Residual.Rounds", Err: fmt.Errorf("%d rounds beside a residual that is none", r.Rounds)}
	case (none || r.Rounds < 0) && r.Local == field.On:
		return &field.ConfigError{Field: "Residual.Local", Err: errors.New("on beside a residual that is not learned")}
	case none && c.Training.CoarsePoints > 0 && factors == 1:
		return &field.ConfigError{Field: "Training.CoarsePoints", Err: fmt.Errorf("%d points beside a residual that is none", c.Training.CoarsePoints)}
	case r.Kernel.Kind != "" && !none && factors > 1:
		return &field.ConfigError{Field: "Residual.Kernel", Err: fmt.Errorf("%v with %d spatial factors, expected one: joint", r.Kernel, factors)}
	}
	return nil
}

// AboutHoles is Contradiction about what cannot be done with values that are missing or have errors of their own.
func (c Settings) AboutHoles(film bool) error {
	refuse := func(name, what string) error {
		return &field.ConfigError{Field: name, Err: fmt.Errorf("%s for data with missing values or errors of their own, expected none", what)}
	}
	switch {
	case c.Residual.Kernel.Kind != "" && c.Residual.Kernel.Kind != "white":
		return refuse("Residual.Kernel", "a structured residual")
	case film, c.Motion == field.On:
		return refuse("Motion", "motion of a film")
	}
	return nil
}
