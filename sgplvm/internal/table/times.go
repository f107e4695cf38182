package table

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

var (
	timeNames = []string{"time", "t", "date", "datetime", "timestamp", "day", "days", "hour", "hours", "year", "years", "month", "epoch", "unix", "elapsed", "seconds", "date_time", "datum", "zeit", "fecha", "depth", "distance", "ts", "jd", "mjd", "bjd", "hjd"}
	sureNames = []string{"time", "date", "datetime", "timestamp"}                                              // of a time in any column
	spanNames = []string{"year", "years", "jahr", "month", "week", "day", "days", "hour", "quarter", "period"} // of a time in any column that has others beside it
	rowNames  = []string{"", "#", "index", "id", "row", "rows", "nr", "no", "n", "obs", "number", "unnamed: 0", "rownames", "rowid", "record", "rank", "case", "lfdn", "respondent", "run", "runs", "run_id", "simulation", "sample", "experiment", "job"}
	partNames = [][]string{{"year", "yr", "yyyy", "yy", "jahr"}, {"month", "mon", "mm", "mo", "monat"}, {"day", "dd", "dy", "tag"}, {"hour", "hr", "hh", "stunde"}, {"minute", "min", "mn", "mi"}}
)

// spanLayouts are those of years and what columns of some names have beside them.
var spanLayouts = map[string]string{"quarter": "%Y %q", "week": "%Y %V", "isoweek": "%Y %V", "doy": "%Y %j", "jday": "%Y %j", "julian_day": "%Y %j", "yday": "%Y %j", "dayofyear": "%Y %j", "day_of_year": "%Y %j"}

// isNamed tells whether a column has one of some names, perhaps with a unit behind it.
func (t *Table) isNamed(k int, names []string) bool {
	if k >= len(t.Names) {
		return false
	}
	name := strings.ToLower(strings.TrimSpace(t.Names[k]))
	if cut := strings.IndexAny(name, "([/"); cut > 0 {
		name = strings.TrimSpace(name[:cut])
	}
	return slices.Contains(names, name)
}

// findTime finds the columns that tell the time among those that are free, and reads them.
func (t *Table) findTime(o Options, free func(int) bool) (err error) {
	switch o.Time {
	case "none":
		return nil
	case "":
		t.Time = t.guessTime(o, free)
	default:
		if t.Time, err = t.Find(o.Time); err != nil {
			return err
		}
	}
	if t.Time == nil || t.width > MostColumns {
		t.Time = nil
		return nil
	}
	if c := t.column(t.Time[0]); len(t.Time) == 1 && o.Layout == "" && c.kind == Number && !c.isCompact() {
		if t.Times, err = t.Numbers(t.Time); err != nil {
			return err
		}
		t.Guessed = o.Time == ""
		if k := slices.IndexFunc(t.Times, math.IsNaN); k >= 0 {
			sure := t.isNamed(t.Time[0], sureNames)
			known := slices.DeleteFunc(slices.Clone(t.Times), math.IsNaN)
			if !t.Guessed || sure && (len(known) < 3 || monotone(known)) { // a series whose row lacks its time
				return t.noTime(k, "")
			}
			if sure {
				t.note("column %s has numbers in no order, some of them missing: taken for values (-time-column %s takes it as the time)", t.Name(t.Time[0]), t.word(t.Time[0]))
			}
			t.Time, t.Times, t.Guessed = nil, nil, false
		}
		return nil
	}
	t.Dated = true
	if len(t.Time) == 2 && o.Layout == "" {
		o.Layout = spanLayouts[strings.ToLower(t.Names[t.Time[1]])]
	}
	if o.Layout != "" {
		return t.readDates(o.Layout)
	}
	return t.recogniseDates()
}

