package motion

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
)

// The variance over time is small at frames, larger in gaps, and the prior's far away.
func TestAtVariance(t *testing.T) {
	times := []float64{0, 1, 2, 3, 4, 5, 12, 13, 14, 15}
	m := mustFit(t, drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation), times, 1, nil, quick())
	if m.Still() {
		t.Fatal("no motion found")
	}
	fields, err := m.Fields(0, []float64{3, 3.5, 8.5, 1e6})
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) float64 { return fields[i].Covariance[0] }
	if !(at(0) < at(1) && at(1) < at(2) && at(2) < at(3)) || at(3) != m.covariance[0] {
		t.Errorf("variances %v, %v, %v, %v at a frame, between two, in a gap and far away; prior %v", at(0), at(1), at(2), at(3), m.covariance[0])
	}
	for j, v := range fields[3].Mean {
		if math.Abs(v) > 1e-100 {
			t.Fatalf("mean %v of component %d far away, expected 0", v, j)
		}
	}
}

// Sequences are estimated and predicted apart, whatever the order of the frames.
func TestSequences(t *testing.T) {
	const n = 5
	times := drawn.Times(n, 1)
	one, two := drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation), drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Bending)
	size := drawn.Width * drawn.Height
	var film, when []float64
	var labels []int
	for i := range 2 * n { // backwards, and in turns
		p := n - 1 - i/2
		part, label := one, 5
		if i%2 == 1 {
			part, label = two, -3
		}
		film, when, labels = append(film, part[p*size:(p+1)*size]...), append(when, times[p]), append(labels, label)
	}
	both := mustFit(t, film, when, 1, labels, quick())
	alone := mustFit(t, one, times, 1, nil, quick())
	if both.Still() || alone.Still() {
		t.Fatal("no motion found")
	}
	d, e := both.Sequences[1], alone.Sequences[0]
	if d.Label != 5 || d.Examples[0] != 2*n-2 {
		t.Fatalf("sequence %d begins with frame %d", d.Label, d.Examples[0])
	}
	for p := range n {
		for j, v := range d.Displacements.Row(p) {
			// the pictures are scaled alike, the prior by the gradients of both sequences
			if w := e.Displacements.At(p, j); math.Abs(v-w) > 0.1/drawn.Width {
				t.Fatalf("frame %d, component %d: %v beside another sequence, %v alone", p, j, v, w)
			}
		}
	}
	if _, err := both.Fields(4, times); err == nil || err.Error() != "sgplvm: sequence: no frames with the label 4" {
		t.Errorf("error %v", err)
	}
	if _, err := both.Fields(-3, []float64{1, math.Inf(1)}); err == nil || err.Error() != "sgplvm: times: time 1 is +Inf, expected a number between ±1e+300" {
		t.Errorf("error %v", err)
	}
}

// What is said of a frame from the others does not depend on its own displacement, and is less sure.
func TestFieldWithout(t *testing.T) {
	times := []float64{0, 1, 2, 3.5, 4, 5, 9}
	m := mustFit(t, drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Translation), times, 1, []int{1, 1, 1, 1, 1, 1, 4}, quick())
	const gone = 3
	before, known := m.Field(m.LeftOut(gone)), m.fields(m.Sequences[0], times[gone:gone+1])[0]
	for k := range m.Sequences[0].Displacements.Row(gone) {
		m.Sequences[0].Displacements.Row(gone)[k] += 0.01
	}
	if d := cmp.Diff(before, m.Field(m.LeftOut(gone)), cmp.AllowUnexported(Field{})); d != "" {
		t.Errorf("the displacement of the frame that is left out counts:\n%s", d)
	}
	if !(before.Covariance[0] > 2*known.Covariance[0]) {
		t.Errorf("variance %v of a frame left out, %v of one that is known", before.Covariance[0], known.Covariance[0])
	}
	alone := m.Field(m.LeftOut(6))
	for k, v := range alone.Mean {
		if v != 0 {
			t.Fatalf("component %d of the only frame of a sequence, left out: %v", k, v)
		}
	}
	if alone.Covariance[0] != m.covariance[0] {
		t.Errorf("variance %v of the only frame of a sequence, left out, want the prior's, %v", alone.Covariance[0], m.covariance[0])
	}
}
