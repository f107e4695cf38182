package sgplvm

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// An Emulator predicts the outputs of a simulator from its inputs. Emulate makes one, or LoadEmulator. It does not change, and any number of
// goroutines may use it at once.
type Emulator struct {
	model      *emulator.Model
	grid       Grid
	attributes map[string]string
	took       time.Duration
	outliers   []Outlier
}

// Runs, Points and Channels return how many runs it learned from, and how many points and channels an output has.
func (e *Emulator) Runs() int     { return e.model.X.Rows }
func (e *Emulator) Points() int   { return e.model.Points }
func (e *Emulator) Channels() int { return len(e.model.Scaler.Mean) }

// Grid returns the points of the outputs.
func (e *Emulator) Grid() Grid { return e.grid }

// On returns the emulator with outputs at the points of another grid of the same factors, to which it interpolates their components. Errors: *ConfigError.
func (e *Emulator) On(g Grid) (*Emulator, error) {
	m, err := e.model.On(e.grid, g)
	if err != nil {
		return nil, err
	}
	o := *e
	o.model, o.grid = m, g
	return &o, nil
}

// Attributes returns what Config.Attributes had.
func (e *Emulator) Attributes() map[string]string { return maps.Clone(e.attributes) }

// Config returns the configuration that makes the same emulator of the same data.
func (e *Emulator) Config() Config {
	return Config{Effort: Effort(e.model.Effort), Seed: e.model.Seed}
}

// Outliers returns the outputs that counted as missing, since they lie far outside what others say; nil after loading.
func (e *Emulator) Outliers() []Outlier { return slices.Clone(e.outliers) }

// Notes returns sentences that a user should read: runs and inputs that were left out, and outputs that counted as missing.
func (e *Emulator) Notes() []string { return append([]string{}, e.model.Notes...) }

// Took returns how long Emulate took; 0 after loading.
func (e *Emulator) Took() time.Duration { return e.took }

// Transforms returns, for each channel, "log" or "logit" where that of its values is what is normal, chosen by what folds show, and "" elsewhere; nil: everywhere.
func (e *Emulator) Transforms() (list []string) {
	for _, t := range e.model.Transforms {
		list = append(list, []string{"", "log", "logit"}[t])
	}
	return list
}

// Distance returns the root mean squared difference of two outputs in standard deviations of the channels, by transforms where these count, over the values that both have.
func (e *Emulator) Distance(a, b []float64) float64 {
	sum, count, scale := 0., 0., e.model.Scaler.Scale
	for k, v := range a {
		c, w := k%len(scale), b[k]
		if e.model.Transforms != nil {
			v, w = e.model.Transforms[c].To(v), e.model.Transforms[c].To(w)
		}
		if d := (v - w) / scale[c]; d-d == 0 {
			sum, count = sum+d*d, count+1
		}
	}
	return math.Sqrt(sum / max(1, count))
}

// Deviations returns the standard deviation of each channel over the runs and points, in the user's units, or of its transform.
func (e *Emulator) Deviations() []float64 { return append([]float64{}, e.model.Scaler.Scale...) }

// An EmulatorInput describes a column of the table of inputs.
type EmulatorInput struct {
	Name        string   `json:"name"`
	Levels      []string `json:"levels,omitempty"` // of categories; nil for numbers
	Low         float64  `json:"low"`              // range of numbers over the runs
	High        float64  `json:"high"`
	Log         bool     `json:"log,omitempty"`        // the logarithm of the numbers counts
	LengthScale float64  `json:"lengthScale,omitzero"` // of numbers, in the user's unit or of their logarithm, of the kernel that all components share: outputs bend over about so much
	Dropped     string   `json:"dropped,omitempty"`    // why the column tells nothing; empty: it counts
}

// Inputs describes the columns of the table, and returns how many values an input field has and how many components of it count: 0 without fields.
func (e *Emulator) Inputs() (columns []EmulatorInput, values, components int) {
	scales, at := e.model.LengthScales(), 0
	for q := range e.model.Encodings {
		c := &e.model.Encodings[q]
		in := EmulatorInput{Name: c.Name, Levels: c.Levels, Low: c.Low, High: c.High, Log: c.Log, Dropped: c.Dropped}
		if w := c.Width(); w > 0 {
			if c.Levels == nil {
				in.LengthScale = scales[at] * e.model.Scale[at]
			}
			at += w
		}
		columns = append(columns, in)
	}
	if f := e.model.Fields; f != nil {
		values, components = f.V.Rows, f.V.Cols
	}
	return columns, values, components
}

// EmulatorErrors tell how well runs were predicted that were held out, fold by fold, everything else fitted again: the error of each of the Runs that were,
// their Mean, that of the Simplest methods in the same folds, and the share of values Covered by 90 % intervals. Foretold is the error at inputs that are
// distributed as those of the runs: folds learn from fewer runs, and those of a grid are farther apart. Errors are root mean squares over an output, in
// standard deviations of the channels.
type EmulatorErrors = emulator.Errors

