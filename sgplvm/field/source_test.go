package field_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// converted returns the values in another type.
func converted[T uint8 | uint16 | float32 | float64](values []float64) []T {
	v := make([]T, len(values))
	for i, x := range values {
		v[i] = T(x)
	}
	return v
}

// The same values come out, whatever type and layout they lie in.
func TestSources(t *testing.T) {
	const examples, points, channels = 5, 3, 2
	values := make([]float64, examples*points*channels)
	for i := range values {
		values[i] = float64(7 * i)
	}
	y := mat.NewDense(examples*points, channels, values)
	wide := mat.New(2*y.Rows, 3)
	view := mat.Matrix{Rows: y.Rows, Cols: channels, RowStride: 6, ColStride: 1, Data: wide.Data[1:]}
	mat.Copy(view, y)
	transposed := y.T().Clone().T()
	for name, source := range map[string]field.Source{
		"uint8":         field.NewSource(converted[uint8](values), examples, points, channels),
		"uint16":        field.NewSource(converted[uint16](values), examples, points, channels),
		"float32":       field.NewSource(converted[float32](values), examples, points, channels),
		"float64":       field.NewSource(values, examples, points, channels),
		"a matrix":      field.MatrixSource(y, examples),
		"a view":        field.MatrixSource(view, examples),
		"a transpose":   field.MatrixSource(transposed, examples),
		"some in order": field.Subset{Examples: field.NewSource(values, examples, points, channels), Numbers: []int{0, 1, 2, 3, 4}},
	} {
		if n, p, c := source.Dims(); n != examples || p != points || c != channels {
			t.Errorf("%s: %d examples of %d points and %d channels", name, n, p, c)
		}
		for from := range examples + 1 {
			for to := from; to <= examples; to++ {
				got := make([]float64, (to-from)*points*channels)
				if err := source.ReadExamples(got, from, to); err != nil {
					t.Fatal(err)
				}
				compare.SameBits(t, fmt.Sprintf("%s: examples %d to %d", name, from, to-1), got, values[from*points*channels:to*points*channels])
			}
		}
	}
}

func TestNewSourcePanics(t *testing.T) {
	for _, c := range []struct {
		values                     int
		examples, points, channels int
	}{{11, 2, 3, 2}, {13, 2, 3, 2}, {12, -2, -3, 2}, {12, 2, -3, -2}, {0, -1, 0, 0}} {
		want := fmt.Sprintf("sgplvm: NewSource: %d values for %d examples × %d points × %d channels", c.values, c.examples, c.points, c.channels)
		tier.Panics(t, want, func() { field.NewSource(make([]uint8, c.values), c.examples, c.points, c.channels) })
	}
}
