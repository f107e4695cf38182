package sgplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
)

// A Belief says how inputs are distributed before anything is observed: BeliefRuns takes for each column the one of the two others that makes its
// values in the runs more likely; BeliefNormal has their mean and deviation; BeliefUniform is a box around them. Input fields are normal in any case.
type Belief = emulator.Belief

// The beliefs.
const (
	BeliefRuns    = emulator.FromRuns
	BeliefNormal  = emulator.Normal
	BeliefUniform = emulator.Uniform
)

// An Inverter finds the inputs behind outputs that were seen in part and with errors (docs/math.md, 25). Any number of goroutines may use it.
type Inverter struct {
	emulator *Emulator
	inverter *emulator.Inverter
}

// Inverter returns one for inputs of a prior distribution. Errors: *ConfigError.
func (e *Emulator) Inverter(b Belief) (*Inverter, error) {
	v, err := e.model.NewInverter(e.model.NewPrior(b))
	return &Inverter{e, v}, err
}

// InvertOptions steer Invert.
type InvertOptions struct {
	Draws int // how many, by Hamiltonian Monte Carlo; by default 400
	Seed  uint64
}

// Inverted is the distribution of the inputs behind an output.
type Inverted struct {
	Columns      []InvertedColumn // of the table, without those that count for nothing
	Correlations mat.Matrix       // of the columns of numbers
	Modes        []InvertedMode   // maxima of the density, the heaviest first
	Observed     int              // how many values were

	// Score is the squared distance of the observed values from what the emulator expects for inputs of the prior, over their number: 1 is expected.
	// Unexplained tells that it is larger than in 999 of 1000 cases: no input explains what was observed.
	Score       float64
	Unexplained bool

	Effective float64 // how many independent draws the draws are worth
	Differ    float64 // largest distance of means from those of the Laplace approximation, in deviations

	emulator *emulator.Model
	draws    mat.Matrix
	means    []float64
}

// An InvertedColumn is the distribution of an input of the table.
type InvertedColumn struct {
	Name            string
	Mean, Deviation float64 // of numbers
	Low, High       float64 // ends of the 90 % interval
	Label           string  // the most probable one, of categories
	Share           float64 // its probability
}

// An InvertedMode is a maximum of the density.
type InvertedMode struct {
	Weight float64
	Inputs []InputColumn // of one row
}

