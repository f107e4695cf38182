package engine_test

import (
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
)

func TestEvenTimes(t *testing.T) {
	if got := engine.EvenTimes(4, 25); !slices.Equal(got, []float64{0, 0.04, 0.08, 0.12}) {
		t.Errorf("times %v", got)
	}
}
