package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/table"
)

var (
	valueColumns      = []string{"value", "_value", "obs_value"}
	exampleColumns    = []string{"example", "sample", "frame", "member", "series"}
	errorColumns      = []string{"standard_error", "stderr"}
	coordinateColumns = []string{"lat", "lon", "latitude", "longitude", "long", "x", "y", "z", "depth", "height", "level", "altitude", "elevation", "easting", "northing"}
	placeColumns      = []string{"station", "site", "sensor", "location", "station_id", "site_id", "sensor_id", "stationid", "variable", "parameter", "id"}
)

// A longTable is a table with one value in a row, or several of one example and point. Columns that it does not have are −1.
type longTable struct {
	*table.Table
	path           string
	named          bool // a column "value"
	example, error int
	coordinates    []int // of the points
	values         []int

	examples, points   int
	exampleOf, pointOf []int     // by row
	times              []float64 // of examples
	where              []float64 // coordinates, point by point
	names              []string  // of points without coordinates
	keys               []int     // their columns
	alike              int       // names that differ from others in capitals and blanks alone
	slots              []int     // by point and value its place in an example, −1: it has none
}

// findLong tells whether a table is long, and what its columns are; nil: it is not. It has a column "value" or times that come more than once, and columns that tell rows of one time apart.
func findLong(path string, t *table.Table, o SetOptions) (*longTable, error) {
	l := &longTable{Table: t, path: path, example: -1, error: -1}
	l.named = slices.ContainsFunc(t.Values, func(k int) bool { return l.is(k, valueColumns) })
	if l.named && t.Guessed && t.Rising() && t.IsCode(t.Time[0]) { // counts the rows
		t.DropTime()
	}
	for k := range t.Names {
		if l.example < 0 && l.is(k, exampleColumns) && !slices.Contains(t.Time, k) {
			l.example = k
		}
		if l.error < 0 && l.is(k, errorColumns) && slices.Contains(t.Values, k) {
			l.error = k
		}
	}
	places := float64(sparse)
	if l.example < 0 && t.Time == nil {
		if places = 4; !l.named || o.TimeColumn == "none" || !l.findExampleColumn() {
			return nil, nil
		}
	}
	words, others := l.sortColumns()
	if len(l.values) == 0 {
		return nil, nil
	}
	err := l.findExamples()
	if !l.named && l.examples == l.Rows {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(l.coordinates) > 0 {
		l.choosePoints(words, others)
	}
	switch {
	case len(l.coordinates) > 0 || l.keys != nil:
	case l.findKeys(words, places):
		l.values = append(l.values, others...)
	case t.Time == nil && !l.is(l.example, exampleColumns):
		return nil, nil
	case len(others) != 1 && l.findKeys(l.codes(others), 2):
		l.values = slices.DeleteFunc(append(l.values, others...), func(k int) bool { return slices.Contains(l.keys, k) })
	default:
		l.coordinates = others
	}
	slices.Sort(l.values)
	if len(l.coordinates) > 0 {
		return l.atPoints()
	}
	if l.keys == nil {
		return nil, nil
	}
	if k := slices.Index(l.names, ""); k >= 0 {
		return nil, l.fail(slices.Index(l.pointOf, k), l.keys[0], `""`, "a name, as in other rows")
	}
	return l, nil
}

// is tells whether a column has one of some names.
func (l *longTable) is(k int, names []string) bool {
	return l.Table.Names != nil && slices.Contains(names, strings.ToLower(strings.TrimSpace(l.Table.Names[k])))
}

// findExampleColumn takes the first column that has its texts more than once for that of the examples.
func (l *longTable) findExampleColumn() bool {
	l.example = slices.IndexFunc(upTo(l.Width()), func(k int) bool {
		_, all := number(l.Texts(k))
		return 2*l.Rows >= 3*len(all) && !l.is(k, valueColumns) && !l.is(k, coordinateColumns)
	})
	return l.example >= 0
}

// sortColumns finds the columns of values and of coordinates, and returns those that may tell points apart: words, and numbers beside a column "value".
func (l *longTable) sortColumns() (words, others []int) {
	planar := slices.ContainsFunc(l.Values, func(k int) bool { return l.is(k, []string{"x"}) }) // y by itself is a value
	for _, k := range l.Values {
		switch {
		case k == l.example || k == l.error:
		case l.is(k, placeColumns):
			words = append(words, k)
		case l.is(k, coordinateColumns) && (planar || !l.is(k, []string{"y", "z"})):
			l.coordinates = append(l.coordinates, k)
		case l.named && !l.is(k, valueColumns):
			others = append(others, k)
		default:
			l.values = append(l.values, k)
		}
	}
	for _, k := range l.Labels {
		if k != l.example && l.Present(k) {
			words = append(words, k)
		}
	}
	return words, others
}

// choosePoints adds other numbers to coordinates that do not tell the rows of an example apart, or takes words instead, which do; else the numbers are values.
func (l *longTable) choosePoints(words, others []int) {
	switch err := l.findPoints(); {
	case err != nil || l.distinct(l.pointOf) == l.Rows:
		l.values = append(l.values, others...)
	case l.findKeys(words, sparse) && l.distinct(l.pointOf) == l.Rows:
		l.Labels = append(l.Labels, l.coordinates...)
		slices.Sort(l.Labels)
		l.coordinates = nil
		l.values = append(l.values, others...)
	default:
		l.keys = nil
		l.coordinates = append(l.coordinates, others...)
		slices.Sort(l.coordinates)
	}
}

// codes are the columns of whole numbers that may be those of stations.
func (l *longTable) codes(others []int) []int {
	return slices.DeleteFunc(slices.Concat(l.values, others), func(k int) bool { return !l.IsCode(k) || l.is(k, valueColumns) })
}

// atPoints finds the points by coordinates. A table is not long if each time comes once or, without a column "value", there are few rows for its examples and points.
func (l *longTable) atPoints() (*longTable, error) {
	if len(l.coordinates) > maxDimensions || l.example < 0 && l.Rows > 1 && l.Rows == l.examples {
		return nil, nil
	}
	l.where = nil
	err := l.findPoints()
	if !l.named && (!l.isLong(false) || float64(l.examples)*float64(l.points) > sparse*float64(l.Rows)) {
		return nil, nil
	}
	return l, err
}

// number numbers texts as they come.
func number(texts []string) (of []int, all []string) {
	known := map[string]int{}
	of = make([]int, len(texts))
	for row, text := range texts {
		k, is := known[text]
		if !is {
			k = len(all)
			known[text] = k
			all = append(all, text)
		}
		of[row] = k
	}
	return of, all
}

// findExamples numbers the examples: by their column as they come, else by their times in ascending order.
func (l *longTable) findExamples() error {
	if l.example < 0 {
		l.times = slices.Clone(l.Times)
		slices.Sort(l.times)
		l.times = slices.Compact(l.times)
		l.examples = len(l.times)
		l.exampleOf = make([]int, l.Rows)
		for row, t := range l.Times {
			l.exampleOf[row], _ = slices.BinarySearch(l.times, t)
		}
		return nil
	}
	of, labels := number(l.Texts(l.example))
	l.exampleOf, l.examples = of, len(labels)
	if k := slices.Index(labels, ""); k >= 0 {
		return l.fail(slices.Index(of, k), l.example, `""`, "the example of the value")
	}
	if l.Time == nil {
		return nil
	}
	l.times = nans(len(labels))
	for row, i := range of {
		if was := l.times[i]; was == was && was != l.Times[row] {
			return l.fail(row, l.Time[0], quote.Text(l.Texts(l.Time...)[row]), fmt.Sprintf("the time of example %s in an earlier row, or -time-column none", quote.Text(labels[i])))
		}
		l.times[i] = l.Times[row]
	}
	return distinct(l.path, "times of the examples", l.times)
}

// fail refuses a cell of a row.
func (l *longTable) fail(row, column int, found, want string) error {
	return &Error{Path: l.path, Place: fmt.Sprintf("line %d, column %s", l.Line(row), l.Name(column)), Found: found, Want: want}
}

// isLong tells whether examples have so many rows that a table is long. Where each may have only one, columns have to say so by their names.
func (l *longTable) isLong(placed bool) bool {
	if l.named || placed {
		return l.named && placed || l.Rows > l.examples
	}
	return 2*l.Rows >= 3*l.examples
}

// findKeys finds the columns of words, as few as may be, by which no two rows of an example are alike, or nearly none: those are refused later. There are to be so many
// places for a row at most.
func (l *longTable) findKeys(words []int, places float64) bool {
	best := 0
	l.keys = nil
	for more := true; more && best < l.Rows; { // one column more, that which tells most rows apart
		more = false
		chosen := l.keys
		for _, k := range words {
			if slices.Contains(chosen, k) {
				continue
			}
			keys := slices.Sorted(slices.Values(append(slices.Clone(chosen), k)))
			of, names := number(l.Texts(keys...))
			n := l.distinct(of)
			if n <= best || len(names) == l.Rows || !l.isLong(l.is(keys[0], placeColumns)) || float64(l.examples)*float64(len(names)) > places*float64(l.Rows) {
				continue
			}
			if fewer, folded := fold(of, names); len(folded) < len(names) && l.distinct(fewer) == n {
				l.alike = len(names) - len(folded)
				of, names = fewer, folded
			}
			best, more = n, true
			l.keys, l.pointOf, l.names, l.points = keys, of, names, len(names)
		}
	}
	if 10*best < 9*l.Rows {
		l.keys = nil
	}
	return l.keys != nil
}

// distinct counts the pairs of an example and a point.
func (l *longTable) distinct(pointOf []int) int {
	seen := make(map[[2]int]bool, len(pointOf))
	for row, p := range pointOf {
		seen[[2]int{l.exampleOf[row], p}] = true
	}
	return len(seen)
}

// fold takes names that differ in nothing but capitals and blanks for the first of them.
func fold(of []int, names []string) (fewer []int, first []string) {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = strings.ToLower(strings.Join(strings.Fields(name), " "))
	}
	as, all := number(plain)
	first = make([]string, len(all))
	for i := len(names) - 1; i >= 0; i-- {
		first[as[i]] = names[i]
	}
	for _, p := range of {
		fewer = append(fewer, as[p])
	}
	return fewer, first
}

