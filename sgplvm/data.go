package sgplvm

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/data"

// What the model shares with its rooms.
type (
	// Source gives training data, in the user's units, some examples at a time.
	Source = data.Source

	// Grid is a set of spatial points, the Cartesian product of the factors' points.
	Grid = data.Grid

	// Instant is a time in a sequence.
	Instant = data.Instant

	// ConfigError reports a configuration or an argument that cannot be used.
	ConfigError = data.ConfigError

	// ValueError reports a datum that cannot be used; all indices count from 0.
	ValueError = data.ValueError

	// ReadError reports a source that failed while examples were read.
	ReadError = data.ReadError
)

// NewSource returns the examples in a slice as a source: values[(i·points+j)·channels+c]
// is channel c of example i at point j. The slice is shared, and its numbers
// become float64 only while they are needed. It panics if the sizes do not fit.
func NewSource[T uint8 | uint16 | float32 | float64](values []T, examples, points, channels int) Source {
	return data.NewSource(values, examples, points, channels)
}
