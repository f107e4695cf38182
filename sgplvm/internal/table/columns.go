package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// findFormat finds how numbers are written: so that most cells are. It passes on the last rows.
func (t *Table) findFormat(last *tail) error {
	const enough = 1 << 17 // cells with a sign that tells something
	var counts [7]int
	seen, doubt := 0, ""
	if _, err := t.each(func(_ int, x cell) {
		last.add(x)
		if seen > enough {
			return
		}
		_, text, _ := t.affix(x.text)
		if !strings.ContainsAny(text, ".,'’ \u00a0\u202f") || text[0] > '9' && text[0] < 0x80 {
			return
		}
		seen++
		var a, b bool
		for k, f := range formats {
			if _, ok := f.parse(text); ok {
				counts[k]++
				a, b = a || k == 1, b || k == 2
			}
		}
		if a && b {
			doubt = text
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
	t.decimal, t.group = formats[best].decimal, formats[best].group
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
	if t.isMissing(x.text) {
		c.missing++
		return
	}
	if n, ok := t.parse(x.text); ok {
		if c.numbers++; c.numbers == 1 {
			c.before, _, c.behind = t.affix(strings.Trim(x.text, "()"))
			c.least, c.most = n.value, n.value
		}
		c.follow(n.value)
		c.brackets, c.minusBehind = c.brackets || n.brackets, c.minusBehind || n.minusBehind
		c.mark = cmp.Or(c.mark, strings.TrimSpace(n.mark))
		c.least, c.most = min(c.least, n.value), max(c.most, n.value)
		if math.Abs(n.value) >= 1000 {
			c.thousands++
		}
		if n.grouped {
			c.grouped++
		}
		if n.grouped && t.between == "" {
			_, number, _ := t.affix(x.text)
			for ; t.between == ""; number = number[1:] {
				t.between = t.format.between(number)
			}
		}
		if x.text[0] == '0' && len(x.text) > 1 && x.text[1] >= '0' && x.text[1] <= '9' {
			c.zeros++
		}
		if c.digits = max(c.digits, uint8(min(n.digits, 255))); n.exponent {
			c.exponents++
			c.capital = strings.Contains(x.text, "E")
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

// follow takes the next number into account.
func (c *column) follow(v float64) {
	step := v - c.last
	if c.numbers == 2 {
		c.step = step
	}
	if c.numbers > 1 {
		c.falls = c.falls || !(step > 0)
		c.uneven = c.uneven || !(math.Abs(step-c.step) <= 1e-6*c.step)
	}
	c.last = v
	c.sum += v
	c.squares += v * v
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

// Numbers returns the numbers of some columns, row by row, NaN where they are missing. A cell that is no number is an [*Error].
func (t *Table) Numbers(columns []int) ([]float64, error) {
	n, check := len(columns), columns
	if t.isWide(columns) {
		n, check = t.width, []int{0}
	}
	for _, k := range check {
		if c := t.column(k); c.odd.line > 0 {
			word := c.odd.text
			if len(word) > 20 {
				word = "WORD"
			} else if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				word = "'" + word + "'"
			}
			return nil, &Error{Place: t.place(c.odd.line, k), Found: quote.Text(c.odd.text),
				Want: fmt.Sprintf("a number, as in most of the column; %s, -fill-value %s takes such words as missing, -labels %s leaves the column as it is", takeOut(c.odd.line), quote.Line(word), t.word(k))}
		}
	}
	values := make([]float64, t.Rows*n)
	at := t.places(columns)
	t.each(func(row int, x cell) {
		if k := at(x.column); k >= 0 {
			values[row*n+k] = t.value(x.text)
		}
	})
	return values, nil
}

// isWide tells whether columns that are not listed are all of too many.
func (t *Table) isWide(columns []int) bool { return columns == nil && t.width > MostColumns }

// Count is the number of columns of values.
func (t *Table) Count() int {
	if t.isWide(t.Values) {
		return t.width
	}
	return len(t.Values)
}

// places returns a function that tells which of some columns a column is, −1 where it is none.
func (t *Table) places(columns []int) func(column int) int {
	if len(columns) == t.width || t.isWide(columns) { // in order
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
