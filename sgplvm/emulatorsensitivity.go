package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
)

// SensitivityOptions steer Sensitivity.
type SensitivityOptions struct {
	Belief     Belief // the distribution of the inputs
	Points     int    // at which the emulator is evaluated, twice and once more for each input; by default 32768
	Components int    // of the outputs, of which shares are told; by default 3, and at most as many as there are
	Seed       uint64
}

// A SobolShare is the share of a variance that an input explains alone, First, and the share that it has a part in, All (the total index): what is left
// of the variance when all other inputs are known.
type SobolShare struct{ First, All float64 }

// An InputSensitivity tells what an input does to the outputs (docs/math.md, 25).
type InputSensitivity struct {
	Name       string
	Field      bool         // the input is a field, all of it together
	Whole      SobolShare   // of the variance summed over all values, in units of the channels' deviations
	Mean       []SobolShare // of the mean over the points, of each channel
	Components []SobolShare // of the leading components of the outputs
	First, All []float64    // of each value, point by point, the channels of a point side by side; 0 where nothing varies
}

// Sensitivity is what the inputs do to the outputs, by the emulator's means.
type Sensitivity struct {
	Inputs     []InputSensitivity
	Components []float64 // the share of the variance that each of the leading components has
}

// Sensitivity returns the Sobol indices of all inputs. Errors: *ConfigError, ctx.Err().
func (e *Emulator) Sensitivity(ctx context.Context, o SensitivityOptions) (*Sensitivity, error) {
	if o.Points <= 0 {
		o.Points = 1 << 15
	}
	if o.Components <= 0 {
		o.Components = 3
	}
	s, err := e.model.Sensitivity(ctx, e.model.NewPrior(o.Belief), o.Points, o.Seed)
	if err != nil {
		return nil, err
	}
	size, r := e.model.V.Rows, &Sensitivity{}
	components := mat.New(min(o.Components, e.model.P.Cols), e.model.P.Cols)
	for j := range components.Rows {
		components.Set(j, j, 1)
		r.Components = append(r.Components, s.Share(j))
	}
	means := e.model.Means()
	for q := range s.Factors {
		f := &s.Factors[q]
		of := func(v mat.Matrix) (list []SobolShare) {
			first, all := make([]float64, v.Rows), make([]float64, v.Rows)
			s.Of(f, v, first, all)
			for i := range first {
				list = append(list, SobolShare{first[i], all[i]})
			}
			return list
		}
		in := InputSensitivity{Name: f.Name, Field: f.Field, Mean: of(means), Components: of(components), First: make([]float64, size), All: make([]float64, size)}
		in.Whole.First, in.Whole.All = s.Whole(f)
		s.Of(f, e.model.V, in.First, in.All)
		r.Inputs = append(r.Inputs, in)
	}
	return r, nil
}
