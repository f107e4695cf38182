package motion

import "sort"

// A Neighbour is a frame of a sequence and its weight in an interpolation.
type Neighbour struct {
	Place  int
	Weight float64
}

// neighbours returns the frames before and after a time, passing over one frame (−1: none), and their weights in
// linear interpolation.
func (s Sequence) neighbours(t float64, without int) []Neighbour {
	before, after := s.bracket(t, without)
	switch {
	case before < 0 && after == len(s.Times):
		return nil
	case before < 0:
		return []Neighbour{{after, 1}}
	case after == len(s.Times):
		return []Neighbour{{before, 1}}
	}
	w := (t - s.Times[before]) / (s.Times[after] - s.Times[before]) // the frame before is earlier
	return []Neighbour{{before, 1 - w}, {after, w}}
}

// bracket returns the places of the frames before and after a time, −1 and the number of frames where
// there is none, passing over one frame.
func (s Sequence) bracket(t float64, without int) (before, after int) {
	after = sort.SearchFloat64s(s.Times, t)
	before = after - 1
	if after < len(s.Times) && s.Examples[after] == without {
		after++
	}
	if before >= 0 && s.Examples[before] == without {
		before--
	}
	return before, after
}
