package dataset

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// number writes a number with all digits that tell it apart, nothing for NaN.
func (s *Set) number(v float64) string {
	bits := 64
	if s.typ() == npy.Float32 {
		bits = 32
	}
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// newText writes a new table of text, with tabs where the name says so.
func newText(w io.Writer, path string) *csv.Writer {
	t := csv.NewWriter(w)
	if isKind(path, []string{".tsv", ".tab"}) {
		t.Comma = '\t'
	}
	return t
}

// writeRows writes a row for each value at a point that exists: set fills it in.
func (s *Set) writeRows(w io.Writer, path string, header []string, set func(row []string, example, point int, where []float64, value int)) error {
	table := newText(w, path)
	if err := table.Write(header); err != nil {
		return err
	}
	all := joined(s.Grid)[0]
	row := make([]string, len(header))
	for i := range s.Values {
		if s.exists(i) {
			point := s.point(i)
			set(row, i/s.size(), point, all.Row(point), i)
			if err := table.Write(row); err != nil {
				return err
			}
		}
	}
	table.Flush()
	return table.Error()
}

// writeLong writes a long table of its own; without deviations their column is left out.
func (s *Set) writeLong(w io.Writer, path string, r *Filled) error {
	header := []string{"example"}
	if s.Times != nil {
		header = append(header, "time")
	}
	at := len(header)
	header = append(header, s.coordinateNames()...)
	if s.Channels > 1 {
		header = append(header, "channel")
	}
	last := len(header)
	header = append(header, "value")
	if r.Variance != nil {
		header = append(header, "standard_error")
	}
	return s.writeRows(w, path, header, func(row []string, example, _ int, where []float64, value int) {
		row[0] = strconv.Itoa(example)
		if s.Times != nil {
			row[1] = strconv.FormatFloat(s.Times[example], 'g', -1, 64)
		}
		for k, v := range where {
			row[at+k] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if s.Channels > 1 {
			row[last-1] = strconv.Itoa(value % s.Channels)
		}
		row[last] = s.number(r.Mean[value])
		if r.Variance != nil {
			row[last+1] = s.number(r.deviation(value))
		}
	})
}

// writeTable writes a table, an example in a row.
func (s *Set) writeTable(w io.Writer, path string, values []float64) error {
	table := newText(w, path)
	if s.Columns != nil {
		if err := table.Write(s.Columns); err != nil {
			return err
		}
	}
	row := make([]string, s.size())
	for ; len(values) > 0; values = values[s.size():] {
		for k := range row {
			row[k] = s.number(values[k])
		}
		if err := table.Write(row); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}
