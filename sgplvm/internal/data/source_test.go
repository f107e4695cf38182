package data_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
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
	for name, source := range map[string]data.Source{
		"uint8":         data.NewSource(converted[uint8](values), examples, points, channels),
		"uint16":        data.NewSource(converted[uint16](values), examples, points, channels),
		"float32":       data.NewSource(converted[float32](values), examples, points, channels),
		"float64":       data.NewSource(values, examples, points, channels),
		"a matrix":      data.MatrixSource(y, examples),
		"a view":        data.MatrixSource(view, examples),
		"a transpose":   data.MatrixSource(transposed, examples),
		"some in order": data.Subset{Examples: data.NewSource(values, examples, points, channels), Numbers: []int{0, 1, 2, 3, 4}},
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
		tier.Panics(t, want, func() { data.NewSource(make([]uint8, c.values), c.examples, c.points, c.channels) })
	}
}
