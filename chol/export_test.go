package chol

import "testing"

// SetLeaf changes, for the time of a test, the order up to which blocks are
// factored row by row.
func SetLeaf(t testing.TB, n int) {
	old := leaf
	leaf = n
	t.Cleanup(func() { leaf = old })
}
