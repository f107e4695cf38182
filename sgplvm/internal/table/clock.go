package table

import (
	"math"
	"strings"
)

// zones are abbreviations that mean one thing, in hours east of Greenwich.
var zones = map[string]float64{"Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "JST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13}

// behind reads a time of day behind a date that has a day.
func (f *fields) behind(s, layout string) bool {
	if !strings.ContainsAny(layout, "dju") {
		return false
	}
	rest := strings.TrimLeft(s, " ,\u00a0")
	if rest == s {
		switch s[0] {
		case 'T', 't', ':':
			rest = s[1:]
		case '-', '_':
			if _, n := digits(s[1:], 6); n < 4 {
				return false
			}
			rest = s[1:]
		default:
			return f.endOfClock(s)
		}
	}
	return f.clock(rest)
}

// clock reads a time of day, to the end: 12:30, 12:30:15.5, 1230, 12.30.15, 12h30, 12, 12:30 PM, 12:30Z, 12:30+01:00, 12:30 CET.
func (f *fields) clock(s string) bool {
	hour, n := digits(s, 2)
	if n == 0 {
		return f.endOfClock(s)
	}
	f.seconds += 3600 * float64(hour)
	s = s[n:]
	for k := range 2 {
		at := s
		if at != "" && strings.IndexByte(":. h", at[0]) >= 0 {
			at = at[1:]
		}
		v, n := digits(at, 2)
		if n != 2 {
			break
		}
		if v > 59 {
			return false
		}
		if k == 0 {
			f.seconds += 60 * float64(v)
			s = at[n:]
			continue
		}
		v2, rest, _ := secondsOf(at)
		f.seconds += v2
		s = rest
	}
	return hour <= 24 && f.seconds <= 86400 && f.endOfClock(s)
}

// secondsOf reads seconds, perhaps with decimals.
func secondsOf(s string) (v float64, rest string, ok bool) {
	whole, n := digits(s, 2)
	if n != 2 || whole > 60 {
		return 0, s, false
	}
	v, s = float64(whole), s[2:]
	if s != "" && (s[0] == '.' || s[0] == ',') {
		part, n := digits(s[1:], 9)
		if n > 0 {
			v += float64(part) / math.Pow10(n)
			s = strings.TrimLeft(s[1+n:], "0123456789")
		}
	}
	return v, s, true
}

// endOfClock reads what may stand behind a time of day, to the end: AM or PM, a zone.
func (f *fields) endOfClock(s string) bool {
	s = strings.TrimLeft(s, " \u00a0\u202f")
	if rest, ok := f.halfDay(s); ok {
		s = strings.TrimLeft(rest, " ")
	}
	if s == "" {
		return true
	}
	rest, ok := f.zoneOf(s)
	return ok && (rest == "" || rest[0] == '[' && rest[len(rest)-1] == ']') // the name of a place behind the difference
}

// halfDay reads AM, PM, a.m., p. m.
func (f *fields) halfDay(s string) (rest string, ok bool) {
	for _, w := range []string{"AM", "PM", "A.M.", "P.M.", "A. M.", "P. M.", "A.\u00a0M.", "P.\u00a0M."} {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
			f.twelve, f.afternoon = true, w[0] == 'P'
			return s[len(w):], true
		}
	}
	return s, false
}

// halfDays turns a time on a clock of twelve hours into one on a clock of 24.
func (f *fields) halfDays() bool {
	if f.seconds < 3600 || f.seconds >= 13*3600 {
		return false
	}
	f.seconds = math.Mod(f.seconds, 12*3600)
	if f.afternoon {
		f.seconds += 12 * 3600
	}
	return true
}

// zoneOf reads a zone: Z, UTC, CET, +1, +01:00, -0800, UTC+1.
func (f *fields) zoneOf(s string) (rest string, ok bool) {
	w := word(s)
	hours, known := zones[strings.ToUpper(w)]
	if w != "" && !known {
		return s, false
	}
	s = s[len(w):]
	f.zone, f.hasZone = 3600*hours, true
	if s == "" || s[0] != '+' && s[0] != '-' {
		return s, known
	}
	sign := map[bool]float64{true: -1, false: 1}[s[0] == '-']
	hour, n := digits(s[1:], 2)
	if n == 0 || hour > 14 {
		return s, false
	}
	s = strings.TrimPrefix(s[1+n:], ":")
	minutes, n := digits(s, 2)
	f.zone += sign * (3600*float64(hour) + 60*float64(minutes))
	return s[n:], minutes < 60
}
