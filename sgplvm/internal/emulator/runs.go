package emulator

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// Runs are the inputs of runs of a simulator: sgplvm.Inputs.
type Runs struct {
	Columns []Column     // of the table, each with a value for every run
	Fields  field.Source // an array for every run, such as a map of conductivities; nil: none

	// Run names a run in messages, such as by the line of a file; nil: by its number from 0.
	Run func(run int) string
}

func (in *Runs) run(i int) string {
	if in.Run == nil {
		return fmt.Sprintf("run %d", i)
	}
	return in.Run(i)
}

// Placed names the run that an error is about.
func (in *Runs) Placed(err error) error {
	if bad := (*InputError)(nil); errors.As(err, &bad) && bad.Run >= 0 && in.Run != nil {
		bad.Place = in.Run(bad.Run)
	}
	return err
}

// unknown returns the inputs without numbers that are judged to be so far outside the others that they stand for something else, how many inputs of each run are not
// known, by NaN or by an empty label, and the first of them in words.
func (in *Runs) unknown(judge bool) (known *Runs, lacks []int, list []string) {
	n, _ := in.Count()
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

// Count returns the number of runs. Errors: *field.ConfigError where parts differ.
func (in *Runs) Count() (int, error) {
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
func (in *Runs) of(runs []int) *Runs {
	some := &Runs{Run: func(i int) string { return in.run(runs[i]) }}
	for q := range in.Columns {
		some.Columns = append(some.Columns, in.Columns[q].Of(runs))
	}
	if in.Fields != nil {
		some.Fields = field.Subset{Examples: in.Fields, Numbers: runs}
	}
	return some
}

// Usable leaves out runs of which no output was observed or no input is known, and says so, and of which runs an input is not known.
func (in *Runs) Usable(y field.Source, keep bool) (*Runs, field.Source, []string, error) {
	n, points, channels := y.Dims()
	values := make([]float64, points*channels)
	in, lacks, unknown := in.unknown(!keep)
	var good []int
	var lacking, unknowing, empty []string
	for i := range n {
		if err := y.ReadExamples(values, i, i+1); err != nil {
			return in, y, nil, &field.ReadError{From: i, To: i + 1, Err: err}
		}
		switch {
		case !slices.ContainsFunc(values, func(v float64) bool { return v == v }):
			empty = append(empty, in.run(i))
			continue
		case in.Fields == nil && lacks[i] == len(in.Columns):
			unknowing = append(unknowing, unknown[i])
			continue
		case lacks[i] > 0:
			lacking = append(lacking, unknown[i])
		}
		good = append(good, i)
	}
	var notes []string
	for _, some := range []struct {
		runs []string
		what string
	}{{lacking, "an input is not known: it is inferred from their outputs"}, {unknowing, "no input is known, are left out"}, {empty, "no output was observed, are left out"}} {
		if len(some.runs) > 0 {
			const named = 5
			more := ""
			if len(some.runs) > named {
				more = ", …"
			}
			notes = append(notes, fmt.Sprintf("%d of %d runs, of which %s: %s%s", len(some.runs), n, some.what, strings.Join(some.runs[:min(named, len(some.runs))], "; "), more))
		}
	}
	if len(good) < 3 {
		return in, y, nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("%s with inputs and outputs, expected at least 3%s", quote.Counted(len(good), "run"), strings.Join(append([]string{""}, notes...), "; "))}
	}
	if len(good) == n {
		return in, y, notes, nil
	}
	return in.of(good), field.Subset{Examples: y, Numbers: good}, notes, nil
}

// Digest returns a checksum of the inputs. Errors: *field.ReadError.
func (in *Runs) Digest() (string, error) {
	sum := sha256.New()
	for _, c := range in.Columns {
		fmt.Fprintf(sum, "%q %v %v %q\n", c.Name, c.Numbers, c.Errors, c.Labels)
	}
	if in.Fields == nil {
		return fmt.Sprintf("%x", sum.Sum(nil)), nil
	}
	fields, err := data.Digest(in.Fields)
	return fmt.Sprintf("%x %s", sum.Sum(nil), fields), err
}

// Exactly returns ξ of inputs, which must be known exactly.
func (in *Runs) Exactly(m *Model) (mat.Matrix, error) {
	x, errs, err := in.Coordinates(m)
	if err == nil && errs.Rows > 0 {
		err = &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("of which some are not known exactly, expected exact ones")}
	}
	return x, err
}

// Coordinates returns ξ of inputs of a model and their errors. Errors: *field.ConfigError, *InputError, *field.ValueError, *field.ReadError.
func (in *Runs) Coordinates(m *Model) (x, errs mat.Matrix, err error) {
	n, err := in.Count()
	if err != nil {
		return x, errs, err
	}
	fields := m.Fields
	switch {
	case (fields == nil) != (in.Fields == nil):
		return x, errs, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("fields where the runs have none, or none where they have some")}
	case fields != nil:
		if _, points, channels := in.Fields.Dims(); points != fields.Points || channels != len(fields.Scaler.Mean) {
			return x, errs, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("fields of %s and %s, expected %d and %d as the runs have",
				quote.Counted(points, "point"), quote.Counted(channels, "channel"), fields.Points, len(fields.Scaler.Mean))}
		}
	}
	x, errs, err = m.Coordinates(in.Columns, in.Fields, n)
	return x, errs, in.Placed(err)
}
