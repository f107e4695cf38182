package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/table"
)

// Inputs are those of runs of a simulator, from files.
type Inputs struct {
	sgplvm.Inputs
	Notes []string // sentences that a user should read
	files []*Training
}

// Close closes the files of fields.
func (in *Inputs) Close() {
	for _, t := range in.files {
		t.Close()
	}
}

// LoadInputs reads inputs of runs, a run a row: of names of files, separated by commas, a table of text (.csv, .tsv, .txt), whose columns are numbers, dates
// (which become days since 1970-01-01) or labels, and whatever [OpenWith] takes as a table or as pictures, which are fields. Of a table of text columns tells which
// count, as [SetOptions] do; "": all but a first one that counts the runs. like, if not nil, are the
// columns that an emulator has: columns are found by their names, and others are left out. Errors: [*Error].
func LoadInputs(paths, columns string, like []sgplvm.EmulatorInput) (*Inputs, error) {
	in := &Inputs{}
	for path := range strings.SplitSeq(paths, ",") {
		read := in.open
		if IsText(path) {
			read = func(path string) error { return in.text(path, columns, like) }
		}
		if err := read(path); err != nil {
			in.Close()
			return nil, err
		}
	}
	return in, nil
}

// text adds the columns of a table of text.
func (in *Inputs) text(path, columns string, like []sgplvm.EmulatorInput) error {
	t, err := readTable(path, SetOptions{TimeColumn: "none", headed: true}, true)
	if err != nil {
		return err
	}
	if in.Run == nil {
		in.Run = func(i int) string { return fmt.Sprintf("%s, line %d", path, t.Line(i)) }
	}
	list, err := t.Find(columns)
	if err != nil {
		return tableError(path, err)
	}
	for k := 0; columns == "" && k < t.Width(); k++ {
		why := ""
		switch {
		case slices.ContainsFunc(like, func(c sgplvm.EmulatorInput) bool { return c.Name != "" && c.Name == nameOf(t, k) }):
		case k == 0 && len(like) != t.Width() && t.CountsRuns():
			why = "counts the runs"
		case isErrors(t, k):
			continue
		case !t.Present(k) && like == nil:
			why = "has no value"
		}
		if why == "" {
			list = append(list, k)
		} else if like == nil {
			in.note("%s: column %s %s and is no input", path, t.Name(k), why)
		}
	}
	for q, k := range list {
		if name := nameOf(t, k); name != "" && slices.ContainsFunc(list[:q], func(o int) bool { return nameOf(t, o) == name }) {
			return &Error{Path: path, Found: "two columns " + quote.Text(name), Want: "a name of its own for each input"}
		}
	}
	switch {
	case like == nil:
		like = make([]sgplvm.EmulatorInput, len(list))
		for q, k := range list {
			like[q].Name = nameOf(t, k)
		}
	case t.Names == nil || like[0].Name == "":
		if (t.Names == nil) != (like[0].Name == "") {
			in.note("%s: columns are taken in their order: only one of the runs' inputs and these have names", path)
		}
	default:
		if list, err = namedLike(path, t, like); err != nil {
			return err
		}
	}
	for q, k := range list {
		c := sgplvm.EmulatorInput{}
		if q < len(like) {
			c = like[q]
		}
		column, err := inputOf(path, t, k, c)
		if err == nil && column.Numbers != nil {
			column.Errors, err = errorsOf(path, t, column.Name)
		}
		if err != nil {
			return err
		}
		in.Columns = append(in.Columns, column)
	}
	return nil
}

func (in *Inputs) note(format string, args ...any) {
	in.Notes = append(in.Notes, fmt.Sprintf(format, args...))
}

// errorSuffix ends the name of a column with the standard errors of another, as in "depth ±" for "depth".
const errorSuffix = " ±"

// isErrors tells whether a column has the standard errors of another.
func isErrors(t *table.Table, k int) bool {
	of, is := strings.CutSuffix(nameOf(t, k), errorSuffix)
	return is && slices.Contains(t.Names, of)
}

