package chol

import "testing"

// SetBlocking changes, for the time of a test, the order of a block, the order up
// to which one processor does everything, and the depth of a kernel's call.
func SetBlocking(t testing.TB, side, serial, depth int) {
	old := blocking
	blocking.side, blocking.serial, blocking.depth = side, serial, depth
	t.Cleanup(func() { blocking = old })
}
