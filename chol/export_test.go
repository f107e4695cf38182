package chol

import "testing"

// SetBlocking changes, for the time of a test, the order of a block, the order
// from which it is twice that, the order up to which one processor does everything,
// and the depth of a kernel's call.
func SetBlocking(t testing.TB, side, large, serial, depth int) {
	old := blocking
	blocking.side, blocking.large, blocking.serial, blocking.depth = side, large, serial, depth
	t.Cleanup(func() { blocking = old })
}

// SetHalvable changes, for the time of a test, the order up to which Inverse does
// not halve triangles, at most its usual value.
func SetHalvable(t testing.TB, n int) {
	old := halvable
	halvable = n
	t.Cleanup(func() { halvable = old })
}
