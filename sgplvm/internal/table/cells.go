package table

import (
	"slices"
	"strings"
	"unicode"
)

// A dialect says how cells stand in a text.
type dialect struct {
	separator byte  // ' ': any number of blanks and tabs; 0: none, a line is a cell
	ends      []int // of cells that stand below one another, in their lines, where a cell may be blank; nil: separators end them
}

// A cell is a place of a table. Its text is without blanks and quotes around it; quotes inside a quoted one are double.
type cell struct {
	text         string
	from, to     int // of it in the whole text
	left, right  int // where it may stand, as those below it do; right = 0: anywhere
	line, column int // line counts from 1, column from 0
	quoted, last bool
}

// A cursor goes from cell to cell. Lines without any, and comments, are passed over.
type cursor struct {
	dialect
	text     string
	at, line int
	column   int
	open     int // the line of a quote that is never closed; 0: there is none
	start    int // of the row
}

// isBlank tells whether a byte is a blank that does not separate cells.
func (d dialect) isBlank(b byte) bool { return b == ' ' || b == '\t' && d.separator != '\t' }

func isEnd(b byte) bool { return b == '\n' || b == '\r' }

// isComment tells whether a line is none of the table: it begins with #, % or !, but not with the word of a spreadsheet for a missing value.
func isComment(line string) bool {
	return line != "" && (line[0] == '#' || line[0] == '%' || line[0] == '!') &&
		!slices.ContainsFunc(sheetErrors, func(w string) bool { return strings.HasPrefix(line, w) }) || isRule(line)
}

// isRule tells whether a line is one drawn below names: of dashes, more than stand for missing values.
func isRule(line string) bool {
	if line == "" || !strings.Contains("-+|:=", line[:1]) {
		return false
	}
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	return strings.Trim(line, "-+|:= ") == "" && (strings.Contains(line, "----") || strings.Contains(line, "---") && strings.ContainsAny(line, "+|"))
}

var sheetErrors = []string{"#N/A", "#VALUE!", "#DIV/0!", "#NUM!", "#REF!", "#NAME?", "#NULL!", "#NV", "#WERT!", "#BEZUG!"}

// skip returns the place of the first byte from i on that is no blank.
func (c *cursor) skip(i int) int {
	for i < len(c.text) && c.isBlank(c.text[i]) {
		i++
	}
	return i
}

// endLine takes the end of a line, if it is at one.
func (c *cursor) endLine() {
	if strings.HasPrefix(c.text[c.at:], "\r\n") {
		c.at++
	}
	if c.at < len(c.text) {
		c.at++
	}
	c.line++
	c.column = 0
}

// toRow goes to the next line with cells. A line of nothing is a cell where lines are cells.
func (c *cursor) toRow() bool {
	for c.at < len(c.text) {
		i := c.skip(c.at)
		switch {
		case isComment(c.text[i:]):
			c.at = lineEnd(c.text, i)
			c.endLine()
		case (i == len(c.text) || isEnd(c.text[i])) && c.separator != 0:
			c.at = i
			c.endLine()
		default:
			c.start = c.at
			return true
		}
	}
	return false
}

// next returns the next cell; ok is false at the end and at a quote that is never closed.
func (c *cursor) next() (x cell, ok bool) {
	if c.column == 0 && !c.toRow() || c.open > 0 {
		return x, false
	}
	x.line, x.column = c.line, c.column
	if c.ends != nil {
		c.inPlace(&x)
		return x, true
	}
	left, i := c.at, c.skip(c.at)
	x.from = i
	if i < len(c.text) && c.text[i] == '"' {
		end := c.closing(i)
		if end < 0 {
			c.open = c.line
			return x, false
		}
		if i = c.skip(end); c.isEndOfCell(i) || c.separator == ' ' && i > end {
			x.from, x.to, x.quoted = x.from+1, end-1, true
		} else { // text behind the quotes
			i = end
		}
	}
	if !x.quoted {
		for !c.isEndOfCell(i) {
			i++
		}
		x.to = i
	}
	x.trim(c.text)
	if c.separator == '|' && left < i && c.text[left] == ' ' {
		x.left, x.right = left, max(left, i-1)
	}
	c.at = i
	c.column++
	if c.separator == ' ' {
		c.at = c.skip(i)
	}
	if c.at == len(c.text) || isEnd(c.text[c.at]) {
		x.last = true
		c.endLine()
	} else if c.separator != ' ' {
		c.at++
	}
	return x, true
}

