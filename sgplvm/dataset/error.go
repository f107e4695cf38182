package dataset

import (
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
