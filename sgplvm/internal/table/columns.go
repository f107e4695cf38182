package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// A Kind is what a column holds.
type Kind uint8

// Kinds of columns.
const (
	Empty Kind = iota // nothing but missing values
	Number
	Date
	Word
)

// A column is what is known of one.
type column struct {
	kind                     Kind
	decimals, digits         uint8 // most of them, behind the decimal sign without an exponent
	numbers, missing, words  int
	dates                    layoutSet // by which the cells are dates, but for those that are none
	hits, exponents, doubles int       // cells that are dates, have an exponent, are quoted
	before, behind           string    // its numbers
	odd, notDate             place     // the first cell that is no number, no date
}

// A place is a cell that is told of.
type place struct {
	line int // 0: there is none
	text string
}

// A Table is a table of text.
type Table struct {
	Names []string // of the columns; nil: there are none
	Rows  int      // of values
	Notes []string // on how the table was read

	Values, Labels []int     // columns of numbers, and those that are carried through as they are
	Time           []int     // columns that tell the time, together; nil: there is none
	Times          []float64 // by row: days since 1970-01-01 if Dated, else the numbers of a column
	Dated          bool
	Guessed        bool // the time is a column of numbers, by its name

	dialect
	format
	encoding
	text    string
	start   int // behind a mark
	end     int // of the last row
	width   int // number of columns
	body    int // where the rows begin, in line
	line    int
	unnamed bool // the first column has no name, as the line of names is shorter
	columns []column
	missing []string // words
	zoned   bool
	layout  string // of the dates
}

func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// each calls use with all cells of the rows, in order.
func (t *Table) each(use func(row int, x cell)) (row int, err error) {
	c := cursor{dialect: t.dialect, text: t.text[:t.end], at: t.body, line: t.line}
	for {
		x, ok := c.next()
		if !ok {
			break
		}
		use(row, x)
		if x.last {
			row++
		}
	}
	if c.open > 0 {
		err = unclosed(c.open)
	}
	return row, err
}

// isMissing tells whether a cell has no value.
func (t *Table) isMissing(s string) bool {
	return isMissing(s) || t.missing != nil && slices.Contains(t.missing, s)
}

// column is that of a number; of too many columns all are one.
func (t *Table) column(k int) *column {
	if k >= len(t.columns) {
		k = 0
	}
	return &t.columns[k]
}

// Name names a column in messages.
func (t *Table) Name(k int) string {
	if k < len(t.Names) && t.Names[k] != "" {
		return quote.Text(t.Names[k])
	}
	return strconv.Itoa(k + 1)
}

// Word is the name of a column as a flag takes it.
func (t *Table) word(k int) string {
	if k < len(t.Names) && t.Names[k] != "" && !strings.ContainsAny(t.Names[k], ", \"'") && strconv.Itoa(k+1) != t.Names[k] {
		return quote.Line(t.Names[k])
	}
	return strconv.Itoa(k + 1)
}

// findFormat finds how numbers are written: so that most cells are.
func (t *Table) findFormat() error {
	const enough = 1 << 17 // cells with a sign that tells something
	var counts [7]int
	seen, doubt := 0, ""
	if _, err := t.each(func(_ int, x cell) {
		if seen > enough || !strings.ContainsAny(x.text, ".,' \u00a0\u202f") || x.text[0] > '9' && x.text[0] < 0x80 {
			return
		}
		seen++
		var a, b bool
		for k, f := range formats {
			if _, ok := f.parse(x.text); ok {
				counts[k]++
				a, b = a || k == 1, b || k == 2
			}
		}
		if a && b {
			doubt = x.text
		}
	}); err != nil {
		return err
	}
	best := 0
	for k, n := range counts {
		if n > counts[best] {
			best = k
		}
	}
	if best == 1 && counts[2] == counts[1] && doubt != "" {
		switch t.separator {
		case ',':
			best = 2
		case ';':
		default:
			return &Error{Found: "numbers such as " + quote.Text(doubt) + ", of thousands or with a decimal comma", Want: "one of the two (tr -d , takes the commas out, tr , . makes them points)"}
		}
	}
	t.format = formats[best]
	return nil
}

