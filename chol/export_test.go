package chol

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// SetBlocking changes, for the time of a test, the order of a block, the order up
// to which one processor does everything, and the depth of a kernel's call.
func SetBlocking(t testing.TB, side, serial, depth int) {
	old := blocking
	blocking.least, blocking.most, blocking.serial, blocking.diagonal, blocking.depth = side, side, serial, serial, depth
	t.Cleanup(func() { blocking = old })
}

// SetNarrow changes, for the time of a test, the number of columns up to which
// they are solved for by rows of the factor, and how many numbers of a row are taken at once.
func SetNarrow(t testing.TB, columns, numbers int) {
	n, s := narrow, strip
	narrow, strip = columns, numbers
	t.Cleanup(func() { narrow, strip = n, s })
}

// Place returns the block of a task, of a matrix of so many blocks in a column.
func Place(blocks, task int) (i, j int) { return (&panels{blocks: blocks}).place(task) }

// FactorizeUnchecked factors a whatever its Data are, with room for so many numbers beside
// the panels, too little for a good end if that is less than the order.
func FactorizeUnchecked(a mat.Matrix, room int) {
	p := new(panels)
	p.prepare(mat.New(a.Rows, a.Rows), a, 0)
	p.grow()
	p.inverse = p.inverse[:min(room, len(p.inverse))]
	mat.RunInOrder(p.blocks*(p.blocks+1)/2, p)
}
