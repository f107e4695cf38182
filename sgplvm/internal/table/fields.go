package table

import (
	"strings"
	"unicode"
)

// fields are those of a date.
type fields struct {
	year, month, day, yearDay, week, weekday int
	seconds, zone                            float64
	hasZone, twelve, afternoon               bool
}

// months are their names in English, German, French, Spanish, Italian, Portuguese and Dutch; one that another begins with is not told.
var months = []string{"january jänner janvier enero gennaio janeiro januari", "february febrero febbraio février fevrier fevereiro februari", "march mars märz maerz marzo março maart mrt",
	"april avril abril aprile", "may mai mayo maggio maio mei", "june juni juin junio giugno junho", "july juli juillet julio luglio julho", "august août aout agosto augustus",
	"september septembre septiembre settembre setembro", "october oktober octobre octubre ottobre outubro", "november novembre noviembre novembro",
	"december dezember décembre decembre diciembre dicembre dezembro"}
var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// word returns the letters at the start of s.
func word(s string) string {
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		return s[:n]
	}
	return s
}

// nameOf returns the number of a name, from 1 on, of which three letters or more stand at the start of s, perhaps with a full stop, and the rest of s.
func nameOf(s string, names []string) (int, string) {
	w := word(s)
	if len(w) < 3 {
		return 0, s
	}
	for k, all := range names {
		for name := range strings.SplitSeq(all, " ") {
			if len(w) <= len(name) && strings.EqualFold(name[:len(w)], w) {
				return k + 1, strings.TrimPrefix(s[len(w):], ".")
			}
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
