package dataset

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// columns are the columns of a long table by what they mean, −1 where there is none.
type columns struct {
	header                      []string
	example, time, value, error int
	coordinates                 []int
}

var (
	exampleColumns = []string{"example", "sample", "frame", "member", "series"}
	timeColumns    = []string{"time", "date"}
	errorColumns   = []string{"standard_error", "stderr"}
)

// longColumns reads the first line of a long table; ok tells that it is one.
func longColumns(header []string) (c columns, ok bool) {
	c = columns{header: slices.Clone(header), example: -1, time: -1, value: -1, error: -1}
	take := func(at *int, k int) {
		ok = ok && *at < 0
		*at = k
	}
	ok = true
	for k, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case slices.Contains(exampleColumns, name):
			take(&c.example, k)
		case slices.Contains(timeColumns, name):
			take(&c.time, k)
		case name == "value":
			take(&c.value, k)
		case slices.Contains(errorColumns, name):
			take(&c.error, k)
		default:
			c.coordinates = append(c.coordinates, k)
		}
	}
	return c, ok && c.value >= 0 && (c.example >= 0 || c.time >= 0) && len(c.coordinates) > 0 && len(c.coordinates) <= maxDimensions
}

// A longTable collects the rows of a long table.
type longTable struct {
	path string
	columns
	labels   []string // of the examples: the text of their example column, or of their time
	clocks   []string // the text of their times
	times    []float64
	units    *TimeUnits // of dates; nil: the times are numbers
	examples map[string]int
	points   map[string]int
	where    []float64 // coordinates, point by point
	cells    []cell
	key      []byte
}

// A cell is a row.
type cell struct {
	example, point int32
	value, error   float64
}

// loadLong reads a long table; long is false for a file that is none.
func loadLong(path string) (s *Set, long bool, err error) {
	if !isRegular(path) {
		return nil, false, nil
	}
	text, most, err := openText(path)
	if err != nil {
		return nil, false, &Error{Path: path, Err: err}
	}
	defer text.Close()
	r := csv.NewReader(text)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	header, err := r.Read()
	if err != nil {
		return nil, false, nil // as a plain table it is refused
	}
	c, ok := longColumns(header)
	if !ok {
		return nil, false, nil
	}
	t := &longTable{path: path, columns: c, examples: map[string]int{}, points: map[string]int{}, cells: make([]cell, 0, most/len(header)+1)}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, true, csvError(path, err)
		}
		if err := t.row(r, record); err != nil {
			return nil, true, err
		}
	}
	s, err = t.set()
	return s, true, err
}

// row takes a row.
func (t *longTable) row(r *csv.Reader, record []string) error {
	fail := func(k int, want string) error {
		line, column := r.FieldPos(k)
		return &Error{Path: t.path, Place: fmt.Sprintf("line %d, column %d (character %d)", line, k+1, column), Found: quote.Text(record[k]), Want: want}
	}
	line, _ := r.FieldPos(0)
	if len(record) != len(t.header) {
		return &Error{Path: t.path, Place: fmt.Sprintf("line %d", line), Found: quote.Counted(len(record), "value"), Want: strconv.Itoa(len(t.header)) + " as in the first line"}
	}
	c := cell{error: math.NaN()}
	t.key = t.key[:0]
	first := len(t.where)
	for _, k := range t.coordinates {
		v, ok := parseNumber(record[k])
		if !ok || math.IsNaN(v) {
			return fail(k, "a coordinate, a number"+t.pivot(k, record[k]))
		}
		if v == 0 {
			v = 0 // no −0
		}
		t.where = append(t.where, v)
		t.key = binary.BigEndian.AppendUint64(t.key, math.Float64bits(v))
	}
	point, known := t.points[string(t.key)]
	if known {
		t.where = t.where[:first]
	} else {
		point = len(t.points)
		t.points[string(t.key)] = point
	}
	example, bad, want := t.exampleOf(record)
	if want != "" {
		return fail(bad, want)
	}
	c.example, c.point = int32(example), int32(point)
	var ok bool
	if c.value, ok = parseNumber(record[t.value]); !ok {
		return fail(t.value, "a finite number, or nothing or NaN for a missing one")
	}
	if t.columns.error >= 0 {
		if c.error, ok = parseNumber(record[t.columns.error]); !ok || c.error < 0 || math.IsNaN(c.error) && !math.IsNaN(c.value) {
			return fail(t.columns.error, "a standard error of 0 or more")
		}
	}
	t.cells = append(t.cells, c)
	return nil
}

