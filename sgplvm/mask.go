package sgplvm

import (
	"iter"
)

// holes are the values of examples that were not observed.
type holes struct {
	size    int    // values of an example, n_s·d_y
	missing []bool // of all examples, one after the other

	// reserve are values that were observed and are treated as missing, so that what is filled in can be compared with them:
	// neither the example nor any other that was filled in with its help has seen them. In ascending order of examples.
	reserve []aside
}

// An aside is the part of an example that is in reserve.
type aside struct {
	example int
	group   int       // what was put aside together
	truth   []float64 // n_s·d_y, NaN where not in reserve
	gap     int       // the value that the group misses for a while, −1: none
}

// values returns the places of what is in reserve, and the values there.
func (a aside) values() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k, v := range a.truth {
			if v == v && !yield(k, v) {
				return
			}
		}
	}
}