// findPoints numbers the points by their coordinates.
func (l *longTable) findPoints() error {
	x, err := l.Numbers(l.coordinates)
	if err != nil {
		return tableError(l.path, err)
	}
	dims := len(l.coordinates)
	known := map[string]int{}
	l.pointOf = make([]int, l.Rows)
	key := make([]byte, 0, 8*dims)
	var bad error
	for row := range l.pointOf {
		key = key[:0]
		at := x[row*dims : (row+1)*dims]
		for k, v := range at {
			if math.IsNaN(v) && bad == nil {
				bad = l.fail(row, l.coordinates[k], "no number", "a coordinate")
			}
			key = binary.BigEndian.AppendUint64(key, math.Float64bits(v+0)) // no −0
		}
		p, is := known[string(key)]
		if !is {
			p = len(known)
			known[string(key)] = p
			l.where = append(l.where, at...)
		}
		l.pointOf[row] = p
	}
	l.points = len(known)
	return bad
}

// sparse is how many places a row may make at most, beyond a few.
const sparse = 16

// loadLong makes examples and points of the rows of a long table; nil: the table is none. Where points have no coordinates, o.Names may say which columns there are, and in which order.
func loadLong(path string, t *table.Table, o SetOptions) (*Set, error) {
	names := o.Names
	l, err := findLong(path, t, o)
	if l == nil || err != nil {
		return nil, err
	}
	if names == nil {
		l.leaveConstant()
	}
	values, err := l.Numbers(l.values)
	if err != nil {
		return nil, tableError(path, err)
	}
	k := len(l.values)
	s := &Set{Form: Form{Name: path, Count: l.examples, Layout: Layout{Width: l.points, Height: 1, Channels: k}, Scattered: true, Type: npy.Float64, Times: l.times}}
	l.slots = upTo(l.points * k)
	if len(l.coordinates) == 0 {
		s.Table, s.Scattered = true, false
		if s.Columns, err = l.findColumns(values, names); err != nil {
			return nil, err
		}
		s.Width, s.Channels = 1, len(s.Columns)
		if n := l.points*k - s.Channels; n > 0 && names == nil {
			s.note("%s of %d %s no value, or a row in one example alone: carried through", quote.Counted(n, "series"), l.points*k, map[bool]string{true: "has", false: "have"}[n == 1])
		}
	} else {
		s.Grid = factor(l.where, len(l.coordinates))
		if len(l.coordinates) == 2 {
			l.findGrid(s)
		}
		for _, c := range l.coordinates {
			s.coordinates = append(s.coordinates, l.title(c))
		}
	}
	if size := s.size(); s.Points() > maxPoints || s.Table && size > maxColumns || float64(l.examples)*float64(size) > max(sparse*float64(t.Rows*k), 1<<16) {
		return nil, &Error{Path: path, Found: fmt.Sprintf("%d rows of %s at %s", t.Rows, quote.Counted(l.examples, "example"), quote.Counted(l.points, "point")),
			Want: fmt.Sprintf("the same points in all examples, at least a value in %d of them (-time-column none takes each row for an example)", sparse)}
	}
	if len(l.coordinates) > 0 { // numbers of stations
		l.Labels = append(l.Labels, slices.DeleteFunc(slices.Clone(l.Values), func(k int) bool { return !l.is(k, placeColumns) || k == l.example })...)
	}
	l.describe(s)
	return s, l.place(s, values)
}

