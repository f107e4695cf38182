package dataset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// numbered are places as messages of the model have them.
var numbered = regexp.MustCompile(`(?:of )?example (\d+)(, point 0, channel (\d+))?|channel (\d+)`)

// InWords puts lines and names of columns in place of the numbers of examples and channels in a message of the model on a table of text: of an example of a long one its first line.
// On other data it returns the message as it is.
func (f *Form) InWords(message string) string {
	if f.text == nil || !f.Table {
		return message
	}
	column := func(digits string) string {
		c, _ := strconv.Atoi(digits)
		if c < len(f.Columns) {
			return "column " + quote.Text(f.Columns[c])
		}
		return "column " + strconv.Itoa(c+1)
	}
	return numbered.ReplaceAllStringFunc(message, func(place string) string {
		m := numbered.FindStringSubmatch(place)
		if m[4] != "" {
			return column(m[4])
		}
		example, _ := strconv.Atoi(m[1])
		in := map[bool]string{true: "in "}[strings.HasPrefix(place, "of ")]
		if m[2] == "" {
			return fmt.Sprintf("%sline %d", in, f.text.lineOf(example*f.Channels, (example+1)*f.Channels))
		}
		c, _ := strconv.Atoi(m[3])
		return fmt.Sprintf("%sline %d, %s", in, f.text.lineOf(example*f.Channels+c, example*f.Channels+c+1), column(m[3]))
	})
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
