package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Model predicts outputs from inputs. It does not change. What JSON leaves out are large arrays.
type Model struct {
	Encodings   []Encoding
	Mean, Scale []float64   // of the numbers of the table
	Fields      *FieldBasis // nil: inputs are a table
	Kernel      string      // the name of what was chosen
	Kernels     []*Kernel   // the last one is that of the modes without one of their own
	Modes       [][]int     // that have each kernel
	process     *Process
	Reach       float64 // the largest distance of a run from the nearest other, or of a point of a grid's cell from its corners

	// Outputs are Centre + V·(Deviations∘coordinates), in units of the Scaler.
	Points     int
	Unseen     []int // values that no run has, such as those of land: predictions there are NaN
	Scaler     data.Scaler
	Transforms []work.Transform `json:",omitempty"` // of each channel, whose values t(y) are what the rest is about; nil: none
	Deviations []float64        // falling
	Factor     float64          // of the variances
	Errors     Errors
	Notes      []string // for users: what was left out
	Effort     int      // of the configuration, like the next
	Seed       uint64

	X, P   mat.Matrix `json:"-"` // inputs ξ, n×d, and coordinates, n×J, of the runs
	V      mat.Matrix `json:"-"` // values×J
	Centre []float64  `json:"-"`
	Left   []float64  `json:"-"` // variance of each value that the components leave out
}

// Errors tell how well runs were predicted that were held out, fold by fold: root mean squared errors of fields, in standard deviations of the channels.
type Errors struct {
	Runs     []int     // that were held out, fold by fold
	Each     []float64 // error of each of them
	Mean     float64
	Foretold float64 // root mean squared error of new outputs
	Simplest []Simple
	Covered  float64 // share of values within 90 % intervals
}

// A Simple is a simple method and its mean error.
type Simple struct {
	Name string
	Mean float64
}

// Condition conditions the kernels on the runs. Errors: those of eig.
func (m *Model) Condition() (err error) {
	m.process, err = newProcess(m.X, m.P, m.Kernels, m.Modes)
	return err
}

// Coordinates returns ξ of inputs: columns, and fields where the model has some; n×d. errs are standard errors, +Inf where an input is not known, 0×0 where all are exact.
// Errors: *InputError, those of reading.
func (m *Model) Coordinates(columns []Column, fields field.Source, n int) (x, errs mat.Matrix, err error) {
	numbers, _, errors, err := encode(m.Encodings, columns, n)
	if err != nil {
		return numbers, errs, err
	}
	d := len(m.Mean)
	x = mat.New(n, m.X.Cols)
	if m.Fields != nil {
		if err := m.Fields.coordinates(x.Slice(0, n, d, x.Cols), fields); err != nil {
			return x, errs, err
		}
	}
	if errors.Rows > 0 {
		errs = mat.New(n, x.Cols)
	}
	for i := range n {
		for q := range d {
			x.Set(i, q, (numbers.At(i, q)-m.Mean[q])/m.Scale[q])
			if errors.Rows > 0 {
				errs.Set(i, q, errors.At(i, q)/m.Scale[q])
			}
		}
	}
	return x, errs, nil
}

// nearest returns the distance of each row from the nearest run, in length scales; apart: from those with other inputs.
func (m *Model) nearest(x mat.Matrix, apart bool) []float64 {
	scales := m.LengthScales()
	const block = 512
	list, runs := make([]float64, x.Rows), scaled(m.X, scales)
	for from := 0; from < x.Rows; from += block {
		to := min(x.Rows, from+block)
		distances := mat.New(to-from, runs.Rows)
		squares(distances, scaled(x.Slice(from, to, 0, x.Cols), scales), runs)
		for i := range distances.Rows {
			least := math.Inf(1)
			for _, d := range distances.Row(i) {
				if !apart || d > 1e-10 {
					least = min(least, d)
				}
			}
			list[from+i] = math.Sqrt(least)
		}
	}
	return list
}

// cell returns the distance of the middle of a mean cell between neighbouring levels of the numbers from its corners, in length scales.
func (m *Model) cell(fixed []bool) float64 {
	sum, scales := 0., m.LengthScales()
	for q, fixed := range fixed {
		if levels := levels(m.X, q); !fixed {
			n := len(levels)
			gap := (m.X.At(levels[n-1][0], q) - m.X.At(levels[0][0], q)) / float64(max(1, n-1))
			sum += gap / (2 * scales[q]) * gap / (2 * scales[q])
		}
	}
	return math.Sqrt(sum)
}

// Far returns, for each row of ξ, its distance from the nearest run as a multiple of Reach.
func (m *Model) Far(x mat.Matrix) []float64 {
	list := m.nearest(x, false)
	if m.Reach > 0 {
		asm.Scale(list, 1/m.Reach, list)
	}
	return list
}

// Predict returns the means of the outputs' coordinates at rows of ξ, m×J, and their variances.
func (m *Model) Predict(x mat.Matrix) (mean, variance mat.Matrix) {
	mean, variance = m.process.Predict(x)
	mat.Scale(variance, m.Factor, variance)
	return mean, variance
}

// Field sets dst to the output with coordinates p, in the user's units.
func (m *Model) Field(dst, p []float64) {
	q := make([]float64, len(p))
	asm.MulTo(q, p, m.Deviations)
	copy(dst, m.Centre)
	mat.Mul(mat.Vector(dst), 1, m.V, mat.Vector(q), 1)
	for i, v := range dst {
		c := i % len(m.Scaler.Mean)
		dst[i] = m.Scaler.Mean[c] + float64(m.Scaler.Scale[c]*v)
	}
	m.hide(dst)
}

// hide sets the values of an output that no run has to NaN.
func (m *Model) hide(dst []float64) {
	for _, i := range m.Unseen {
		dst[i] = math.NaN()
	}
}

// Variance sets dst to the variance of the output whose coordinates have the given variances.
func (m *Model) Variance(dst, variance []float64) {
	mat.Parallel((len(dst)+4095)/4096, func(b int) {
		for i := b * 4096; i < min(len(dst), (b+1)*4096); i++ {
			sum := m.Left[i]
			for j, v := range m.V.Row(i) {
				s := v * m.Deviations[j]
				sum += s * s * variance[j]
			}
			scale := m.Scaler.Scale[i%len(m.Scaler.Scale)]
			dst[i] = scale * scale * sum
		}
	})
	m.hide(dst)
}

// Covariance returns that of an output whose coordinates have the given variances as F·Fᵀ + diag(left), in the user's units.
func (m *Model) Covariance(variance []float64) (f mat.Matrix, left []float64) {
	left = append([]float64{}, m.Left...)
	for i := range left {
		s := m.Scaler.Scale[i%len(m.Scaler.Scale)]
		left[i] *= s * s
	}
	return m.basis(variance), left
}

// basis returns what makes outputs, in the user's units and less their mean, of coordinates over their deviations, given the variances.
func (m *Model) basis(variance []float64) mat.Matrix {
	f, deviations := m.V.Clone(), make([]float64, len(variance))
	for j, v := range variance {
		deviations[j] = m.Deviations[j] * math.Sqrt(v)
	}
	mat.ScaleCols(f, f, deviations)
	for i := range f.Rows {
		asm.Scale(f.Row(i), m.Scaler.Scale[i%len(m.Scaler.Scale)], f.Row(i))
	}
	return f
}

// LengthScales returns those of the kernel that components share, d.
func (m *Model) LengthScales() []float64 {
	return m.Kernels[len(m.Kernels)-1].Scales
}
