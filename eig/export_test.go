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

// Stall makes the QL iteration find no eigenvalue, for the time of a test.
func Stall(t testing.TB) {
	stalled = true
	t.Cleanup(func() { stalled = false })
}

// Givens is the rotation of the QL iteration.
var Givens = givens

// Load, Tridiagonalize and BackTransform are the phases of Sym around the
// tridiagonal eigenproblem. Load divides the matrix by 2^scale.
func (s *Solver) Load(a mat.Matrix) (scale int, err error) { return s.load("eig: Load", a) }

// Tridiagonalize returns the diagonal and the subdiagonal of T; see Load.
func (s *Solver) Tridiagonalize() (d, e []float64) {
	if err := s.tridiagonalize(); err != nil {
		panic(err)
	}
	return s.d, s.e[:max(0, s.n-1)]
}

// BackTransform overwrites x with x·Qᵀ; see Load.
func (s *Solver) BackTransform(x mat.Matrix) {
	rows := x.Clone()
	if err := s.backTransform(rows); err != nil {
		panic(err)
	}
	mat.Copy(x, rows)
}

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

// QL does so by the QL iteration alone.
func QL(d, e []float64) ([]float64, mat.Matrix, error) {
	n := len(d)
	d, e = slices.Clone(d), slices.Clone(e)
	z := mat.Identity(n)
	var w qlWork
	w.grow(n)
	if at, ok := ql(d, e, z, w, sweepsPerRow*n); !ok {
		return nil, z, &NotConvergedError{Order: n, Sweeps: sweepsPerRow * n, Index: at}
	}
	return d, z.T(), nil
}

// SecularRoot returns root j of 1/rho + Σ z[i]²/(d[i] − λ) as d[pole] + shift.
func SecularRoot(d, z []float64, rho float64, j int) (pole int, shift float64, ok bool) {
	f := secular{d, z, 1 / rho}
	return f.root(j)
}

// TridiagonalSolver is a workspace with a result.
type TridiagonalSolver struct {
	c    dc
	d, e []float64
}

// NewTridiagonalSolver returns a workspace for matrices of order n.
func NewTridiagonalSolver(n int) *TridiagonalSolver {
	return &TridiagonalSolver{d: make([]float64, n), e: make([]float64, n)}
}

// Solve is Tridiagonal without its results.
func (s *TridiagonalSolver) Solve(d, e []float64) error {
	copy(s.d, d)
	copy(s.e, e)
	return s.c.solve(s.d, s.e, false)
}
