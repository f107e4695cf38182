package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Inputs are those of runs of a simulator, from files.
type Inputs struct {
	sgplvm.Inputs
	files []*Training
}

// Close closes the files of fields.
func (in *Inputs) Close() {
	for _, t := range in.files {
		t.Close()
	}
}

// LoadInputs reads inputs of runs, a run a row: of names of files, separated by commas, a table of text (.csv, .tsv, .txt), whose columns are numbers, dates
// (which become days since 1970-01-01) or labels, and whatever [OpenWith] takes as a table or as pictures, which are fields. like, if not nil, are the
// columns that an emulator has: columns are found by their names, and others are left out. Errors: [*Error].
func LoadInputs(paths string, like []sgplvm.EmulatorInput) (*Inputs, error) {
	in := &Inputs{}
	for path := range strings.SplitSeq(paths, ",") {
		read := in.open
		if IsText(path) {
			read = func(path string) error { return in.text(path, like) }
		}
		if err := read(path); err != nil {
			in.Close()
			return nil, err
		}
	}
	return in, nil
}

// text adds the columns of a table of text.
func (in *Inputs) text(path string, like []sgplvm.EmulatorInput) error {
	columns, err := readInputs(path)
	if err == nil {
		columns, err = matched(path, columns, like)
	}
	for _, c := range columns {
		if err != nil {
			break
		}
		var column sgplvm.InputColumn
		column, err = c.typed(path, like)
		in.Columns = append(in.Columns, column)
	}
	return err
}

// open adds the columns of a table of numbers, or fields.
func (in *Inputs) open(path string) error {
	t, err := OpenWith(path, SetOptions{})
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

// A textColumn is a column of a table of text.
type textColumn struct {
	name  string
	cells []string
	lines []int // of the file
}

// readInputs reads a table of text.
func readInputs(path string) ([]textColumn, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err, Want: "a table of inputs"}
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.TrimLeadingSpace = separator(text), true
	var columns []textColumn
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, &Error{Path: path, Found: quote.Cause(err).Error(), Want: "a table, a run a row, of as many values in each"}
		}
		line, _ := r.FieldPos(0)
		if columns == nil {
			columns = make([]textColumn, len(record))
			if named(record) {
				if err := nameInputs(path, columns, record); err != nil {
					return nil, err
				}
				continue
			}
		}
		for q, cell := range record {
			c := &columns[q]
			if cell = strings.TrimSpace(cell); r.Comma != ',' && decimalComma.MatchString(cell) {
				cell = strings.Replace(cell, ",", ".", 1)
			}
			c.cells, c.lines = append(c.cells, cell), append(c.lines, line)
		}
	}
	if len(columns) == 0 || len(columns[0].cells) == 0 {
		return nil, &Error{Path: path, Found: "no row", Want: "a table, a run a row"}
	}
	return columns, nil
}

// decimalComma is a number with a comma for its point, as in tables that another character separates.
var decimalComma = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?$`)

// nameInputs names columns by a first line: an empty name, such as that of an index, is its number.
func nameInputs(path string, columns []textColumn, record []string) error {
	for q, name := range record {
		if name = strings.TrimSpace(name); name == "" {
			name = fmt.Sprintf("column %d", q+1)
		}
		if slices.ContainsFunc(columns[:q], func(c textColumn) bool { return c.name == name }) {
			return &Error{Path: path, Found: fmt.Sprintf("two columns %s", quote.Text(name)), Want: "a name of its own for each input"}
		}
		columns[q].name = name
	}
	return nil
}

// separator is that of the first line: a tab, a semicolon or a comma.
func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, c := range "\t;" {
		if bytes.ContainsRune(first, c) {
			return c
		}
	}
	return ','
}

// named tells whether a first line has names: no number and no date.
func named(record []string) bool {
	return !slices.ContainsFunc(record, func(s string) bool {
		_, isNumber := inputNumber(s)
		_, isDate := inputDate(s)
		return isNumber || isDate
	})
}

func inputNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v, err == nil
}

func inputDate(s string) (float64, bool) {
	units, err := ParseTimeUnits("days since 1970-01-01", "")
	if err != nil {
		return 0, false
	}
	v, err := units.Time(strings.TrimSpace(s))
	return v, err == nil
}

// matched returns the columns that an emulator has, in its order.
func matched(path string, columns []textColumn, like []sgplvm.EmulatorInput) ([]textColumn, error) {
	if like == nil || columns[0].name == "" || slices.ContainsFunc(like, func(c sgplvm.EmulatorInput) bool { return c.Name == "" }) {
		return columns, nil
	}
	var list []textColumn
	for _, want := range like {
		at := slices.IndexFunc(columns, func(c textColumn) bool { return c.name == want.Name })
		if at < 0 {
			if want.Dropped != "" { // which tells nothing
				constant := textColumn{name: want.Name}
				for range columns[0].cells {
					constant.cells, constant.lines = append(constant.cells, constantCell(want)), append(constant.lines, 0)
				}
				list = append(list, constant)
				continue
			}
			return nil, &Error{Path: path, Found: "no column " + quote.Text(want.Name), Want: "the columns of the runs"}
		}
		list = append(list, columns[at])
	}
	return list, nil
}

// constantCell is a value of a column that counts for nothing.
func constantCell(c sgplvm.EmulatorInput) string {
	if c.Levels != nil {
		return c.Levels[0]
	}
	return strconv.FormatFloat(c.Low, 'g', -1, 64)
}

// typed finds out whether a column has numbers, dates or labels; like, if not nil, says which columns have labels.
func (c *textColumn) typed(path string, like []sgplvm.EmulatorInput) (sgplvm.InputColumn, error) {
	column := sgplvm.InputColumn{Name: c.name}
	for _, l := range like {
		if l.Name == c.name && l.Name != "" && l.Levels != nil {
			column.Labels = c.cells
			return column, nil
		}
	}
	numbers, dates := make([]float64, len(c.cells)), make([]float64, len(c.cells))
	areNumbers, areDates, bad := 0, 0, 0
	for i, cell := range c.cells {
		v, ok := inputNumber(cell)
		if cell == "" || ok && math.IsNaN(v) {
			return column, c.refuse(path, i, "a value: inputs of all runs must be known")
		}
		if ok && v-v == 0 {
			areNumbers++
		} else {
			bad = i
		}
		numbers[i] = v
		if dates[i], ok = inputDate(cell); ok {
			areDates++
		}
	}
	switch n := len(c.cells); {
	case areNumbers == n:
		column.Numbers = numbers
	case areDates == n:
		column.Numbers = dates
	case 2*areNumbers > n:
		return column, c.refuse(path, bad, "a finite number, as most of the column are")
	default:
		column.Labels = c.cells
	}
	return column, nil
}

// refuse reports a cell.
func (c *textColumn) refuse(path string, i int, want string) error {
	return &Error{Path: path, Place: fmt.Sprintf("line %d, column %s", c.lines[i], quote.Text(c.name)), Found: quote.Text(c.cells[i]), Want: want}
}
