package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// TimeUnits are the units of times in files by the CF conventions (Eaton et al., version 1.11, section 4.4): a number of units
// since a date, in a calendar.
type TimeUnits struct {
	text     string
	name     string
	unit     float64 // days
	calendar calendar
	day      int64   // of the date, in the calendar's own count
	fraction float64 // of that day, in days
}

// A calendar counts days from a date on and back.
type calendar struct {
	days func(year, month, day int) int64
	date func(day int64) (year, month, dayOfMonth int)
}

// calendars are those that the conventions name, but for "none". Three have other names beside these.
var calendars = map[string]calendar{
	"standard":            {mixedDay, mixedDate},
	"gregorian":           {mixedDay, mixedDate},
	"proleptic_gregorian": {gregorianDay, gregorianDate},
	"julian":              {julianDay, julianDate},
	"noleap":              evenYears(normalMonths),
	"365_day":             evenYears(normalMonths),
	"all_leap":            evenYears(leapMonths),
	"366_day":             evenYears(leapMonths),
	"360_day":             evenYears([12]int{30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30}),
}

var (
	normalMonths = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	leapMonths   = [12]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
)

// evenYears is a calendar in which all years are alike.
func evenYears(months [12]int) calendar {
	var before [13]int
	for m, n := range months {
		before[m+1] = before[m] + n
	}
	year := int64(before[12])
	return calendar{
		func(y, m, d int) int64 { return int64(y)*year + int64(before[m-1]+d-1) },
		func(day int64) (y, m, d int) {
			y, rest := int(floorDiv(day, year)), int(day-floorDiv(day, year)*year)
			for m = 1; rest >= before[m]; m++ {
			}
			return y, m, rest - before[m-1] + 1
		},
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// gregorianDay counts days in the Gregorian calendar, also before its time. Years begin with March here, so that the
// leap day is their last: month k of such a year begins ⌊(153k+2)/5⌋ days after its start.
func gregorianDay(y, m, d int) int64 {
	year, day := marchYear(y, m, d)
	return 365*year + floorDiv(year, 4) - floorDiv(year, 100) + floorDiv(year, 400) + day
}

// julianDay counts days in the Julian calendar, from the same day as gregorianDay: in the third century
// the two agreed.
func julianDay(y, m, d int) int64 {
	year, day := marchYear(y, m, d)
	return 365*year + floorDiv(year, 4) + day - 2
}

// marchYear returns the year that began with the last March and the days since then.
func marchYear(y, m, d int) (year, day int64) {
	year = int64(y)
	if m < 3 {
		year, m = year-1, m+12
	}
	return year, int64((153*(m-3)+2)/5 + d - 1)
}

// gregorianDate is the inverse of gregorianDay: 400 years have 146097 days.
func gregorianDate(day int64) (y, m, d int) {
	era := floorDiv(day, 146097)
	in := day - era*146097
	year := (in - in/1460 + in/36524 - in/146096) / 365
	return fromMarch(era*400+year, in-(365*year+year/4-year/100))
}

// julianDate is the inverse of julianDay: 4 years have 1461 days.
func julianDate(day int64) (y, m, d int) {
	day += 2
	era := floorDiv(day, 1461)
	in := day - era*1461
	year := min((in-in/1460)/365, 3)
	return fromMarch(era*4+year, in-365*year)
}

func fromMarch(year, day int64) (y, m, d int) {
	month := (5*day + 2) / 153
	d = int(day - (153*month+2)/5 + 1)
	if m = int(month) + 3; m > 12 {
		m, year = m-12, year+1
	}
	return int(year), m, d
}

// firstGregorian is 15 October 1582, the day after 4 October.
var firstGregorian = gregorianDay(1582, 10, 15)

func mixedDay(y, m, d int) int64 {
	if day := gregorianDay(y, m, d); day >= firstGregorian {
		return day
	}
	return julianDay(y, m, d)
}

func mixedDate(day int64) (y, m, d int) {
	if day >= firstGregorian {
		return gregorianDate(day)
	}
	return julianDate(day)
}

// timeUnits are lengths in days. Those of month and year are of the mean year of UDUNITS, as
// the conventions have it, but in a calendar of equal months.
var timeUnits = map[string]float64{
	"day": 1, "d": 1, "hour": 1. / 24, "hr": 1. / 24, "h": 1. / 24, "minute": 1. / 1440, "min": 1. / 1440,
	"second": 1. / 86400, "sec": 1. / 86400, "s": 1. / 86400, "week": 7, "month": 365.242198781 / 12, "year": 365.242198781,
	"millisecond": 1. / 86400000, "msec": 1. / 86400000, "ms": 1. / 86400000,
	"microsecond": 1. / 86400e6, "us": 1. / 86400e6, "nanosecond": 1. / 86400e9, "ns": 1. / 86400e9,
}

// calendarOf finds a calendar and its name by the conventions: also 360 and 360days for 360_day, and others alike.
func calendarOf(text string) (name string, c calendar, ok bool) {
	name = strings.ToLower(strings.TrimSpace(text))
	if name == "" {
		name = "standard"
	}
	if c, ok = calendars[name]; ok {
		return name, c, true
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	plain = strings.TrimSuffix(strings.TrimSuffix(plain, "s"), "day")
	for long, short := range map[string]string{"360_day": "360", "noleap": "365", "all_leap": "366", "365_day": "noleap", "366_day": "allleap", "proleptic_gregorian": "prolepticgregorian"} {
		if plain == short {
			return long, calendars[long], true
		}
	}
	return name, c, false
}

// isTimeUnits tells whether a text is meant as units of time since a date, or of dates as numbers.
func isTimeUnits(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, " since ") || strings.Contains(s, " as %y")
}

// ParseTimeUnits reads units such as "days since 1854-01-15 00:00:00" and the name of a calendar, "" for standard: standard
// (or gregorian: Julian before 15 October 1582), proleptic_gregorian, julian, noleap (365_day), all_leap (366_day) or 360_day.
// Any other calendar is an error that names it.
func ParseTimeUnits(units, name string) (*TimeUnits, error) {
	fields := strings.Fields(units)
	if len(fields) < 3 || strings.ToLower(fields[1]) != "since" {
		return nil, fmt.Errorf("units %s, expected such as \"days since 1990-01-01\"", quote.Text(units))
	}
	word := strings.ToLower(fields[0])
	unit, known := timeUnits[word]
	if !known {
		unit, known = timeUnits[strings.TrimSuffix(word, "s")]
	}
	if !known {
		return nil, fmt.Errorf("units %s, expected such as \"days since 1990-01-01\"", quote.Text(units))
	}
	name, c, known := calendarOf(name)
	if !known {
		return nil, fmt.Errorf("calendar %s, expected standard, gregorian, proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day", quote.Text(name))
	}
	if name == "360_day" { // whose months and years have one length
		if months := math.Round(unit / 30); months >= 1 {
			unit = 30 * months
		}
	}
	u := &TimeUnits{text: units, name: name, unit: unit, calendar: c}
	var err error
	u.day, u.fraction, err = u.parse(strings.Join(fields[2:], " "))
	return u, err
}

// sinceEpoch are the units of dates in tables.
var sinceEpoch, _ = ParseTimeUnits("days since 1970-01-01", "proleptic_gregorian")

// datesAsNumbers replaces dates that are written as numbers (day as %Y%m%d.%f, month as %Y%m.%f, year as %Y.%f, by the conventions of CDO) by days since
// the first, of which it returns the units. After an error the numbers are as they were.
func datesAsNumbers(t []float64, units, name string) (*TimeUnits, error) {
	_, form, _ := strings.Cut(strings.ToLower(strings.TrimSpace(units)), " as ")
	scale := map[string]float64{"%y%m%d.%f": 10000, "%y%m%d": 10000, "%y%m.%f": 100, "%y%m": 100, "%y.%f": 1, "%y": 1}[form]
	if scale == 0 {
		return nil, fmt.Errorf("units %s, expected such as \"day as %%Y%%m%%d.%%f\"", quote.Text(units))
	}
	days := make([]float64, len(t))
	var u *TimeUnits
	for i, v := range t {
		whole := math.Floor(math.Abs(v))
		year := math.Floor(whole / scale)
		month, day := whole-year*scale, 1.
		switch scale {
		case 10000:
			month, day = math.Floor(month/100), month-100*math.Floor(month/100)
		case 1:
			month = 1
		}
		date := func(y, m float64) string {
			return fmt.Sprintf("%s%04.0f-%02.0f-%02.0f", map[bool]string{true: "-"}[v < 0], y, m, day)
		}
		if u == nil {
			var err error
			if u, err = ParseTimeUnits("days since "+date(year, month), name); err != nil {
				return nil, err
			}
		}
		from, err := u.Time(date(year, month))
		if err != nil {
			return nil, err
		}
		length := 1.
		if scale < 10000 { // a fraction of a month or a year
			next := date(year+1, 1)
			if scale == 100 && month < 12 {
				next = date(year, month+1)
			}
			end, err := u.Time(next)
			if err != nil {
				return nil, err
			}
			length = end - from
		}
		days[i] = from + (math.Abs(v)-whole)*length
	}
	copy(t, days)
	return u, nil
}

// parse reads a date and a time of day: 1990-1-1, 1990-01-01 12:30, 1990-01-01T12:30:15.5Z, … +01:00.
func (u *TimeUnits) parse(s string) (day int64, fraction float64, err error) {
	fail := fmt.Errorf("date %s, expected such as 1990-01-01 or 1990-01-01 12:30:00", quote.Text(s))
	text, clock, zone := strings.TrimSpace(s), "", ""
	if at := strings.IndexAny(text, "T "); at >= 0 {
		text, clock = text[:at], strings.TrimSpace(text[at+1:])
	}
	before, isNegative := strings.CutPrefix(text, "-")
	parts := strings.Split(before, "-")
	date := [3]int{1, 1, 1}
	for k, p := range parts {
		n, err := strconv.Atoi(p)
		if k > 2 || err != nil || p[0] == '+' || p[0] == '-' || len(p) > 6 {
			return 0, 0, fail
		}
		date[k] = n
	}
	if len(parts) < 2 || date[1] < 1 || date[1] > 12 {
		return 0, 0, fail
	}
	if isNegative {
		date[0] = -date[0]
	}
	day = u.calendar.days(date[0], date[1], max(date[2], 1))
	if y, m, d := u.calendar.date(day); date != [3]int{y, m, d} {
		return 0, 0, fmt.Errorf("date %s, expected a day that the calendar has", quote.Text(s))
	}
	if at := strings.IndexAny(clock, "Zz+-UuGg "); at >= 0 {
		clock, zone = clock[:at], strings.TrimSpace(clock[at:])
	}
	seconds, ok := parseClock(clock)
	shift, okZone := parseZone(zone)
	if !ok || !okZone {
		return 0, 0, fail
	}
	return day, (seconds - shift) / 86400, nil
}

// parseZone reads Z, UTC, GMT, +1, +01:00, +0100 or UTC+1 as seconds.
func parseZone(s string) (seconds float64, ok bool) {
	s = strings.ToUpper(s)
	for _, name := range []string{"UTC", "GMT", "Z"} {
		if rest, found := strings.CutPrefix(s, name); found {
			s = strings.TrimSpace(rest)
			break
		}
	}
	if s == "" {
		return 0, true
	}
	clock := s[1:]
	if len(clock) == 4 && !strings.Contains(clock, ":") {
		clock = clock[:2] + ":" + clock[2:]
	}
	seconds, ok = parseClock(clock)
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, ok && (s[0] == '+' || s[0] == '-')
}

// parseClock reads 12, 12:30 or 12:30:15.5 as seconds.
func parseClock(s string) (seconds float64, ok bool) {
	if s == "" {
		return 0, true
	}
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return 0, false
	}
	scale := 3600.
	for k, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || strings.ContainsAny(p, "+-xXpPeEnN") || v >= [3]float64{25, 60, 61}[k] {
			return 0, false
		}
		seconds += v * scale
		scale /= 60
	}
	return seconds, true
}

// String returns the units as they were given.
func (u *TimeUnits) String() string { return u.text }

// Date returns the date of a time in these units, as 1990-01-15 or, with a time of day, 1990-01-15 12:30:00, to the second.
func (u *TimeUnits) Date(t float64) string {
	days := t*u.unit + u.fraction
	if !(math.Abs(days) < 1e12) {
		return fmt.Sprint(t)
	}
	whole := math.Floor(days)
	seconds := int64(math.Round((days - whole) * 86400))
	day := u.day + int64(whole) + seconds/86400
	seconds %= 86400
	y, m, d := u.calendar.date(day)
	s := fmt.Sprintf("%04d-%02d-%02d", y, m, d)
	if seconds > 0 {
		s += fmt.Sprintf(" %02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return s
}

// Time is the inverse of Date: the time in these units of a date in the calendar.
func (u *TimeUnits) Time(date string) (float64, error) {
	day, fraction, err := u.parse(date)
	if err != nil {
		return 0, err
	}
	return (float64(day-u.day) + fraction - u.fraction) / u.unit, nil
}