// Invert returns the distribution of the inputs behind an output: its values, points·channels, NaN where none was seen, and their standard
// errors. Errors: *ValueError, ctx.Err().
func (v *Inverter) Invert(ctx context.Context, values, deviations []float64, o InvertOptions) (*Inverted, error) {
	m, channels := v.emulator.model, v.emulator.Channels()
	if len(values) != m.V.Rows || len(deviations) != m.V.Rows {
		panic(fmt.Sprintf("sgplvm: Invert: %d values and %d errors of an output of %d", len(values), len(deviations), m.V.Rows))
	}
	if o.Draws <= 0 {
		o.Draws = 400
	}
	seen := &emulator.Observation{}
	for k, y := range values {
		s := deviations[k]
		switch {
		case math.IsNaN(y):
			continue
		case !(math.Abs(y) <= 1e150):
			return nil, &ValueError{Point: k / channels, Channel: k % channels, Value: y, Want: "a finite number, or NaN where nothing was seen"}
		case !(s >= 0 && s <= 1e150):
			return nil, &ValueError{Point: k / channels, Channel: k % channels, Value: s, Want: "a standard error of 0 or more"}
		}
		seen.At, seen.Values, seen.Errors = append(seen.At, k), append(seen.Values, y), append(seen.Errors, s)
	}
	p, err := v.inverter.Invert(ctx, seen, emulator.InvertOptions{Draws: o.Draws, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	r := &Inverted{Score: p.Score, Unexplained: p.Unexplained, Observed: len(seen.At), Effective: p.Effective, Differ: p.Differ, emulator: m, draws: p.Draws, means: make([]float64, p.Draws.Cols)}
	for i := range p.Draws.Rows {
		for q, x := range p.Draws.Row(i) {
			r.means[q] += x / float64(p.Draws.Rows)
		}
	}
	for _, mode := range p.Modes {
		r.Modes = append(r.Modes, InvertedMode{mode.Weight, m.Columns(mat.NewDense(1, len(mode.X), mode.X))})
	}
	r.summarise()
	return r, nil
}

// summarise sets what tells of the columns.
func (r *Inverted) summarise() {
	var numbers [][]float64
	for _, c := range r.Table() {
		s := InvertedColumn{Name: c.Name}
		n := len(c.Numbers)
		if c.Labels != nil {
			counts := map[string]int{}
			for _, l := range c.Labels {
				counts[l]++
			}
			for _, l := range slices.Sorted(slices.Values(c.Labels)) {
				if share := float64(counts[l]) / float64(len(c.Labels)); share > s.Share {
					s.Label, s.Share = l, share
				}
			}
		} else {
			numbers = append(numbers, c.Numbers)
			for _, x := range c.Numbers {
				s.Mean += x / float64(n)
			}
			for _, x := range c.Numbers {
				s.Deviation += (x - s.Mean) * (x - s.Mean) / float64(n)
			}
			s.Deviation = math.Sqrt(s.Deviation)
			sorted := slices.Clone(c.Numbers)
			slices.Sort(sorted)
			s.Low, s.High = sorted[n/20], sorted[n-1-n/20]
		}
		r.Columns = append(r.Columns, s)
	}
	if len(numbers) == 0 {
		return
	}
	x := mat.New(len(numbers[0]), len(numbers))
	for q, c := range numbers {
		for i, v := range c {
			x.Set(i, q, v)
		}
	}
	c := emulator.Covariance(x)
	r.Correlations = mat.New(c.Rows, c.Rows)
	for i := range c.Rows {
		for k := range c.Rows {
			if v := c.At(i, i) * c.At(k, k); i == k || v > 0 {
				r.Correlations.Set(i, k, c.At(i, k)/math.Sqrt(max(v, math.SmallestNonzeroFloat64)))
			}
		}
		r.Correlations.Set(i, i, 1)
	}
}

// Table returns the draws of the table of inputs, a draw a row, without columns that count for nothing.
func (r *Inverted) Table() []InputColumn { return r.emulator.Columns(r.draws) }

// Draws returns the number of draws.
func (r *Inverted) Draws() int { return r.draws.Rows }

// FieldTo sets dst to the mean of the input field, in the user's units. It panics where inputs are a table.
func (r *Inverted) FieldTo(dst []float64) { r.emulator.InputField(dst, r.means) }

// FieldVarianceTo sets dst to the variance of each value of the input field.
func (r *Inverted) FieldVarianceTo(dst []float64) { copy(dst, r.emulator.InputVariances(r.draws)) }

// FieldDrawTo sets dst to draw k of the input field: what its components leave out is not drawn.
func (r *Inverted) FieldDrawTo(dst []float64, k int) { r.emulator.InputField(dst, r.draws.Row(k)) }

// InputFieldDims returns the numbers of points and of channels of an input field; 0 without fields.
func (e *Emulator) InputFieldDims() (points, channels int) {
	if f := e.model.Fields; f != nil {
		return f.Points, len(f.Scaler.Mean)
	}
	return 0, 0
}

// DesignOptions steer Design.
type DesignOptions struct {
	Count      int     // runs, at least 1
	Belief     Belief  // the distribution of the inputs, over which the variance counts
	Candidates *Inputs // that may be run, of the form of the runs; nil: points spread over the distribution. Input fields need some
	Seed       uint64
}

// Designed is the next runs of a simulator, the first to be run first.
type Designed struct {
	Inputs  []InputColumn // of the table, without columns that count for nothing
	Numbers []int         // of the candidates
	Left    []float64     // the share of the emulator's variance, summed over the outputs of all inputs, that is left after each run
}

// DesignPoints is how many points stand for the distribution of inputs, and how many candidates there are if none are given.
const DesignPoints = 500

// Design chooses the next runs, one after the other: each is the candidate that takes away most variance (docs/math.md, 25). A candidate is
// chosen at most once. Errors: *ConfigError, *InputError, *ValueError, *ReadError, ctx.Err().
func (e *Emulator) Design(ctx context.Context, o DesignOptions) (*Designed, error) {
	references := e.model.NewPrior(o.Belief).Spread(DesignPoints, o.Seed)
	var candidates mat.Matrix
	var err error
	x := references
	switch {
	case o.Candidates != nil:
		if x, err = (*emulator.Runs)(o.Candidates).Exactly(e.model); err != nil {
			return nil, err
		}
		candidates = x
	case e.model.Fields != nil:
		return nil, &ConfigError{Field: "Candidates", Err: fmt.Errorf("none for inputs that are fields, expected some")}
	}
	if o.Count < 1 || o.Count > x.Rows {
		return nil, &ConfigError{Field: "Count", Err: fmt.Errorf("%d of %s, expected 1 to %d", o.Count, quote.Counted(x.Rows, "candidate"), x.Rows)}
	}
	if x.Rows > emulator.MaxCandidates {
		return nil, &ConfigError{Field: "Candidates", Err: fmt.Errorf("%d, expected at most %d: covariances of all pairs are held", x.Rows, emulator.MaxCandidates)}
	}
	d := e.model.NewDesign(references, candidates)
	r := &Designed{}
	chosen := mat.New(o.Count, x.Cols)
	for k := range o.Count {
		best, left, err := d.Next(ctx)
		if err != nil {
			return nil, err
		}
		copy(chosen.Row(k), x.Row(best))
		r.Numbers, r.Left = append(r.Numbers, best), append(r.Left, left)
	}
	r.Inputs = e.model.Columns(chosen)
	return r, nil
}

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