// survey learns what the columns hold.
func (t *Table) survey() error {
	t.columns = make([]column, 1)
	if t.width <= MostColumns {
		t.columns = make([]column, t.width)
	}
	for k := range t.columns {
		t.columns[k].dates = allLayouts
	}
	var bad error
	rows, err := t.each(func(_ int, x cell) {
		if x.column < t.width {
			t.column(x.column).see(t, x)
		}
		if n := x.column + 1; x.last && n != t.width && bad == nil && !(n == t.width+1 && x.text == "") {
			bad = t.ragged(x.line, n)
		}
	})
	if t.Rows = rows; err == nil {
		err = bad
	}
	if err == nil && rows == 0 {
		err = &Error{Found: "no row", Want: "rows of numbers below the names of the columns"}
	}
	for k := range t.columns {
		t.columns[k].settle()
	}
	return err
}

// see takes a cell into account.
func (c *column) see(t *Table, x cell) {
	if x.quoted {
		c.doubles++
	}
	if t.isMissing(x.text) {
		c.missing++
		return
	}
	if n, ok := t.parse(x.text); ok {
		if c.numbers++; c.numbers == 1 {
			c.before, _, c.behind = affix(x.text)
		}
		if c.digits = max(c.digits, uint8(min(n.digits, 255))); n.exponent {
			c.exponents++
		} else {
			c.decimals = max(c.decimals, uint8(min(n.decimals, 255)))
		}
	} else if c.words++; c.words == 1 {
		c.odd = place{x.line, x.text}
	}
	if c.dates == 0 {
		return
	}
	if m := c.dates.matching(x.text); m != 0 {
		c.hits++
		c.dates = m
	} else if c.notDate.line == 0 {
		c.notDate = place{x.line, x.text}
		if c.hits == 0 {
			c.dates = 0
		}
	}
}

// settle decides what a column holds: what most of its cells are, words where that is none.
func (c *column) settle() {
	switch present := c.numbers + c.words; {
	case present == 0:
		c.kind = Empty
	case c.words == 0:
		c.kind = Number
	case c.hits == present:
		c.kind = Date
	case 2*c.numbers > present:
		c.kind = Number
	case 2*c.hits > present:
		c.kind = Date
	default:
		c.kind = Word
	}
}

// Texts returns the cells of some columns, row by row, those of a row with a blank in between.
func (t *Table) Texts(columns ...int) []string {
	all := make([]string, t.Rows)
	t.each(func(row int, x cell) {
		if k := slices.Index(columns, x.column); k == 0 {
			all[row] = x.text
		} else if k > 0 {
			all[row] += " " + x.text
		}
	})
	return all
}

// Numbers returns the numbers of some columns in ascending order, row by row, NaN where they are missing. A cell that is no number is an [*Error].
func (t *Table) Numbers(columns []int) ([]float64, error) {
	for _, k := range columns {
		if c := t.column(k); c.odd.line > 0 {
			word := c.odd.text
			if len(word) > 20 {
				word = "WORD"
			} else if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				word = "'" + word + "'"
			}
			return nil, &Error{Place: t.place(c.odd.line, k), Found: quote.Text(c.odd.text),
				Want: fmt.Sprintf("a number, as in most of the column; -fill-value %s takes such words as missing, -labels %s leaves the column as it is", quote.Line(word), t.word(k))}
		}
	}
	values := make([]float64, t.Rows*len(columns))
	at := t.places(columns)
	t.each(func(row int, x cell) {
		if k := at(x.column); k >= 0 {
			values[row*len(columns)+k] = t.value(x.text)
		}
	})
	return values, nil
}

// places returns a function that tells which of some columns a column is, −1 where it is none.
func (t *Table) places(columns []int) func(column int) int {
	if len(columns) == t.width { // in order
		return func(k int) int {
			if k >= t.width {
				return -1
			}
			return k
		}
	}
	at := make([]int32, t.width+1)
	for i := range at {
		at[i] = -1
	}
	for k, c := range columns {
		at[c] = int32(k)
	}
	return func(k int) int { return int(at[min(k, t.width)]) }
}

// place names a cell.
func (t *Table) place(line, column int) string {
	return fmt.Sprintf("line %d, column %s", line, t.Name(column))
}

// Width is the number of columns.
func (t *Table) Width() int { return t.width }

// Present tells whether a column has any value.
func (t *Table) Present(k int) bool { return t.column(k).kind != Empty }

// Is tells whether a file that begins so looks like a table: rows of as many cells, of which numbers are.
func Is(start string) bool {
	text, e, err := decode(start)
	if err != nil || e == plain && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) }) {
		return false
	}
	rows, _ := separatorOf(text).sample(strings.TrimPrefix(text, mark), 0)
	n := width(rows)
	return n > 1 && slices.ContainsFunc(rows, func(r row) bool { return r.width == n && slices.ContainsFunc(r.cells, isNumber) })
}
