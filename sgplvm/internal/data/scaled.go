package data

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// SlabNumbers is about how many numbers are read at a time, 8 MiB, and gramNumbers
// how many are held for the Gram matrix at any rate, 32 MiB. Tests lower them.
var SlabNumbers, gramNumbers = 1 << 20, 1 << 22

// Scaled reads a source in the model's units.
type Scaled struct {
	Source                     field.Source
	Examples, Points, Channels int
	Scaler                     Scaler

	// Missing is how many values are NaN: not observed.
	Missing int

	// Errors has the known standard errors of the values, in the user's units, in the shape of Source; nil: none
	// are known.
	Errors field.Source
}

// Holes reports whether values are missing or have errors of their own, so that the data are no complete
// grid of equally good values.
func (s *Scaled) Holes() bool { return s.Missing > 0 || s.Errors != nil }

// NewScaled wraps a source, whose sizes must be positive, and finds its scaler. Errors:
// *ReadError, *ValueError, *ConfigError for a channel beyond the range of a float64 or without any value.
func NewScaled(source field.Source) (*Scaled, error) {
	s := &Scaled{Source: source}
	s.Examples, s.Points, s.Channels = source.Dims()
	var err error
	if s.Scaler, err = newScaler(s); err != nil {
		return nil, err
	}
	for c, v := range s.Scaler.Scale {
		if math.IsInf(v, 0) || math.IsNaN(v) || math.IsInf(1/v, 0) {
			return nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("channel %d: standard deviation %v is outside the range of a float64", c, v)}
		}
	}
	return s, nil
}

// Size returns the number of values of an example.
func (s *Scaled) Size() int { return s.Points * s.Channels }

// slab returns how many examples are read at a time: about SlabNumbers numbers,
// at least one example.
func (s *Scaled) slab() int {
	return max(1, min(s.Examples, SlabNumbers/s.Size()))
}

// Read sets dst to the scaled examples from ≤ i < to. Calls with different dst may
// run at once. Errors: *ReadError.
func (s *Scaled) Read(dst []float64, from, to int) error {
	err := s.ReadRaw(dst, from, to)
	if err == nil {
		s.Scaler.scale(dst)
	}
	return err
}

// ReadRaw is Read in the user's units.
func (s *Scaled) ReadRaw(dst []float64, from, to int) error {
	if len(dst) != (to-from)*s.Size() {
		panic(fmt.Sprintf("sgplvm: %d numbers for examples %d to %d of %d values", len(dst), from, to-1, s.Size()))
	}
	if err := s.Source.ReadExamples(dst, from, to); err != nil {
		return &field.ReadError{From: from, To: to, Err: err}
	}
	return nil
}

// EachErrors is EachSlab of the known standard errors, in the model's units.
func (s *Scaled) EachErrors(body func(slab []float64, from int) error) error {
	errors := *s
	errors.Source = s.Errors
	return errors.EachSlab(func(slab []float64, from int) error {
		for i := range slab {
			slab[i] /= s.Scaler.Scale[i%s.Channels]
		}
		return body(slab, from)
	})
}

// EachSlab reads slab after slab in the user's units and hands it to body, which may
// overwrite it, with the number of its first example.
func (s *Scaled) EachSlab(body func(slab []float64, from int) error) error {
	step := s.slab()
	buffer := mat.Borrow(step * s.Size())
	defer mat.GiveBack(buffer)
	for from := 0; from < s.Examples; from += step {
		to := min(from+step, s.Examples)
		slab := (*buffer)[:(to-from)*s.Size()]
		if err := s.ReadRaw(slab, from, to); err != nil {
			return err
		}
		if err := body(slab, from); err != nil {
			return err
		}
	}
	return nil
}

// Dims returns the numbers of examples and of the values of each.
func (s *Scaled) Dims() (examples, values int) { return s.Examples, s.Size() }

// EachRows reads slab after slab of scaled examples, one a row, and hands it to body with the number of its first example.
func (s *Scaled) EachRows(body func(rows mat.Matrix, from int) error) error {
	return s.EachSlab(func(slab []float64, from int) error {
		s.Scaler.scale(slab)
		return body(mat.NewDense(len(slab)/s.Size(), s.Size(), slab), from)
	})
}

// refuse reports value number i, which is infinite.
func (s *Scaled) refuse(i int, v float64) error {
	return &field.ValueError{Example: i / s.Size(), Point: i % s.Size() / s.Channels, Channel: i % s.Channels, Value: v, Want: "a finite number"}
}

// Gram returns the Gram matrix of the scaled examples, G_ij = y_i·y_j (n_ξ×n_ξ),
// block by block: all examples are held if they are few, else two bands of them at a
// time, each an eighth of all or of gramNumbers numbers. So the source is read 4½
// times at most; bands of columns would need one pass, but of a source that can read
// parts of an example.
func (s *Scaled) Gram() (mat.Matrix, error) {
	n := s.Examples
	g := mat.New(n, n)
	bands := max(1, min(8, (n*s.Size()+gramNumbers-1)/gramNumbers))
	step := (n + bands - 1) / bands
	band := func(buffer []float64, from int) (mat.Matrix, error) {
		to := min(from+step, n)
		y := mat.NewDense(to-from, s.Size(), buffer[:(to-from)*s.Size()])
		return y, s.Read(y.Data, from, to)
	}
	upper, lower := make([]float64, step*s.Size()), []float64(nil)
	if step < n {
		lower = make([]float64, step*s.Size())
	}
	for j := 0; j < n; j += step {
		a, err := band(upper, j)
		if err != nil {
			return g, err
		}
		mat.Syrk(g.Slice(j, j+a.Rows, j, j+a.Rows), 1, a, 0)
		for i := j + step; i < n; i += step {
			b, err := band(lower, i)
			if err != nil {
				return g, err
			}
			mat.Mul(g.Slice(i, i+b.Rows, j, j+a.Rows), 1, b, a.T(), 0)
		}
	}
	mat.MirrorLower(g)
	return g, nil
}
