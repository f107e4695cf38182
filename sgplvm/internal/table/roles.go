package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Read reads a file's text.
func Read(file string, o Options) (*Table, error) {
	t := &Table{headed: o.Headed}
	var err error
	if t.text, t.encoding, err = decode(file); err != nil {
		return nil, err
	}
	if o.Missing != "" {
		t.missing = []string{o.Missing}
	}
	if strings.HasPrefix(t.text, mark) {
		t.start = len(mark)
	}
	if t.start, err = behindSeaBird(t.text, t.start); err != nil {
		return nil, err
	}
	t.dialect = separatorOf(t.text[t.start:])
	t.end = t.start + t.dialect.end(t.text[t.start:])
	rows, _ := t.sample(t.text[:t.end], t.start)
	t.findEnds(t.text[t.start:t.end], width(rows))
	if err := t.findBody(); err != nil {
		return nil, err
	}
	var last tail
	if err := t.findFormat(&last); err != nil {
		return nil, err
	}
	t.cutNotes(&last)
	err = t.survey()
	if err == nil && t.cutTotals(&last, o) {
		err = t.survey()
	}
	if err == nil {
		err = t.assign(o)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// assign decides what the columns are.
func (t *Table) assign(o Options) error {
	values, err := t.Find(o.Columns)
	if err != nil {
		return err
	}
	labels, err := t.Find(o.Labels)
	if err != nil {
		return err
	}
	free := func(k int) bool { return !slices.Contains(values, k) && !slices.Contains(labels, k) }
	if err := t.findTime(o, free); err != nil {
		return err
	}
	if t.width > MostColumns {
		if t.columns[0].kind != Number {
			return t.NoValues()
		}
		return nil
	}
	for k := range t.width {
		kind := t.column(k).kind
		isValue := (kind == Number || kind == Empty && o.NumbersOnly) && !slices.Contains(labels, k) && (o.NumbersOnly || !t.isIdentifier(k) && !t.isConstant(k))
		if o.Columns != "" {
			isValue = slices.Contains(values, k)
		}
		switch {
		case slices.Contains(t.Time, k):
		case !isValue:
			t.Labels = append(t.Labels, k)
		case kind == Word || kind == Date:
			return &Error{Place: "column " + t.Name(k), Found: quote.Text(t.column(k).odd.text), Want: "a column of numbers"}
		default:
			t.Values = append(t.Values, k)
		}
	}
	return nil
}

// KeepEmpty takes columns without any number, and those with one number throughout, for values, too, where the table then has so many.
func (t *Table) KeepEmpty(values int) {
	spare := func(k int) bool { return !t.Present(k) || t.isConstant(k) }
	spares := slices.DeleteFunc(slices.Clone(t.Labels), func(k int) bool { return !spare(k) })
	if len(spares) > 0 && len(t.Values)+len(spares) == values {
		t.Labels = slices.DeleteFunc(t.Labels, spare)
		t.Values = append(t.Values, spares...)
		slices.Sort(t.Values)
	}
}

// Choose takes the columns of some names for the values, in that order, if there are any of them: then all of them must be there.
func (t *Table) Choose(names []string) error {
	var chosen []int
	lacks := ""
	for _, name := range names {
		if k := slices.Index(t.Names, name); k >= 0 && !slices.Contains(chosen, k) {
			chosen = append(chosen, k)
		} else {
			lacks = name
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	if len(chosen) < len(names) {
		return &Error{Found: "no column " + quote.Text(lacks), Want: "all of " + nameList(names) + " (-columns names others, in this order)"}
	}
	for _, k := range t.Values {
		if !slices.Contains(chosen, k) {
			t.Labels = append(t.Labels, k)
		}
	}
	isChosen := func(k int) bool { return slices.Contains(chosen, k) }
	t.Values, t.Labels = chosen, slices.DeleteFunc(t.Labels, isChosen)
	if slices.ContainsFunc(t.Time, isChosen) {
		t.Time, t.Times, t.Dated, t.Guessed = nil, nil, false, false
	}
	return nil
}

// NoValues refuses a table without numbers.
func (t *Table) NoValues() error {
	for k := range t.columns {
		if c := &t.columns[k]; c.odd.line > 0 {
			return &Error{Place: t.place(c.odd.line, k), Found: quote.Text(c.odd.text), Want: "a number: no column has numbers"}
		}
	}
	return &Error{Found: "no column of numbers but the time", Want: "one (-columns names numbers that are no names, -time-column none takes the time for values)"}
}

// Describe notes what of a table is not plain; of some labels more is known.
func (t *Table) Describe(known ...int) {
	names := func(columns []int) string {
		var all []string
		for i, k := range columns {
			if i == 5 {
				all = append(all, fmt.Sprintf("%d more", len(columns)-i))
				break
			}
			all = append(all, t.Name(k))
		}
		return strings.Join(all, ", ")
	}
	if t.Time != nil {
		form := ""
		if t.layout != "" {
			form = ", read as " + t.layout
		}
		t.note("times: %s %s%s", plural(len(t.Time), "column"), names(t.Time), form)
	}
	labels := slices.DeleteFunc(slices.Clone(t.Labels), func(k int) bool {
		return slices.Contains(known, k) || t.column(k).kind == Empty && (t.Names == nil || t.Names[k] == "")
	})
	levels := slices.DeleteFunc(slices.Clone(t.Values), func(k int) bool { return !t.column(k).isLevels() || t.column(k).missing == 0 })
	marked := slices.DeleteFunc(slices.Clone(t.Values), func(k int) bool { return t.column(k).mark == "" })
	if len(marked) > 0 {
		t.note("what stands behind numbers, such as %s, is kept and not read: %s %s", quote.Text(t.column(marked[0]).mark), plural(len(marked), "column"), names(marked))
	}
	if len(levels) > 0 {
		t.note("few whole numbers, which may be levels: %s %s", plural(len(levels), "column"), names(levels))
	}
	if len(labels) > 0 {
		empty, stay := 0, ""
		for _, k := range labels {
			if t.Present(k) {
				empty += t.column(k).missing
			}
		}
		if empty > 0 {
			stay = fmt.Sprintf(", with %d empty %s", empty, plural(empty, "cell"))
		}
		t.note("carried through as they are: %s %s%s", plural(len(labels), "column"), names(labels), stay)
	}
}

// isLevels tells whether the numbers of a column are whole and few, each of them several times.
func (c *column) isLevels() bool {
	return c.kind == Number && c.decimals == 0 && c.exponents == 0 && c.most-c.least <= 10 && float64(c.numbers) >= 4*(c.most-c.least+1)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Find returns the columns of a list of names, numbers and ranges.
func (t *Table) Find(list string) (columns []int, err error) {
	if list == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		from, to := slices.Index(t.Names, item)+1, 0
		if to = from; from == 0 {
			low, high, isRange := strings.Cut(item, "-")
			if from, err = strconv.Atoi(low); err == nil && isRange {
				to, err = strconv.Atoi(high)
			} else {
				to = from
			}
			if err != nil || from < 1 || to < from || to > t.width {
				want := fmt.Sprintf("a number from 1 to %d, or a range such as 2-3", t.width)
				if t.Names != nil {
					want = "one of " + nameList(t.Names) + ", or " + want
				}
				return nil, &Error{Found: "no column " + quote.Text(item), Want: want}
			}
		}
		for k := from - 1; k < to; k++ {
			if !slices.Contains(columns, k) {
				columns = append(columns, k)
			}
		}
	}
	return columns, nil
}

func nameList(names []string) string {
	var all []string
	for _, name := range names[:min(len(names), 13)] {
		all = append(all, quote.Text(name))
	}
	return quote.Some(all, 12)
}

// IsCode tells whether a column has whole numbers, none of them missing, under a name that is none of a time: it may be that of stations.
func (t *Table) IsCode(k int) bool {
	isTime := t.isNamed(k, timeNames) || t.isNamed(k, spanNames) || slices.ContainsFunc(partNames, func(names []string) bool { return t.isNamed(k, names) })
	return t.column(k).isWhole() && !isTime
}

var (
	// identifiers are the last words of names of columns whose numbers are names, numberings those where they rise from row to row, bearers whole names.
	identifiers = []string{"id", "ids", "identifier", "code", "zip", "zipcode", "postcode", "plz", "phone", "isbn", "barcode", "uuid", "ssn", "uid", "hhid", "pid"}
	numberings  = []string{"no", "nr", "num", "number", "nummer", "key", "serial"}
	bearers     = []string{"subject", "participant", "patient", "customer", "client", "user", "household", "respondent", "employee", "student", "member", "account"}
	places      = []string{"station", "site", "sensor", "plot"} // of columns of numbers and words
	rankings    = []string{"rank", "ranking", "place", "position"}
)

// manyRows are so many that their numbers do not rise by chance.
const manyRows = 10

// isIdentifier tells whether the numbers of a column are names: it says so itself, they begin with zeros, count the rows, are consecutive ones in
// another order, or further dates.
func (t *Table) isIdentifier(k int) bool {
	c := t.column(k)
	switch {
	case c.kind != Number || c.decimals > 0 || c.exponents > 0:
		return false
	case c.zeros > 0 && c.digits > 2 || t.countsRows(k) || t.Dated && c.isCompact() && c.least > 17e6:
		return true
	case t.Names == nil:
		return false
	}
	word := lastWord(t.Names[k])
	return slices.Contains(identifiers, word) || c.words > 0 && slices.Contains(places, word) || t.isNamed(k, bearers) || c.isRising() && slices.Contains(numberings, word) || c.isShuffled() && !slices.Contains(rankings, word)
}

// isRising tells whether each of many rows has a number, more than the one before.
func (c *column) isRising() bool {
	return c.kind == Number && c.missing+c.words == 0 && c.numbers >= manyRows && !c.falls
}

// isEven tells whether each of many rows has a number, by the same step more than the one before.
func (c *column) isEven() bool { return c.isRising() && !c.uneven }

// isShuffled tells whether numbers of many rows are consecutive whole ones in any order: they have the sums of these, and of their squares.
func (c *column) isShuffled() bool {
	n := float64(c.numbers)
	if !c.isWhole() || n < manyRows || c.most-c.least != n-1 || c.isEven() {
		return false
	}
	sum := n * (c.least + (n-1)/2)
	squares := n*c.least*c.least + c.least*n*(n-1) + (n-1)*n*(2*n-1)/6
	return math.Abs(c.sum-sum) < 0.5 && math.Abs(c.squares-squares) <= 1e-12*squares
}

// isConstant tells whether a column has the same number, other than 0, in all of many rows.
func (t *Table) isConstant(k int) bool {
	c := t.column(k)
	return t.Names != nil && t.Rows > 9 && c.kind == Number && c.missing == 0 && c.least == c.most && c.least != 0
}

// lastWord is the last word of a name in small letters: id of "PassengerId" and "STATION_ID".
func lastWord(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return ""
	}
	word := words[len(words)-1]
	if k := strings.LastIndexFunc(word, unicode.IsUpper); k > 0 && unicode.IsLower(rune(word[k-1])) {
		word = word[k:]
	}
	return strings.ToLower(word)
}

// countsRows tells whether a column counts the rows: the first, from 0 or 1 on, or one with such a name.
func (t *Table) countsRows(k int) bool {
	named := t.isNamed(k, rowNames)
	if t.width < 2 || t.Rows < 2 || k > 0 && (!named || t.Names[k] == "") || t.Names != nil && !named && !t.unnamed {
		return false
	}
	c := t.column(k)
	return c.numbers == t.Rows && c.step == 1 && !c.uneven && (t.Names != nil || c.least == 0 || c.least == 1)
}