// pivot says how a table with names in place of a coordinate becomes one with a column for each name.
func (t *longTable) pivot(k int, label string) string {
	example := t.columns.example
	if example < 0 {
		example = t.time
	}
	if len(t.coordinates) > 1 || label == "" {
		return ""
	}
	script := fmt.Sprintf("import sys, pandas; pandas.read_csv(sys.argv[1]).pivot(index=%q, columns=%q, values=%q).to_csv('NEW.csv', index=False)", t.header[example], t.header[k], t.header[t.value])
	return "; with a column for each name it is a table: python3 -c '" + strings.ReplaceAll(script, "'", "\"") + "' " + ShellWord(t.path)
}

// exampleOf returns the example of a row. want is not empty where column bad is wrong.
func (t *longTable) exampleOf(record []string) (example, bad int, want string) {
	at := t.columns.example
	if at < 0 {
		at = t.time
	}
	label := strings.TrimSpace(record[at])
	if label == "" {
		return 0, at, "the example of the value"
	}
	clock := ""
	if t.time >= 0 {
		clock = strings.TrimSpace(record[t.time])
	}
	example, known := t.examples[label]
	if known {
		if t.time >= 0 && clock != t.clocks[example] {
			return 0, t.time, fmt.Sprintf("%s, the time of example %s in an earlier row", quote.Text(t.clocks[example]), quote.Text(label))
		}
		return example, 0, ""
	}
	if t.time >= 0 {
		time, ok := t.parseTime(clock)
		if !ok {
			return 0, t.time, "a time: a number, or a date such as 1990-01-31 or 1990-01-31 12:00:00, as in the other rows"
		}
		t.times, t.clocks = append(t.times, time), append(t.clocks, strings.Clone(clock))
	}
	label = strings.Clone(label)
	t.examples[label] = len(t.labels)
	t.labels = append(t.labels, label)
	return len(t.labels) - 1, 0, ""
}

// parseTime reads a number or a date, of the kind of the first.
func (t *longTable) parseTime(s string) (float64, bool) {
	if t.units == nil {
		if v, ok := parseNumber(s); ok && !math.IsNaN(v) {
			return v, true
		} else if len(t.times) > 0 {
			return 0, false
		}
		t.units = sinceEpoch
	}
	v, err := t.units.Time(s)
	return v, err == nil
}

// sparse is how many places a row may make at most, beyond a few.
const sparse = 16

// set makes examples and points of the rows.
func (t *longTable) set() (*Set, error) {
	fail := func(found, want string) (*Set, error) { return nil, &Error{Path: t.path, Found: found, Want: want} }
	n, points, dims := len(t.labels), len(t.points), len(t.coordinates)
	if len(t.cells) == 0 {
		return fail("no row", "rows of examples, coordinates and values")
	}
	s := &Set{Form: Form{Name: t.path, Count: n, Layout: Layout{Width: points, Height: 1, Channels: 1}, Scattered: true, Type: npy.Float64, Times: t.times}, Units: t.units}
	for _, k := range t.coordinates {
		s.coordinates = append(s.coordinates, strings.TrimSpace(t.header[k]))
	}
	order := make([]int, points)
	for i := range order {
		order[i] = i
	}
	s.Grid = factor(t.where, dims)
	if dims == 2 {
		t.findGrid(s, order)
	}
	if s.Points() > maxPoints || float64(n)*float64(s.Points()) > max(sparse*float64(len(t.cells)), 1<<16) {
		return fail(fmt.Sprintf("%d rows of %s at %s", len(t.cells), quote.Counted(n, "example"), quote.Counted(s.Points(), "point")), fmt.Sprintf("the same points in all examples, at least a value in %d of them", sparse))
	}
	s.Shape = []int{n, s.Points()}
	if !s.Scattered {
		s.Shape = []int{n, s.Height, s.Width}
	}
	s.Values = nans(n * s.Points())
	if t.columns.error >= 0 {
		s.Errors = nans(n * s.Points())
	}
	seen := make([]bool, len(s.Values))
	for _, c := range t.cells {
		at := int(c.example)*s.Points() + order[c.point]
		if seen[at] {
			return fail(fmt.Sprintf("two rows of example %s at the point %v", quote.Text(t.labels[c.example]), t.where[int(c.point)*dims:][:dims]), "one")
		}
		seen[at] = true
		s.Values[at] = c.value
		if s.Errors != nil {
			s.Errors[at] = c.error
		}
	}
	if s.examples = "example"; t.columns.example < 0 {
		s.examples = t.header[t.time]
	}
	if n > 1 && t.time >= 0 {
		if err := distinct(t.path, "times of the examples", s.Times); err != nil {
			return nil, err
		}
	}
	s.store = &longStore{t.columns, t.labels, t.clocks, s.Errors}
	return s, nil
}

