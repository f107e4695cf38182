package field

import "github.com/seed-08962ecc/kronfield/internal/text"

// ConfigError reports a setting or an argument that cannot be used.
type ConfigError struct {
	Field string
	Err   error
}

func (e *ConfigError) Error() string { return text.Sprintf("sgplvm: %s: %v", e.Field, e.Err) }

func (e *ConfigError) Unwrap() error { return e.Err }

// ValueError reports a datum that cannot be used; all indices count from 0.
type ValueError struct {
	Example, Point, Channel int
	Value                   float64
	Want                    string
}

func (e *ValueError) Error() string {
	return text.Sprintf("example %d, point %d, channel %d: value %v, expected %s", e.Example, e.Point, e.Channel, e.Value, e.Want)
}

// ReadError reports a source that failed while the examples From ≤ i < To were read.
type ReadError struct {
	From, To int
	Err      error
}

func (e *ReadError) Error() string {
	return text.Sprintf("sgplvm: reading examples %d to %d: %v", e.From, e.To-1, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

// FileError reports a model file or a checkpoint that cannot be used.
type FileError struct{ Err error }

func (e *FileError) Error() string { return "not a usable model file: " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// FactorizationError says which factor's matrix could not be decomposed: 0 is
// the latent one, f the f-th spatial one counted from 1.
type FactorizationError struct {
	Factor int
	Err    error
}

func (e *FactorizationError) Error() string {
	if e.Factor == 0 {
		return text.Sprintf("sgplvm: latent factor: %v", e.Err)
	}
	return text.Sprintf("sgplvm: spatial factor %d: %v", e.Factor, e.Err)
}

func (e *FactorizationError) Unwrap() error { return e.Err }