// describe completes the form of a set, and notes what its table is.
func (l *longTable) describe(s *Set) {
	switch {
	case s.Table:
		s.Shape = []int{s.Count, s.Channels}
	case s.Scattered:
		s.Shape = []int{s.Count, s.Width}
	default:
		s.Shape = []int{s.Count, s.Height, s.Width}
	}
	if !s.Table && s.Channels > 1 {
		s.Shape = append(s.Shape, s.Channels)
	}
	var what []string
	for _, c := range slices.Concat(l.keys, l.coordinates) {
		what = append(what, l.Name(c))
	}
	if l.alike > 0 {
		s.note("%s of %s in capitals or blanks alone from others: taken for these", quote.Counted(l.alike, "name"), strings.Join(what, ", ")+map[bool]string{true: " differs", false: " differ"}[l.alike == 1])
	}
	s.note("a value in a row: %s at %s (by %s)", quote.Counted(s.Count, "example"), quote.Counted(l.points, "point"), strings.Join(what, ", "))
	l.Describe(append(l.keys, l.example)...)
}

// title is the name of a column, or its number.
func (l *longTable) title(c int) string {
	if l.Table.Names == nil {
		return fmt.Sprint(c + 1)
	}
	return strings.TrimSpace(l.Table.Names[c])
}

