//go:build !purego

package asm

// available lists the levels that run here, the best one last.
func available() []level { return []level{generic} }
