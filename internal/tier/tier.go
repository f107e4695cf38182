// Package tier tells tests what kind of run they are in, so that a test says itself what it needs. What takes seconds
// is left out with -short, as package testing has it; what a slow run makes long and has no more to find there, by [Skip].
// For benchmarks there is [Rate].
package tier

import (
	"os"
	"testing"
)

// Run is a kind of slow run, or several.
type Run int

const (
	Race     Run = 1 << iota // under the race detector: some ten times as slow
	Emulated                 // on an emulated processor, with KRONFIELD_EMULATED=1: some thirty times as slow
)

// Skip skips a test in slow runs of these kinds.
func Skip(t testing.TB, runs Run) {
	t.Helper()
	if Raced && runs&Race != 0 || runs&Emulated != 0 && os.Getenv("KRONFIELD_EMULATED") != "" {
		t.Skip("takes long in this run, and other tests find the same there")
	}
}