// findColumns makes columns of points without coordinates: those of some names, if any of them are there, else those that have a value and two rows.
func (l *longTable) findColumns(values []float64, names []string) (columns []string, err error) {
	k := len(l.values)
	seen, rows := make([]bool, l.points*k), make([]int, l.points)
	for i, v := range values {
		if v == v {
			seen[l.pointOf[i/k]*k+i%k] = true
		}
	}
	for _, p := range l.pointOf {
		rows[p]++
	}
	all := make([]string, len(seen))
	matched, lacks := false, ""
	for i := range all {
		if all[i] = l.names[i/k]; k > 1 {
			all[i] += " " + l.title(l.values[i%k])
		}
		if l.slots[i] = slices.Index(names, all[i]); l.slots[i] >= 0 {
			matched = true
		} else if seen[i] {
			lacks = all[i]
		}
	}
	if matched && lacks != "" {
		return nil, &Error{Path: l.path, Found: "values of " + quote.Text(lacks), Want: "none but those of " + quote.Line(strings.Join(names, ", "))}
	}
	if matched {
		return names, nil
	}
	for i, name := range all {
		if l.slots[i] = -1; seen[i] && rows[i/k] >= min(2, l.examples) {
			l.slots[i] = len(columns)
			columns = append(columns, name)
		}
	}
	if columns == nil { // refused as data without values
		l.slots = upTo(len(all))
		return all, nil
	}
	return columns, nil
}

