package drawn

import (
	"errors"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Failing is a source whose disk fails at a frame.
type Failing struct {
	data.Source
	At int
}

// ErrDisk is the error of its disk.
var ErrDisk = errors.New("the disk is gone")

// ReadExamples is that of data.Source.
func (f Failing) ReadExamples(dst []float64, from, to int) error {
	if from <= f.At && f.At < to {
		return ErrDisk
	}
	return f.Source.ReadExamples(dst, from, to)
}
