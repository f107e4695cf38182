package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// Inputs are what is known of the runs of a simulator beforehand, and of what an Emulator predicts: a table, fields, or both.
type Inputs struct {
	Columns []InputColumn // of the table, each with a value for every run
	Fields  field.Source  // an array for every run, such as a map of conductivities; nil: none

	// Run names a run in messages, such as by the line of a file; nil: by its number from 0.
	Run func(run int) string
}

func (in *Inputs) run(i int) string {
	if in.Run == nil {
		return fmt.Sprintf("run %d", i)
	}
	return in.Run(i)
}

// placed names the run that an error is about.
func (in *Inputs) placed(err error) error {
	if bad := (*InputError)(nil); errors.As(err, &bad) && bad.Run >= 0 && in.Run != nil {
		bad.Place = in.Run(bad.Run)
	}
	return err
}

// unknown returns the inputs without numbers that are judged to be so far outside the others that they stand for something else, how many inputs of each run are not
// known, by NaN or by an empty label, and the first of them in words.
func (in *Inputs) unknown(judge bool) (known *Inputs, lacks []int, list []string) {
	n, _ := in.count()
	k := *in
	k.Columns, lacks, list = slices.Clone(in.Columns), make([]int, n), make([]string, n)
	for q := range k.Columns {
		c := &k.Columns[q]
		say := func(i int, format string, args ...any) {
			if lacks[i]++; lacks[i] == 1 {
				list[i] = in.run(i) + ", input " + c.Title(q) + fmt.Sprintf(format, args...)
			}
		}
		for i, label := range c.Labels {
			if label == "" {
				say(i, ": no label")
			}
		}
		known := slices.Clone(c.Numbers)
		for i, v := range known {
			if v != v {
				say(i, ": NaN")
			} else if math.IsInf(v, 0) { // which is refused later
				known[i] = math.NaN()
			}
		}
		if !judge || known == nil {
			continue
		}
		c.Numbers = slices.Clone(c.Numbers)
		for _, v := range outlier.Find(outlier.Examples{Y: mat.Vector(known), Channels: 1}) {
			say(v.Example, ": %v lies far outside the others, %.3g standard deviations away", c.Numbers[v.Example], v.Score)
			c.Numbers[v.Example] = math.NaN()
		}
	}
	return &k, lacks, list
}

// An InputColumn is a column of the table: its Name, and Numbers in any unit or Labels of categories, n each. Dates are numbers, such as days.
type InputColumn = emulator.Column

// InputError reports an input that cannot be used: its Run, counted from 0 (−1: it is about the column), the Place of that, if the Inputs name it, the Column by its name or by its
// number from 1, what was found and what was wanted.
type InputError = emulator.InputError

// count returns the number of runs. Errors: *ConfigError where parts differ.
func (in *Inputs) count() (int, error) {
	n := -1
	for q := range in.Columns {
		c := &in.Columns[q]
		if c.Numbers != nil && c.Labels != nil {
			return 0, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("column %d has numbers and labels, expected one of the two", q+1)}
		}
		if n >= 0 && c.Len() != n {
			return 0, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("column %d has %s, expected %d as the first", q+1, quote.Counted(c.Len(), "value"), n)}
		}
		n = c.Len()
	}
	if in.Fields != nil {
		fields, points, channels := in.Fields.Dims()
		if points < 1 || channels < 1 || fields < 1 {
			return 0, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("%d fields of %d points and %d channels, expected at least one of each", fields, points, channels)}
		}
		if n >= 0 && fields != n {
			return 0, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("%d fields beside a table of %d rows, expected as many", fields, n)}
		}
		n = fields
	}
	if n < 1 {
		return 0, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("no input, expected a column or fields")}
	}
	return n, nil
}

// of returns the inputs of some runs.
func (in *Inputs) of(runs []int) *Inputs {
	some := &Inputs{Run: func(i int) string { return in.run(runs[i]) }}
	for q := range in.Columns {
		some.Columns = append(some.Columns, in.Columns[q].Of(runs))
	}
	if in.Fields != nil {
		some.Fields = field.Subset{Examples: in.Fields, Numbers: runs}
	}
	return some
}