// at is the place of a point's value among those of all examples, −1 where it has none.
func (l *longTable) at(s *Set, example, point, value int) int {
	if slot := l.slots[point*len(l.values)+value]; slot >= 0 {
		return example*s.size() + slot
	}
	return -1
}

// place puts the values of the rows in their places.
func (l *longTable) place(s *Set, values []float64) error {
	var errors []float64
	s.Values = nans(s.Count * s.size())
	if l.error >= 0 {
		var err error
		if errors, err = l.Numbers([]int{l.error}); err != nil {
			return tableError(l.path, err)
		}
		s.Errors = nans(len(s.Values))
	}
	k := len(l.values)
	of := make([]int, len(s.Values)) // the row of each place, from 1
	for row := range l.Rows {
		for j, v := range values[row*k : (row+1)*k] {
			at := l.at(s, l.exampleOf[row], l.pointOf[row], j)
			if at < 0 {
				continue
			}
			if was := of[at]; was > 0 {
				return &Error{Path: l.path, Place: fmt.Sprintf("lines %d and %d", l.Line(was-1), l.Line(row)), Found: "two rows of the same example and point",
					Want: fmt.Sprintf("one (sed %dd leaves the second out; -time-column none takes each row for an example)", l.Line(row))}
			}
			of[at] = row + 1
			if s.Values[at] = v; errors == nil {
				continue
			}
			if s.Errors[at] = errors[row]; !(errors[row] >= 0) && v == v {
				return l.fail(row, l.error, numberText(errors[row]), "a standard error of 0 or more")
			}
		}
	}
	s.text = &textTable{Table: l.Table, values: l.values, total: len(s.Values), at: func(row, j int) int { return l.at(s, l.exampleOf[row], l.pointOf[row], j) }}
	l.lacking(s, of)
	return nil
}

// lacking has the results have a row for each example and point of which the table has none: where a table that is sorted by examples or by points would have it, else at the end.
func (l *longTable) lacking(s *Set, of []int) {
	var lacks [][2]int
	points := len(l.slots) / len(l.values)
	at := func(e, p int) int { // of the first value of the point that has a place
		for j := range l.values {
			if i := l.at(s, e, p, j); i >= 0 {
				return i
			}
		}
		return -1
	}
	for e := range l.examples {
		for p := range points {
			if i := at(e, p); i >= 0 && of[i] == 0 {
				lacks = append(lacks, [2]int{e, p})
			}
		}
	}
	if len(lacks) >= l.Rows && l.Rows > 1 {
		s.note("%s of an example and a point are not in the table, which has fewer: not added", quote.Counted(len(lacks), "row"))
		return
	}
	byPoint := func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) }
	rows := make([][2]int, l.Rows)
	for row := range rows {
		rows[row] = [2]int{l.exampleOf[row], l.pointOf[row]}
	}
	byExample := func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	sorted := func(lack, row [2]int) bool { return false }
	switch {
	case slices.IsSortedFunc(rows, byExample):
		sorted = func(lack, row [2]int) bool { return byExample(lack, row) < 0 }
	case slices.IsSorted(l.exampleOf):
		sorted = func(lack, row [2]int) bool { return lack[0] < row[0] }
	case slices.IsSortedFunc(rows, byPoint):
		sort.Slice(lacks, func(a, b int) bool { return byPoint(lacks[a], lacks[b]) < 0 })
		sorted = func(lack, row [2]int) bool { return byPoint(lack, row) < 0 }
	}
	s.text.inserts = func(values []float64, r *table.Result) func(row int) []table.Insert {
		next, model := 0, l.models()
		return func(row int) (all []table.Insert) {
			for ; next < len(lacks) && (row == l.Rows || sorted(lacks[next], rows[row])); next++ {
				e, p := lacks[next][0], lacks[next][1]
				if i := at(e, p); values[i] != values[i] {
					continue // a point that does not exist
				}
				cells := model(e, p)
				for j, c := range l.values {
					if i := l.at(s, e, p, j); i >= 0 {
						cells[c] = r.Text(l.Table, c, values[i])
					}
				}
				all = append(all, cells)
			}
			return all
		}
	}
}

