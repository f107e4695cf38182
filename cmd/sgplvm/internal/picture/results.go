package picture

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// SheetRows is how many pictures a sheet of the program's results shows.
const SheetRows = 16

// NewSheet returns a sheet on which black and white are the least and the greatest value of the last
// column.
func NewSheet(columns []string, rows []SheetRow) *Sheet {
	s := &Sheet{Columns: columns, Rows: rows, Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range rows {
		for _, v := range row.Pictures[len(row.Pictures)-1].Values {
			if v == v {
				s.Low, s.High = min(s.Low, v), max(s.High, v)
			}
		}
	}
	switch {
	case s.Low > s.High: // no value at all
		s.Low, s.High = 0, 1
	case s.Low == s.High:
		s.High = max(s.Low+1, math.Nextafter(s.Low, math.Inf(1)))
	}
	return s
}

// Filled draws some pictures, by their numbers, as seen, as filled in and, where the truth is known
// (not nil), as they are. filled has the values of all pictures, one after the other.
func Filled(seen *dataset.Frames, filled []float64, truth *dataset.Frames, numbers []int) *Sheet {
	columns := []string{"seen", "filled"}
	if truth != nil {
		columns = append(columns, "truth")
	}
	size := seen.Points() * seen.Channels
	var rows []SheetRow
	for _, i := range numbers {
		row := SheetRow{Label: fmt.Sprint(i), Pictures: []Picture{
			Of(seen, i), {Layout: seen.Layout, Values: filled[i*size : (i+1)*size]}}}
		if truth != nil {
			row.Pictures = append(row.Pictures, Of(truth, i))
		}
		rows = append(rows, row)
	}
	return NewSheet(columns, rows)
}

// SaveFilled draws the first pictures.
func SaveFilled(path string, seen *dataset.Frames, filled []float64, truth *dataset.Frames, count int) error {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return SavePNG(path, Filled(seen, filled, truth, numbers).Image())
}
