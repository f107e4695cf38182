package eig

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Tuning holds the constants that change speed, or the limit of sweeps, and
// nothing else beyond rounding.
type Tuning struct {
	LeastPanel    int // columns that are reduced before the rest is updated, at least
	MostPanel     int // and at most
	SymvOrder     int // rows for each part of a symmetric product
	LeastBlock    int // reflectors that are applied together, at least
	MostBlock     int // and at most
	RotationLimit int // rotations that are collected before they are applied
	SweepsPerRow  int // limit of QL sweeps for each row
	WhitenOrder   int // order up to which the generalised problem is transformed at once
}

// Tuned returns the constants in force.
func Tuned() Tuning {
	return Tuning{leastPanel, mostPanel, symvOrder, leastBlock, mostBlock, rotationLimit, sweepsPerRow, whitenOrder}
}

// Tune changes the constants for the time of a test.
func Tune(t testing.TB, to Tuning) {
	old := Tuned()
	set := func(c Tuning) {
		leastPanel, mostPanel, symvOrder, leastBlock, mostBlock, rotationLimit, sweepsPerRow, whitenOrder =
			c.LeastPanel, c.MostPanel, c.SymvOrder, c.LeastBlock, c.MostBlock, c.RotationLimit, c.SweepsPerRow, c.WhitenOrder
	}
	set(to)
	t.Cleanup(func() { set(old) })
}

// Stall makes the QL iteration find no eigenvalue, for the time of a test.
func Stall(t testing.TB) {
	stalled = true
	t.Cleanup(func() { stalled = false })
}

// Givens is the rotation of the QL iteration.
var Givens = givens

// Load, Tridiagonalize and BackTransform are the phases of Sym around the
// tridiagonal eigenproblem. Load divides the matrix by 2^scale.
func (s *Solver) Load(a mat.Matrix) (scale int, err error) { return s.load("Load", a) }

// Tridiagonalize returns the diagonal and the subdiagonal of T; see Load.
func (s *Solver) Tridiagonalize() (d, e []float64) {
	s.tridiagonalize()
	return s.d, s.e[:max(0, s.n-1)]
}

// BackTransform overwrites z with Q·z; see Load.
func (s *Solver) BackTransform(z mat.Matrix) { s.backTransform(z) }

// Symv returns A·x by the solver's product, where A is the matrix of the latest
// Load without its first rows and columns, which the reduction would have done.
// backward is the direction.
func (s *Solver) Symv(first int, x []float64, backward bool) []float64 {
	padded := make([]float64, s.u.Cols)
	copy(padded[first:], x)
	y := make([]float64, len(padded))
	s.product.backward = !backward
	s.symv(y, first, padded)
	return y[first:s.n]
}
