// Package drawn draws films for tests: patterns that move in ways that are known, textures that go on below the pixels of
// training, and a source that fails.
package drawn

import "testing"

// Cases returns how many of a test's cases are tried.
func Cases(full int) int {
	if testing.Short() {
		return 1
	}
	return full
}
