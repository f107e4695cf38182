package lbfgs

import "github.com/seed-08962ecc/kronfield/internal/text"

// NonFiniteError reports a NaN or infinity where a run would have to start.
type NonFiniteError struct {
	Where string  // "x0", "objective at x0" or "gradient at x0"
	Index int     // the entry, from 0; −1 for the objective's value
	Value float64 // what stands there
}

// Error implements error.
func (e *NonFiniteError) Error() string {
	if e.Index < 0 {
		return text.Sprintf("lbfgs: %s is %v, want a finite number", e.Where, e.Value)
	}
	return text.Sprintf("lbfgs: %s: entry %d is %v, want a finite number", e.Where, e.Index, e.Value)
}

// OptionError reports a field of [Options] outside its range.
type OptionError struct {
	Field string  // name of the field
	Value float64 // its value
	Want  string  // the range
}

// Error implements error.
func (e *OptionError) Error() string {
	return text.Sprintf("lbfgs: Options.%s is %v, want %s", e.Field, e.Value, e.Want)
}

// StateError reports a [State] that no run can have left.
type StateError struct {
	Field string // the field, with its row if it has rows: "X", "S[2]"
	Got   string // what was found
	Want  string // what was expected
}

// Error implements error.
func (e *StateError) Error() string {
	return text.Sprintf("lbfgs: State.%s: %s, want %s", e.Field, e.Got, e.Want)
}
