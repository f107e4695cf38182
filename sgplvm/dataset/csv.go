package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// isCSV tells whether a file's name ends as that of a table of text.
func isCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// readCSV reads a table, n×d, and the names of its columns, nil without a first line of names.
func readCSV(path string) (*npy.Array, []string, error) {
	source, most, err := openText(path)
	if err != nil {
		return nil, nil, &Error{Path: path, Err: err}
	}
	defer source.Close()
	r := csv.NewReader(source)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	values := make([]float64, 0, most)
	var names []string
	columns, line := 0, 1 // the line that comes next
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, csvError(path, err)
		}
		at, _ := r.FieldPos(0)
		if at != line {
			return nil, nil, &Error{Path: path, Place: fmt.Sprintf("line %d", line), Found: "nothing", Want: "a row of numbers"}
		}
		for _, field := range record {
			line += strings.Count(field, "\n")
		}
		line++
		switch {
		case columns == 0:
			if columns = len(record); isHeader(record) {
				names = append([]string{}, record...)
				continue
			}
		case len(record) != columns:
			return nil, nil, &Error{Path: path, Place: fmt.Sprintf("line %d", at), Found: quote.Counted(len(record), "value"), Want: strconv.Itoa(columns) + " as in the first line"}
		}
		for k, field := range record {
			v, ok := parseNumber(field)
			if !ok {
				at, column := r.FieldPos(k)
				return nil, nil, &Error{Path: path, Place: fmt.Sprintf("line %d, column %d (character %d)", at, k+1, column), Found: quote.Text(field),
					Want: "a finite number, or nothing or NaN for a missing one"}
			}
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, nil, &Error{Path: path, Found: "no row", Want: "rows of numbers, separated by commas"}
	}
	return npy.New(values, len(values)/columns, columns), names, nil
}

// openText opens a file of text behind a byte order mark, if it has one, and returns how many values, separated by commas, it can have at most: 0 where
// it cannot be read twice.
func openText(path string) (text io.ReadCloser, most int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if info.Mode().IsRegular() {
		if most, err = countValues(file); err != nil {
			return nil, 0, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, 0, err
		}
	}
	b := bufio.NewReader(file)
	if mark, _ := b.Peek(3); string(mark) == "\uFEFF" {
		b.Discard(3)
	}
	return struct {
		io.Reader
		io.Closer
	}{b, file}, most, nil
}

// countValues counts commas and lines.
func countValues(r io.Reader) (n int, err error) {
	buffer := make([]byte, 1<<15)
	for n = 1; ; {
		k, err := r.Read(buffer)
		n += bytes.Count(buffer[:k], []byte(",")) + bytes.Count(buffer[:k], []byte("\n"))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// csvError puts an error of the reader into words.
func csvError(path string, err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return &Error{Path: path, Err: err}
	}
	return &Error{Path: path, Place: fmt.Sprintf("line %d, character %d", bad.Line, bad.Column), Found: bad.Err.Error(), Want: "numbers, separated by commas"}
}

// isHeader tells names from numbers: the first line has names where it has a word and no number.
func isHeader(record []string) bool {
	words := 0
	for _, field := range record {
		v, ok := parseNumber(field)
		if ok && !math.IsNaN(v) {
			return false
		}
		if !ok {
			words++
		}
	}
	return words > 0
}

// parseNumber reads a finite number, or NaN for a missing one.
func parseNumber(s string) (v float64, ok bool) {
	switch s = strings.TrimSpace(s); strings.ToLower(s) {
	case "", "nan", "na":
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v-v == 0
}
