//go:build race

package tier

// Raced says that the race detector watches, under which pools lose what they keep, so that calls allocate.
const Raced = true
