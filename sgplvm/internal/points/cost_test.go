package points

import (
	"math"
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
