package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

const (
	sampleBytes = 1 << 16 // of which separators are judged
	sampleRows  = 200
	headerRows  = 4 // of names, units and the like at most
	footerRows  = 8 // of totals and notes behind the rows at most

	// MostColumns is how many columns a table may have to have roles: of more all are numbers.
	MostColumns = 1 << 16
)

// separators are those that are tried; of equals the first is taken. 0 stands for none.
var separators = []byte{'\t', ';', ',', '|', 0, ' '}

// A row is one of a sample.
type row struct {
	at, line, width int
	cells           []string // the first ones
	last            string
}

// sample returns the first rows of a text: at least two, and no more than have some thousand cells.
func (d dialect) sample(text string, at int) (rows []row, open int) {
	c := cursor{dialect: d, text: text, at: at, line: 1}
	for n := 0; len(rows) < sampleRows && (len(rows) < 2 || n < 16*sampleCells); {
		r := row{}
		for {
			x, ok := c.next()
			if !ok && c.open > 0 {
				r.width++
				rows = append(rows, r)
			}
			if !ok {
				return rows, c.open
			}
			if r.width++; r.width == 1 {
				r.at, r.line = c.start, x.line
			}
			if n++; r.width <= sampleCells {
				r.cells = append(r.cells, x.text)
			}
			if r.last = x.text; x.last {
				break
			}
		}
		rows = append(rows, r)
	}
	return rows, 0
}

// A tail has the last rows of a table.
type tail struct {
	rows  [footerRows + 1]row
	count int // of all rows
}

// last is the k-th row from the end.
func (l *tail) last(k int) *row { return &l.rows[(l.count-1-k)%len(l.rows)] }

// add takes the next cell.
func (l *tail) add(x cell) {
	if x.column == 0 {
		l.count++
		r := l.last(0)
		*r = row{at: x.from, line: x.line, cells: r.cells[:0]}
	}
	r := l.last(0)
	if r.width = x.column + 1; r.width <= sampleCells {
		r.cells = append(r.cells, x.text)
	}
}

// width is the number of cells that most rows have, the larger of equals.
func width(rows []row) (most int) {
	counts := map[int]int{}
	for _, r := range rows {
		if counts[r.width]++; counts[r.width] > counts[most] || counts[r.width] == counts[most] && r.width > most {
			most = r.width
		}
	}
	return most
}

// separatorOf finds what separates the cells: of a sample most rows then have as many of them, and most are numbers or dates.
func separatorOf(text string) dialect {
	part := text[:min(len(text), sampleBytes)]
	if n := strings.LastIndexByte(part, '\n'); n > 0 && len(part) < len(text) {
		part = part[:n+1]
	}
	best, most := dialect{}, -1.
	for _, s := range separators {
		rows, _ := dialect{separator: s}.sample(part, 0)
		n := width(rows)
		decimal := isDecimal(rows)
		if n < 2 && s != 0 || s == ',' && decimal || s == 0 && !decimal && hasDecimal(rows) {
			continue
		}
		alike, cells, good := 0, 0, 0
		for k, r := range rows {
			if r.width == n || k == 0 && r.width == n-1 {
				alike++
			}
			for _, x := range r.cells {
				if cells++; isMissing(x) || isNumber(x) || allLayouts.matching(x) != 0 {
					good++
				}
			}
		}
		if named := min(1, len(rows)-1) * n; s == ' ' && 2*good < cells-named {
			continue // text
		}
		if score := float64(alike) / float64(max(1, len(rows))) * (0.2 + 0.8*float64(good)/float64(max(1, cells))); score > most {
			best, most = dialect{separator: s}, score
		}
	}
	return best
}

// hasDecimal tells whether lines are numbers with a decimal comma, or rather two numbers.
func hasDecimal(rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return len(r.cells) > 0 && strings.Contains(r.cells[0], ",") && isNumber(r.cells[0]) })
}

// isDecimal tells whether rows of two numbers under one name are numbers with decimal commas: the first of them do not count the rows.
func isDecimal(rows []row) bool {
	if len(rows) < 2 || rows[0].width != 1 || len(rows[0].cells) == 0 || isNumber(rows[0].cells[0]) || strings.Contains(rows[0].cells[0], ",") {
		return false
	}
	counts := true
	for k, r := range rows[1:] {
		if len(r.cells) == 0 {
			return false
		}
		n, err := strconv.Atoi(r.cells[0])
		counts = counts && err == nil && (n == k || n == k+1)
		if r.width > 2 || !isNumber(strings.Join(r.cells, ",")) {
			return false
		}
	}
	return !counts
}

