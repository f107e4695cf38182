package data

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// What the model's packages share, by the names of package field.
type (
	Source      = field.Source
	Subset      = field.Subset
	Grid        = field.Grid
	ConfigError = field.ConfigError
	ValueError  = field.ValueError
	ReadError   = field.ReadError
	FileError   = field.FileError
)

// NewSource is field.NewSource.
func NewSource[T uint8 | uint16 | float32 | float64](values []T, examples, points, channels int) Source {
	return field.NewSource(values, examples, points, channels)
}

// MatrixSource is field.MatrixSource.
func MatrixSource(y mat.Matrix, examples int) Source { return field.MatrixSource(y, examples) }
