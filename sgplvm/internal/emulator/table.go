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
	Numbers []float64 // of each run, NaN where it is not known; nil for labels
	Errors  []float64 // standard errors of the numbers, 0 or more; nil: they are exact
	Labels  []string  // of each run, empty where it is not known; nil for numbers
}

// Len returns the number of runs.
func (c *Column) Len() int { return max(len(c.Numbers), len(c.Labels)) }

// exact tells whether the value of run i is known exactly.
func (c *Column) exact(i int) bool {
	return (c.Labels == nil || c.Labels[i] != "") && (c.Numbers == nil || c.Numbers[i] == c.Numbers[i]) && (c.Errors == nil || c.Errors[i] == 0)
}

// Of returns the values of some runs.
func (c *Column) Of(runs []int) Column {
	some := Column{Name: c.Name}
	for _, i := range runs {
		if c.Labels != nil {
			some.Labels = append(some.Labels, c.Labels[i])
		}
		if c.Numbers != nil {
			some.Numbers = append(some.Numbers, c.Numbers[i])
		}
		if c.Errors != nil {
			some.Errors = append(some.Errors, c.Errors[i])
		}
	}
	return some
}

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
			if math.Abs(v) > maxInput {
				return nil, &InputError{i, "", c.Title(q), fmt.Sprint(v), "a finite number within ±1e150, or none"}
			}
			if v == v {
				e.Low, e.High = min(e.Low, v), max(e.High, v)
			}
		}
		if c.Labels != nil {
			e.Low, e.High = 0, 0
			e.Levels = slices.DeleteFunc(slices.Sorted(slices.Values(c.Labels)), func(l string) bool { return l == "" })
			known := len(e.Levels)
			e.Levels = slices.Compact(e.Levels)
			switch {
			case len(e.Levels) == known && known > 2:
				e.Dropped = "every run has another label"
			case len(e.Levels) <= 1:
				e.Dropped = "all runs have one label"
			}
		} else if e.Low >= e.High {
			e.Dropped = "all runs have one value"
			if math.IsInf(e.Low, 0) {
				e.Low, e.High = 0, 0
			}
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

// encode returns the numbers of columns, n×d, which are indicators, and the numbers' standard errors: +Inf where an input is not known, 0×0 where all are exact.
// Errors: *InputError.
func encode(list []Encoding, columns []Column, n int) (x mat.Matrix, fixed []bool, errs mat.Matrix, err error) {
	if len(columns) != len(list) {
		return x, nil, errs, &InputError{-1, "", "table", quote.Counted(len(columns), "column"), fmt.Sprintf("%d as the runs have", len(list))}
	}
	d := 0
	for q := range list {
		d += list[q].Width()
	}
	x = mat.New(n, d)
	deviations, exact := mat.New(n, d), true
	at := 0
	for q := range list {
		e, c := &list[q], &columns[q]
		w := e.Width()
		for range w {
			fixed = append(fixed, e.Levels != nil)
		}
		if c.Len() != n || c.Errors != nil && len(c.Errors) != len(c.Numbers) {
			return x, nil, errs, &InputError{-1, "", c.Title(q), quote.Counted(min(c.Len(), max(len(c.Errors), len(c.Labels))), "value"), fmt.Sprintf("%d, one for each run", n)}
		}
		if (c.Labels != nil) != (e.Levels != nil) {
			return x, nil, errs, &InputError{-1, "", c.Title(q), kind(c.Labels != nil), kind(e.Levels != nil) + " as the runs have"}
		}
		for i := range n {
			cell, deviation, err := e.cell(c, q, i)
			if err != nil {
				return x, nil, errs, err
			}
			exact = exact && (w == 0 || deviation == 0)
			for k := range w {
				deviations.Set(i, at+k, deviation)
				if x.Set(i, at+k, cell); e.Levels != nil {
					x.Set(i, at+k, indicator(k == int(cell)))
				}
			}
		}
		at += w
	}
	if !exact {
		errs = deviations
	}
	return x, fixed, errs, nil
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// cell returns what counts of the value of run i in column q, the number of its level where it is a label, and its standard error. Errors: *InputError.
func (e *Encoding) cell(c *Column, q, i int) (v, deviation float64, err error) {
	if c.Labels != nil {
		level, known := slices.BinarySearch(e.Levels, c.Labels[i])
		switch {
		case known || e.Dropped == "every run has another label":
			return float64(level), 0, nil
		case c.Labels[i] == "":
			return -1, math.Inf(1), nil
		}
		return 0, 0, &InputError{i, "", c.Title(q), quote.Text(c.Labels[i]), "a category that the runs have: " + examples(e.Levels)}
	}
	v = c.Numbers[i]
	if c.Errors != nil {
		deviation = c.Errors[i]
	}
	switch {
	case v != v:
		return 0, math.Inf(1), nil
	case math.Abs(v) > maxInput:
		return v, 0, &InputError{i, "", c.Title(q), fmt.Sprint(v), "a finite number within ±1e150, or none"}
	case !(deviation >= 0 && deviation <= maxInput):
		return v, 0, &InputError{i, "", c.Title(q), fmt.Sprint(deviation), "a standard error of 0 or more"}
	case !e.Log:
		return v, deviation, nil
	case v <= 0:
		return v, 0, &InputError{i, "", c.Title(q), fmt.Sprint(v), "a positive number, as all of the runs: its logarithm counts"}
	}
	return math.Log(v), deviation / v, nil
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
