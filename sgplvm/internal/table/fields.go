package table

import (
	"strings"
)

// fields are those of a date.
type fields struct {
	year, month, day, yearDay, week, weekday int
	seconds, zone                            float64
	hasZone, twelve, afternoon               bool
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// word returns the letters at the start of s.
func word(s string) string {
	n := 0
	for n < len(s) && s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' {
		n++
	}
	return s[:n]
}

// nameOf returns the number of a name, from 1 on, of which three letters or more stand at the start of s, perhaps with a full stop, and the rest of s.
func nameOf(s string, names []string) (int, string) {
	w := word(s)
	for k, name := range names {
		if len(w) >= 3 && len(w) <= len(name) && strings.EqualFold(name[:len(w)], w) {
			return k + 1, strings.TrimPrefix(s[len(w):], ".")
		}
	}
	return 0, s
}

// digits reads a number of at most so many digits, and returns how many it has.
func digits(s string, most int) (v, n int) {
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '9' {
		v = 10*v + int(s[n]-'0')
		n++
	}
	return v, n
}
