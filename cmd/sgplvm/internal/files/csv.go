package files

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// IsCSV tells whether a file's name asks for a table of text.
func IsCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// SaveCSV writes values as a table of text, rows one after the other, below a line with the names of the
// columns (nil: none), as [WriteAtomic] does. Numbers have all digits that tell them apart. Errors:
// [*dataset.Error]. It panics if the values are no whole rows.
func SaveCSV(path string, names []string, columns int, values []float64) error {
	if columns < 1 || len(values)%columns != 0 || names != nil && len(names) != columns {
		panic(fmt.Sprintf("files: SaveCSV: %d values and %d names for %d columns", len(values), len(names), columns))
	}
	return WriteAtomic(path, func(w io.Writer) error {
		table := csv.NewWriter(w)
		if names != nil {
			if err := table.Write(names); err != nil {
				return err
			}
		}
		row := make([]string, columns)
		for ; len(values) > 0; values = values[columns:] {
			for k := range row {
				row[k] = strconv.FormatFloat(values[k], 'g', -1, 64)
			}
			if err := table.Write(row); err != nil {
				return err
			}
		}
		table.Flush()
		return table.Error()
	})
}
