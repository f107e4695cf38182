package eig

import "testing"

// Tuning holds the constants that change speed, or the limit of sweeps, and
// nothing else beyond rounding.
type Tuning struct {
	PanelWidth    int // reflectors that are applied together
	SymvOrder     int // rows for each part of a symmetric product
	RotationLimit int // rotations that are collected before they are applied
	SweepsPerRow  int // limit of QL sweeps for each row
}

// Tuned returns the constants in force.
func Tuned() Tuning { return Tuning{panelWidth, symvOrder, rotationLimit, sweepsPerRow} }

// Tune changes the constants for the time of a test.
func Tune(t testing.TB, to Tuning) {
	old := Tuned()
	set := func(c Tuning) {
		panelWidth, symvOrder, rotationLimit, sweepsPerRow = c.PanelWidth, c.SymvOrder, c.RotationLimit, c.SweepsPerRow
	}
	set(to)
	t.Cleanup(func() { set(old) })
}

// Givens is the rotation of the QL iteration.
var Givens = givens
