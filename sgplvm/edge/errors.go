package edge

import (
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// A VersionError says that a compiled file was made by another version of the compiler.
type VersionError struct{ Got, Want uint64 }

func (e *VersionError) Error() string {
	return text.Sprintf("edge: a compiled model of version %d, expected %d: compile it again", e.Got, e.Want)
}

// A NeedError names what a compiled file needs and this program does not know.
type NeedError struct{ Need string }

func (e *NeedError) Error() string {
	return "edge: a compiled model that needs " + strconv.Quote(e.Need[:min(len(e.Need), 40)]) + ", which this program does not know: build it with a newer module"
}

// A FormatError says where something is no compiled model, or a damaged one.
type FormatError struct {
	Offset int    // in bytes, from the file's beginning
	Reason string // what was found, and what was expected
}

func (e *FormatError) Error() string {
	return text.Sprintf("edge: no compiled model: byte %d: %s", e.Offset, e.Reason)
}

// A LengthError says that a slice has the wrong length.
type LengthError struct {
	What      string // which
	Got, Want int
}

func (e *LengthError) Error() string {
	return text.Sprintf("edge: %d %s, expected %d", e.Got, e.What, e.Want)
}

// A ValueError names a number that cannot be used.
type ValueError struct {
	Index int // in the slice, from 0
	Value float64
	Want  string
}

func (e *ValueError) Error() string {
	return text.Sprintf("edge: value %d is %v, expected %s", e.Index, e.Value, e.Want)
}

// A StreamError says why a model has no streams: by its kernel in time, which has no state.
type StreamError struct {
	Kernel string // nothing where the model's examples have no times
}

func (e *StreamError) Error() string {
	if e.Kernel == "" {
		return "edge: the model's examples have no times, expected those that follow one another for a stream"
	}
	return text.Sprintf("edge: the kernel %s in time has no state, expected one of matern12, matern32, matern52, periodic, rbf, their sums and products for a stream", e.Kernel)
}

// A SequenceError says that a sequence is none that the model was trained on.
type SequenceError struct{ Sequence int }

func (e *SequenceError) Error() string {
	return text.Sprintf("edge: sequence %d, expected the label of one that the model was trained on", e.Sequence)
}

// A TimeError says that an example of a stream has no time, or one before the last example's.
type TimeError struct{ Time, Last float64 }

func (e *TimeError) Error() string {
	return text.Sprintf("edge: an example at time %v, expected a finite one from %v on", e.Time, e.Last)
}

// A LearnError says why a model does not learn, or has not learned.
type LearnError struct{ Reason string }

func (e *LearnError) Error() string { return "edge: learning: " + e.Reason }
