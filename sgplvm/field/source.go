package field

import (
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Source gives training data, in the user's units, some examples at a time. What
// it gives must not change while the model trains, and it may be asked by
// several goroutines at once.
type Source interface {
	// Dims returns the numbers of examples, of points of each and of channels.
	Dims() (examples, points, channels int)

	// ReadExamples sets dst, of (to−from)·points·channels numbers, to the examples
	// from ≤ i < to: one after the other, point by point, the channels of a point
	// side by side. It must not keep dst.
	ReadExamples(dst []float64, from, to int) error
}

// NewSource returns the examples in a slice as a source: values[(i·points+j)·channels+c]
// is channel c of example i at point j. The slice is shared, and its numbers
// become float64 only while they are needed. It panics if the sizes do not fit.
func NewSource[T uint8 | uint16 | float32 | float64](values []T, examples, points, channels int) Source {
	if examples < 0 || points < 0 || channels < 0 || len(values) != examples*points*channels {
		panic(text.Sprintf("sgplvm: NewSource: %d values for %d examples × %d points × %d channels", len(values), examples, points, channels))
	}
	return &sliceSource[T]{values, examples, points, channels}
}

type sliceSource[T uint8 | uint16 | float32 | float64] struct {
	values                     []T
	examples, points, channels int
}

func (s *sliceSource[T]) Dims() (examples, points, channels int) {
	return s.examples, s.points, s.channels
}

func (s *sliceSource[T]) ReadExamples(dst []float64, from, to int) error {
	n := s.points * s.channels
	for i, v := range s.values[from*n : to*n] {
		dst[i] = float64(v)
	}
	return nil
}

// MatrixSource returns the rows of y as a source: row i·n_s + j is example i at point j. y is
// shared; its rows must be a multiple of the examples.
func MatrixSource(y mat.Matrix, examples int) Source { return &matrixSource{y, examples} }

type matrixSource struct {
	y        mat.Matrix
	examples int
}

func (s *matrixSource) Dims() (examples, points, channels int) {
	return s.examples, s.y.Rows / s.examples, s.y.Cols
}

func (s *matrixSource) ReadExamples(dst []float64, from, to int) error {
	n := s.y.Rows / s.examples
	rows := s.y.Slice(from*n, to*n, 0, s.y.Cols)
	if rows.IsContiguous() {
		copy(dst, rows.Data)
		return nil
	}
	mat.Copy(mat.NewDense(rows.Rows, rows.Cols, dst), rows)
	return nil
}
