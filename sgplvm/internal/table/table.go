package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	kind                    Kind
	decimals, digits        uint8 // most of them, behind the decimal sign without an exponent
	numbers, missing, words int
	dates                   layoutSet // by which the cells are dates, but for those that are none
	hits, exponents         int       // cells that are dates, and numbers with an exponent
	capital                 bool      // the last of these has an E
	zeros                   int       // numbers that begin with a zero before another digit
	thousands, grouped      int       // numbers of 1000 or more, and those that have a sign between thousands
	least, most             float64   // of the numbers
	sum, squares            float64   // of the numbers
	last, step              float64   // the last number, and by how much the second was more than the first
	falls, uneven, brackets bool      // some numbers are no more than those before them, have another step, have brackets for a minus
	minusBehind             bool      // some numbers have their minus behind them
	before, behind          string    // what stands around its numbers
	mark                    string    // the first that stands behind a number
	odd, notDate            place     // the first cell that is no number, no date
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

	Values, Labels []int     // columns of numbers (nil: all of more than MostColumns), and those that are carried through as they are
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
	headed  bool
	columns []column
	missing []string // words
	zoned   bool
	between string // what stands between thousands
	layout  string // of the dates
}

func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
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

// word is the name of a column as a flag takes it.
func (t *Table) word(k int) string {
	if k < len(t.Names) && t.Names[k] != "" && !strings.ContainsAny(t.Names[k], ", \"'") && strconv.Itoa(k+1) != t.Names[k] {
		return quote.Line(t.Names[k])
	}
	return strconv.Itoa(k + 1)
}

// place names a cell.
func (t *Table) place(line, column int) string {
	return fmt.Sprintf("line %d, column %s", line, t.Name(column))
}

// Width is the number of columns.
func (t *Table) Width() int { return t.width }

// Present tells whether a column has any value.
func (t *Table) Present(k int) bool { return t.column(k).kind != Empty }

// IsWord tells whether a column has words.
func (t *Table) IsWord(k int) bool { return t.column(k).kind == Word }

// Missing tells whether a text stands for a missing value.
func (t *Table) Missing(text string) bool { return t.isMissing(text) }

// Options say what a table's columns are. The zero value leaves all to the table.
type Options struct {
	// Columns are those of the values, Labels those that are carried through: names, numbers from 1 on, and ranges of these, separated by commas. "": the columns of
	// numbers, and all others.
	Columns, Labels string

	// Time names the column of the times, or several that make one, such as a date and a time of day; "none": there is none; "": what looks like one.
	Time string

	// Layout is how dates are written, in the words of strptime, such as %d.%m.%Y. "": it is recognised.
	Layout string

	// Missing is a word that stands for a missing value, beside the usual ones.
	Missing string

	// Headed says that a first row without a number or a date has the names of the columns, also where all below are words.
	Headed bool

	// NumbersOnly says that no column of numbers is a time or counts the rows.
	NumbersOnly bool
}

// value is the number in a cell, NaN for none.
func (t *Table) value(text string) float64 {
	if !t.isMissing(text) {
		if n, ok := t.parse(text); ok {
			return n.value
		}
	}
	return math.NaN()
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

func unclosed(line int) error {
	return &Error{Place: "line " + strconv.Itoa(line), Found: "a quote that is never closed", Want: `quotes in pairs (two of them, "", stand for one within quotes)`}
}
