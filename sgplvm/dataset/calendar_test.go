package dataset_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func units(t *testing.T, text, calendar string) *dataset.TimeUnits {
	t.Helper()
	u, err := dataset.ParseTimeUnits(text, calendar)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The Gregorian calendar against package time, day by day and by large steps.
func TestGregorian(t *testing.T) {
	u := units(t, "days since 1970-01-01", "proleptic_gregorian")
	start := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []int{1, 97, 9973} {
		for k := -400; k < 400; k++ {
			day := k * step
			want := start.AddDate(0, 0, day)
			if y := want.Year(); y < 1 || y > 9999 {
				continue
			}
			text := want.Format("2006-01-02")
			if got := u.Date(float64(day)); got != text {
				t.Fatalf("day %d is %s, want %s", day, got, text)
			}
			if got, err := u.Time(text); err != nil || got != float64(day) {
				t.Fatalf("%s is day %v, want %d (%v)", text, got, day, err)
			}
		}
	}
}

// Every calendar counts on from day to day, with the months that it should have.
func TestCalendars(t *testing.T) {
	months := func(leap bool) []int {
		m := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
		if leap {
			m[1] = 29
		}
		return m
	}
	even := []int{30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30}
	of := map[string]func(y int) []int{
		"standard":            func(y int) []int { return months(y%4 == 0 && (y < 1583 || y%100 != 0 || y%400 == 0)) },
		"proleptic_gregorian": func(y int) []int { return months(y%4 == 0 && (y%100 != 0 || y%400 == 0)) },
		"julian":              func(y int) []int { return months(y%4 == 0) },
		"noleap":              func(int) []int { return months(false) },
		"366_day":             func(int) []int { return months(true) },
		"360_day":             func(int) []int { return even },
	}
	for name, lengths := range of {
		for _, from := range []int{-5, 0, 1496, 1579, 1896, 1999, 2396} {
			u := units(t, fmt.Sprintf("days since %d-01-01", from), name)
			if from < 0 {
				u = units(t, fmt.Sprintf("days since -%04d-01-01", -from), name)
			}
			day := 0
			for y := from; y < from+8; y++ {
				for m, n := range lengths(y) {
					for d := 1; d <= n; d++ {
						if name == "standard" && y == 1582 && m == 9 && d > 4 && d < 15 {
							continue // these days were left out
						}
						want := fmt.Sprintf("%04d-%02d-%02d", y, m+1, d)
						if got := u.Date(float64(day)); got != want {
							t.Fatalf("%s since %d: day %d is %s, want %s", name, from, day, got, want)
						}
						if got, err := u.Time(want); err != nil || got != float64(day) {
							t.Fatalf("%s since %d: %s is day %v, want %d (%v)", name, from, want, got, day, err)
						}
						day++
					}
				}
			}
		}
	}
}

// Days that others have counted: 2000-01-01 is Julian day 2451545, which begins at noon of -4712-01-01 of the
// Julian calendar (Meeus 1998, chapter 7); a date of year 1 in the mixed calendar is two days earlier than in the Gregorian one.
func TestKnownDays(t *testing.T) {
	for _, c := range []struct {
		units, calendar, date string
		want                  float64
	}{
		{"days since -4712-01-01", "standard", "2000-01-01", 2451545},
		{"days since -4712-01-01", "julian", "333-01-27", 1842713},
		{"days since -4712-01-01", "standard", "1957-10-04", 2436116},
		{"days since 0001-01-01", "standard", "2000-01-01", 730121},
		{"days since 0001-01-01", "proleptic_gregorian", "2000-01-01", 730119},
		{"hours since 1900-01-01 00:00:0.0", "gregorian", "1900-01-02 06:00", 30},
		{"seconds since 1970-01-01T00:00:00Z", "", "2001-09-09 01:46:40", 1e9},
		{"minutes since 2000-01-01 01:00 +01:00", "", "2000-01-01 00:30", 30},
		{"days since 2000-2-29 12", "366_day", "2001-02-29", 365.5},
		{"months since 2000-01", "360_day", "2001-01-01", 12},
		{"years since 2000-01-01", "360_day", "2002-07-01", 2.5},
		{"weeks since 2000-01-01", "noleap", "2000-03-05", 9},
	} {
		u := units(t, c.units, c.calendar)
		got, err := u.Time(c.date)
		if err != nil || math.Abs(got-c.want) > 1e-9*math.Abs(c.want) {
			t.Errorf("%s, %s: %s is %v, want %v (%v)", c.units, c.calendar, c.date, got, c.want, err)
		}
	}
	if got := units(t, "days since 2000-01-01", "").Date(59.999999); got != "2000-03-01" {
		t.Errorf("a second is rounded to %s", got)
	}
	if got := units(t, "days since 2000-01-01", "").Date(-0.25); got != "1999-12-31 18:00:00" {
		t.Errorf("a quarter of a day before: %s", got)
	}
}

func TestUnitsRefused(t *testing.T) {
	for _, c := range []struct{ units, calendar, want string }{
		{"days", "", `units "days", expected such as "days since 1990-01-01"`},
		{"fortnights since 1990-01-01", "", `units "fortnights since 1990-01-01", expected such as "days since 1990-01-01"`},
		{"days since 1990-01-01", "martian", `calendar "martian", expected standard, gregorian, proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day`},
		{"days since yesterday", "", `date "yesterday", expected such as 1990-01-01 or 1990-01-01 12:30:00`},
		{"days since 1990-13-01", "", `date "1990-13-01", expected such as 1990-01-01 or 1990-01-01 12:30:00`},
		{"days since 1990-02-29", "", `date "1990-02-29", expected a day that the calendar has`},
		{"days since 2000-02-29", "noleap", `date "2000-02-29", expected a day that the calendar has`},
		{"days since 1582-10-10", "standard", `date "1582-10-10", expected a day that the calendar has`},
		{"days since 1990-01-01 25:61", "", `date "1990-01-01 25:61", expected such as 1990-01-01 or 1990-01-01 12:30:00`},
		{"days since 99999999999999999999-01-01", "", `date "99999999999999999999-01-01", expected such as 1990-01-01 or 1990-01-01 12:30:00`},
	} {
		if _, err := dataset.ParseTimeUnits(c.units, c.calendar); err == nil || err.Error() != c.want {
			t.Errorf("%s, %s: error\n\t%v\nwant\n\t%s", c.units, c.calendar, err, c.want)
		}
	}
}
