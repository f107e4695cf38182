package data_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A subset has the examples of its numbers, in their order.
func TestSubset(t *testing.T) {
	s := field.Subset{Examples: field.NewSource([]float64{0, 1, 10, 11, 20, 21}, 3, 2, 1), Numbers: []int{2, 0, 2}}
	if n, points, channels := s.Dims(); n != 3 || points != 2 || channels != 1 {
		t.Errorf("%d examples of %d points and %d channels", n, points, channels)
	}
	got := make([]float64, 4)
	if err := s.ReadExamples(got, 1, 3); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, 1, 20, 21}, got); diff != "" {
		t.Error(diff)
	}
}

// What is read into memory ends with the context and with the source's error.
func TestInMemoryEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source := &counting{Source: field.NewSource(make([]uint8, 12), 3, 4, 1), failAt: 2}
	if _, err := data.InMemory(ctx, source); err != context.Canceled || source.calls != 0 {
		t.Errorf("error %v after %d reads", err, source.calls)
	}
	if _, err := data.InMemory(t.Context(), source); err != errSource || source.calls != 2 {
		t.Errorf("error %v after %d reads", err, source.calls)
	}
	if err := (field.Subset{Examples: &counting{Source: source.Source, failAt: 2}, Numbers: []int{0, 1, 2}}).ReadExamples(make([]float64, 12), 0, 3); err != errSource {
		t.Errorf("error %v of a subset", err)
	}
}
