package sgplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

// Data are n_ξ examples, each seen in d_y channels at all n_s points of a grid, in the user's
// units: either Examples and Y, or Source. NaN stands for a value that was not observed: any may be missing, those of whole
// examples and of whole points included. They are not copied and must not change while a
// Trainer uses them.
type Data struct {
	Examples int
	Y        mat.Matrix // (n_ξ·n_s)×d_y; row i·n_s + j is example i at point j of the grid
	Source   Source     // the same in another form: other types of numbers, files

	// Errors has the standard errors of the values that are known beside the noise, such as satellites give them, in the
	// user's units and in the shape of the values: 0 or more. Those of missing values do not count. nil: none are known.
	Errors Source

	// Grid holds the points, factor by factor.
	Grid Grid

	// Times are those of the examples, n_ξ, in any unit and order; equal ones are allowed. With them
	// the latent variables are Gaussian processes in time: close examples are alike, and there are
	// predictions for other times. nil: examples are independent.
	Times []float64

	// Sequences are labels of the examples, n_ξ: those with different labels are independent in time.
	// nil: all belong to sequence 0.
	Sequences []int

	// Film says that the examples are the frames of a film, in order, and the grid its rows and its
	// columns of pixels, a factor each. Without Times they are 0, 1, 2, …. How the contents move is then measured
	// and taken out before the model learns, and put back in what it predicts.
	Film bool

	// Hide tells what will be missing of examples to be filled in: lists of n_s·d_y values, point by point,
	// true where one is missing. The choice of a model hides the same of training examples. nil: not known.
	Hide [][]bool

	// Inputs are those of the examples where these are runs of a simulator: Emulate learns to predict the runs from them. nil: none are known.
	Inputs *Inputs
}

// Inputs are what is known of the runs of a simulator beforehand, and of what an Emulator predicts: a table, fields, or both.
type Inputs struct {
	Columns []InputColumn // of the table, each with a value for every run
	Fields  field.Source  // an array for every run, such as a map of conductivities; nil: none

	// Run names a run in messages, such as by the line of a file; nil: by its number from 0.
	Run func(run int) string
}

// An InputColumn is a column of the table: its Name, and Numbers in any unit or Labels of categories, n each. Dates are numbers, such as days.
type InputColumn = emulator.Column

// InputError reports an input that cannot be used: its Run, counted from 0 (−1: it is about the column), the Place of that, if the Inputs name it, the Column by its name or by its
// number from 1, what was found and what was wanted.
type InputError = emulator.InputError

// What data are made of, and what can be wrong with them, with settings and with files. Package field declares it.
type (
	Source      = field.Source      // examples, some at a time
	Grid        = field.Grid        // spatial points: the product of the point sets of its factors
	Instant     = field.Instant     // a time in a sequence
	ConfigError = field.ConfigError // a setting or an argument that cannot be used
	ValueError  = field.ValueError  // a datum that cannot be used
	ReadError   = field.ReadError   // a source that failed
	FileError   = field.FileError   // a model file or a checkpoint that cannot be used
	Outlier     = field.Outlier     // an observed value that nothing around it explains

	// FactorizationError says which factor's matrix could not be decomposed.
	FactorizationError = field.FactorizationError
)

// NewSource returns the examples in a slice as a source: values[(i·points+j)·channels+c]
// is channel c of example i at point j. The slice is shared, and its numbers
// become float64 only while they are needed. It panics if the sizes do not fit.
func NewSource[T uint8 | uint16 | float32 | float64](values []T, examples, points, channels int) Source {
	return field.NewSource(values, examples, points, channels)
}

// InMemory reads all examples of a source into memory, with the precision of a float32.
func InMemory(ctx context.Context, examples Source) (Source, error) {
	return data.InMemory(ctx, examples)
}

// SourceOf returns some of the examples of a source, in the order of their numbers.
func SourceOf(examples Source, numbers []int) Source {
	return field.Subset{Examples: examples, Numbers: numbers}
}