// Errors returns the errors of the folds.
func (e *Emulator) Errors() EmulatorErrors { return e.model.Errors }

// Kernel names the kernel of the inputs.
func (e *Emulator) Kernel() string { return e.model.Kernel }

// An Emulated is the distributions of outputs for some inputs.
type Emulated struct {
	predicted *emulator.Predicted
	size      int

	// Far has, for each input, its distance from the nearest run as a multiple of the largest that a run has from the others, in length
	// scales: well above 1, predictions are extrapolated.
	Far []float64
}

// Predict returns the distributions of the outputs for inputs, which have the columns of the runs in their order and fields of the same form.
// Errors: *ConfigError, *InputError, *ValueError, *ReadError.
func (e *Emulator) Predict(in *Inputs) (*Emulated, error) {
	x, errs, err := (*emulator.Runs)(in).Coordinates(e.model)
	if err != nil {
		return nil, err
	}
	p := e.model.Outputs(x, errs)
	return &Emulated{size: e.model.V.Rows, predicted: p, Far: p.Far}, nil
}

// Update returns the emulator with more runs, which are complete, without fitting anything again: kernels and components stay, predictions know the new runs.
// Errors: *ConfigError, *InputError, *ValueError, *ReadError.
func (e *Emulator) Update(in *Inputs, outputs Source) (*Emulator, error) {
	x, err := (*emulator.Runs)(in).Exactly(e.model)
	if err != nil {
		return nil, err
	}
	o := *e
	o.model, err = e.model.With(x, outputs)
	return &o, err
}

// Size returns the number of values of an output, points·channels.
func (p *Emulated) Size() int { return p.size }

// Len returns the number of inputs.
func (p *Emulated) Len() int { return p.predicted.Len() }

// MeanTo sets dst, of points·channels numbers, to the mean of output i in the user's units: point by point, the channels of a point side by side.
func (p *Emulated) MeanTo(dst []float64, i int) { p.predicted.Mean(dst, i) }

// VarianceTo sets dst to the variance of each value of output i.
func (p *Emulated) VarianceTo(dst []float64, i int) { p.predicted.Variance(dst, i) }

// Covariance returns that of the values of output i as F·Fᵀ + diag(left), in the user's units: F has points·channels rows.
func (p *Emulated) Covariance(i int) (f mat.Matrix, left []float64) {
	return p.predicted.Covariance(i)
}

// Sample hands count draws of output i to body, in the user's units: fields of which the values hang together as the components of the outputs do. What these
// leave out, diag(left) of Covariance, is not drawn. body must not keep its slice. Errors: those of ctx and of body.
func (p *Emulated) Sample(ctx context.Context, i, count int, seed uint64, body func(draw int, values []float64) error) error {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	values := make([]float64, p.size)
	for k := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.predicted.Draw(values, i, rng)
		if err := body(k, values); err != nil {
			return err
		}
	}
	return nil
}

// An EmulatorFormula is what evaluates an emulator's leading components elsewhere, as the page of a report does.
type EmulatorFormula = emulator.Formula

// Formula returns that of at most most components. Errors: those of eig.
func (e *Emulator) Formula(most int) (*EmulatorFormula, error) { return e.model.Formula(most) }

// Scaling returns, for each number that inputs become, its mean and its deviation: categories become an indicator for each level, dropped columns none, and each
// component of fields follows with 0 and 1.
func (e *Emulator) Scaling() (mean, scale []float64) {
	mean, scale = append([]float64{}, e.model.Mean...), append([]float64{}, e.model.Scale...)
	for len(mean) < e.model.X.Cols {
		mean, scale = append(mean, 0), append(scale, 1)
	}
	return mean, scale
}

// Compile returns the emulator as a file for edge.OpenEmulator, with large tables of a type and a label for people: inputs in, means and deviations out, without an eigenproblem. A category
// becomes an input for each of its levels, 1 or 0. Eigenvectors that change no variance by more than one part in 10⁶ of the prior one are left out.
func (e *Emulator) Compile(kind edge.Type, label string) []byte {
	return e.model.Compile(points.Type(kind), label)
}

// Save writes the emulator to w, sealed with a checksum. The bytes depend on the emulator alone. It has the inputs of the runs, and their outputs as far as
// components tell them.
func (e *Emulator) Save(w io.Writer) error {
	return (&emulator.File{Model: e.model, Grid: e.grid, Attributes: e.attributes}).Write(w)
}

// ErrEmulator says that a file is one of an emulator where another model is wanted.
var ErrEmulator = errors.New("an emulator, expected a model of examples")

// ErrNoEmulator says that a file is another than one of an emulator.
var ErrNoEmulator = emulator.ErrOther

// LoadEmulator reads an emulator that Save wrote. It predicts with the bits of the one that was saved, on the same instruction set.
// Errors: *FileError, which is ErrNoEmulator for a file of another kind.
func LoadEmulator(r io.Reader) (*Emulator, error) {
	f, err := emulator.Read(r)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return &Emulator{model: f.Model, grid: f.Grid, attributes: f.Attributes}, nil
}