// guessTime finds a column of dates, with one of times of day beside it, or of years, months and days, or of numbers under a name that says so.
func (t *Table) guessTime(o Options, free func(int) bool) []int {
	if t.width > MostColumns {
		return nil
	}
	var dates []int
	for k := range t.columns {
		if c := &t.columns[k]; c.kind == Date && free(k) && (c.dates != clocks || k == 0) {
			dates = append(dates, k)
		}
	}
	if k := slices.IndexFunc(dates, func(k int) bool { return t.isNamed(k, timeNames) }); k > 0 && dates[0] > 0 {
		dates = dates[k:]
	}
	if len(dates) > 0 {
		return t.withClock(dates[0], free)
	}
	if o.NumbersOnly {
		return nil
	}
	if t.Names == nil { // names tell the rest
		return t.unnamedParts()
	}
	var parts []int
	for _, names := range partNames {
		k := slices.IndexFunc(t.Names, func(name string) bool { return slices.Contains(names, strings.ToLower(strings.TrimSpace(name))) })
		if k < 0 && len(parts) == 4 {
			k = slices.Index(t.Names, "mm") // beside MM
		}
		if k < 0 || !free(k) || !t.columns[k].isWhole() {
			break
		}
		parts = append(parts, k)
	}
	if len(parts) == 1 {
		if k := slices.IndexFunc(t.Names, func(name string) bool { return spanLayouts[strings.ToLower(name)] != "" }); k >= 0 && free(k) && t.columns[k].isWhole() {
			parts = append(parts, k)
		}
	}
	if len(parts) > 1 {
		return parts
	}
	for k := range t.columns {
		if c := &t.columns[k]; c.kind == Number && free(k) && (t.isNamed(k, sureNames) || k == 0 && t.isNamed(k, timeNames) || c.isCompact() && (k == 0 || t.sounds(k, timeNames) || c.least > 17e6 && c.most < 22e6)) {
			return t.withClock(k, free)
		}
	}
	if c := &t.columns[0]; free(0) && (c.isEven() || c.isRising() && c.isEpoch()) && !t.isIdentifier(0) {
		return []int{0}
	}
	for k := range t.columns {
		if t.columns[k].isWhole() && free(k) && t.sounds(k, spanNames) && t.others(k) {
			return []int{k} // where the table is long
		}
	}
	return nil
}

// others tells whether other columns than one have numbers.
func (t *Table) others(than int) bool {
	for k := range t.columns {
		if k != than && t.columns[k].kind == Number {
			return true
		}
	}
	return false
}

// unnamedParts tells whether the first columns of a table without names are years, months, days and, perhaps, hours that rise.
func (t *Table) unnamedParts() []int {
	last := [][2]float64{{1700, 2200}, {1, 12}, {1, 31}, {0, 24}}
	var parts []int
	for k, l := range last[:min(len(last), t.width-1)] {
		if c := &t.columns[k]; !c.isWhole() || c.least < l[0] || c.most > l[1] {
			break
		}
		parts = append(parts, k)
	}
	for ; len(parts) > 2; parts = parts[:len(parts)-1] {
		u := *t
		if u.Time = parts; u.recogniseDates() == nil && monotone(u.Times) {
			return parts
		}
	}
	return nil
}

// isEpoch tells whether numbers are seconds or milliseconds since 1970, of the years from 1990 to 2100.
func (c *column) isEpoch() bool {
	const from, to = 631152000, 4102444800
	return c.decimals == 0 && (c.least >= from && c.most < to || c.least >= 1000*from && c.most < 1000*to)
}

// withClock adds a column of times of day, or of hours, to the column of dates before it.
func (t *Table) withClock(k int, free func(int) bool) []int {
	if c := &t.columns[k]; k+1 < t.width && free(k+1) && (c.kind == Date && c.dates != clocks || c.isCompact()) {
		if next := &t.columns[k+1]; next.kind == Date && next.dates == clocks || next.isWhole() && next.most <= 24 && t.isNamed(k+1, partNames[3]) {
			return []int{k, k + 1}
		}
	}
	return []int{k}
}

// isWhole tells whether a column has whole numbers, none of them missing.
func (c *column) isWhole() bool {
	return c.kind == Number && c.decimals == 0 && c.exponents == 0 && c.missing == 0 && c.words == 0
}

