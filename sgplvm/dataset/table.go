package dataset

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/table"
)

// TableEndings are the endings of the names of tables of text.
var TableEndings = []string{".csv", ".tsv", ".tab", ".txt", ".dat", ".cnv"}

// IsText tells whether a file is a table of text, by its name or, under a name that says nothing, by how it begins.
func IsText(path string) bool {
	if isKind(path, TableEndings) {
		return true
	}
	other := isKind(path, []string{".npy"}) || isKind(path, npzEndings) || isKind(path, netcdfEndings) || formatOf(path) != nil
	return !other && table.Is(string(begin(path, 1<<12)))
}

// readTable reads a table of text.
func readTable(path string, o SetOptions, numbersOnly bool) (*table.Table, error) {
	if foreign := foreignError(path); foreign != nil {
		return nil, foreign
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	defer file.Close()
	var text strings.Builder
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < math.MaxInt {
		text.Grow(int(info.Size()))
	}
	if _, err := io.Copy(&text, file); err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	t, err := table.Read(text.String(), table.Options{Columns: o.Columns, Labels: o.Labels, Time: o.TimeColumn, Layout: o.TimeFormat, Missing: o.MissingWord, NumbersOnly: numbersOnly, Headed: o.headed})
	return t, tableError(path, err)
}

// readNumbers reads the columns of numbers of a table, n×d, or the times of one that has nothing else.
func readNumbers(path string) (*npy.Array, error) {
	t, err := readTable(path, SetOptions{TimeColumn: "none"}, true)
	if err != nil {
		return nil, err
	}
	if t.Count() == 0 {
		return nil, tableError(path, t.NoValues())
	}
	values, err := t.Numbers(t.Values)
	if err != nil {
		return nil, tableError(path, err)
	}
	return npy.New(values, t.Rows, t.Count()), nil
}

// loadTable loads a table of text: an example in a row, or a value in a row where its columns say so and neither a grid nor points are given.
func loadTable(path string, o SetOptions, points int) (*Set, error) {
	t, err := readTable(path, o, points > 0)
	if err != nil {
		return nil, err
	}
	if t.Names != nil && o.Columns == "" {
		if err := t.Choose(o.Names); err != nil {
			return nil, tableError(path, err)
		}
	}
	t.KeepEmpty(o.known)
	if t.Count() == 0 {
		return nil, tableError(path, t.NoValues())
	}
	var s *Set
	if points == 0 && o.Width == 0 && o.Height == 0 {
		if s, err = loadLong(path, t, o); err != nil {
			return nil, err
		}
	}
	if s == nil {
		if s, err = loadWide(path, t, o, points); err != nil {
			return nil, err
		}
		t.Describe()
	}
	for _, note := range t.Notes {
		s.note("%s", note)
	}
	if t.Dated {
		s.Units = sinceEpoch
	}
	return s, nil
}

// loadWide makes examples of rows.
func loadWide(path string, t *table.Table, o SetOptions, points int) (*Set, error) {
	if t.Guessed && (!t.Rising() || t.Time[0] > 0 && t.Rows < 10 || points > 0) {
		t.DropTime()
	}
	if first, second, twice := t.Repeated(); twice {
		if o.TimeColumn != "" || slices.IsSorted(t.Times) && !t.FewTimes() {
			return nil, &Error{Path: path, Place: fmt.Sprintf("lines %d and %d", t.Line(first), t.Line(second)), Found: "the same time twice",
				Want: fmt.Sprintf("each once (sed %dd leaves the second out), or a column that tells such rows apart; -time-column none takes no column as the time", t.Line(second))}
		}
		t.DropTime()
	}
	shape := []int{t.Rows, t.Count()}
	var form Form
	var err error
	if points > 0 {
		form, err = formAt(path, shape, npy.Float64, points, o.Layout.Channels)
	} else {
		form, err = formOf(path, shape, npy.Float64, o.Layout)
	}
	if err != nil {
		return nil, err
	}
	values, err := t.Numbers(t.Values)
	if err != nil {
		return nil, tableError(path, err)
	}
	if form.Table && t.Names != nil {
		for _, k := range t.Values {
			form.Columns = append(form.Columns, t.Names[k])
		}
	}
	form.Times = t.Times
	s := &Set{Form: form, Values: values}
	if o.Levels && form.Table && t.Names != nil {
		s.addLevels(t)
	}
	s.text = &textTable{Table: t, values: t.Values, total: len(s.Values)}
	return s, nil
}

// isTableOf tells whether results can have the form of the table that the values come from.
func (f *Form) isTableOf(values []float64) bool { return f.text != nil && f.text.total == len(values) }

// WriteErrors writes the standard errors of a completed table, to three digits, in the form of the table; 0 where a value was observed. [Form.FromText] tells whether it is one.
func (s *Set) WriteErrors(w io.Writer, r *Filled) error {
	return s.text.write(w, r.deviations(), table.Result{Exact: true, Precision: 3})
}

// FromText tells whether the values come from a table of text, which results can have the form of.
func (f *Form) FromText() bool { return f.text != nil }
