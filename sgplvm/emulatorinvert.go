package sgplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

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