// isCompact tells whether the numbers of a column are dates.
func (c *column) isCompact() bool {
	return c.dates != 0 && c.dates&^compact == 0 && c.hits == c.numbers
}

// sounds tells whether a word of a column's name is one of some.
func (t *Table) sounds(k int, names []string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(t.Names[k]), func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool { return slices.Contains(names, w) })
}

// Line returns the line of a row.
func (t *Table) Line(row int) (line int) {
	t.each(func(r int, x cell) {
		if r == row && x.column == 0 {
			line = x.line
		}
	})
	return line
}

// noTime refuses a row whose time cannot be read.
func (t *Table) noTime(row int, layout string) error {
	text, want := t.Texts(t.Time...)[row], "a time, as in the other rows"
	if layout != "" {
		want = "a date of the form " + layout
	}
	line := t.Line(row)
	return &Error{Place: t.place(line, t.Time[0]), Found: quote.Text(text), Want: fmt.Sprintf("%s (-time-column none takes no column as the time, %s)", want, takeOut(line))}
}

// readDates reads all dates by one layout. Those of a clock without a date go on past midnight.
func (t *Table) readDates(layout string) error {
	t.Times, t.layout = make([]float64, t.Rows), layout
	past := 0.
	for i, text := range t.Texts(t.Time...) {
		day, zoned, ok := parseDate(text, layout)
		if !ok {
			return t.noTime(i, layout)
		}
		t.zoned = t.zoned || zoned
		if t.Times[i] = day + past; layout == clockLayout && i > 0 && t.Times[i] <= t.Times[i-1] {
			past++
			t.Times[i]++
		}
	}
	return nil
}

// recogniseDates finds the layout of all dates and reads them.
func (t *Table) recogniseDates() error {
	left, texts := allLayouts, t.Texts(t.Time...)
	for i, text := range texts {
		m := left.matching(text)
		if m == 0 {
			if i == 0 {
				return t.noTime(i, "")
			}
			return t.noTime(i, left.first())
		}
		left = m
	}
	if bits.OnesCount64(uint64(left)) > 1 {
		var err error
		if left, err = t.tell(left, texts); err != nil {
			return err
		}
	}
	return t.readDates(left.first())
}

// tell chooses among several layouts by which all dates can be read: where they differ, those by which the dates rise, or fall, from row to row,
// and among them the one by which there are so many readings a day, one after the other.
func (t *Table) tell(all layoutSet, texts []string) (layoutSet, error) {
	var chosen, rising, even layoutSet
	var different string
	var first []float64
	for rest := all; rest != 0; rest &= rest - 1 {
		days := make([]float64, len(texts))
		differs := -1
		for i, text := range texts {
			if days[i], _, _ = parseDate(text, rest.first()); first != nil && days[i] != first[i] && differs < 0 {
				differs = i
			}
		}
		if first == nil {
			first = days
		} else if differs < 0 {
			continue // as the first
		}
		if chosen |= rest & -rest; differs >= 0 && different == "" {
			different = texts[differs]
		}
		if monotone(days) {
			rising |= rest & -rest
			if hasEvenClock(days) {
				even |= rest & -rest
			}
		}
	}
	if rising != 0 {
		chosen = rising
	}
	if bits.OnesCount64(uint64(even)) == 1 {
		return even, nil
	}
	if bits.OnesCount64(uint64(chosen)) == 1 {
		return chosen, nil
	}
	var read, want []string
	for ; chosen != 0; chosen &= chosen - 1 {
		day, _, _ := parseDate(different, chosen.first())
		read = append(read, time.Unix(int64(day*86400), 0).UTC().Format("2006-01-02"))
		want = append(want, "-time-format "+quoteLayout(chosen.first()))
	}
	return 0, &Error{Place: "column " + t.Name(t.Time[0]), Found: quote.Text(different) + ", which may be " + strings.Join(read, " or "), Want: strings.Join(want, " or ")}
}