// errorsOf returns the standard errors of the column of a name, nil where the table has none; an empty cell is 0.
func errorsOf(path string, t *table.Table, name string) ([]float64, error) {
	k := slices.Index(t.Names, name+errorSuffix)
	if k < 0 || name == "" {
		return nil, nil
	}
	values, err := t.Numbers([]int{k})
	for i, v := range values {
		if v != v {
			values[i] = 0
		}
	}
	return values, tableError(path, err)
}

// nameOf is the name of a column, "" where it has none.
func nameOf(t *table.Table, k int) string {
	if t.Names == nil {
		return ""
	}
	if t.Names[k] == "" {
		return fmt.Sprintf("column %d", k+1)
	}
	return t.Names[k]
}

// namedLike returns the columns that an emulator has, in its order; −1 stands for one that tells nothing and is not there.
func namedLike(path string, t *table.Table, like []sgplvm.EmulatorInput) ([]int, error) {
	var list []int
	for _, want := range like {
		at := -1
		for k := range t.Width() {
			if nameOf(t, k) == want.Name {
				at = k
			}
		}
		if at < 0 && want.Dropped == "" {
			return nil, &Error{Path: path, Found: "no column " + quote.Text(want.Name), Want: "the columns of the runs"}
		}
		list = append(list, at)
	}
	return list, nil
}

// inputOf returns column k of a table of text, for one like that of an emulator: of labels, if that has some.
func inputOf(path string, t *table.Table, k int, like sgplvm.EmulatorInput) (sgplvm.InputColumn, error) {
	c := sgplvm.InputColumn{Name: like.Name}
	switch {
	case k < 0 && like.Levels != nil:
		c.Labels = slices.Repeat(like.Levels[:1], t.Rows)
		return c, nil
	case k < 0:
		c.Numbers = slices.Repeat([]float64{like.Low}, t.Rows)
		return c, nil
	}
	var err error
	switch kind := t.Kind(k); {
	case like.Levels != nil || kind == table.Word:
		c.Labels = t.Texts(k)
	case kind == table.Date:
		c.Numbers, err = t.Dates(k)
	default:
		c.Numbers, err = t.Numbers([]int{k})
		if bad := (*table.Error)(nil); errors.As(err, &bad) {
			bad.Want = "a number, as in most of the column"
		}
	}
	return c, tableError(path, err)
}

// OpenRuns is [OpenWith] of runs of a simulator, of which an array of one axis is a table of one column.
func OpenRuns(path string, o SetOptions) (*Training, error) {
	t, err := OpenWith(path, o)
	if err != nil && o.Layout == (Layout{}) {
		o.Layout = single
		if line, failed := OpenWith(path, o); failed == nil {
			line.Table = true
			return line, nil
		}
	}
	return t, err
}

// open adds the columns of a table of numbers, or fields.
func (in *Inputs) open(path string) error {
	t, err := OpenRuns(path, SetOptions{})
	if err != nil {
		return err
	}
	n, points, channels := t.Dims()
	if !t.Table {
		if in.Fields != nil {
			t.Close()
			return &Error{Path: path, Found: "a second array of fields", Want: "one: several fields of a run can be its channels"}
		}
		in.Fields, in.files = t, append(in.files, t)
		return nil
	}
	defer t.Close()
	values := make([]float64, n*points*channels)
	if err := t.ReadExamples(values, 0, n); err != nil {
		return err
	}
	width := points * channels
	for q := range width {
		c := sgplvm.InputColumn{Numbers: make([]float64, n)}
		if q < len(t.Columns) {
			c.Name = t.Columns[q]
		}
		for i := range n {
			c.Numbers[i] = values[i*width+q]
		}
		in.Columns = append(in.Columns, c)
	}
	return nil
}

// Place names the cell of a table of text that has the value of a column of an example, a row each; "" where the values come from no such table.
func (f *Form) Place(example, column int) string {
	if f.text == nil || f.text.at != nil || column >= len(f.text.values) || !f.Table {
		return ""
	}
	return fmt.Sprintf("line %d, column %s", f.text.Line(example), f.text.Name(f.text.values[column]))
}
