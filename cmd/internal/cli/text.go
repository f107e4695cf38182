package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many bytes of an error, or of a text in a report, are shown.
const maxText = 2000

// oneLine returns an error's text on one line, of bounded length and without the prefix that the
// model's package gives its own.
func oneLine(err error) string {
	text := strings.TrimPrefix(shorten(err.Error()), "sgplvm: ")
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
func Text(s string) string { return Printable(shorten(s)) }

// shorten replaces the middle of a text of more than maxText bytes: beginning and end say what it
// is about and what was expected.
func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := maxText/2, len(s)-maxText/2
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

// maxListed is how many numbers Range lists.
const maxListed = 6

// Range lists numbers as [Numbers] does, of many the least, the median and the greatest.
func Range(v []float64) string {
	if len(v) <= maxListed {
		return Numbers(v)
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return fmt.Sprintf("%.4g … %.4g, median %.4g", v[0], v[len(v)-1], (v[(len(v)-1)/2]+v[len(v)/2])/2)
}
