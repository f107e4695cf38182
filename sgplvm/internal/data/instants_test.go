package data_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

func TestInstants(t *testing.T) {
	if at := data.Instants(nil, nil); at != nil {
		t.Errorf("instants %v without times", at)
	}
	if diff := cmp.Diff([]data.Instant{{Time: 2}, {Time: -1}}, data.Instants([]float64{2, -1}, nil)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]data.Instant{{Sequence: -3, Time: 2}, {Sequence: 7, Time: -1}}, data.Instants([]float64{2, -1}, []int{-3, 7})); diff != "" {
		t.Error(diff)
	}
}

// Sequences come in order of their labels, their examples in order of time, and equal times in the order of
// the examples.
func TestSequences(t *testing.T) {
	for name, c := range map[string]struct {
		times  []float64
		labels []int
		want   []data.Sequence
	}{
		"none":        {nil, nil, nil},
		"no labels":   {[]float64{3, 1, 2}, nil, []data.Sequence{{Label: 0, Examples: []int{1, 2, 0}, Times: []float64{1, 2, 3}}}},
		"equal times": {[]float64{1, 0, 1, 0}, nil, []data.Sequence{{Label: 0, Examples: []int{1, 3, 0, 2}, Times: []float64{0, 0, 1, 1}}}},
		"labels in no order": {[]float64{5, 4, 3, 2, 1}, []int{8, -2, 8, 0, -2}, []data.Sequence{
			{Label: -2, Examples: []int{4, 1}, Times: []float64{1, 4}},
			{Label: 0, Examples: []int{3}, Times: []float64{2}},
			{Label: 8, Examples: []int{2, 0}, Times: []float64{3, 5}},
		}},
		"one label alone": {[]float64{2, 1}, []int{4, 4}, []data.Sequence{{Label: 4, Examples: []int{1, 0}, Times: []float64{1, 2}}}},
	} {
		if diff := cmp.Diff(c.want, data.Sequences(c.times, c.labels)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Columns along a sequence, and back.
func TestColumns(t *testing.T) {
	a := normals(5, 6, 3)
	before := a.Clone()
	for _, s := range data.Sequences([]float64{5, 4, 3, 2, 1, 0}, []int{1, 0, 1, 0, 1, 1}) {
		v := make([]float64, len(s.Examples))
		s.Column(v, a, 2)
		for k, i := range s.Examples {
			if v[k] != a.At(i, 2) {
				t.Errorf("example %d: %v, want %v", i, v[k], a.At(i, 2))
			}
		}
		b := mat.New(6, 3)
		s.SetColumn(b, 2, v)
		s.SetColumn(a, 2, v)
		for i := range 6 {
			want := 0.0
			for _, j := range s.Examples {
				if i == j {
					want = a.At(i, 2)
				}
			}
			if b.At(i, 2) != want || b.At(i, 0) != 0 || b.At(i, 1) != 0 {
				t.Errorf("example %d: row %v", i, b.Row(i))
			}
		}
	}
	compare.SameBits(t, "there and back", a.Data, before.Data)
}

func TestCheckInstants(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	large := math.MaxInt32
	large++ // on 32 bits the least number, which is no label either
	for _, c := range []struct {
		times  []float64
		labels []int
		n      int
		want   string // of the error; "": none
	}{
		{nil, nil, 0, ""},
		{[]float64{1, -1e300}, []int{math.MaxInt32, -math.MaxInt32}, 2, ""},
		{[]float64{1, 1}, nil, 2, ""},
		{[]float64{1}, nil, 2, "1 times, expected 2"},
		{[]float64{1, 2}, []int{1}, 2, "1 labels of sequences, expected 2"},
		{[]float64{1, 2}, []int{}, 2, "0 labels of sequences, expected 2"},
		{[]float64{1, 2}, []int{0, large}, 2, fmt.Sprintf("example 1 is of sequence %d, expected a label", large)},
		{[]float64{1, 2}, []int{math.MinInt, 0}, 2, fmt.Sprintf("example 0 is of sequence %d", math.MinInt)},
		{[]float64{1, nan}, nil, 2, "time 1 is NaN"},
		{[]float64{inf, 1}, nil, 2, "time 0 is +Inf"},
		{[]float64{1, -1.1e300}, nil, 2, "time 1 is -1.1e+300, expected a number between ±1e+300"},
	} {
		err := data.CheckInstants(c.times, c.labels, c.n)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, %v: error %v, want %q", c.times, c.labels, err, c.want)
		}
	}
}

// The same against all pairs, with equal times and several sequences.
func TestMedianSpacingByPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at := make([]data.Instant, 1+rng.IntN(12))
		for i := range at {
			at[i] = data.Instant{Time: float64(rng.IntN(8)), Sequence: rng.IntN(3)}
		}
		var all []float64
		for _, a := range at {
			nearest := math.Inf(1)
			for _, b := range at {
				if d := math.Abs(a.Time - b.Time); a.Sequence == b.Sequence && d > 0 {
					nearest = min(nearest, d)
				}
			}
			if nearest < math.Inf(1) {
				all = append(all, nearest)
			}
		}
		want := 1.0
		if slices.Sort(all); len(all) > 0 {
			want = all[len(all)/2]
		}
		if got := data.MedianSpacing(at); got != want {
			t.Errorf("%v: %v, expected %v", at, got, want)
		}
	}
}
