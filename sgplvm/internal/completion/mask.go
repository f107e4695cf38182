// Package completion has what completing data needs beside a model: masks, kinds of missing values, observed values held out in the same ways,
// a first completion of low rank, and a contest that chooses for each kind between the model and the simplest methods (docs/math.md, 22.7 to 22.12).
package completion

import (
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A Mask tells which values of examples are missing.
type Mask struct {
	Size    int    // values of an example, n_s·d_y
	Missing []bool // of all examples, one after the other

	// HeldOut are observed values that Missing marks as missing, to compare what is filled in with them. In ascending order of examples.
	HeldOut []Held
}

// Held are values of an example that are held out.
type Held struct {
	Example int
	Group   int       // values with the same number were held out together
	Truth   []float64 // n_s·d_y, NaN where not held out
	Gaps    []int     // the values that the group misses for a while
}

// Values returns the held-out values by their places.
func (a Held) Values() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k, v := range a.Truth {
			if v == v && !yield(k, v) {
				return
			}
		}
	}
}

// HeldAt returns what is held out of an example at some points, NaN elsewhere; nil if nothing is.
func (h *Mask) HeldAt(example int, points []int, channels int) []float64 {
	for _, r := range h.HeldOut {
		if r.Example == example {
			var truth []float64
			for _, p := range points {
				truth = append(truth, r.Truth[p*channels:(p+1)*channels]...)
			}
			return truth
		}
	}
	return nil
}

// HeldExamples returns the examples of which something is held out.
func (h *Mask) HeldExamples() (examples []int) {
	for _, r := range h.HeldOut {
		examples = append(examples, r.Example)
	}
	return examples
}

// Of returns which values of an example are missing.
func (h *Mask) Of(example int) []bool { return h.Missing[example*h.Size : (example+1)*h.Size] }

// Any reports whether an example misses any.
func (h *Mask) Any(example int) bool { return slices.Contains(h.Of(example), true) }

// Count returns how many values are missing.
func (h *Mask) Count() int { return count(h.Missing) }

// CountOf returns how many values of some examples are missing.
func (h *Mask) CountOf(examples []int) (n int) {
	for _, i := range examples {
		n += count(h.Of(i))
	}
	return n
}

// count returns how many marks are set.
func count(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// Read returns the values of a source, an example a row, and a mask of those that are missing: NaN in the source, 0 in the result. Errors: *field.ReadError, *field.ValueError,
// *field.ConfigError if nothing was observed.
func Read(source field.Source) (mat.Matrix, *Mask, error) {
	n, points, channels := source.Dims()
	y, h := mat.New(n, points*channels), &Mask{Size: points * channels, Missing: make([]bool, n*points*channels)}
	observed := 0
	for i := range n {
		row := y.Row(i)
		if err := source.ReadExamples(row, i, i+1); err != nil {
			return y, h, &field.ReadError{From: i, To: i + 1, Err: err}
		}
		missing := h.Of(i)
		for k, v := range row {
			switch {
			case math.IsNaN(v):
				missing[k], row[k] = true, 0
			case math.IsInf(v, 0):
				return y, h, &field.ValueError{Example: i, Point: k / channels, Channel: k % channels, Value: v, Want: "a finite number, or NaN where the value is missing"}
			default:
				observed++
			}
		}
	}
	if observed == 0 {
		return y, h, &field.ConfigError{Field: "Data", Err: errors.New("nothing was observed, expected values")}
	}
	return y, h, nil
}

// Moments returns the mean and the standard deviation of the observed values of each channel; a deviation of 0 becomes 1.
func Moments(y mat.Matrix, h *Mask, channels int) (mean, deviation []float64) {
	mean, deviation = make([]float64, channels), make([]float64, channels)
	count := make([]float64, channels)
	for i := range y.Rows {
		row := y.Row(i)
		for k, missing := range h.Of(i) {
			if !missing {
				c := k % channels
				count[c]++
				delta := row[k] - mean[c]
				mean[c] += delta / count[c]
				deviation[c] += delta * (row[k] - mean[c])
			}
		}
	}
	for c, s := range deviation {
		if deviation[c] = math.Sqrt(s / count[c]); !(deviation[c] > 0) {
			deviation[c] = 1
		}
	}
	return mean, deviation
}