// hasEvenClock tells whether rising times of several days have steps below a day, none of them much longer than the usual one.
func hasEvenClock(x []float64) bool {
	var steps []float64
	for i := 1; i < len(x); i++ {
		steps = append(steps, math.Abs(x[i]-x[i-1]))
	}
	usual := median(steps)
	return usual < 0.5 && math.Abs(x[len(x)-1]-x[0]) > 1 && slices.Max(steps) < min(1, 3*usual)
}

// quoteLayout writes a layout for a shell.
func quoteLayout(layout string) string {
	if strings.ContainsAny(layout, " ,") {
		return "'" + layout + "'"
	}
	return layout
}

// Repeated returns two rows of the same time, if there are any, after local times without a zone have been brought to one clock: where it goes back in
// autumn an hour comes twice.
func (t *Table) Repeated() (first, second int, is bool) {
	if first, second, is = repeated(t.Times); !is || !t.Dated || t.zoned {
		return first, second, is
	}
	if winter, at := standardTime(t.Times); winter != nil {
		if _, _, again := repeated(winter); !again {
			t.Times = winter
			t.note("times: the clock goes back in line %d (daylight saving), and all times are taken as standard time", t.Line(at))
			return 0, 0, false
		}
	}
	return first, second, true
}

// FewTimes tells whether less than half of the rows have a time of their own: they are events, not steps of a series.
func (t *Table) FewTimes() bool {
	times := slices.Clone(t.Times)
	slices.Sort(times)
	return 2*len(slices.Compact(times)) < t.Rows
}

// Rising tells whether the times rise, or fall, from row to row.
func (t *Table) Rising() bool { return monotone(t.Times) }

// DropTime takes the columns of the time for others: numbers for values, dates for labels.
func (t *Table) DropTime() {
	for _, k := range t.Time {
		if t.column(k).kind == Number {
			t.Values = append(t.Values, k)
		} else {
			t.Labels = append(t.Labels, k)
			t.note("column %s has dates, some of them twice: carried through", t.Name(k))
		}
	}
	slices.Sort(t.Values)
	slices.Sort(t.Labels)
	t.Time, t.Times, t.Dated = nil, nil, false
}

func repeated(x []float64) (first, second int, is bool) {
	rows := make(map[float64]int, len(x))
	for i, v := range x {
		if k, known := rows[v]; known {
			return k, i, true
		}
		rows[v] = i
	}
	return 0, 0, false
}

// standardTime takes the hour of summer off times that rise but for an hour at night that comes twice. at is where the clock first goes back; nil: it is no such clock.
func standardTime(x []float64) (winter []float64, at int) {
	const hour, near = 1. / 24, 1e-6
	var steps []float64
	for i := 1; i < len(x); i++ {
		steps = append(steps, x[i]-x[i-1])
	}
	usual := median(steps)
	changes := map[int]float64{} // of the difference to standard time before a row, in hours
	start := -1.                 // not known yet
	for i := 1; i < len(x); i++ {
		change := 0.
		switch step := x[i] - x[i-1]; {
		case math.Mod(x[i], 1) > 4.01*hour: // by day
		case step <= 0 && math.Abs(step-usual+hour) < near:
			if change = -1; at == 0 {
				at = i
			}
		case step > 0 && math.Abs(step-usual-hour) < near:
			change = 1
		}
		if changes[i] = change; change != 0 && start < 0 {
			start = max(0, -change)
		}
	}
	if at == 0 {
		return nil, 0
	}
	winter = slices.Clone(x)
	summer := start
	for i := range x {
		summer = min(1, max(0, summer+changes[i]))
		winter[i] -= summer * hour
	}
	return winter, at
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}

// monotone tells whether numbers rise, or fall, from each to the next.
func monotone(x []float64) bool {
	if len(x) < 2 {
		return false
	}
	sign := math.Copysign(1, x[1]-x[0])
	for i := 1; i < len(x); i++ {
		if !(sign*(x[i]-x[i-1]) > 0) {
			return false
		}
	}
	return true
}
