package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// Of several laws each is tried by some inputs, one by each.
func TestOneOf(t *testing.T) {
	ran := make([]int, 3)
	var laws []func(t *testing.T, s *fuzz.Source)
	for k := range ran {
		laws = append(laws, func(*testing.T, *fuzz.Source) { ran[k]++ })
	}
	run := fuzz.OneOfBy(laws)
	for k := range 100 {
		run(t, append(make([]byte, 8), byte(k), byte(7*k), byte(k*k), 1, 2, 3, 4, byte(5*k)))
	}
	if ran[0] == 0 || ran[1] == 0 || ran[2] == 0 || ran[0]+ran[1]+ran[2] != 100 {
		t.Errorf("100 inputs ran three laws %v times", ran)
	}
}