// isEndOfCell tells whether a cell ends at a place.
func (c *cursor) isEndOfCell(i int) bool {
	return i >= len(c.text) || isEnd(c.text[i]) || c.text[i] == c.separator || c.separator == ' ' && c.text[i] == '\t'
}

// lineEnd returns where the line ends that begins at a place of a text.
func lineEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:], "\r\n"); n >= 0 {
		return from + n
	}
	return len(text)
}

// inPlace takes the next cell where all stand below one another; a line with something in between is one cell.
func (c *cursor) inPlace(x *cell) {
	end, k := lineEnd(c.text, c.start), c.column
	x.left, x.right = c.start, end
	if whole := !c.fits(c.text[c.start:end]); whole {
		x.left, x.last = 0, true
	} else {
		x.last = k == len(c.ends)-1
		if k > 0 {
			x.left += c.ends[k-1]
		}
		x.right = c.start + c.ends[k]
	}
	x.from, x.to = min(max(x.left, c.start), end), min(x.right, end)
	if x.last {
		x.to = end
	}
	if x.trim(c.text); x.text == "" {
		x.from, x.to = min(x.right, end), min(x.right, end)
	}
	c.column++
	if x.last {
		c.at = end
		c.endLine()
	}
}

// fits tells whether a line has blanks between the cells of all others.
func (d dialect) fits(line string) bool {
	for _, at := range d.ends[:len(d.ends)-1] {
		if at < len(line) && line[at] != ' ' {
			return false
		}
	}
	return true
}

const sampleCells = 1 << 10 // of a row that is looked at to find its form

// findEnds finds whether all cells between blanks stand below one another in all rows with so many, and nothing between them in others of at least two cells.
func (d *dialect) findEnds(text string, width int) {
	if d.separator != ' ' || width < 2 || width > sampleCells || strings.ContainsAny(text, "\t\"") {
		return
	}
	var dark []bool // where some full row has something
	var others []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		if n := len(strings.Fields(line)); isComment(strings.TrimLeft(line, " ")) || n < 2 {
			continue
		} else if n != width {
			others = append(others, line)
			continue
		}
		dark = append(dark, make([]bool, max(0, len(line)-len(dark)))...)
		for i := range len(line) {
			dark[i] = dark[i] || line[i] != ' '
		}
	}
	var found dialect
	for i := range dark {
		if dark[i] && (i+1 == len(dark) || !dark[i+1]) {
			found.ends = append(found.ends, i+1)
		}
	}
	if len(found.ends) == width && !slices.ContainsFunc(others, func(line string) bool { return !found.fits(line) }) {
		d.ends = found.ends
	}
}

// closing returns the place behind the quote that closes the one at i, or −1. It counts the lines in between.
func (c *cursor) closing(i int) int {
	for i++; ; i += 2 {
		n := strings.IndexByte(c.text[i:], '"')
		if n < 0 {
			return -1
		}
		c.line += strings.Count(c.text[i:i+n], "\n")
		if i += n; i+1 == len(c.text) || c.text[i+1] != '"' {
			return i + 1
		}
	}
}

// trim takes blanks off a cell.
func (x *cell) trim(text string) {
	if x.text = text[x.from:x.to]; x.text == "" || x.text[0] > ' ' && x.text[0] < 0x80 && x.text[len(x.text)-1] > ' ' && x.text[len(x.text)-1] < 0x80 {
		return
	}
	s := strings.TrimLeftFunc(x.text, unicode.IsSpace)
	x.from = x.to - len(s)
	x.text = strings.TrimRightFunc(s, unicode.IsSpace)
	x.to = x.from + len(x.text)
}
