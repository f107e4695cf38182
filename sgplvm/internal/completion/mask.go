package completion

import (
	"iter"
)

// holes are the values of examples that were not observed.
type Mask struct {
	Size    int    // values of an example, n_s·d_y
	Missing []bool // of all examples, one after the other

	// reserve are values that were observed and are treated as missing, so that what is filled in can be compared with them:
	// neither the example nor any other that was filled in with its help has seen them. In ascending order of examples.
	HeldOut []Held
}

// An aside is the part of an example that is in reserve.
type Held struct {
	Example int
	Group   int       // what was put aside together
	Truth   []float64 // n_s·d_y, NaN where not in reserve
	Gap     int       // the value that the group misses for a while, −1: none
}

// values returns the places of what is in reserve, and the values there.
func (a Held) Values() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k, v := range a.Truth {
			if v == v && !yield(k, v) {
				return
			}
		}
	}
}
