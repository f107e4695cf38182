package table

import (
	"io"
	"strconv"
	"strings"
)

// An Insert is a row that the table does not have: the texts of its cells.
type Insert []string

// A Result says what is written in place of the numbers of a table.
type Result struct {
	// Columns are those that are written, in ascending order, and Value returns the number of one of these in a row. Where it is the one that stands there, or NaN, the
	// cell stays as it is.
	Columns []int
	Value   func(row, k int) float64

	// Exact writes numbers with more digits than those of their column: Precision of them, or all where it is 0.
	Exact     bool
	Precision int

	// Before returns rows to be inserted before a row, of which the last is Rows; nil: none.
	Before func(row int) []Insert
}

// Write writes the table with some numbers replaced. All other bytes are those that were read.
func (t *Table) Write(out io.Writer, r Result) error {
	w := newWriter(out, t.encoding)
	at := t.places(r.Columns)
	done := 0
	insert := func(row, place int) {
		if r.Before == nil {
			return
		}
		for _, cells := range r.Before(row) {
			w.text(t.text[done:place])
			if done = place; place == t.end {
				w.text(t.newline())
			}
			if t.write(w, cells); place < t.end {
				w.text(t.newline())
			}
		}
	}
	c := cursor{dialect: t.dialect, text: t.text[:t.end], at: t.body, line: t.line}
	row := 0
	for {
		x, ok := c.next()
		if !ok {
			break
		}
		if x.column == 0 {
			insert(row, c.start)
		}
		if k := at(x.column); k >= 0 {
			if v := r.Value(row, k); v == v && v != t.value(x.text) {
				text := t.quoted(r.Text(t, x.column, v), x.quoted)
				if x.right > x.left { // the end stays where it is
					end := x.to
					if x.text == "" {
						end = x.right
					}
					x.from = min(x.left, x.to)
					text = strings.Repeat(" ", max(x.left-x.from+min(1, x.left-c.start), end-x.from-len(text))) + text + strings.Repeat(" ", max(0, x.to-end))
				}
				w.text(t.text[done:x.from])
				w.text(text)
				done = x.to
			}
		}
		if x.last {
			row++
		}
	}
	insert(row, t.end)
	w.text(t.text[done:])
	return w.Flush()
}

// write writes cells between separators.
func (t *Table) write(w *writer, cells Insert) {
	at := 0
	for k, text := range cells {
		if text = t.quoted(text, false); t.ends != nil {
			text = strings.Repeat(" ", max(min(k, 1), t.ends[k]-at-len(text))) + text
			at += len(text)
		} else if k > 0 {
			w.text(string(rune(t.separator)))
		}
		w.text(text)
	}
}

// Text writes a number as those of a column are.
func (r *Result) Text(t *Table, column int, v float64) string {
	c := t.column(column)
	text := r.number(t, c, v)
	switch digits, negative := strings.CutPrefix(text, "-"); {
	case negative && c.brackets:
		return "(" + c.before + digits + c.behind + ")"
	case negative && c.minusBehind:
		text = digits + "-"
	}
	return c.before + text + c.behind
}

// number writes a number with the digits of a column, whose limits it keeps: 0 where none of its numbers is below, and those of few whole numbers, which may be levels.
func (r *Result) number(t *Table, c *column, v float64) string {
	precision := r.Precision
	if !r.Exact && c.numbers > 0 {
		if c.least >= 0 {
			v = max(v, 0)
		}
		if c.isLevels() {
			v = min(max(v, c.least), c.most)
		}
		precision = int(c.digits)
	}
	if r.Exact || c.digits >= 15 || c.numbers == 0 {
		if precision > 0 {
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', precision-1, 64), 64)
		}
		return t.exact(v)
	}
	if 2*c.exponents > c.numbers {
		text := t.sign(strconv.FormatFloat(v, 'e', max(int(c.digits), 1)-1, 64))
		if c.capital {
			text = strings.ToUpper(text)
		}
		return text
	}
	text := t.sign(strconv.FormatFloat(v, 'f', int(c.decimals), 64))
	if 2*c.grouped > c.thousands {
		end := len(text)
		if c.decimals > 0 {
			end -= int(c.decimals) + 1
		}
		for end -= 3; end > 0 && text[end-1] != '-'; end -= 3 {
			text = text[:end] + t.between + text[end:]
		}
	}
	return text
}

// quoted puts a text into quotes where it needs them and has none.
func (t *Table) quoted(s string, has bool) string {
	if has || strings.HasPrefix(s, `="`) || !strings.ContainsAny(s, "\"\r\n") && (t.separator == 0 || strings.IndexByte(s, t.separator) < 0) {
		return s
	}
	return `"` + s + `"`
}

// newline is that of the first line.
func (t *Table) newline() string {
	n := strings.IndexAny(t.text, "\r\n")
	switch {
	case n < 0 || t.text[n] == '\n':
		return "\n"
	case strings.HasPrefix(t.text[n:], "\r\n"):
		return "\r\n"
	}
	return "\r"
}
