package table

import (
	"math"
	"math/bits"
	"strings"
	"time"
)

// layouts are the forms of dates that are recognised, in the words of strptime; of those that say the same of a whole column the first is taken. A time of day may
// follow. 12.1.2020 is not read with the month first: nobody writes so with dots.
var layouts = []string{
	"%Y%m%d", "%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S", "%Y%j", // the compact ones
	"%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y %m %d", "%Y_%m_%d",
	"%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d %m %Y",
	"%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%y/%m/%d",
	"%d-%b-%Y", "%d %b %Y", "%d/%b/%Y", "%d. %b %Y", "%d%b%Y", "%b %d, %Y", "%b %d %Y", "%b/%d/%Y", "%b-%d-%Y", "%Y-%b-%d", "%Y %b %d", "%d-%b-%y", "%d %b %y", "%d%b%y",
	"%b %d %H:%M:%S %Y", "%Y年%m月%d日",
	"%Y-%m", "%Y/%m", "%Y %m", "%m/%Y", "%m-%Y", "%b %Y", "%b-%Y", "%b-%y", "%Y %b", "%Y-%b", "%YM%m",
	"%Y-Q%q", "%YQ%q", "%Y Q%q", "Q%q %Y", "Q%q-%Y", "%Y-W%V-%u", "%Y-W%V", "%YW%V", "%Y-%j",
	"%H:%M",
}

// A layoutSet is some of them, by their bits.
type layoutSet uint64

const clockLayout = "%H:%M"

var (
	allLayouts = layoutSet(1)<<len(layouts) - 1
	compact    = layoutSet(1)<<5 - 1
	clocks     = layoutSet(1) << (len(layouts) - 1)
)

// first is the first layout of a set.
func (s layoutSet) first() string { return layouts[bits.TrailingZeros64(uint64(s))] }

// matching returns those of a set by which a text is a date.
func (s layoutSet) matching(text string) layoutSet {
	if len(text) < 4 || len(text) > 60 {
		return 0
	}
	left := s
	for rest := s; rest != 0; rest &= rest - 1 {
		if _, _, ok := parseDate(text, rest.first()); !ok || strings.HasSuffix(rest.first(), "%j") && len(text) < len(rest.first())+3 { // 2020-12 is a month
			left &^= rest & -rest
		}
	}
	return left
}

// parseDate reads a date by a layout, which a time of day may follow, as days since 1970-01-01 in UTC; zoned tells that the text names a zone, else it is taken as UTC.
func parseDate(text, layout string) (days float64, zoned, ok bool) {
	f := fields{year: 1970, month: 1, day: 1}
	if layout == clockLayout {
		_, n := digits(text, 2)
		ok = strings.HasPrefix(text[n:], ":") || strings.HasPrefix(text[n:], ".") && strings.Count(text, ".") == 2
		ok = ok && f.clock(text)
	} else if text, ok = f.match(dropWeekday(text), layout); ok && text != "" {
		ok = f.behind(text, layout)
	}
	if !ok || f.twelve && !f.halfDays() {
		return 0, false, false
	}
	date, ok := f.date()
	return date + (f.seconds-f.zone)/86400, f.hasZone, ok
}

// date is the day, if the calendar has it.
func (f *fields) date() (float64, bool) {
	d := time.Date(f.year, time.Month(f.month), f.day, 0, 0, 0, 0, time.UTC)
	ok := d.Day() == f.day && int(d.Month()) == f.month
	switch {
	case f.yearDay > 0:
		d = time.Date(f.year, 1, f.yearDay, 0, 0, 0, 0, time.UTC)
		ok = d.Year() == f.year
	case f.week > 0: // the week of 4 January is the first (ISO 8601)
		d = time.Date(f.year, 1, 4, 0, 0, 0, 0, time.UTC)
		d = d.AddDate(0, 0, 7*(f.week-1)-(int(d.Weekday())+6)%7+max(f.weekday, 1)-1)
		_, week := d.ISOWeek()
		ok = week == f.week
	}
	return float64(d.Unix()) / 86400, ok
}

