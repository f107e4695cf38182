package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Instant is a time in a sequence.
type Instant = kernel.Instant

// Instants returns those of examples with times and labels of sequences, as many or nil: all belong
// to sequence 0. Without times it is nil.
func Instants(times []float64, labels []int) []Instant {
	if times == nil {
		return nil
	}
	at := make([]Instant, len(times))
	for i, t := range times {
		at[i].Time = t
		if labels != nil {
			at[i].Sequence = labels[i]
		}
	}
	return at
}

// CompareInstants orders instants by sequence, then by time.
func CompareInstants(a, b Instant) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Time, b.Time))
}

// Sequence is the examples of one label in order of time.
type Sequence struct {
	Label    int
	Examples []int
	Times    []float64
}

// Sequences returns all sequences in order of their labels; labels nil: one, 0. Examples of equal
// times keep their order.
func Sequences(times []float64, labels []int) []Sequence {
	at := Instants(times, labels)
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return CompareInstants(at[i], at[j]) })
	var all []Sequence
	for _, i := range order {
		if len(all) == 0 || all[len(all)-1].Label != at[i].Sequence {
			all = append(all, Sequence{Label: at[i].Sequence})
		}
		s := &all[len(all)-1]
		s.Examples, s.Times = append(s.Examples, i), append(s.Times, at[i].Time)
	}
	return all
}

// Column sets v to column q of a (n×d) along the sequence.
func (s *Sequence) Column(v []float64, a mat.Matrix, q int) {
	for k, i := range s.Examples {
		v[k] = a.At(i, q)
	}
}

// SetColumn is the reverse of Column.
func (s *Sequence) SetColumn(a mat.Matrix, q int, v []float64) {
	for k, i := range s.Examples {
		a.Set(i, q, v[k])
	}
}

// MedianSpacing is the median distance of an example to the nearest other one of its sequence at
// another time; 1 where there is none.
func MedianSpacing(examples []Instant) float64 {
	sorted := slices.Clone(examples)
	sort.Slice(sorted, func(i, j int) bool { return CompareInstants(sorted[i], sorted[j]) < 0 })
	var all []float64
	for from, to := 0, 0; from < len(sorted); from = to { // equal instants together
		for to = from + 1; to < len(sorted) && sorted[to] == sorted[from]; to++ {
		}
		nearest := math.Inf(1)
		for _, j := range []int{from - 1, to} {
			if j >= 0 && j < len(sorted) && sorted[j].Sequence == sorted[from].Sequence {
				nearest = min(nearest, math.Abs(sorted[j].Time-sorted[from].Time))
			}
		}
		if !math.IsInf(nearest, 1) {
			all = append(all, slices.Repeat([]float64{nearest}, to-from)...)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// MaxLabel bounds the labels of sequences, to what 32 bits hold, and farthestTime times, so that
// differences of them are finite.
const (
	MaxLabel     = math.MaxInt32
	farthestTime = 1e300
)

// CheckTimes refuses times that are not finite, or too large to subtract.
func CheckTimes(times []float64) error {
	for i, t := range times {
		if math.IsNaN(t) || math.Abs(t) > farthestTime {
			return fmt.Errorf("time %d is %v, expected a number between ±%g", i, t, farthestTime)
		}
	}
	return nil
}

// CheckInstants checks times and labels (nil: none) of n examples.
func CheckInstants(times []float64, labels []int, n int) error {
	if len(times) != n {
		return fmt.Errorf("%d times, expected %d, one for each example", len(times), n)
	}
	if labels != nil && len(labels) != n {
		return fmt.Errorf("%d labels of sequences, expected %d, one for each example", len(labels), n)
	}
	for i, label := range labels {
		if label < -MaxLabel || label > MaxLabel {
			return fmt.Errorf("example %d is of sequence %d, expected a label between ±%d", i, label, MaxLabel)
		}
	}
	return CheckTimes(times)
}

// TimesOf returns times and labels of some examples; nil of nil.
func TimesOf(times []float64, labels, examples []int) (t []float64, l []int) {
	if times == nil {
		return nil, nil
	}
	for _, i := range examples {
		t = append(t, times[i])
		if labels != nil {
			l = append(l, labels[i])
		}
	}
	return t, l
}
