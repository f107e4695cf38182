//go:build purego || !(amd64 || arm64)

package asm

// available lists the levels that run here, the best one last.
func available() []level { return []level{generic} }

func cacheSize() int { return 0 }
