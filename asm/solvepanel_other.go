//go:build purego || !(amd64 || arm64)

package asm

func solveLower(tiles int, t, x []float64) { solveLowerGeneric(tiles, t, x) }
func solveUpper(tiles int, t, x []float64) { solveUpperGeneric(tiles, t, x) }