func nans(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// findGrid arranges points in a plane as rows and columns, where they are most of those of a grid. order becomes the place of
// each of them.
func (t *longTable) findGrid(s *Set, order []int) {
	var axes [2][]float64
	for k := range axes {
		seen := map[float64]bool{}
		for i := k; i < len(t.where); i += 2 {
			if !seen[t.where[i]] {
				seen[t.where[i]] = true
				axes[k] = append(axes[k], t.where[i])
			}
		}
		down := slices.IsSortedFunc(axes[k], func(a, b float64) int { return compareFloats(b, a) })
		if !slices.IsSorted(axes[k]) && !down {
			slices.Sort(axes[k])
		}
	}
	h, w := len(axes[0]), len(axes[1])
	if h < 2 || w < 2 || h > maxSide || w > maxSide || h*w > 2*len(order) {
		return
	}
	at := [2]map[float64]int{{}, {}}
	for k := range axes {
		for i, v := range axes[k] {
			at[k][v] = i
		}
	}
	for i := range order {
		order[i] = at[0][t.where[2*i]]*w + at[1][t.where[2*i+1]]
	}
	s.Grid = append(factor(axes[0], 1), factor(axes[1], 1)...)
	s.Width, s.Height, s.Scattered = w, h, false
}

// A longStore writes results in the columns of a long table.
type longStore struct {
	columns
	labels, clocks []string
	errors         []float64
}

func (l *longStore) endings() []string { return []string{".csv"} }
func (l *longStore) check() error      { return nil }

func (l *longStore) write(w *errorWriter, s *Set, r *Filled) error {
	header := slices.Clone(l.header)
	name := "standard_error"
	if l.error >= 0 {
		name = "filled_standard_error"
	}
	if r.Variance != nil {
		header = append(header, name)
	}
	return s.writeRows(w, header, func(row []string, example, point int, where []float64, value int) {
		if l.example >= 0 {
			row[l.example] = l.labels[example]
		}
		if l.time >= 0 {
			row[l.time] = l.clocks[example]
		}
		for k, c := range l.coordinates {
			row[c] = strconv.FormatFloat(where[k], 'g', -1, 64)
		}
		row[l.value] = s.number(r.Mean[value])
		if l.error >= 0 {
			row[l.error] = s.number(l.errors[value])
		}
		if r.Variance != nil {
			row[len(row)-1] = s.number(r.deviation(value))
		}
	})
}

// number writes a number with all digits that tell it apart, nothing for NaN.
func (s *Set) number(v float64) string {
	bits := 64
	if s.typ() == npy.Float32 {
		bits = 32
	}
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// writeRows writes a row for each value at a point that exists: set fills it in.
func (s *Set) writeRows(w io.Writer, header []string, set func(row []string, example, point int, where []float64, value int)) error {
	table := csv.NewWriter(w)
	if err := table.Write(header); err != nil {
		return err
	}
	all := joined(s.Grid)[0]
	row := make([]string, len(header))
	for i := range s.Values {
		if s.exists(i) {
			point := s.point(i)
			set(row, i/s.size(), point, all.Row(point), i)
			if err := table.Write(row); err != nil {
				return err
			}
		}
	}
	table.Flush()
	return table.Error()
}

// writeLong writes a long table of its own; without deviations their column is left out.
func (s *Set) writeLong(w io.Writer, r *Filled) error {
	header := []string{"example"}
	if s.Times != nil {
		header = append(header, "time")
	}
	at := len(header)
	header = append(header, s.coordinateNames()...)
	if s.Channels > 1 {
		header = append(header, "channel")
	}
	last := len(header)
	header = append(header, "value")
	if r.Variance != nil {
		header = append(header, "standard_error")
	}
	return s.writeRows(w, header, func(row []string, example, _ int, where []float64, value int) {
		row[0] = strconv.Itoa(example)
		if s.Times != nil {
			row[1] = strconv.FormatFloat(s.Times[example], 'g', -1, 64)
		}
		for k, v := range where {
			row[at+k] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if s.Channels > 1 {
			row[last-1] = strconv.Itoa(value % s.Channels)
		}
		row[last] = s.number(r.Mean[value])
		if r.Variance != nil {
			row[last+1] = s.number(r.deviation(value))
		}
	})
}

// writeTable writes a table, an example in a row.
func (s *Set) writeTable(w io.Writer, values []float64) error {
	table := csv.NewWriter(w)
	if s.Columns != nil {
		if err := table.Write(s.Columns); err != nil {
			return err
		}
	}
	row := make([]string, s.size())
	for ; len(values) > 0; values = values[s.size():] {
		for k := range row {
			row[k] = s.number(values[k])
		}
		if err := table.Write(row); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}
