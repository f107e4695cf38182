package motion

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// The frames around a time share the weight in linear interpolation; a frame that is not used gives
// its place to the next one.
func TestNeighbours(t *testing.T) {
	s := Sequence{Sequence: data.Sequence{Examples: []int{5, 4, 3, 2, 1}, Times: []float64{0, 2, 3, 3, 7}}}
	one := func(place int) []Neighbour { return []Neighbour{{Place: place, Weight: 1}} }
	two := func(place int, weight float64, next int) []Neighbour {
		return []Neighbour{{Place: place, Weight: weight}, {Place: next, Weight: 1 - weight}}
	}
	for _, c := range []struct {
		time    float64
		without int
		want    []Neighbour
	}{
		{-1, -1, one(0)}, {-1, 5, one(1)}, {8, -1, one(4)}, {8, 1, one(3)}, {0, -1, one(0)}, {0, 5, one(1)}, {7, 1, one(3)},
		{0.5, -1, two(0, 0.75, 1)}, {2, -1, two(0, 0, 1)}, {2, 4, two(0, 1-2./3, 2)}, {5, -1, two(3, 0.5, 4)}, {3, 3, two(1, 0, 3)},
	} {
		if d := cmp.Diff(c.want, s.neighbours(c.time, c.without), cmp.AllowUnexported(Neighbour{}), cmpopts.EquateApprox(0, 1e-15)); d != "" {
			t.Errorf("around %v without frame %d (-want +got):\n%s", c.time, c.without, d)
		}
	}
	alone := Sequence{Sequence: data.Sequence{Examples: []int{7}, Times: []float64{1}}}
	if got := alone.neighbours(1, 7); got != nil {
		t.Errorf("around the only frame: %v", got)
	}
}

// squareFlow is the flow of contents that move by the square of the time.
func squareFlow(from, to float64) []float64 { return []float64{to*to - from*from} }

// Contents that move by the square of the time leave the straight line, by bendShare of what the frames
// beside show; frames that are too close do not count.
func TestOffsetsBend(t *testing.T) {
	for _, c := range []struct {
		times  []float64
		time   float64
		before int
		bent   float64 // by the frames beside
	}{
		{[]float64{0, 1, 2, 3}, 1.5, 1, 0.25},
		{[]float64{1, 2, 3}, 1.5, 0, 0.25},
		{[]float64{0, 1, 2}, 1.25, 1, 0.1875},
		{[]float64{1, 2}, 1.5, 0, 0},
		{[]float64{0.95, 1, 2, 2.02}, 1.5, 1, 0},
		{[]float64{0.93, 1, 2, 2.02}, 1.5, 1, 0.25},
	} {
		s := Sequence{Sequence: data.Sequence{Times: c.times}}
		for p := range c.times[1:] {
			s.Next = append(s.Next, squareFlow(c.times[p], c.times[p+1]))
		}
		s.Next = append(s.Next, nil)
		from, to := c.times[c.before], c.times[c.before+1]
		w := (c.time - from) / (to - from)
		a, b := s.offsets(c.time, w, [2]int{c.before, c.before + 1}, s.Next[c.before])
		g := s.Next[c.before][0]
		if wantA, wantB := -w*g+bendShare*c.bent, (1-w)*g+bendShare*c.bent; math.Abs(a[0]-wantA) > 1e-12 || math.Abs(b[0]-wantB) > 1e-12 {
			t.Errorf("times %v at %v: offsets %v and %v, want %v and %v", c.times, c.time, a[0], b[0], wantA, wantB)
		}
	}
}

// A frame that is left out is predicted along the flow from the one before it to the one after it.
func TestNeighboursWithout(t *testing.T) {
	s := Sequence{Sequence: data.Sequence{Examples: []int{7, 6, 5, 4}, Times: []float64{0, 1, 2, 3}}}
	for p := range 4 {
		s.Next, s.Over = append(s.Next, squareFlow(float64(p), float64(p+1))), append(s.Over, squareFlow(float64(p-1), float64(p+1)))
	}
	for place, want := range map[int][2]float64{1: {-2 + bendShare, 2 + bendShare}, 2: {-4 + bendShare, 4 + bendShare}} {
		n := s.neighbours(s.Times[place], s.Examples[place])
		if len(n) != 2 || n[0].Place != place-1 || n[1].Place != place+1 || n[0].Weight != 0.5 || n[1].Weight != 0.5 ||
			math.Abs(n[0].offset[0]-want[0]) > 1e-12 || math.Abs(n[1].offset[0]-want[1]) > 1e-12 {
			t.Errorf("around frame %d without it: %v, want offsets %v", place, n, want)
		}
	}
	s.Over = nil // as in a motion that was read
	if n := s.neighbours(1, 6); n[0].offset != nil || n[1].offset != nil {
		t.Errorf("offsets %v and %v without a flow", n[0].offset, n[1].offset)
	}
}

// The weights are those of the polynomial through values at distinct times; equal times share.
func TestLagrange(t *testing.T) {
	times := []float64{-1, 0.5, 2, 7}
	const t0 = 1.2
	w := lagrange(times, t0)
	for power := range 4 {
		var got float64
		for i, time := range times {
			got += w[i] * math.Pow(time, float64(power))
		}
		if want := math.Pow(t0, float64(power)); math.Abs(got-want) > 1e-12 {
			t.Errorf("power %d: %v, want %v", power, got, want)
		}
	}
	for i, want := range []float64{0.25, 0.25, 0.5} {
		if got := lagrange([]float64{1, 1, 3}, 2)[i]; got != want {
			t.Errorf("weight %d of equal times is %v, want %v", i, got, want)
		}
	}
}
