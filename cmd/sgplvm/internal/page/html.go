package page

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// A markup is HTML as it is written; a string is escaped there.
type markup string

// A document is HTML that grows.
type document struct{ strings.Builder }

// add adds a format with values: strings are escaped, markup is not.
func (d *document) add(format string, values ...any) {
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(d, format, values...)
}

// when returns a text where a condition holds, else nothing.
func when(condition bool, text markup) markup {
	if condition {
		return text
	}
	return ""
}

// number writes a number, and a dash where there is none.
func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.4g", v)
}
