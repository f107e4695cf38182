package table

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Kind returns what a column holds. Numbers such as 20240131 are dates where its name says so.
func (t *Table) Kind(k int) Kind {
	if c := t.column(k); c.kind != Number || !c.isCompact() || !t.isNamed(k, timeNames) {
		return c.kind
	}
	return Date
}

// CountsRuns tells whether the first column only counts the rows, and has no name or one that says so.
func (t *Table) CountsRuns() bool { return t.countsRows(0) }

// Dates returns those of a column as days since 1970-01-01, NaN where they are missing.
func (t *Table) Dates(k int) ([]float64, error) {
	c := t.column(k)
	if c.notDate.line > 0 {
		return nil, &Error{Place: t.place(c.notDate.line, k), Found: quote.Text(c.notDate.text), Want: "a date, as in most of the column"}
	}
	days, texts := make([]float64, t.Rows), t.Texts(k)
	left := c.dates
	if bits.OnesCount64(uint64(left)) > 1 {
		u := *t
		u.Time = []int{k}
		var err error
		if left, err = u.tell(left, slices.DeleteFunc(slices.Clone(texts), t.isMissing)); err != nil {
			return nil, err
		}
	}
	for i, text := range texts {
		if days[i] = math.NaN(); !t.isMissing(text) {
			days[i], _, _ = parseDate(text, left.first())
		}
	}
	return days, nil
}
