package picture

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// SheetRows is how many pictures a sheet of the program's results shows.
const SheetRows = 16

// NewSheet returns a sheet about a third wider than high, on which black and white are the least and the greatest value of the last
// column that has no scale of its own.
func NewSheet(columns []string, rows []SheetRow) *Sheet {
	s := &Sheet{Columns: columns, Rows: rows, Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range rows {
		last := len(row.Pictures) - 1
		for last > 0 && row.Pictures[last].Own.High > row.Pictures[last].Own.Low {
			last--
		}
		for _, v := range row.Pictures[last].Values {
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
	s.Across = 1
	for best := math.Inf(1); s.Across <= len(rows); s.Across++ {
		l := s.plan()
		off := math.Abs(math.Log(float64(l.width()) / float64(l.height()) * 3 / 4))
		if off >= best {
			break
		}
		best = off
	}
	s.Across = max(1, s.Across-1)
	return s
}

// Filled draws some pictures, by their numbers, as seen, as filled in, how uncertain that is, and, where the truth is known
// (not nil), as they are. filled and variance have the values of all pictures, one after the other.
func Filled(seen *dataset.Frames, filled, variance []float64, truth *dataset.Frames, numbers []int) *Sheet {
	columns := []string{"seen", "filled", ""}
	if truth != nil {
		columns = append(columns, "truth")
	}
	size := seen.Points() * seen.Channels
	var rows []SheetRow
	for _, i := range numbers {
		row := SheetRow{Label: fmt.Sprint(i), Pictures: []Picture{
			Of(seen, i), {Layout: seen.Layout, Values: filled[i*size : (i+1)*size]}, Deviation(seen.Layout, variance[i*size:(i+1)*size])}}
		if truth != nil {
			row.Pictures = append(row.Pictures, Of(truth, i))
		}
		rows = append(rows, row)
	}
	columns[2] = ScaleDeviations(rows, 2)
	return NewSheet(columns, rows)
}

// SaveFilled draws the first pictures.
func SaveFilled(path string, seen *dataset.Frames, filled, variance []float64, truth *dataset.Frames, count int) error {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return SavePNG(path, Filled(seen, filled, variance, truth, numbers).Image())
}

// Deviation is a picture of standard deviations, grey: of each pixel the root mean square over its channels.
func Deviation(l dataset.Layout, variance []float64) Picture {
	p := Picture{Layout: l, Values: make([]float64, l.Points())}
	p.Channels = 1
	for i := range p.Values {
		for _, v := range variance[i*l.Channels : (i+1)*l.Channels] {
			p.Values[i] += v / float64(l.Channels)
		}
		p.Values[i] = math.Sqrt(p.Values[i])
	}
	return p
}

// ScaleDeviations gives a column of deviations one scale, from 0 to the largest, and returns a caption that says so.
func ScaleDeviations(rows []SheetRow, column int) (caption string) {
	var most float64
	for _, row := range rows {
		for _, v := range row.Pictures[column].Values {
			if v > most { // not NaN
				most = v
			}
		}
	}
	for _, row := range rows {
		row.Pictures[column].Own = Levels{High: most}
	}
	return fmt.Sprintf("± to %.3g", most)
}