// checked returns copies of grid, times and labels, and the data as a source whose sizes fit them.
func (d Data) checked() (Data, error) {
	if d.Inputs != nil {
		return d, &ConfigError{Field: "Inputs", Err: fmt.Errorf("known inputs, expected none: Emulate learns from them")}
	}
	if len(d.Grid) == 0 {
		return d, &ConfigError{Field: "Grid", Err: fmt.Errorf("no spatial factor")}
	}
	var grid Grid
	for f, x := range d.Grid {
		if x.Rows < 1 || x.Cols < 1 {
			return d, &ConfigError{Field: "Grid", Err: fmt.Errorf("spatial factor %d: points are %d×%d, expected at least one point of one dimension", f, x.Rows, x.Cols)}
		}
		if i, j, bad := mat.NonFinite(x); bad {
			return d, &ConfigError{Field: "Grid", Err: fmt.Errorf("spatial factor %d: point %d, dimension %d: coordinate %v, expected a finite number", f, i, j, x.At(i, j))}
		}
		grid = append(grid, x.Clone())
	}
	d.Grid = grid
	if err := d.checkSource(); err != nil {
		return d, err
	}
	n, _, _ := d.Source.Dims()
	if d.Film && d.Times == nil {
		for i := range n {
			d.Times = append(d.Times, float64(i))
		}
	}
	switch {
	case d.Times != nil:
		if err := data.CheckInstants(d.Times, d.Sequences, n); err != nil {
			return d, &ConfigError{Field: "Times", Err: err}
		}
		d.Times = append([]float64{}, d.Times...)
		if d.Sequences != nil {
			d.Sequences = append([]int{}, d.Sequences...)
		}
	case d.Sequences != nil:
		return d, &ConfigError{Field: "Sequences", Err: fmt.Errorf("labels of sequences without times, expected a time for each example")}
	}
	return d, nil
}

// checkSource sets Source, and checks its sizes.
func (d *Data) checkSource() error {
	ns := d.Grid.Len()
	if d.Source == nil {
		if d.Examples < 1 || d.Y.Cols < 1 || d.Y.Rows != d.Examples*ns {
			return &ConfigError{Field: "Data", Err: fmt.Errorf("values are %d×%d, expected %d examples × %d points = %d rows and at least one channel", d.Y.Rows, d.Y.Cols, d.Examples, ns, d.Examples*ns)}
		}
		d.Source = field.MatrixSource(d.Y, d.Examples)
		d.Y, d.Examples = mat.Matrix{}, 0 // so that data may be checked again
	} else if d.Examples != 0 || d.Y.Rows != 0 {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("%d examples and %d×%d values beside a source, expected one of the two", d.Examples, d.Y.Rows, d.Y.Cols)}
	}
	n, points, channels := d.Source.Dims()
	if n < 1 || channels < 1 || points != ns {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("the source has %d examples of %d points and %d channels, expected at least one example, %d points and at least one channel", n, points, channels, ns)}
	}
	if channels > math.MaxInt/8/points/n {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("%d examples × %d points × %d channels, expected at most %d numbers", n, points, channels, math.MaxInt/8)}
	}
	return nil
}

// set returns the data, checked, as a run works on them.
func (d Data) set() (set rounds.Set, err error) {
	if d, err = d.checked(); err != nil {
		return set, err
	}
	set.Source, set.Errors, set.Grid, set.Times, set.Sequences, set.Film, set.Hide = d.Source, d.Errors, d.Grid, d.Times, d.Sequences, d.Film, d.Hide
	return set, nil
}

// incomplete reports whether values are missing or have errors of their own.
func incomplete(d rounds.Set) (bool, error) {
	if some, err := data.CheckErrors(d.Errors, d.Source); some || err != nil {
		return some, err
	}
	n, points, channels := d.Source.Dims()
	y, missing := data.Scaled{Source: d.Source, Examples: n, Points: points, Channels: channels}, false
	err := y.EachSlab(func(slab []float64, _ int) error {
		missing = missing || slices.ContainsFunc(slab, math.IsNaN)
		return nil
	})
	return missing, err
}
