//go:build !race

package compare

// Race says that the race detector watches, under which pools lose what they keep, so that calls allocate.
const Race = false