// match reads what a layout says, and returns the rest.
func (f *fields) match(s, layout string) (rest string, ok bool) {
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		if c == ' ' {
			trimmed := strings.TrimLeft(s, " \u00a0")
			if trimmed == s {
				return s, false
			}
			s = trimmed
			continue
		}
		if c != '%' || i+1 == len(layout) {
			if s == "" || s[0] != c {
				return s, false
			}
			s = s[1:]
			continue
		}
		i++
		if s, ok = f.directive(s, layout[i]); !ok {
			return s, false
		}
	}
	return s, len(s) == 0 || s[0] < '0' || s[0] > '9' || !strings.ContainsAny(layout[len(layout)-1:], "YmdyjqVHMS")
}

// limits are how many digits a field has, and between which numbers it is.
var limits = map[byte]struct{ least, most, low, high int }{
	'Y': {4, 4, 1, 9999}, 'y': {2, 2, 0, 99}, 'm': {1, 2, 1, 12}, 'd': {1, 2, 1, 31}, 'e': {1, 2, 1, 31}, 'j': {1, 3, 1, 366}, 'q': {1, 1, 1, 4},
	'V': {1, 2, 1, 53}, 'u': {1, 1, 1, 7}, 'H': {1, 2, 0, 24}, 'I': {1, 2, 1, 12}, 'M': {1, 2, 0, 59}, 'f': {1, 9, 0, 999999999},
}

// directive reads one field.
func (f *fields) directive(s string, c byte) (rest string, ok bool) {
	switch c {
	case '%':
		return strings.TrimPrefix(s, "%"), strings.HasPrefix(s, "%")
	case 'b', 'B', 'h':
		f.month, s = nameOf(s, months)
		return s, f.month > 0
	case 'a', 'A':
		rest = dropWeekday(s)
		return rest, rest != s
	case 'p':
		return f.halfDay(s)
	case 'z', 'Z':
		return f.zoneOf(s)
	case 'S':
		v, rest, ok := secondsOf(s)
		f.seconds += v
		return rest, ok
	case 's':
		n, err := formats[0].parse(s)
		f.seconds, f.hasZone = n.value, true
		return "", err
	}
	l, known := limits[c]
	v, n := digits(s, l.most)
	if !known || n < l.least || v < l.low || v > l.high {
		return s, false
	}
	f.set(c, v, n)
	return s[n:], true
}

// set takes a number of n digits as a field.
func (f *fields) set(c byte, v, n int) {
	switch c {
	case 'Y':
		f.year = v
	case 'y': // as POSIX has it
		if f.year = 2000 + v; v >= 69 {
			f.year = 1900 + v
		}
	case 'm':
		f.month = v
	case 'd', 'e':
		f.day = v
	case 'j':
		f.yearDay = v
	case 'q':
		f.month = 3*v - 2
	case 'V':
		f.week = v
	case 'u':
		f.weekday = v
	case 'H', 'I':
		f.seconds += 3600 * float64(v)
	case 'M':
		f.seconds += 60 * float64(v)
	case 'f':
		f.seconds += float64(v) / math.Pow10(n)
	}
}

// dropWeekday takes a weekday off a date: one in English, or a word before a number of the form 1/.
func dropWeekday(s string) string {
	if k, rest := nameOf(s, weekdays); k > 0 {
		return strings.TrimLeft(rest, ", ")
	}
	if w := word(s); len(w) > 1 {
		rest := strings.TrimLeft(s[len(w):], ". \u00a0")
		if _, n := digits(rest, 4); n > 0 && n < len(rest) && strings.IndexByte("/.-", rest[n]) >= 0 && len(rest) < len(s)-len(w) {
			return rest
		}
	}
	return s
}
