package emulator

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A Column is an input of a table: numbers, or labels of categories.
type Column struct {
	Name    string    // unique, or empty
	Numbers []float64 // of each run; nil for labels
	Labels  []string  // of each run; nil for numbers
}

// Len returns the number of runs.
func (c *Column) Len() int { return max(len(c.Numbers), len(c.Labels)) }

// An InputError reports an input that cannot be used.
type InputError struct {
	Run    int    // from 0; −1: it is about the column
	Place  string // of the run, such as a line of a file; "": its number says it
	Column string // its name, or number
	Found  string
	Want   string
}

// Error returns one line.
func (e *InputError) Error() string {
	place := "input " + e.Column
	if e.Place != "" {
		place = e.Place + ", " + place
	} else if e.Run >= 0 {
		place = fmt.Sprintf("run %d, %s", e.Run, place)
	}
	return fmt.Sprintf("%s: found %s, expected %s", place, e.Found, e.Want)
}

// An Encoding is how one column becomes numbers.
type Encoding struct {
	Name      string
	Levels    []string `json:",omitempty"` // of categories, sorted: each has an indicator
	Low, High float64  // range of numbers over the runs
	Log       bool     `json:",omitempty"` // numbers, which are positive, count by their logarithm
	Dropped   string   `json:",omitempty"` // why the column tells nothing; empty: it counts
}

// maxInput limits numbers, so that their squares can be added up.
const maxInput = 1e150

// Title names the column, of which the number counts from 0, in messages.
func (c *Column) Title(q int) string {
	if c.Name == "" {
		return fmt.Sprint(q + 1)
	}
	return quote.Text(c.Name)
}

// encodings learns from the runs' columns. Errors: *InputError.
func encodings(columns []Column) ([]Encoding, error) {
	var list []Encoding
	for q := range columns {
		c := &columns[q]
		e := Encoding{Name: c.Name, Low: math.Inf(1), High: math.Inf(-1)}
		for i, v := range c.Numbers {
			if !(math.Abs(v) <= maxInput) {
				return nil, &InputError{i, "", c.Title(q), fmt.Sprint(v), "a finite number within ±1e150: inputs of all runs must be known"}
			}
			e.Low, e.High = min(e.Low, v), max(e.High, v)
		}
		if c.Labels != nil {
			e.Low, e.High = 0, 0
			e.Levels = slices.Clone(c.Labels)
			slices.Sort(e.Levels)
			e.Levels = slices.Compact(e.Levels)
			switch {
			case len(e.Levels) == len(c.Labels) && len(e.Levels) > 2:
				e.Dropped = "every run has another label"
			case len(e.Levels) == 1:
				e.Dropped = "all runs have one label"
			}
		} else if e.Low == e.High {
			e.Dropped = "all runs have one value"
		}
		list = append(list, e)
	}
	return list, nil
}

// minLogRange is the least ratio of the largest and the smallest of positive numbers whose logarithms are tried.
const minLogRange = 10

// logarithms returns encodings by the logarithms of all columns where these may serve better; nil: there are none.
func logarithms(list []Encoding) (logs []Encoding) {
	for q := range list {
		if e := &list[q]; e.Levels == nil && e.Low > 0 && e.High >= minLogRange*e.Low {
			if logs == nil {
				logs = slices.Clone(list)
			}
			logs[q].Log = true
		}
	}
	return logs
}

// number returns what counts of a number.
func (e *Encoding) number(v float64) float64 {
	if e.Log {
		return math.Log(v)
	}
	return v
}

// Width returns how many numbers a column becomes.
func (e *Encoding) Width() int {
	switch {
	case e.Dropped != "":
		return 0
	case e.Levels != nil:
		return len(e.Levels)
	}
	return 1
}

// encode returns the numbers of columns, n×d, and which are indicators. Errors: *InputError.
func encode(list []Encoding, columns []Column, n int) (x mat.Matrix, fixed []bool, err error) {
	if len(columns) != len(list) {
		return x, nil, &InputError{-1, "", "table", quote.Counted(len(columns), "column"), fmt.Sprintf("%d as the runs have", len(list))}
	}
	d := 0
	for q := range list {
		d += list[q].Width()
	}
	x = mat.New(n, d)
	at := 0
	for q := range list {
		e, c := &list[q], &columns[q]
		w := e.Width()
		for range w {
			fixed = append(fixed, e.Levels != nil)
		}
		if c.Len() != n {
			return x, nil, &InputError{-1, "", c.Title(q), quote.Counted(c.Len(), "value"), fmt.Sprintf("%d, one for each run", n)}
		}
		if (c.Labels != nil) != (e.Levels != nil) {
			return x, nil, &InputError{-1, "", c.Title(q), kind(c.Labels != nil), kind(e.Levels != nil) + " as the runs have"}
		}
		for i := range n {
			if c.Labels == nil {
				if !(math.Abs(c.Numbers[i]) <= maxInput) {
					return x, nil, &InputError{i, "", c.Title(q), fmt.Sprint(c.Numbers[i]), "a finite number within ±1e150"}
				}
				if e.Log && c.Numbers[i] <= 0 {
					return x, nil, &InputError{i, "", c.Title(q), fmt.Sprint(c.Numbers[i]), "a positive number, as all of the runs: its logarithm counts"}
				}
				if w == 1 {
					x.Set(i, at, e.number(c.Numbers[i]))
				}
				continue
			}
			level, known := slices.BinarySearch(e.Levels, c.Labels[i])
			if !known && e.Dropped != "every run has another label" {
				return x, nil, &InputError{i, "", c.Title(q), quote.Text(c.Labels[i]), "a category that the runs have: " + examples(e.Levels)}
			}
			if w > 0 {
				x.Set(i, at+level, 1)
			}
		}
		at += w
	}
	return x, fixed, nil
}

func kind(labels bool) string {
	if labels {
		return "labels"
	}
	return "numbers"
}

// examples lists at most five levels.
func examples(levels []string) string {
	s := ""
	for i, l := range levels {
		if i == 5 {
			return s + ", …"
		}
		if i > 0 {
			s += ", "
		}
		s += quote.Text(l)
	}
	return s
}
