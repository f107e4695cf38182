//go:build !purego

package asm

// available lists the levels that run here, the best one last: every arm64
// processor that Go runs on has Advanced SIMD.
func available() []level { return []level{generic, neon} }

func cacheSize() int { return 0 }
