package dataset

import (
	"math"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// Error reports a file, or what stands in one, that cannot be used.
type Error struct {
	Path  string // the file or folder
	Place string // where in it, counted from 0: "frame 3, row 2, column 5, channel 0"; may be empty
	Found string // what stands there; empty where Err says it
	Want  string // what was expected; may be empty
	Err   error  // the cause, such as fs.ErrNotExist; may be nil
}

// Error returns one line with all that is known.
func (e *Error) Error() string {
	parts := []string{quote.Line(e.Path)}
	if e.Place != "" {
		parts = append(parts, e.Place)
	}
	what := ""
	if e.Found != "" {
		what = "found " + e.Found
	} else if e.Err != nil {
		what = quote.Line(quote.Cause(e.Err).Error())
	}
	if e.Want != "" {
		if what != "" {
			what += ", "
		}
		what += "expected " + e.Want
	}
	return strings.Join(append(parts, what), ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// numberList writes some numbers, a few of many.
func numberList(x []float64) string {
	var s []string
	for _, v := range x[:min(len(x), 21)] {
		s = append(s, numberText(v))
	}
	return quote.Some(s, 20)
}

// numberText writes a number as a float32 where it is one with decimals, and without an exponent where it is of a moderate size.
func numberText(v float64) string {
	format, bits := byte('g'), 64
	if size := math.Abs(v); size < 1e15 && (size >= 1e-5 || size == 0) {
		format = 'f'
	}
	if float64(float32(v)) == v && v != math.Trunc(v) {
		bits = 32
	}
	return strconv.FormatFloat(v, format, -1, bits)
}
