package field

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Grid is a set of spatial points: the Cartesian product of the factors' point
// sets, each an n_f×d_f matrix, one point a row. The last factor's index is the
// fastest. One factor of any dimension holds scattered points or small
// pictures; large pictures take one factor for the rows and one for the
// columns.
type Grid []mat.Matrix

// Len returns the number of points, the product of the factors'.
//
//go:noinline
func (g Grid) Len() int {
	n := 1
	for _, x := range g {
		n *= x.Rows
	}
	return n
}

// Equal reports whether two grids have the same points in the same order.
func (g Grid) Equal(h Grid) bool { return slices.EqualFunc(g, h, work.Equal) }

// Dims returns the number of points of each factor.
func (g Grid) Dims() []int {
	dims := make([]int, len(g))
	for f, x := range g {
		dims[f] = x.Rows
	}
	return dims
}