// isPlain tells whether a row has neither numbers nor dates.
func isPlain(r row) bool {
	return !slices.ContainsFunc(r.cells, func(s string) bool { return isNumber(s) || allLayouts.matching(s) != 0 })
}

// findUnits finds what stands around most numbers of a column of some rows.
func (t *Table) findUnits(rows []row) {
	for k := range min(t.width, sampleCells) {
		counts, present, unit := map[string]int{}, 0, ""
		for _, r := range rows {
			if r.width == t.width && !isMissing(r.cells[k]) {
				present++
				if u := unitOf(r.cells[k]); u != "" {
					counts[u]++
					unit = u
				}
			}
		}
		if n := counts[unit]; n > 1 && 3*n >= 2*present && len(counts) == 1 && !strings.Contains("\n"+t.units, "\n"+unit+"\n") {
			t.units += unit + "\n"
		}
	}
}

// findBody finds the names of the columns, and where the first row of values is.
func (t *Table) findBody() error {
	rows, open := t.sample(t.text[:t.end], t.start)
	if open > 0 {
		return unclosed(open)
	}
	t.width = width(rows)
	first := slices.IndexFunc(rows, func(r row) bool { return r.width == t.width })
	if first < 0 {
		return &Error{Found: "no row", Want: "rows of numbers, separated by commas, semicolons, tabs or blanks"}
	}
	t.findUnits(rows)
	spare := !slices.ContainsFunc(rows, func(r row) bool { return r.width == t.width && r.last != "" })
	lacks := func(k int) int { // first cells, not last ones
		if spare {
			return 0
		}
		return t.width - rows[k].width
	}
	if first > 0 && rows[first-1].width == t.width-1 && t.isHeader(rows, first-1, lacks(first-1)) && !t.isHeader(rows, first, 0) {
		first--
	}
	body := first
	for body < min(first+headerRows, len(rows)) && t.width-rows[body].width|1 == 1 && (t.isHeader(rows, body, lacks(body)) || body > first && present(rows[body]) == 0) {
		body++
	}
	if t.headed && (body == len(rows) || body == first && isPlain(rows[first])) {
		body = first + 1
	}
	if first > 0 && body == first {
		return t.ragged(rows[0].line, rows[0].width)
	}
	if t.body, t.line = t.end, 0; body < len(rows) {
		t.body, t.line = rows[body].at, rows[body].line
	}
	switch {
	case t.width > MostColumns:
	case body > first:
		names := max(0, slices.IndexFunc(rows[first:body], func(r row) bool { return present(r) >= r.width-1 })) + first // below a title
		t.setNames(t.dialect, t.text[:t.body], rows[names], lacks(names))
		t.unnamed = lacks(names) > 0
	case t.start > len(mark):
		t.namesOfSeaBird()
	default:
		t.namesOfComment()
	}
	if first > 0 {
		t.note("%s before the names of the columns: kept", quote.Counted(first, "line"))
	}
	return nil
}

// present counts the cells of a row that have a text.
func present(r row) (n int) {
	for _, x := range r.cells {
		if x != "" {
			n++
		}
	}
	return n
}

// An axis has numbers of a row, and tells whether all are whole, and years.
type axis struct {
	value        []float64
	whole, years bool
}

// axisOf returns the numbers of some columns of a row, which may lack some first cells.
func axisOf(r row, columns []int, lacks int) axis {
	a := axis{whole: true, years: true}
	for _, c := range columns {
		if c -= lacks; c >= 0 && c < len(r.cells) {
			if n, ok := formats[0].parse(r.cells[c]); ok {
				a.value, a.whole = append(a.value, n.value), a.whole && n.decimals == 0
				a.years = a.whole && a.years && n.value > 1500 && n.value < 2200
			}
		}
	}
	return a
}

// is tells whether numbers are those of an axis: years or more than three that are evenly spaced or, of many, rising or falling.
func (a axis) is() bool {
	x := a.value
	even := len(x) > 3 || len(x) > 2 && a.years
	for i := 2; i < len(x); i++ {
		even = even && math.Abs(x[i]-2*x[i-1]+x[i-2]) <= 1e-6*math.Abs(x[1]-x[0])
	}
	return monotone(x) && (even || len(x) > 7)
}

