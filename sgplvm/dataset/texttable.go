package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/table"
)

// tableError names the file of an error.
func tableError(path string, err error) error {
	var bad *table.Error
	if errors.As(err, &bad) {
		return &Error{Path: path, Place: bad.Place, Found: bad.Found, Want: bad.Want}
	}
	return err
}

// A textTable writes results in the form of the table that the values come from.
type textTable struct {
	*table.Table
	values []int                // columns
	total  int                  // values
	at     func(row, k int) int // the number of a value; nil: rows are in order. −1: it has none

	inserts func(values []float64, r *table.Result) func(row int) []table.Insert // rows that the table lacks; nil: none
}

// place is the number of a value, −1 where it has none.
func (t *textTable) place(row, k int) int {
	if t.at == nil {
		return row*(t.total/t.Rows) + k
	}
	return t.at(row, k)
}

// write writes the table with some values, a list of total, in place of those that differ.
func (t *textTable) write(w io.Writer, values []float64, r table.Result) error {
	if len(values) != t.total {
		panic(fmt.Sprintf("dataset: %d values for a table of %d", len(values), t.total))
	}
	r.Columns = t.values
	r.Value = func(row, k int) float64 {
		if i := t.place(row, k); i >= 0 {
			return values[i]
		}
		return math.NaN()
	}
	if t.inserts != nil {
		r.Before = t.inserts(values, &r)
	}
	return t.Write(w, r)
}
