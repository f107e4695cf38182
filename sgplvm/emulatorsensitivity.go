package sgplvm

import "context"

// SensitivityOptions steer Sensitivity.
type SensitivityOptions struct {
	Belief     Belief // the distribution of the inputs
	Points     int    // at which the emulator is evaluated, twice and once more for each input; by default 16384
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
		o.Points = 1 << 14
	}
	if o.Components <= 0 {
		o.Components = 3
	}
	prior, err := e.model.NewPrior(o.Belief)
	if err != nil {
		return nil, err
	}
	s, err := e.model.Sensitivity(ctx, prior, o.Points, o.Seed)
	if err != nil {
		return nil, err
	}
	modes, size := e.model.P.Cols, e.model.V.Rows
	r := &Sensitivity{}
	for j := range min(o.Components, modes) {
		r.Components = append(r.Components, s.Share(j))
	}
	v := make([]float64, modes)
	for q := range s.Factors {
		f := &s.Factors[q]
		in := InputSensitivity{Name: f.Name, Field: f.Field, Whole: share(s.Whole(f)), First: make([]float64, size), All: make([]float64, size)}
		for c := range e.Channels() {
			e.model.MeanDirection(v, c)
			in.Mean = append(in.Mean, share(s.Of(f, v)))
		}
		for j := range r.Components {
			clear(v)
			v[j] = 1
			in.Components = append(in.Components, share(s.Of(f, v)))
		}
		s.Maps(in.First, in.All, e.model, f)
		r.Inputs = append(r.Inputs, in)
	}
	return r, nil
}

func share(first, all float64) SobolShare { return SobolShare{first, all} }
