package drawn

import (
	"errors"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Failing is a source whose disk fails at a frame.
type Failing struct {
	field.Source
	At int
}

// ErrDisk is the error of its disk.
var ErrDisk = errors.New("the disk is gone")

// ReadExamples is that of field.Source.
func (f Failing) ReadExamples(dst []float64, from, to int) error {
	if from <= f.At && f.At < to {
		return ErrDisk
	}
	return f.Source.ReadExamples(dst, from, to)
}
