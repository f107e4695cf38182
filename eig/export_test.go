package eig

import (
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Tuning holds the constants that change speed, or the limit of sweeps, and
// nothing else beyond rounding.
type Tuning struct {
	LeastPanel   int // columns that are reduced before the rest is updated, at least
	MostPanel    int // and at most
	SymvOrder    int // rows for each part of a symmetric product
	LeastBlock   int // reflectors that are applied together, at least
	MostBlock    int // and at most
	Ready        int // reflectors that are made ready at a time
	Vectors      int // vectors of a part of a product, at least
	Depth        int // of such a product in one step
	LeafOrder    int // largest order of a tridiagonal matrix that is not divided
	SweepsPerRow int // limit of QL sweeps for each row
	SecularSteps int // limit of steps for a root of a secular equation
	WhitenOrder  int // order up to which the generalised problem is transformed at once
}

// Tuned returns the constants in force.
func Tuned() Tuning {
	return Tuning{minPanel, maxPanel, symvOrder, minBlock, maxBlock, reflectorsTogether, minVectors, depthTogether, leafOrder, sweepsPerRow, secularSteps, whitenOrder}
}

// Tune changes the constants for the time of a test.
func Tune(t testing.TB, to Tuning) {
	old := Tuned()
	set := func(c Tuning) {
		minPanel, maxPanel, symvOrder, minBlock, maxBlock, reflectorsTogether, minVectors, depthTogether, leafOrder, sweepsPerRow, secularSteps, whitenOrder =
			c.LeastPanel, c.MostPanel, c.SymvOrder, c.LeastBlock, c.MostBlock, c.Ready, c.Vectors, c.Depth, c.LeafOrder, c.SweepsPerRow, c.SecularSteps, c.WhitenOrder
	}
	set(to)
	t.Cleanup(func() { set(old) })
}

// Tridiagonal returns the eigenvalues, not sorted, and in columns the
// eigenvectors of the tridiagonal matrix (d, e) by divide and conquer.
func Tridiagonal(d, e []float64) ([]float64, mat.Matrix, error) {
	var c dc
	d, e = slices.Clone(d), slices.Clone(e)
	err := c.solve(d, e, false)
	return d, c.x.T().Clone(), err
}

// TridiagonalValues returns the eigenvalues alone, not sorted.
func TridiagonalValues(d, e []float64) ([]float64, error) {
	var c dc
	d, e = slices.Clone(d), slices.Clone(e)
	return d, c.solve(d, e, true)
}

// SecularRoot returns root j of 1/rho + Σ z[i]²/(d[i] − λ) as d[pole] + shift.
func SecularRoot(d, z []float64, rho float64, j int) (pole int, shift float64, ok bool) {
	f := secular{d, z, 1 / rho}
	return f.root(j)
}
