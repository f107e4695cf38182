package points

import (
	"math"
	"slices"
	"testing"
)

// Of a matrix whose lower triangle counts no page is touched that begins more than its length to the right of the diagonal.
func TestUntouched(t *testing.T) {
	for _, order := range []int{0, 1, 512, 513, 1000, 2113} {
		count := 0
		for i := range order {
			count += max(0, order-1-i-512)
		}
		if got := untouched(order); math.Abs(float64(got-count)) > float64(order) {
			t.Errorf("order %d: %d numbers, expected about %d", order, got, count)
		}
	}
}

// Memory is that of training examples while a file is opened, and rooms for inducing points count where these are needed.
func TestBytes(t *testing.T) {
	m, err := open(encoded(contents(1, true), Float64))
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewWorkspace(1)
	k, d := m.c.Inducing, m.c.Latents
	if !m.kept() || k <= d {
		t.Fatal("no training examples, or few inducing points")
	}
	refined := w.Bytes()
	m.c.Options.FirstOrder = true
	if got, want := w.Bytes()-refined, 8*(len(w.room.spreads)+(len(w.room.po)+len(w.room.left))/k*(k-d)); got != want {
		t.Errorf("%d bytes more for inducing points, want %d", got, want)
	}
	all := w.Bytes()
	m.c.Residuals.rows = 0
	if got, want := all-w.Bytes(), 8*(k*m.c.Points-max(k, m.features)); got != want {
		t.Errorf("%d bytes more for training examples, want %d", got, want)
	}
}

// L* has all observed values, however few of them are conditioned on at once: in channels that share a mask, too.
func TestEvidenceOfManyValues(t *testing.T) {
	c := contents(0, false)
	values := []float64{1, -1, 0.5, 2, -0.3, 0.7, 1.1, -2, 0.1, 0.4, -0.6, 0.2}
	var constant, square float64
	var g1 []float64
	for _, exact := range []int{100, 1} {
		c.Options.Exact, c.Options.Neighbours = exact, 1
		w := New(c).NewWorkspace(0)
		w.Observe(values)
		v, err := w.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		if g1 == nil {
			constant, square, g1 = v.Constant, v.Square, w.g1
		} else if v.Constant != constant || v.Square != square || !slices.Equal(w.g1, g1) {
			t.Errorf("L* of all values at once %v, %v, %v, of few %v, %v, %v", constant, square, g1, v.Constant, v.Square, w.g1)
		}
	}
}
