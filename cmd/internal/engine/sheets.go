package engine

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
)

// SheetFrames is how many frames of a film a sheet shows side by side.
const SheetFrames = 8

// DrawFilms draws frames of films as a sheet, a row for each film: columns names the frames of each.
func (g OutputGrid) DrawFilms(path string, columns []string, values []float64) error {
	if path == "" {
		return nil
	}
	var rows []picture.SheetRow
	for i := 0; len(values) > 0; i++ {
		row := picture.SheetRow{Label: fmt.Sprint(i)}
		for range columns {
			row.Pictures = append(row.Pictures, picture.Picture{Layout: g.Layout, Values: values[:g.Size()]})
			values = values[g.Size():]
		}
		rows = append(rows, row)
	}
	sheet := picture.NewSheet(columns, rows)
	sheet.Across = 1 // a film is a row
	return picture.SavePNG(path, sheet.Image())
}

// DrawFields draws the first fields as a sheet if a path is given, with their standard deviations beside them where the variances are
// known (not nil).
func (g OutputGrid) DrawFields(path, caption string, values, variances []float64) error {
	if path == "" {
		return nil
	}
	var rows []picture.SheetRow
	columns, size := []string{caption}, g.Size()
	for i := range min(len(values)/size, picture.SheetRows) {
		row := picture.SheetRow{Label: fmt.Sprint(i), Pictures: []picture.Picture{{Layout: g.Layout, Values: values[i*size : (i+1)*size]}}}
		if variances != nil {
			row.Pictures = append(row.Pictures, picture.Deviation(g.Layout, variances[i*size:(i+1)*size]))
		}
		rows = append(rows, row)
	}
	if variances != nil {
		columns = append(columns, picture.ScaleDeviations(rows, 1))
	}
	return picture.SavePNG(path, picture.NewSheet(columns, rows).Image())
}