// isHeader tells whether row k has words in most columns, or the numbers of an axis below no others and above none of their kind, where all below has numbers or dates. It may lack
// some first cells.
func (t *Table) isHeader(rows []row, k, lacks int) bool {
	r, words := rows[k], 0
	var columns []int // of numbers that may name them
	below := rows[k+1:]
	for c, x := range r.cells {
		number, date, total := 0, 0, 0
		for _, b := range below {
			if c+lacks >= len(b.cells) || isMissing(b.cells[c+lacks]) {
				continue
			}
			if total++; t.isNumber(b.cells[c+lacks]) {
				number++
			} else if allLayouts.matching(b.cells[c+lacks]) != 0 {
				date++
			}
		}
		is := t.isNumber(x)
		switch {
		case isMissing(x):
		case len(below) == 0 && is:
			return false
		case is && (2*number > total || total == 0):
			columns = append(columns, c+lacks)
		case 2*date > total && allLayouts.matching(x) != 0:
			return false
		case 2*(number+date) > total || len(below) == 0:
			words++
		}
	}
	if words > len(columns) {
		return true
	}
	names := axisOf(r, columns, lacks)
	if len(columns) == r.width || len(names.value) < len(columns) || k > 0 && len(axisOf(rows[k-1], columns, 0).value) > 0 {
		return false
	}
	if len(below) > 0 {
		if next := axisOf(below[0], columns, 0); next.is() && next.whole == names.whole && next.years == names.years {
			return false
		}
	}
	return names.is()
}

// setNames takes the cells of a row of a text as names of columns, but for some first ones.
func (t *Table) setNames(d dialect, text string, r row, lacks int) {
	t.Names = make([]string, t.width)
	c := cursor{dialect: d, text: text, at: r.at, line: r.line}
	for k := range r.width {
		x, _ := c.next()
		name := strings.ReplaceAll(x.text, `""`, `"`)
		if !utf8.ValidString(name) { // in an older encoding
			runes := make([]rune, len(name))
			for i := range runes {
				runes[i] = rune(name[i])
			}
			name = string(runes)
		}
		t.Names[k+lacks] = name
	}
}

// seaBird begins files of Sea-Bird's oceanographic instruments, whose header ends with a line *END*.
const seaBird = "* Sea-Bird"

// behindSeaBird returns where the rows of such a file begin; from, where a text is none.
func behindSeaBird(text string, from int) (int, error) {
	if !strings.HasPrefix(text[from:], seaBird) {
		return from, nil
	}
	_, rows, ok := strings.Cut(text[from:], "\n*END*")
	if !ok {
		return 0, &Error{Found: "a header of Sea-Bird without end", Want: "a line *END* behind it"}
	}
	return len(text) - len(rows), nil
}

// namesOfSeaBird takes names and the number for missing values of lines such as "# name 0 = depSM: Depth [m]" and "# bad_flag = -9.990e-29".
func (t *Table) namesOfSeaBird() {
	t.Names = make([]string, t.width)
	for line := range strings.Lines(t.text[:t.start]) {
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "#")), " = ")
		number, isName := strings.CutPrefix(key, "name ")
		if k, err := strconv.Atoi(number); isName && err == nil && k >= 0 && k < t.width {
			t.Names[k], _, _ = strings.Cut(value, ":")
		} else if key == "bad_flag" {
			t.missing = append(t.missing, value)
		}
	}
}

// namesOfComment takes a comment before the first row as names, where it has a word for each column: the one before the last, which then has units, or the last.
func (t *Table) namesOfComment() {
	lines := strings.FieldsFunc(t.text[t.start:t.body], func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range lines[max(0, len(lines)-2):] {
		if line = strings.TrimLeft(line, " \t"); t.Names != nil || !isComment(line) {
			continue
		}
		line = strings.TrimLeft(line, "#%! \t")
		d := dialect{separator: t.separator}
		if rows, _ := d.sample(line, 0); len(rows) == 1 && rows[0].width == t.width && !slices.ContainsFunc(rows[0].cells, isNumber) {
			t.setNames(d, line, rows[0], 0)
		}
	}
}

// ragged refuses a row of another number of cells.
func (t *Table) ragged(line, cells int) error {
	return &Error{Place: "line " + strconv.Itoa(line), Found: quote.Counted(cells, "value"), Want: strconv.Itoa(t.width) + " as in other lines (" + takeOut(line) + ")"}
}

// takeOut says how a line is left out.
func takeOut(line int) string { return "sed " + strconv.Itoa(line) + "d leaves the line out" }

// Is tells whether a file that begins so looks like a table: rows of as many cells, of which numbers are.
func Is(start string) bool {
	text, e, err := decode(start)
	if strings.HasPrefix(text, seaBird) {
		return true
	}
	if err != nil || e == plain && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) }) {
		return false
	}
	rows, _ := separatorOf(text).sample(strings.TrimPrefix(text, mark), 0)
	n := width(rows)
	return n > 1 && slices.ContainsFunc(rows, func(r row) bool { return r.width == n && slices.ContainsFunc(r.cells, isNumber) })
}
