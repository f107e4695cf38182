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
	"slices"
	"strconv"
	"strings"
	"unicode"

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
			if found, remedy := textRemedy(path); found != "" && len(record) == 1 && (strings.ContainsAny(record[0], ";\t") || blanks(record[0])) {
				return nil, nil, &Error{Path: path, Place: fmt.Sprintf("line %d", at), Found: found, Want: remedy}
			}
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
					Want: "a finite number, or nothing or NaN for a missing one" + without(path, k, columns, field)}
			}
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, nil, &Error{Path: path, Found: "no row", Want: "rows of numbers, separated by commas"}
	}
	return npy.New(values, len(values)/columns, columns), names, nil
}

// without says how a table without a column of dates or words is made, or with other separators.
func without(path string, k, columns int, field string) string {
	rest := fmt.Sprintf("1-%d,%d-", k, k+2)
	switch {
	case strings.ContainsAny(field, ";\t") || blanks(field):
		_, remedy := textRemedy(path)
		return "; " + remedy
	case columns == 1:
		return ""
	case k == 0:
		rest = "2-"
	case k == columns-1:
		rest = fmt.Sprintf("1-%d", k)
	}
	text := fmt.Sprintf("; if the column has dates or names, this leaves it out: cut -d, -f%s %s > NEW.csv", rest, ShellWord(path))
	if _, err := sinceEpoch.Time(field); err == nil {
		text += fmt.Sprintf("; and this makes times of its dates, for -times: cut -d, -f%d %s > TIMES.csv", k+1, ShellWord(path))
	}
	return text
}

// blanks tells whether a field is numbers with blanks between them.
func blanks(field string) bool {
	words := strings.Fields(field)
	return len(words) > 1 && !slices.ContainsFunc(words, func(s string) bool {
		_, ok := parseNumber(s)
		return !ok
	})
}

// textRemedy says how values are separated in a file of text, and how a table of text that is read is made of it; nothing for other files.
func textRemedy(path string) (found, remedy string) {
	if !isRegular(path) {
		return "", ""
	}
	file, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	start := make([]byte, 1<<12)
	n, _ := io.ReadFull(file, start)
	text := string(start[:n])
	if n == 0 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) || r == unicode.ReplacementChar }) {
		return "", ""
	}
	for _, c := range []struct{ separators, found, command string }{
		{"\t", "values separated by tabs", `tr '\t' ','`},
		{";", "values separated by semicolons", "tr ';' ','"},
		{",", byCommas, "cat"},
		{" ", "values separated by blanks", "sed 's/^ *//; s/  */,/g'"},
	} {
		if !tabular(text, c.separators) {
			continue
		}
		if c.separators == ";" && strings.Contains(text, ",") {
			c.found, c.command = c.found+", with decimal commas", "tr ',;' '.,'"
		}
		return c.found, fmt.Sprintf("a file .csv of values separated by commas, which this makes: %s < %s > NEW.csv", c.command, ShellWord(path))
	}
	return "", ""
}

const byCommas = "values separated by commas"

// tabular tells whether one of the first lines of a text has a number beside another field.
func tabular(text, separator string) bool {
	lines := strings.SplitN(text, "\n", 4)
	return slices.ContainsFunc(lines[:min(3, len(lines))], func(line string) bool {
		if separator == " " {
			return blanks(line)
		}
		fields := strings.Split(line, separator)
		return len(fields) > 1 && slices.ContainsFunc(fields, func(field string) bool {
			v, ok := parseNumber(strings.Replace(strings.Trim(field, " \"\r"), ",", ".", 1))
			return ok && v == v
		})
	})
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
	if found, remedy := textRemedy(path); found != "" && found != byCommas {
		return &Error{Path: path, Found: found, Want: remedy}
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

// missingWords stand for a missing value in tables.
var missingWords = []string{"", "nan", "na", "n/a", "#n/a", "null", "none", "-", "--"}

// parseNumber reads a finite decimal number, or NaN for a missing one.
func parseNumber(s string) (v float64, ok bool) {
	s = strings.TrimSpace(s)
	if slices.Contains(missingWords, strings.ToLower(s)) {
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v-v == 0 && !strings.ContainsAny(s, "xX_")
}
