package engine

import (
	"strconv"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// NewReadFlags defines -select, -fill-value, and the flags of tables of text.
func NewReadFlags(f *cli.Flags) {
	f.String("select", "", "one `place` along each dimension that a NetCDF variable has too many, by value or number: level=850, level=#0")
	f.String("fill-value", "", "the `number` that stands for a missing value, beside NaN and what the file declares; of a table of text a word, too")
	f.String("columns", "", "the `columns` of a table of text that hold the values, by names or numbers from 1 on: a,b or 2-5; by default all of numbers")
	f.String("labels", "", "the `columns` of a table that are carried through as they are; by default those of words")
	f.String("time-column", "", "the `column` of a table with the times, or two as date,clock, or none; by default a column of dates, or of numbers named time")
	f.String("time-format", "", "how a table's dates are written, a `format` such as %d.%m.%Y or '%m/%d/%Y %H:%M'; by default it is recognised")
}

// ReadOptions are those of the flags of [NewReadFlags], where a command has them.
func ReadOptions(f *cli.Flags) (o dataset.SetOptions) {
	o.Slice, o.KeepOutliers = f.Work().Slice(), f.Given("keep-outliers")
	if f.Lookup("time-column") == nil {
		return o // -labels of report are something else
	}
	for name, text := range map[string]*string{"select": &o.Select, "columns": &o.Columns, "labels": &o.Labels, "time-column": &o.TimeColumn, "time-format": &o.TimeFormat, "fill-value": &o.MissingWord} {
		if f.Given(name) {
			*text = f.Text(name)
		}
	}
	if v, err := strconv.ParseFloat(o.MissingWord, 64); err == nil && v-v == 0 {
		o.FillValue, o.MissingWord = &v, ""
	}
	return o
}
