package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in bytes.
const (
	mostMessage = 2000 // of an error, and of a text in a report
	mostText    = 200  // of a text that somebody else wrote and a message quotes
)

// oneLine returns an error's text on one line, of bounded length and without the prefix that the
// model's package gives its own.
func oneLine(err error) string {
	text := strings.TrimPrefix(shorten(err.Error(), mostMessage), "sgplvm: ")
	return Printable(strings.ReplaceAll(text, ": sgplvm: ", ": "))
}

// Printable spells control characters out.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Text makes a text of a file fit for a report: printable and of bounded length.
func Text(s string) string { return Printable(shorten(s, mostMessage)) }

// Brief shortens a text that is to be quoted in a message.
func Brief(s string) string { return shorten(s, mostText) }

// shorten replaces the middle of a text of more than most bytes: beginning and end say what it is
// about and what was expected.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s … (%d bytes) … %s", s[:head], tail-head, s[tail:])
}

// Numbers lists numbers with four digits each.
func Numbers(v []float64) string {
	var s []string
	for _, x := range v {
		s = append(s, fmt.Sprintf("%.4g", x))
	}
	return strings.Join(s, ", ")
}
