package motion

import (
	"sort"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Sequence is the frames of a shot (cuts.go) in order of time (its Examples).
type Sequence struct{ data.Sequence }

// SequencesOf returns the frames sequence by sequence.
func SequencesOf(times []float64, labels []int) []Sequence {
	var all []Sequence
	for _, s := range data.Sequences(times, labels) {
		all = append(all, Sequence{s})
	}
	return all
}

// shotAt returns which of some shots a time is in or nearest to, of two as near the first.
func shotAt(shots []Sequence, t float64) int {
	after := min(sort.Search(len(shots), func(i int) bool { return shots[i].Times[0] > t }), len(shots)-1)
	if before := max(after-1, 0); t-shots[before].last() <= shots[after].Times[0]-t {
		return before
	}
	return after
}

// last returns the time of the last frame.
func (s *Sequence) last() float64 { return s.Times[len(s.Times)-1] }

// Beside returns the places of count frames before and as many after one, but for one frame.
func (s Sequence) Beside(place, without, count int) (all []int) {
	for _, step := range [2]int{-1, 1} {
		for k, left := place+step, count; k >= 0 && k < len(s.Examples) && left > 0; k += step {
			if s.Examples[k] != without {
				all = append(all, k)
				left--
			}
		}
	}
	return all
}
