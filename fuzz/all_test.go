package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// The module's own algebra keeps every law.
func TestLawsOfOurs(t *testing.T) { fuzz.Test(t, ours(), fuzz.Options{Draws: 60}) }
