package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// InWords puts lines and names of columns in place of the numbers of examples and channels in a message of the model on a table of text: of an example of a long one its first line.
// On other data it returns the message as it is.
func (f *Form) InWords(message string) string {
	if f.text == nil || !f.Table {
		return message
	}
	column := func(c int) string {
		if c < len(f.Columns) {
			return "column " + quote.Text(f.Columns[c])
		}
		return "column " + strconv.Itoa(c+1)
	}
	var words strings.Builder
	for message != "" {
		place, in := strings.CutPrefix(message, "of ")
		if example, rest, ok := numberAfter(place, "example "); ok {
			if message = rest; in {
				words.WriteString("in ")
			}
			if c, rest, ok := numberAfter(message, ", point 0, channel "); ok {
				message = rest
				fmt.Fprintf(&words, "line %d, %s", f.text.lineOf(example*f.Channels+c, example*f.Channels+c+1), column(c))
			} else {
				fmt.Fprintf(&words, "line %d", f.text.lineOf(example*f.Channels, (example+1)*f.Channels))
			}
		} else if c, rest, ok := numberAfter(message, "channel "); ok {
			message = rest
			words.WriteString(column(c))
		} else {
			words.WriteByte(message[0])
			message = message[1:]
		}
	}
	return words.String()
}

// numberAfter reads a whole number behind some words, and returns it with what follows.
func numberAfter(text, words string) (n int, rest string, ok bool) {
	digits, ok := strings.CutPrefix(text, words)
	rest = strings.TrimLeft(digits, "0123456789")
	n, err := strconv.Atoi(digits[:len(digits)-len(rest)])
	return n, rest, ok && err == nil
}

// lineOf returns the first line that has one of the values from ≤ i < to.
func (t *textTable) lineOf(from, to int) int {
	for row := range t.Rows {
		for k := range t.values {
			if i := t.place(row, k); from <= i && i < to {
				return t.Line(row)
			}
		}
	}
	return 0
}