// leaveConstant carries columns through that have the same in all rows of each point, but not everywhere, as what describes a station.
func (l *longTable) leaveConstant() {
	constant := func(k int) bool {
		each := common(l.Texts(k), l.pointOf, l.points)
		return !l.is(k, valueColumns) && !slices.Contains(each, "") && len(slices.Compact(each)) > 1
	}
	if vary := slices.DeleteFunc(slices.Clone(l.values), constant); len(vary) > 0 && l.Rows > l.points {
		l.Labels = append(l.Labels, slices.DeleteFunc(l.values, func(k int) bool { return slices.Contains(vary, k) })...)
		l.values = vary
		slices.Sort(l.Labels)
	}
}

// models returns a function that makes a row of an example and a point without values. Other columns than theirs have what all rows of the point have, or all of the example.
func (l *longTable) models() func(e, p int) table.Insert {
	width := l.Width()
	byExample, byPoint := make([][]string, width), make([][]string, width)
	for c := range width {
		if slices.Contains(l.values, c) || c == l.error {
			continue
		}
		texts := l.Texts(c)
		if slices.Equal(l.keys, []int{c}) {
			byPoint[c] = l.names
		} else if c != l.example && !slices.Contains(l.Time, c) {
			byPoint[c] = common(texts, l.pointOf, l.points)
		}
		byExample[c] = common(texts, l.exampleOf, l.examples)
	}
	return func(e, p int) table.Insert {
		cells := make(table.Insert, width)
		for c := range cells {
			if byPoint[c] != nil {
				cells[c] = byPoint[c][p]
			}
			if cells[c] == "" && byExample[c] != nil {
				cells[c] = byExample[c][e]
			}
		}
		return cells
	}
}

// common returns the text that all rows of a group have, "" where they differ.
func common(texts []string, of []int, n int) []string {
	all, seen := make([]string, n), make([]bool, n)
	for row, g := range of {
		if !seen[g] {
			all[g], seen[g] = texts[row], true
		} else if all[g] != texts[row] {
			all[g] = ""
		}
	}
	return all
}

// findGrid arranges points in a plane as rows and columns, where they are most of those of a grid.
func (l *longTable) findGrid(s *Set) {
	var axes [2][]float64
	for k := range axes {
		seen := map[float64]bool{}
		for i := k; i < len(l.where); i += 2 {
			if !seen[l.where[i]] {
				seen[l.where[i]] = true
				axes[k] = append(axes[k], l.where[i])
			}
		}
		down := slices.IsSortedFunc(axes[k], func(a, b float64) int { return cmp.Compare(b, a) })
		if !slices.IsSorted(axes[k]) && !down {
			slices.Sort(axes[k])
		}
	}
	h, w := len(axes[0]), len(axes[1])
	if h < 2 || w < 2 || h > maxSide || w > maxSide || h*w > 2*l.points {
		return
	}
	at := [2]map[float64]int{{}, {}}
	for k := range axes {
		for i, v := range axes[k] {
			at[k][v] = i
		}
	}
	for i := range l.slots {
		k := len(l.values)
		p := i / k
		l.slots[i] = (at[0][l.where[2*p]]*w+at[1][l.where[2*p+1]])*k + i%k
	}
	s.Grid = append(factor(axes[0], 1), factor(axes[1], 1)...)
	s.Width, s.Height, s.Scattered = w, h, false
}
