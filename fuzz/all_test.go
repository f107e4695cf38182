package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// The plain algorithms keep every law.
func TestLawsOfNaive(t *testing.T) { fuzz.Test(t, naive(), fuzz.Options{Draws: 30}) }

// The module's own algebra keeps every law.
func TestLawsOfOurs(t *testing.T) { fuzz.Test(t, ours(), fuzz.Options{Draws: 60}) }
