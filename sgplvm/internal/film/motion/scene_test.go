package motion

import (
	"context"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
)

func mustFit(t testing.TB, film []float64, times []float64, channels int, sequences []int, o Options) *Motion {
	t.Helper()
	o.Width, o.Height = drawn.Width, drawn.Height
	m, err := Fit(context.Background(), data.NewSource(film, len(times), drawn.Width*drawn.Height, channels), times, sequences, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// quick are options with one trial beside no motion, which takes motion whatever it brings.
func quick() Options { return Options{Nodes: []int{5}, Strengths: []float64{1e-5}, Gain: -100} }
